// Products of a matrix and one row of a decoder, with its norm before and its residual or gate after them: see linear.h.
//   linear_T, linear_gated_T(w, x, alpha, plus, out, Linear)   W of f16 or bf16, dense; the other operands have its type
//   linear_F(packed, x, alpha, plus, out, Linear)              W of whole blocks of a format (quant.h); h is rounded to integers as for matvec1_F
// alpha and plus may be null. Rows are whole eights, and operands aligned to 16 bytes. Any grid is correct. Of dense matrices, BLOCK >> shift rows are a
// block's at a time; of blocks, BLOCK / LANES pairs of rows, or more where rows are short.

const int AHEAD = 4;  // loads of a row that do not wait for one another

// What a thread has of the sums of a row or, gated, of two.
template <bool GATED> struct RowSums {
  static const int N = GATED ? 2 : 1;
  f32 of[N], squares;
  template <class T> DEV void add(const Pack<T, 8> (&w)[N], const Pack<T, 8>& x, const Pack<T, 8>& alpha, bool normed) {
#pragma unroll
    for (int e = 0; e < 8; e++) {
      const f32 y = Element<T>::load(x.at[e]), h = normed ? y * (f32)Element<T>::load(alpha.at[e]) : y;
      squares = fma(y, y, squares);
#pragma unroll
      for (int n = 0; n < N; n++) of[n] = fma(Element<T>::load(w[n].at[e]), h, of[n]);
    }
  }
};

// 1 << shift threads share a row. Nothing is made first: a norm's factor is that of the sum, and the squares are added beside it.
template <class T, bool GATED> DEV void linear(const T* w, const T* x, const T* alpha, const T* plus, T* out, const Linear& g) {
  typedef RowSums<GATED> Sums;
  const int N = Sums::N;
  SHARED f32 parts[N + 1][BLOCK / LANES];
  const u32 threads = 1u << g.shift, each = BLOCK >> g.shift, mine = tid() >> g.shift, part = tid() & (threads - 1), packs = (u32)g.cols / 8;
  const Pack<T, 8>*xs = (const Pack<T, 8>*)x, *alphas = alpha ? (const Pack<T, 8>*)alpha : xs;
  for (u64 row0 = (u64)bid() * each; row0 < g.rows; row0 += (u64)blocks() * each) {
    const u64 row = row0 + mine < g.rows ? row0 + mine : row0;
    const Pack<T, 8>* a = (const Pack<T, 8>*)(w + row * g.cols);
    const u64 other = GATED ? g.rows * packs : 0;
    Sums sums = {};
    u32 p = part;
    for (; p + (AHEAD - 1) * threads < packs; p += AHEAD * threads) {
      Pack<T, 8> r[AHEAD][N];
#pragma unroll
      for (int j = 0; j < AHEAD; j++)
#pragma unroll
        for (int n = 0; n < N; n++) r[j][n] = a[p + j * threads + n * other];
#pragma unroll
      for (int j = 0; j < AHEAD; j++) sums.add(r[j], xs[p + j * threads], alphas[p + j * threads], alpha != 0);
    }
    for (; p < packs; p += threads) {
      Pack<T, 8> r[N];
#pragma unroll
      for (int n = 0; n < N; n++) r[n] = a[p + n * other];
      sums.add(r, xs[p], alphas[p], alpha != 0);
    }
    for (u32 mask = (threads < LANES ? threads : LANES) / 2; mask > 0; mask /= 2) {
#pragma unroll
      for (int n = 0; n < N; n++) sums.of[n] += across(sums.of[n], mask);
      sums.squares += across(sums.squares, mask);
    }
    if (threads > LANES) {
      sync();
      if (lane() == 0) {
#pragma unroll
        for (int n = 0; n < N; n++) parts[n][tid() / LANES] = sums.of[n];
        parts[N][tid() / LANES] = sums.squares;
      }
      sync();
      const u32 from = mine * (threads / LANES);
      sums = {};
      for (u32 i = from; i < from + threads / LANES; i++) {
#pragma unroll
        for (int n = 0; n < N; n++) sums.of[n] += parts[n][i];
        sums.squares += parts[N][i];
      }
    }
    if (part != 0 || row0 + mine >= g.rows) continue;
    const f32 factor = alpha ? 1.0f / sqrt(sums.squares / (f32)g.cols + (f32)g.eps) : 1;
    f32 y = sums.of[0] * factor;
    if (GATED) y = logistic(y, y, 0.0f) * (sums.of[N - 1] * factor);
    if (plus) y += (f32)Element<T>::load(plus[row]);
    out[row] = Element<T>::store(y);
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
  KERNEL NAME##_##T(const T* w, const T* x, const T* alpha, const T* plus, T* out, Linear g) { linear<T, GATED>(w, x, alpha, plus, out, g); }
#define LINEAR_PACKED(F) \
  KERNEL_FOR(3) linear_##F(const u8* packed, const void* x, const void* alpha, const void* plus, void* out, Linear g) { \
    linear_packed_any<F>(packed, x, alpha, plus, out, g); \
  }
