// Products of a matrix and one row of a decoder, with its norm before and its residual or gate after them: see linear.h.
//   linear_T, linear_gated_T(w, x, alpha, plus, out, Linear)   W of f16 or bf16, dense; the other operands have its type
//   linear_F(packed, x, alpha, plus, out, Linear)              W of whole blocks of a format (quant.h); h is rounded to integers as for matvec1_F
// alpha and plus may be null. Rows are whole eights, of at most LONGEST elements, and operands aligned to 16 bytes. Any grid is correct. Of dense
// matrices, BLOCK >> shift rows are a block's at a time, with threads for a row that hold all of it; of blocks, BLOCK / LANES pairs of rows, or more where
// rows are short.

const int HELD = 8;  // packs of h that a thread holds, and of a row of W that it loads together

// The packs of a row that are the thread's; beyond the row, its first one.
template <class T> DEV void load_packs(Pack<T, 8> (&r)[HELD], const T* row, u32 part, u32 threads, u32 packs) {
#pragma unroll
  for (u32 j = 0; j < HELD; j++) {
    const u32 p = part + j * threads;
    r[j] = ((const Pack<T, 8>*)row)[p < packs ? p : 0];
  }
}

// The sum of x over the 1 << shift threads that share a row. The memory of one call is free after the next one.
DEV f32 shared_sum(f32 x, u32 shift, f32 (&parts)[BLOCK / LANES]) {
  const u32 threads = 1u << shift;
  for (u32 mask = (threads < LANES ? threads : LANES) / 2; mask > 0; mask /= 2) x += across(x, mask);
  if (threads <= LANES) return x;
  if (lane() == 0) parts[tid() / LANES] = x;
  sync();
  const u32 from = tid() >> shift << shift;
  x = 0;
  for (u32 i = from; i < from + threads; i += LANES) x += parts[i / LANES];
  return x;
}

// h in packs of a thread, rounded to its type.
template <class T> DEV void hold(Pack<T, 8> (&h)[HELD], const T* x, const T* alpha, const Linear& g, u32 part, f32 (&parts)[BLOCK / LANES]) {
  const u32 threads = 1u << g.shift, packs = (u32)g.cols / 8;
  Pack<T, 8> a[HELD];
  load_packs(h, x, part, threads, packs);
  if (!alpha) return;
  load_packs(a, alpha, part, threads, packs);
  f32 squares = 0;
#pragma unroll
  for (u32 j = 0; j < HELD; j++)
    if (part + j * threads < packs)
#pragma unroll
      for (u32 e = 0; e < 8; e++) {
        const f32 y = Element<T>::load(h[j].at[e]);
        squares = fma(y, y, squares);
      }
  const f32 factor = 1.0f / sqrt(shared_sum(squares, g.shift, parts) / (f32)g.cols + (f32)g.eps);
#pragma unroll
  for (u32 j = 0; j < HELD; j++)
#pragma unroll
    for (u32 e = 0; e < 8; e++) h[j].at[e] = Element<T>::store(Element<T>::load(h[j].at[e]) * factor * Element<T>::load(a[j].at[e]));
}

// 1 << shift threads share a row. The first row is on its way while they make h; a thread holds the packs of h that it needs for all of its rows, and asks
// for a pack of the next row when it has used that of the last.
template <class T, bool GATED> DEV void linear(const T* w, const T* x, const T* alpha, const T* plus, T* out, const Linear& g) {
  const u32 N = GATED ? 2 : 1;
  SHARED f32 parts[2 * N][BLOCK / LANES];
  const u32 threads = 1u << g.shift, each = BLOCK >> g.shift, part = tid() & (threads - 1), packs = (u32)g.cols / 8;
  const u64 stride = (u64)blocks() * each, first = (u64)bid() * each, mine = first + (tid() >> g.shift);
  if (first >= g.rows) return;
  Pack<T, 8> r[HELD], h[HELD];
  u64 row = mine < g.rows ? mine : 0;
  load_packs(r, w + row * g.cols, part, threads, packs);
  hold(h, x, alpha, g, part, parts[2 * N - 1]);
  u32 turn = 0;
  for (u64 row0 = first; row0 < g.rows; row0 += stride, turn ^= N) {
    const u64 at = row0 - first + mine, next = at + stride;
    f32 y[N];
#pragma unroll
    for (u32 n = 0; n < N; n++) {
      row = n + 1 < N ? row + g.rows : next < g.rows ? next : 0;
      const Pack<T, 8>* following = (const Pack<T, 8>*)(w + row * g.cols);
      f32 sum = 0;
#pragma unroll
      for (u32 j = 0; j < HELD; j++) {
        const u32 p = part + j * threads;
        if (p < packs)
#pragma unroll
          for (u32 e = 0; e < 8; e++) sum = fma(Element<T>::load(r[j].at[e]), Element<T>::load(h[j].at[e]), sum);
        if (n + 1 < N || row0 + stride < g.rows) r[j] = following[p < packs ? p : 0];
      }
      y[n] = shared_sum(sum, g.shift, parts[turn + n]);
    }
    if (part != 0 || at >= g.rows) continue;
    f32 sum = GATED ? logistic(y[0], y[0], 0.0f) * y[N - 1] : y[0];
    if (plus) sum += (f32)Element<T>::load(plus[at]);
    out[at] = Element<T>::store(sum);
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

#define LINEAR(NAME, T, GATED) \
  KERNEL_FOR(2) NAME##_##T(const T* w, const T* x, const T* alpha, const T* plus, T* out, Linear g) { linear<T, GATED>(w, x, alpha, plus, out, g); }
#define LINEAR_PACKED(F) \
  KERNEL_FOR(3) linear_##F(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, Linear g) { \
    linear_packed_any<F>(packed, x, alpha, plus, out, g); \
  }
