// Products of quantized tensors (quant.h) and many rows, on matrix cores. Both operands are unpacked to memory first, where each is read by many
// blocks:
//   unpack_F(packed, u8* codes, f32* scales, u64 rows, u64 parts)      codes less their offset, dense bytes, and what parts have besides
//   unpack_rows(Part* x, u8* codes, f32* scales, u64 rows, u64 parts)  the same of the other operand
//   matmul_codes_S(u8* w, f32* ws, u8* x, f32* xs, out, Product)       out[c][r] = w[r] · x[c], in tiles
//
// S says what parts of w have: a scale (scaled), a scale and what is added to elements (low), or a scale for each half (halves). A part gives what dot
// products of bytes give, to the bit. Each result is scaled once for each part, in single precision, which takes as long as the matrix cores do. Without
// those a thread computes a result, which is correct, but no use.
//
// Scales are [part][row], with one number or two; of the other operand the scale and the sum of the codes. Grid of unpack: x parts of a row, y rows; of
// matmul_codes: x tiles of columns, y of rows: blocks that run at the same time read the same rows of w.

// Four unsigned bytes less an offset.
template <i32 OFFSET> DEV u32 less_offset(u32 x) { return OFFSET ? ((x | 0x80808080u) - (u32)OFFSET * ONES) ^ 0x80808080u : x; }

template <class F> DEV void unpack(const u8* packed, u8* codes, f32* scales, u64 rows, u64 parts) {
  const u32 NUMBERS = 1 + (F::SPLIT || F::LOW);
  for (u64 row = bid_y(); row < rows; row += blocks_y())
    for (u64 i = first(); i < parts * 2; i += stride()) {  // half of a part
      const u64 part = i / 2;
      const u32 h = (u32)(i % 2), p = (u32)(part % F::PARTS);
      const u8* b = packed + (row * (parts / F::PARTS) + part / F::PARTS) * F::BYTES;
      Pack<u32, 4> x;
#pragma unroll
      for (u32 w = 0; w < 4; w++) x.at[w] = less_offset<F::OFFSET>(F::word(b, p, 4 * h + w));
      put_pack((u32*)codes, row * parts * 2 + i, x);
      if (h < NUMBERS) scales[(part * rows + row) * NUMBERS + h] = F::LOW && h == 1 ? F::low(b, p, 0) : F::scale(b, p, h);
    }
}

DEV void unpack_parts(const Part* x, u8* codes, f32* scales, u64 rows, u64 parts) {
  for (u64 row = bid_y(); row < rows; row += blocks_y())
    for (u64 i = first(); i < parts; i += stride()) {
      const Part part = x[row * parts + i];
      Pack<u32, 4> q[2];
#pragma unroll
      for (u32 w = 0; w < 8; w++) q[w / 4].at[w % 4] = part.q[w];
      put_pack((u32*)codes, (row * parts + i) * 2, q[0]);
      put_pack((u32*)codes, (row * parts + i) * 2 + 1, q[1]);
      const Pack<f32, 2> has = {{part.d, (f32)(part.sum[0] + part.sum[1])}};
      put_pack(scales, i * rows + row, has);
    }
}

#if MATRIX_CORES
const u32 TILE = 128, ROW = 48;                        // rows and columns of a block's results; bytes from row to row of a part in shared memory
const u32 BUFFERS = AMD ? 2 : 3, AHEAD = AMD ? 1 : 2;  // parts in shared memory, and how many of them are on their way

// A part of TILE rows of an operand in shared memory, with N numbers that each row has beside its codes.
template <u32 N> struct alignas(16) PartOfTile { u8 codes[TILE * ROW]; Pack<f32, N> scales[TILE]; };

// One access. A compiler would keep what is assigned as a whole in memory.
template <class T, int V> DEV void read(Pack<T, V>& to, const void* p) {
  const Pack<T, V> x = *(const Pack<T, V>*)p;
#pragma unroll
  for (int i = 0; i < V; i++) to.at[i] = x.at[i];
}

// What a thread copies of the parts: through registers, or by NVIDIA's asynchronous copies. Rows beyond the end are the last one. In memory rows have
// EACH numbers, of which the first N are copied.
template <u32 N, u32 EACH> struct Copies {
  const u8* codes;
  const f32* scales;
  u64 apart;         // numbers from part to part
  u32 at, at_scale;  // in a part of a tile; the second is 0 for threads without scales
#if AMD
  Pack<u32, 4> next;
  Pack<f32, N> next_scales;
#endif

  DEV Copies(const u8* all, const f32* besides, u64 row, u64 rows, u64 parts, u32 t, bool has_scales) : apart(rows * EACH) {
    const u32 most = rows - row < TILE ? (u32)(rows - row) - 1 : TILE - 1, r = t / 2, s = t % TILE;
    codes = all + ((row + (r < most ? r : most)) * parts * 2 + t % 2) * 16;
    scales = besides + (row + (s < most ? s : most)) * EACH;
    at = r * ROW + t % 2 * 16;
    at_scale = has_scales ? TILE * ROW + s * 4 * N : 0;
  }
  DEV void begin(PartOfTile<N>& to) {
#if AMD
    read(next, codes);
    if (at_scale) read(next_scales, scales);
#else
    const u32 base = shared_address(&to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(base + at), "l"(codes) : "memory");
    if (at_scale)
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(base + at_scale), "l"(scales), "n"(4 * N) : "memory");
#endif
    codes += 32;
    scales += apart;
  }
  DEV void end(PartOfTile<N>& to) const {
#if AMD
    *(Pack<u32, 4>*)(to.codes + at) = next;
    if (at_scale) *(Pack<f32, N>*)(to.codes + at_scale) = next_scales;
#endif
  }
};
#if AMD
DEV void copies_group() {}
DEV void copies_wait() {}
#else
DEV void copies_group() { asm volatile("cp.async.commit_group;" : : : "memory"); }
DEV void copies_wait() { asm volatile("cp.async.wait_group %0;" : : "n"(AHEAD - 1) : "memory"); }  // for all but the last ones
#endif

const int HIGH = BLOCK / WAVE / 2, DOWN = TILE / HIGH / 16, ACROSS = TILE / 2 / 16;  // matrices of a wave

// Adds the products of a part to a wave's sums.
template <bool SPLIT, bool LOW, u32 N, u32 M>
DEV void add_part(Results (&sum)[DOWN][ACROSS], const PartOfTile<N>& w, const PartOfTile<M>& x, u32 top, u32 left, u32 lane) {
  Bytes a[DOWN], b[ACROSS];
  Pack<f32, N> of_row[DOWN][LANE_ROWS];
  const BytesPlace pa = row_bytes_place(w.codes + top * ROW, ROW, lane), pb = column_bytes_place(x.codes + left * ROW, ROW, lane);
#pragma unroll
  for (int i = 0; i < DOWN; i++) {
    a[i] = bytes_at(pa, i * 16 * ROW);
#pragma unroll
    for (u32 e = 0; e < LANE_ROWS; e++) read(of_row[i][e], &w.scales[top + i * 16 + row_of(lane, e)]);
  }
#pragma unroll
  for (int j = 0; j < ACROSS; j++) b[j] = bytes_at(pb, j * 16 * ROW);
#pragma unroll
  for (int j = 0; j < ACROSS; j++) {
    Pack<f32, M> of_column[LANE_ROWS];
#pragma unroll
    for (u32 e = 0; e < LANE_ROWS; e++) read(of_column[e], &x.scales[left + j * 16 + column_of(lane, e)]);
#pragma unroll
    for (int i = 0; i < DOWN; i++) {
      f32 total[LANE_ROWS];
#pragma unroll
      for (u32 h = 0; h < 1 + SPLIT; h++) {
        const Results s = product_of_bytes<SPLIT>(a[i], b[j], h, lane);
#pragma unroll
        for (u32 e = 0; e < LANE_ROWS; e++) {
          f32 y = of_row[i][e].at[h] * s[e];
          if (LOW) y = fma(of_row[i][e].at[LOW], of_column[e].at[LOW], y);
          total[e] = h == 0 ? y : total[e] + y;
        }
      }
#pragma unroll
      for (u32 e = 0; e < LANE_ROWS; e++) sum[i][j][e] = fma(of_column[e].at[0], total[e], sum[i][j][e]);
    }
  }
}

// Writes a wave's results, from row and col on.
template <class T> DEV void put_results(T* out, const Results (&sum)[DOWN][ACROSS], u64 row, u64 col, const Product& g, u32 lane) {
#pragma unroll
  for (int j = 0; j < ACROSS; j++)
#pragma unroll
    for (u32 e = 0; e < LANE_ROWS; e++) {
      const u64 c = col + j * 16 + column_of(lane, e);
      if (c < g.cols)
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
          const u64 r = row + i * 16 + row_of(lane, e);
          if (r < g.rows) out[c * g.rows + r] = Element<T>::store(sum[i][j][e]);
        }
    }
}

template <bool SPLIT, bool LOW> DEV void matmul_codes(const u8* w, const f32* ws, const u8* x, const f32* xs, void* out, const Product& g) {
  const u32 N = 1 + (SPLIT || LOW), M = 1 + LOW;
  SHARED PartOfTile<N> rows_of[BUFFERS];
  SHARED PartOfTile<M> columns_of[BUFFERS];
  const u32 parts = (u32)g.parts;
  for (u64 row = (u64)bid_y() * TILE; row < g.rows; row += (u64)blocks_y() * TILE)
    for (u64 col = (u64)bid() * TILE; col < g.cols; col += (u64)blocks() * TILE) {
      const u32 t = opaque(tid()), lane = t % WAVE, wave = t / WAVE;
      const u32 top = wave / 2 * DOWN * 16, left = wave % 2 * ACROSS * 16;
      Copies<N, N> rows(w, ws, row, g.rows, parts, t, t < TILE);
      Copies<M, 2> columns(x, xs, col, g.cols, parts, t, t >= TILE);
      sync();  // the part before the last one of the tile before has been read
      for (u32 part = 0; part < AHEAD; part++) {
        if (part < parts) {
          rows.begin(rows_of[part]);
          columns.begin(columns_of[part]);
        }
        copies_group();
      }
      Results sum[DOWN][ACROSS] = {};
      u32 at = 0, ahead = AHEAD % BUFFERS;
      for (u32 part = 0; part < parts; part++) {
        rows.end(rows_of[at]);
        columns.end(columns_of[at]);
        copies_wait();
        sync();
        if (part + AHEAD < parts) {
          rows.begin(rows_of[ahead]);
          columns.begin(columns_of[ahead]);
        }
        copies_group();
        add_part<SPLIT, LOW>(sum, rows_of[at], columns_of[at], top, left, lane);
        at = at + 1 == BUFFERS ? 0 : at + 1;
        ahead = ahead + 1 == BUFFERS ? 0 : ahead + 1;
      }
      if (g.type == 0)
        put_results((f32*)out, sum, row + top, col + left, g, lane);
      else if (g.type == 1)
        put_results((f16*)out, sum, row + top, col + left, g, lane);
      else
        put_results((bf16*)out, sum, row + top, col + left, g, lane);
    }
}
#else
// A thread computes a result.
template <bool SPLIT, bool LOW> DEV void matmul_codes(const u8* w, const f32* ws, const u8* x, const f32* xs, void* out, const Product& g) {
  const u32 N = 1 + (SPLIT || LOW), WORDS = SPLIT ? 4 : 8;  // of codes that share a scale
  for (u64 c = bid(); c < g.cols; c += blocks())
    for (u64 r = (u64)bid_y() * BLOCK + tid(); r < g.rows; r += (u64)blocks_y() * BLOCK) {
      f32 sum = 0;
      for (u64 part = 0; part < g.parts; part++) {
        const f32 *of_row = ws + (part * g.rows + r) * N, *of_column = xs + (part * g.cols + c) * 2;
        const u32 *a = (const u32*)w + (r * g.parts + part) * 8, *b = (const u32*)x + (c * g.parts + part) * 8;
        f32 total = 0;
#pragma unroll
        for (u32 h = 0; h < 1 + SPLIT; h++) {
          i32 s = 0;
#pragma unroll
          for (u32 i = WORDS * h; i < WORDS * (h + 1); i++) s = dot4(a[i], b[i], s);
          f32 y = of_row[h] * (f32)s;
          if (LOW) y = fma(of_row[LOW], of_column[1], y);
          total = h == 0 ? y : total + y;
        }
        sum = fma(of_column[0], total, sum);
      }
      put(out, c * g.rows + r, sum, g.type);
    }
}
#endif

#define UNPACK(F) \
  KERNEL unpack_##F(const u8* packed, u8* codes, f32* scales, u64 rows, u64 parts) { unpack<F>(packed, codes, scales, rows, parts); }
#define UNPACK_ROWS() \
  KERNEL unpack_rows(const Part* x, u8* codes, f32* scales, u64 rows, u64 parts) { unpack_parts(x, codes, scales, rows, parts); }
#define MATMUL_CODES(NAME, SPLIT, LOW) \
  KERNEL_FOR(2) matmul_codes_##NAME(const u8* w, const f32* ws, const u8* x, const f32* xs, void* out, Product g) { \
    matmul_codes<SPLIT, LOW>(w, ws, x, xs, out, g); \
  }
