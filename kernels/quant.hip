// Quantized tensors (quant.h), always of whole rows of blocks:
//   dequantize_F_T(packed, out, u64 parts)                        as ggml computes elements, rounded once to T
//   quantize_q8_0_T(in, Part* out, u64 parts), quantize_q8k_T     the other operand of products: rounded to integers
//                                                                 times a scale for each 32 elements, kept in half precision, or each 256
//   matvec1_F, matvec4_F, matvec8_F(packed, Part* x, out, Product)
//                                                                 out[c][r] = packed[r] · x[c], dense, for 1, 4 or 8 columns c at a time
//   matvec1_T, matvec4_T(T* w, f32* x, out, Product)              the same for f16 and bf16; rows of whole eights
//   matmul_F(packed, Part* x, out, Product)                       matvec in tiles
//
// A part of 32 elements costs eight dot products of four bytes and, for each scale, two products of floats. Nothing is unpacked to memory:
// a matrix is read once, as it is stored.
//
// matvec: threads of a group take the parts of a row, or of two for 8 columns, in turns, and add their sums at the end; grid: x rows, y columns. matmul: on matrix cores as
// quant_cores.h says; elsewhere a block computes 64 × 64 results, 4 × 4 per thread, from parts in shared memory as codes and scales. Grid: x tiles of
// rows, y tiles of columns. Sums are in f32, in an order that depends on shapes alone, and rounded to the type of out.

template <class F, class T> DEV void dequantize(const u8* packed, T* out, u64 parts) {
  for (u64 i = first(); i < parts * 8; i += stride()) {  // four elements
    const u64 part = i / 8;
    const u32 w = (u32)(i % 8), p = (u32)(part % F::PARTS);
    const u8* b = packed + part / F::PARTS * F::BYTES;
    const u32 codes = F::word(b, p, w);
    const f32 scale = F::scale(b, p, w / 4);
    Pack<T, 4> x;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      f32 v = scale * (f32)((i32)(i8)(codes >> (8 * j)) - F::OFFSET);
      if (F::LOW) v += F::low(b, p, w / 4);
      x.at[j] = Element<T>::store(v);
    }
    put_pack(out, i, x);
  }
}

// Threads take eight elements each.
template <u32 GROUP, class T> DEV void quantize(const T* in, Part* out, u64 parts) {
  for (u64 first_of = (u64)bid() * BLOCK; first_of < parts * 4; first_of += stride()) {  // the whole wave takes part
    const u64 i = first_of + tid();
    const bool here = i < parts * 4;
    f32 x[8];
#pragma unroll
    for (u32 j = 0; j < 8; j++) x[j] = here ? Element<T>::load(in[i * 8 + j]) : 0;
    quantize_eight<GROUP>(x, out, i, here);
  }
}

// A group has ROWS rows at a time.
template <class F, u32 COLS, u32 ROWS> DEV void matvec(const u8* packed, const Part* x, void* out, const Product& g) {
  const Group t(g.parts);
  for (u64 col = (u64)bid_y() * COLS; col < g.cols; col += (u64)blocks_y() * COLS)
    for (u64 row0 = (u64)bid() * t.rows * ROWS; row0 < g.rows; row0 += (u64)blocks() * t.rows * ROWS) {
      const u64 row = row0 + t.row * ROWS, end = row < g.rows ? g.parts : 0;
      const u8* b[ROWS];
#pragma unroll
      for (u32 r = 0; r < ROWS; r++) b[r] = packed + (row + r < g.rows ? row + r : g.rows - 1) * (g.parts / F::PARTS) * F::BYTES;
      f32 sum[ROWS][COLS] = {};
      for (u64 p = t.part; p < end; p += t.size) {
        const Codes<F> a(b[0], p), last(b[ROWS - 1], p);
#pragma unroll
        for (u32 c = 0; c < COLS; c++)
          if (COLS == 1 || col + c < g.cols) {
            const Part y = x[(col + c) * g.parts + p];
            sum[0][c] = fma(y.d, dot<F>(a, y), sum[0][c]);
            if (ROWS == 2) sum[ROWS - 1][c] = fma(y.d, dot<F>(last, y), sum[ROWS - 1][c]);
          }
      }
#pragma unroll
      for (u32 r = 0; r < ROWS; r++)
#pragma unroll
        for (u32 c = 0; c < COLS; c++) {
          for (u32 mask = t.size / 2; mask > 0; mask /= 2) sum[r][c] += across(sum[r][c], mask);
          if (t.part == 0 && row + r < g.rows && col + c < g.cols) put(out, (col + c) * g.rows + row + r, sum[r][c], g.type);
        }
    }
}

// The same for elements of 16 bits, eight at a time, and x in f32, which is rounded to their type.
template <class T, u32 COLS> DEV void matvec_floats(const T* w, const f32* x, void* out, const Product& g) {
  const Group t(g.parts);
  for (u64 col = (u64)bid_y() * COLS; col < g.cols; col += (u64)blocks_y() * COLS)
    for (u64 row0 = (u64)bid() * t.rows; row0 < g.rows; row0 += (u64)blocks() * t.rows) {
      const u64 row = row0 + t.row, end = row < g.rows ? g.parts : 0;
      f32 sum[COLS] = {};
      for (u64 p = t.part; p < end; p += t.size) {
        const Pack<T, 8> a = pack_at<8>(w, row * g.parts + p);
#pragma unroll
        for (u32 c = 0; c < COLS; c++)
          if (COLS == 1 || col + c < g.cols) {
            const u64 at = ((col + c) * g.parts + p) * 2;
            const Pack<f32, 4> y[2] = {pack_at<4>(x, at), pack_at<4>(x, at + 1)};
#pragma unroll
            for (u32 j = 0; j < 8; j++)
              sum[c] = fma(Element<T>::load(a.at[j]), Element<T>::load(Element<T>::store(y[j / 4].at[j % 4])), sum[c]);
          }
      }
#pragma unroll
      for (u32 c = 0; c < COLS; c++) {
        for (u32 mask = t.size / 2; mask > 0; mask /= 2) sum[c] += across(sum[c], mask);
        if (t.part == 0 && row < g.rows && col + c < g.cols) put(out, (col + c) * g.rows + row, sum[c], g.type);
      }
    }
}

#if CODE_CORES
template <class F> DEV void matmul(const u8* packed, const Part* x, void* out, const Product& g) { matmul_codes<F>(packed, x, out, g); }
#else
const u32 SIDE = 64, EDGE = SIDE + 1;  // of a tile, and of its rows in shared memory: neighbouring threads meet no bank twice
template <class F> DEV void matmul(const u8* packed, const Part* x, void* out, const Product& g) {
  SHARED u32 codes[8][EDGE], others[8][EDGE];
  SHARED f32 scales[2][SIDE], lows[2][SIDE], d[SIDE];
  SHARED i32 sums[2][SIDE];
  const u32 tx = tid() % 16, ty = tid() / 16;
  for (u64 col = (u64)bid_y() * SIDE; col < g.cols; col += (u64)blocks_y() * SIDE)
    for (u64 row = (u64)bid() * SIDE; row < g.rows; row += (u64)blocks() * SIDE) {
      f32 sum[4][4] = {};
      const u32 at = tid() / 4, quarter = tid() % 4;  // four threads unpack a part of each operand
      const u64 r = row + at < g.rows ? row + at : g.rows - 1, c = col + at < g.cols ? col + at : g.cols - 1;
      for (u64 p = 0; p < g.parts; p++) {
        const u8* b = packed + (r * (g.parts / F::PARTS) + p / F::PARTS) * F::BYTES;
        const u32 of = (u32)(p % F::PARTS);
        const Part* xp = x + c * g.parts + p;
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
          codes[2 * quarter + j][at] = F::word(b, of, 2 * quarter + j);
          others[2 * quarter + j][at] = xp->q[2 * quarter + j];
        }
        if (quarter <= (F::SPLIT ? 1 : 0)) {
          scales[quarter][at] = F::scale(b, of, quarter);
          lows[quarter][at] = F::LOW ? F::low(b, of, quarter) : 0;
        }
        if (quarter == 2) d[at] = xp->d;
        if (quarter == 3) sums[0][at] = F::SPLIT ? xp->sum[0] : xp->sum[0] + xp->sum[1], sums[1][at] = xp->sum[1];
        sync();
        f32 t[4][4] = {};
#pragma unroll
        for (u32 h = 0; h < 1 + F::SPLIT; h++) {
          const u32 words = F::SPLIT ? 4 : 8;
          i32 s[4][4] = {};
#pragma unroll
          for (u32 w = h * words; w < (h + 1) * words; w++) {
            u32 a[4], y[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) a[i] = codes[w][tx + 16 * i], y[i] = others[w][ty + 16 * i];
#pragma unroll
            for (u32 i = 0; i < 4; i++)
#pragma unroll
              for (u32 j = 0; j < 4; j++) s[i][j] = dot4(a[i], y[j], s[i][j]);
          }
#pragma unroll
          for (u32 i = 0; i < 4; i++)
#pragma unroll
            for (u32 j = 0; j < 4; j++) t[i][j] += term<F>(s[i][j], sums[h][ty + 16 * j], scales[h][tx + 16 * i], lows[h][tx + 16 * i]);
        }
#pragma unroll
        for (u32 i = 0; i < 4; i++)
#pragma unroll
          for (u32 j = 0; j < 4; j++) sum[i][j] = fma(d[ty + 16 * j], t[i][j], sum[i][j]);
        sync();
      }
#pragma unroll
      for (u32 j = 0; j < 4; j++)
#pragma unroll
        for (u32 i = 0; i < 4; i++)
          if (row + tx + 16 * i < g.rows && col + ty + 16 * j < g.cols)
            put(out, (col + ty + 16 * j) * g.rows + row + tx + 16 * i, sum[i][j], g.type);
    }
}
#endif

#define DEQUANTIZE(F, T) \
  KERNEL dequantize_##F##_##T(const u8* packed, T* out, u64 parts) { dequantize<F>(packed, out, parts); }
#define QUANTIZE(NAME, GROUP, T) \
  KERNEL quantize_##NAME##_##T(const T* in, Part* out, u64 parts) { quantize<GROUP>(in, out, parts); }
#define MATVEC(F, COLS, ROWS) \
  KERNEL matvec##COLS##_##F(const u8* packed, const Part* x, void* out, Product g) { matvec<F, COLS, ROWS>(packed, x, out, g); }
#define MATVEC_FLOATS(T, COLS) \
  KERNEL matvec##COLS##_##T(const T* w, const f32* x, void* out, Product g) { matvec_floats<T, COLS>(w, x, out, g); }
#define MATMUL_BLOCKS(F) \
  KERNEL_FOR(2) matmul_##F(const u8* packed, const Part* x, void* out, Product g) { matmul<F>(packed, x, out, g); }
