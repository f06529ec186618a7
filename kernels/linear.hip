// Products of a matrix and one row of a decoder, with its norm before and its residual or gate after them: see linear.h.
//   linear_T(w, x, alpha, plus, out, Linear)        W of f16 or bf16, dense; the other operands have its type
//   linear_F(packed, x, alpha, plus, out, Linear)   W of whole blocks of a format (quant.h); h is rounded to integers as for matvec1_F
// alpha and plus may be null. Rows are whole eights, of at most LONGEST elements, and operands aligned to 16 bytes. Any grid is correct: blocks take
// BLOCK / LANES pairs of rows at a time, or more where rows are short.

const u32 AHEAD = 4;  // packs of each of two rows that a thread waits for together

template <class T> struct PutRow {
  T* h;
  DEV void operator()(const Pack<T, 8>& e, u32 i, bool here) const {
    if (here) ((Pack<T, 8>*)h)[i] = e;
  }
};

template <class T> DEV void linear(const T* w, const T* x, const T* alpha, const T* plus, T* out, const Linear& g) {
  alignas(16) SHARED T h[LONGEST];
  const u32 packs = (u32)g.cols / 8;
  const Group t(packs);
  const u64 pairs = pairs_of(g), from = (u64)bid() * t.rows;
  if (from < pairs) ask_for_pairs(w, from, from + t.rows < pairs ? t.rows : pairs - from, g.cols * sizeof(T), g);  // on their way while h is made
  make_row(x, alpha, g, PutRow<T>{h});
  for (u64 pair = from + t.row; pair < pairs; pair += (u64)blocks() * t.rows) {
    const Pack<T, 8>*a = (const Pack<T, 8>*)(w + first_of(pair, g) * g.cols), *b = (const Pack<T, 8>*)(w + second_of(pair, g) * g.cols);
    f32 sum[2] = {0, 0};
    for (u32 p0 = t.part; p0 < packs; p0 += AHEAD * t.size) {
      Pack<T, 8> ra[AHEAD], rb[AHEAD];
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * t.size < packs ? p0 + j * t.size : p0;
        ra[j] = a[p];
        rb[j] = b[p];
      }
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * t.size;
        if (p >= packs) continue;
        const Pack<T, 8> y = ((const Pack<T, 8>*)h)[p];
#pragma unroll
        for (u32 e = 0; e < 8; e++) {
          const f32 z = Element<T>::load(y.at[e]);
          sum[0] = fma(Element<T>::load(ra[j].at[e]), z, sum[0]);
          sum[1] = fma(Element<T>::load(rb[j].at[e]), z, sum[1]);
        }
      }
    }
    for (u32 mask = t.size / 2; mask > 0; mask /= 2) sum[0] += across(sum[0], mask), sum[1] += across(sum[1], mask);
    if (t.part == 0) put_pair(sum, plus, out, pair, g);
  }
}

template <class F> struct PutCodes {
  Part* h;
  template <class X> DEV void operator()(const Pack<X, 8>& e, u32 i, bool here) const {
    f32 x[8];
#pragma unroll
    for (u32 j = 0; j < 8; j++) x[j] = here ? (f32)Element<X>::load(e.at[j]) : 0;
    quantize_eight<F::PARTS == 1 ? 4 : 32>(x, h, i, here);  // as ggml: blocks of 256 with others of 256
  }
};

template <class F, class X> DEV void linear_packed(const u8* packed, const X* x, const X* alpha, const X* plus, X* out, const Linear& g, Part* h) {
  const u32 parts = (u32)g.cols / 32;
  const u64 row = parts / F::PARTS * F::BYTES;
  const Group t(parts);
  const u64 pairs = pairs_of(g), from = (u64)bid() * t.rows;
  if (from < pairs) ask_for_pairs(packed, from, from + t.rows < pairs ? t.rows : pairs - from, row, g);  // on their way while h is made
  make_row(x, alpha, g, PutCodes<F>{h});
  for (u64 pair = from + t.row; pair < pairs; pair += (u64)blocks() * t.rows) {
    const u8 *a = packed + first_of(pair, g) * row, *b = packed + second_of(pair, g) * row;
    f32 sum[2] = {0, 0};
#pragma unroll 1
    for (u32 p = t.part; p < parts; p += 2 * t.size) {
      const u32 q = p + t.size < parts ? p + t.size : p;
      const Codes<F> a0(a, p), b0(b, p), a1(a, q), b1(b, q);
      const Part y = h[p];
      sum[0] = fma(y.d, dot<F>(a0, y), sum[0]);
      sum[1] = fma(y.d, dot<F>(b0, y), sum[1]);
      if (p + t.size >= parts) continue;
      const Part z = h[q];
      sum[0] = fma(z.d, dot<F>(a1, z), sum[0]);
      sum[1] = fma(z.d, dot<F>(b1, z), sum[1]);
    }
    for (u32 mask = t.size / 2; mask > 0; mask /= 2) sum[0] += across(sum[0], mask), sum[1] += across(sum[1], mask);
    if (t.part == 0) put_pair(sum, plus, out, pair, g);
  }
}

template <class F> DEV void linear_packed_any(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, const Linear& g) {
  alignas(16) SHARED Part h[LONGEST / 32];
  if (g.type == 0)
    linear_packed<F>(packed, (const f32*)x, (const f32*)alpha, (const f32*)plus, (f32*)out, g, h);
  else if (g.type == 1)
    linear_packed<F>(packed, (const f16*)x, (const f16*)alpha, (const f16*)plus, (f16*)out, g, h);
  else
    linear_packed<F>(packed, (const bf16*)x, (const bf16*)alpha, (const bf16*)plus, (bf16*)out, g, h);
}

#define LINEAR(T) \
  KERNEL_FOR(4) linear_##T(const T* w, const T* x, const T* alpha, const T* plus, T* out, Linear g) { linear(w, x, alpha, plus, out, g); }
#define LINEAR_PACKED(F) \
  KERNEL_FOR(3) linear_##F(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, Linear g) { \
    linear_packed_any<F>(packed, x, alpha, plus, out, g); \
  }
