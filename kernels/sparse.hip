// Products with a sparse matrix in compressed rows: the elements of row i are values[k] in the columns cols[k], for k from offsets[i] to below
// offsets[i + 1]. All operands are dense. Sums are made in f64, in an order that depends on shapes and rows alone.
//
// csr_matvec_T(i64* offsets, u32* cols, values, x, out, u64 rows, u64 shift): out = A x. 1 << shift threads, up to LANES, share a row.
// csr_matmul_T(i64* offsets, u32* cols, values, x, out, u64 rows, u64 n): out [rows n] = A x for x [columns n]. A thread makes an element, or 16
//   bytes of a row where x is aligned to that; adjacent threads read adjacent elements of a row of x.
// csr_sampled_T(u32* rows, u32* cols, a, b, out, u64 count, u64 n, u64 shift): element k of out is the product of row rows[k] of a and the conjugate of
//   row cols[k] of b, which have n elements. 1 << shift threads share an element.

template <class T> struct Wide {
  typedef f64 Sum;
  MEMBER f64 load(T x) { return (f64)x; }
  MEMBER T store(f64 x) { return (T)x; }
};
template <> struct Wide<c64> {
  typedef c128 Sum;
  MEMBER c128 load(c64 x) { return parts(x.re, x.im); }
  MEMBER c64 store(c128 x) { return Element<c64>::store(x); }
};
template <> struct Wide<c128> {
  typedef c128 Sum;
  MEMBER c128 load(c128 x) { return x; }
  MEMBER c128 store(c128 x) { return x; }
};

DEV f64 added(f64 a, f64 b) { return a + b; }
DEV c128 added(c128 a, c128 b) { return parts(a.re + b.re, a.im + b.im); }
DEV f64 product(f64 a, f64 b) { return a * b; }
DEV c128 product(c128 a, c128 b) { return mul(a, b); }
DEV f64 conjugate(f64 a) { return a; }
DEV c128 conjugate(c128 a) { return parts(a.re, -a.im); }

DEV f64 across(f64 x, u32 mask) {
  const u64 bits = bitcast<u64>(x);
  return bitcast<f64>((u64)word_across((u32)(bits >> 32), mask) << 32 | word_across((u32)bits, mask));
}
DEV c128 across(c128 x, u32 mask) { return parts(across(x.re, mask), across(x.im, mask)); }

// The sum of adjacent threads, in each of them.
template <class S> DEV S sum_of(S sum, u32 threads) {
  for (u32 mask = 1; mask < threads; mask *= 2) sum = added(sum, across(sum, mask));
  return sum;
}

template <class T>
DEV void csr_matvec(const i64* offsets, const u32* cols, const T* values, const T* x, T* out, u64 rows, u64 shift) {
  const u32 threads = 1u << shift, part = tid() & (threads - 1), each = BLOCK >> shift;
  for (u64 first_row = (u64)bid() * each; first_row < rows; first_row += (u64)blocks() * each) {
    const u64 row = first_row + (tid() >> shift);
    typename Wide<T>::Sum sum = {};
    if (row < rows)
      for (i64 k = offsets[row] + part, end = offsets[row + 1]; k < end; k += threads)
        sum = added(sum, product(Wide<T>::load(values[k]), Wide<T>::load(x[cols[k]])));
    sum = sum_of(sum, threads);
    if (row < rows && part == 0) out[row] = Wide<T>::store(sum);
  }
}

template <class T, int V>
DEV void csr_packs(const i64* offsets, const u32* cols, const T* values, const T* x, T* out, u64 rows, u64 n) {
  for (u64 i = first(); i < rows * (n / V); i += stride()) {
    const u64 row = i / (n / V), col = (i - row * (n / V)) * V;
    typename Wide<T>::Sum sum[V] = {};
    for (i64 k = offsets[row], end = offsets[row + 1]; k < end; k++) {
      const typename Wide<T>::Sum a = Wide<T>::load(values[k]);
      const Pack<T, V> pack = *(const Pack<T, V>*)(x + (cols[k] * n + col));
#pragma unroll
      for (int j = 0; j < V; j++) sum[j] = added(sum[j], product(a, Wide<T>::load(pack.at[j])));
    }
    Pack<T, V> pack;
#pragma unroll
    for (int j = 0; j < V; j++) pack.at[j] = Wide<T>::store(sum[j]);
    put_pack<V>(out, i, pack);
  }
}

template <class T>
DEV void csr_matmul(const i64* offsets, const u32* cols, const T* values, const T* x, T* out, u64 rows, u64 n) {
  const int V = 16 / sizeof(T);
  if (V > 1 && n % V == 0 && aligned<V>(x))
    csr_packs<T, V>(offsets, cols, values, x, out, rows, n);
  else
    csr_packs<T, 1>(offsets, cols, values, x, out, rows, n);
}

template <class T>
DEV void csr_sampled(const u32* rows, const u32* cols, const T* a, const T* b, T* out, u64 count, u64 n, u64 shift) {
  const u32 threads = 1u << shift, part = tid() & (threads - 1), each = BLOCK >> shift;
  for (u64 first_one = (u64)bid() * each; first_one < count; first_one += (u64)blocks() * each) {
    const u64 k = first_one + (tid() >> shift);
    typename Wide<T>::Sum sum = {};
    if (k < count) {
      const T *from = a + rows[k] * n, *with = b + cols[k] * n;
      for (u64 j = part; j < n; j += threads)
        sum = added(sum, product(Wide<T>::load(from[j]), conjugate(Wide<T>::load(with[j]))));
    }
    sum = sum_of(sum, threads);
    if (k < count && part == 0) out[k] = Wide<T>::store(sum);
  }
}

#define CSR_MATVEC(T) \
  KERNEL csr_matvec_##T(const i64* offsets, const u32* cols, const T* values, const T* x, T* out, u64 rows, u64 shift) { \
    csr_matvec(offsets, cols, values, x, out, rows, shift); \
  }
#define CSR_MATMUL(T) \
  KERNEL csr_matmul_##T(const i64* offsets, const u32* cols, const T* values, const T* x, T* out, u64 rows, u64 n) { \
    csr_matmul(offsets, cols, values, x, out, rows, n); \
  }
#define CSR_SAMPLED(T) \
  KERNEL csr_sampled_##T(const u32* rows, const u32* cols, const T* a, const T* b, T* out, u64 count, u64 n, u64 shift) { \
    csr_sampled(rows, cols, a, b, out, count, n, shift); \
  }
