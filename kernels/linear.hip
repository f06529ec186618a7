// Products of a matrix and one row of a decoder, with its norm before and its residual or gate after them: see linear.h.
//   linear_T(w, x, alpha, plus, out, Linear)        W of f16 or bf16, dense; rows of whole eights, aligned to 16 bytes; type is that of T
//   linear_F(packed, x, alpha, plus, out, Linear)   W of whole blocks of a format (quant.h); h is rounded to integers as for matvec1_F
// alpha and plus may be null. Any grid is correct: blocks take BLOCK / LANES pairs of rows at a time, or more where rows are short.

const int AHEAD = 4;  // loads of each of two rows that do not wait for one another

template <class T> DEV void linear(const T* w, const void* x, const void* alpha, const void* plus, void* out, const Linear& g) {
  alignas(16) SHARED T h[LONGEST];
  const int V = 8;
  const u32 packs = (u32)g.cols / V, each = BLOCK / LANES;
  const u64 pairs = pairs_of(g), from = (u64)bid() * each, to = from + each < pairs ? from + each : pairs;
  begin_next();
  if (from < to) {
    ask_for(w + first_of(from, g) * g.cols, (g.gated ? to - from : 2 * (to - from) - (2 * to > g.rows)) * g.cols * sizeof(T));
    if (g.gated) ask_for(w + second_of(from, g) * g.cols, (to - from) * g.cols * sizeof(T));
  }
  await_previous();
  const f32 factor = alpha ? norm_factor(x, g) : 1;
  for (u32 i = tid(); i < g.cols; i += BLOCK) h[i] = Element<T>::store(input_of(x, alpha, factor, i, g));
  sync();
  for (u64 pair = from + tid() / LANES; pair < pairs; pair += (u64)blocks() * each) {
    const Pack<T, V>*a = (const Pack<T, V>*)(w + first_of(pair, g) * g.cols), *b = (const Pack<T, V>*)(w + second_of(pair, g) * g.cols);
    f32 sum[2] = {0, 0};
    for (u32 p0 = lane(); p0 < packs; p0 += AHEAD * LANES) {
      Pack<T, V> ra[AHEAD], rb[AHEAD];
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * LANES < packs ? p0 + j * LANES : p0;
        ra[j] = a[p];
        rb[j] = b[p];
      }
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * LANES;
        if (p >= packs) continue;
        const Pack<T, V> y = ((const Pack<T, V>*)h)[p];
#pragma unroll
        for (int e = 0; e < V; e++) {
          const f32 z = Element<T>::load(y.at[e]);
          sum[0] = fma(Element<T>::load(ra[j].at[e]), z, sum[0]);
          sum[1] = fma(Element<T>::load(rb[j].at[e]), z, sum[1]);
        }
      }
    }
    for (u32 mask = LANES / 2; mask > 0; mask /= 2) sum[0] += across(sum[0], mask), sum[1] += across(sum[1], mask);
    if (lane() == 0) put_pair(sum, plus, out, pair, g);
  }
}

template <class F> DEV void linear_packed(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, const Linear& g) {
  alignas(16) SHARED Part h[LONGEST / 32];
  const u64 parts = g.cols / 32, row = parts / F::PARTS * F::BYTES;
  const Group t(parts);
  const u64 pairs = pairs_of(g), from = (u64)bid() * t.rows, to = from + t.rows < pairs ? from + t.rows : pairs;
  begin_next();
  if (from < to) {
    ask_for(packed + first_of(from, g) * row, (g.gated ? to - from : 2 * (to - from) - (2 * to > g.rows)) * row);
    if (g.gated) ask_for(packed + second_of(from, g) * row, (to - from) * row);
  }
  await_previous();
  const f32 factor = alpha ? norm_factor(x, g) : 1;
  for (u64 i0 = 0; i0 < parts * 4; i0 += BLOCK) {  // the whole wave takes part
    const u64 i = i0 + tid();
    const bool here = i < parts * 4;
    f32 e[8];
#pragma unroll
    for (u32 j = 0; j < 8; j++) e[j] = here ? input_of(x, alpha, factor, i * 8 + j, g) : 0;
    quantize_eight<F::PARTS == 1 ? 4 : 32>(e, h, i, here);  // as ggml: blocks of 256 with others of 256
  }
  sync();
  for (u64 pair = from + t.row; pair < pairs; pair += (u64)blocks() * t.rows) {
    const u8 *a = packed + first_of(pair, g) * row, *b = packed + second_of(pair, g) * row;
    f32 sum[2] = {0, 0};
#pragma unroll 2
    for (u64 p = t.part; p < parts; p += t.size) {
      const Codes<F> ca(a, p), cb(b, p);
      const Part y = h[p];
      sum[0] = fma(y.d, dot<F>(ca, y), sum[0]);
      sum[1] = fma(y.d, dot<F>(cb, y), sum[1]);
    }
    for (u32 mask = t.size / 2; mask > 0; mask /= 2) sum[0] += across(sum[0], mask), sum[1] += across(sum[1], mask);
    if (t.part == 0) put_pair(sum, plus, out, pair, g);
  }
}

#define LINEAR(T) \
  EARLY(linear_##T) \
  KERNEL linear_##T(const T* w, const void* x, const void* alpha, const void* plus, void* out, Linear g) { linear(w, x, alpha, plus, out, g); }
#define LINEAR_PACKED(F) \
  EARLY(linear_##F) \
  KERNEL linear_##F(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, Linear g) { \
    linear_packed<F>(packed, x, alpha, plus, out, g); \
  }
