// Running sums of rows, the last cols elements of the dims of `in`; out is dense. S is the wider type that sums of T are made in:
// f64 for f32, f32 for the smaller floats.
//   cumsum_T(in, out, Layout1, u64 rows, u64 cols, u64 part, const S* before):
//       out[r][c] = before[r][c / part] + in[r][c - c % part] + … + in[r][c]; without `before` a part is a row
//   cumsum_totals_T(in, S* totals, Layout1, u64 rows, u64 cols, u64 part):  the sums of the parts
//   cumsum_before_T(S* totals, u64 rows, u64 parts):                        of all parts that come before each, in place
// Any grid; one block per part, or per row, is enough.
//
// A block takes a part in stretches of 256 × 4 elements: a thread adds four, an inclusive scan over the threads (doubling
// distances in shared memory) says what comes before them, and the total goes on to the next stretch. Few long rows are cut into
// parts, which makes three launches and reads the elements twice. The order of the sums depends on rows, cols and part alone.
// Short rows are given to single threads.

template <class T> DEV T narrow(typename Sum<T>::Type x) { return Element<T>::store((Compute<T>)x); }

const u32 EACH = 4, SHORT = 64;

// The scan of a block: what thread `tid` has before it, x being its own sum. *all becomes the sum of all threads.
template <class S> DEV S scan(S x, S (*sums)[BLOCK], S* all) {
  u32 from = 0;
  sums[0][tid()] = x;
  sync();
  for (u32 distance = 1; distance < BLOCK; distance *= 2) {
    S y = sums[from][tid()];
    if (tid() >= distance) y = add(sums[from][tid() - distance], y);
    sums[1 - from][tid()] = y;
    from = 1 - from;
    sync();
  }
  const S left = tid() > 0 ? sums[from][tid() - 1] : (S)0;
  *all = sums[from][BLOCK - 1];
  sync();  // sums are free
  return left;
}

template <class T, class S> DEV void cumsum(const T* in, T* out, const Layout1& l, u64 rows, u64 cols, u64 part, const S* before) {
  SHARED S sums[2][BLOCK];
  if (!before && cols <= SHORT) {
    for (u64 r = first(); r < rows; r += stride()) {
      S x = 0;
      for (u64 c = 0; c < cols; c++) {
        x = add(x, (S)Element<T>::load(in[offsets(l, r * cols + c).of[0]]));
        out[r * cols + c] = narrow<T>(x);
      }
    }
    return;
  }
  const u64 parts = (cols + part - 1) / part;
  for (u64 u = bid(); u < rows * parts; u += blocks()) {
    const u64 r = u / parts, begin = (u - r * parts) * part, end = begin + part < cols ? begin + part : cols;
    S sum = before ? before[u] : (S)0;
    for (u64 c0 = begin; c0 < end; c0 += BLOCK * EACH) {
      const u64 c = c0 + tid() * EACH;
      S some[EACH], x = 0, all;
      for (u32 j = 0; j < EACH; j++) {
        if (c + j < end) x = add(x, (S)Element<T>::load(in[offsets(l, r * cols + c + j).of[0]]));
        some[j] = x;
      }
      const S left = add(sum, scan(x, sums, &all));
      for (u32 j = 0; j < EACH; j++)
        if (c + j < end) out[r * cols + c + j] = narrow<T>(add(left, some[j]));
      sum = add(sum, all);
    }
  }
}

template <class T, class S> DEV void cumsum_totals(const T* in, S* totals, const Layout1& l, u64 rows, u64 cols, u64 part) {
  SHARED S sums[2][BLOCK];
  const u64 parts = (cols + part - 1) / part;
  for (u64 u = bid(); u < rows * parts; u += blocks()) {
    const u64 r = u / parts, begin = (u - r * parts) * part, end = begin + part < cols ? begin + part : cols;
    S x = 0, all;
    for (u64 c = begin + tid(); c < end; c += BLOCK) x = add(x, (S)Element<T>::load(in[offsets(l, r * cols + c).of[0]]));
    scan(x, sums, &all);
    if (tid() == 0) totals[u] = all;
  }
}

template <class S> DEV void cumsum_before(S* totals, u64 rows, u64 parts) {
  SHARED S sums[2][BLOCK];
  for (u64 r = bid(); r < rows; r += blocks()) {
    S sum = 0;
    for (u64 p0 = 0; p0 < parts; p0 += BLOCK) {
      const u64 p = p0 + tid();
      S all;
      const S left = scan(p < parts ? totals[r * parts + p] : (S)0, sums, &all);
      if (p < parts) totals[r * parts + p] = add(sum, left);
      sum = add(sum, all);
    }
  }
}

#define CUMSUM(T) \
  KERNEL cumsum_##T(const T* in, T* out, Layout1 l, u64 rows, u64 cols, u64 part, const Sum<T>::Type* before) { \
    cumsum(in, out, l, rows, cols, part, before); \
  }
#define CUMSUM_TOTALS(T) \
  KERNEL cumsum_totals_##T(const T* in, Sum<T>::Type* totals, Layout1 l, u64 rows, u64 cols, u64 part) { \
    cumsum_totals(in, totals, l, rows, cols, part); \
  }
#define CUMSUM_BEFORE(T) \
  KERNEL cumsum_before_##T(Sum<T>::Type* totals, u64 rows, u64 parts) { cumsum_before(totals, rows, parts); }
