// cumsum_T(in, out, Layout1, u64 rows, u64 cols): out[r][c] = in[r][0] + … + in[r][c], out dense; any grid, one block per row is enough.
//
// A block takes a row in stretches of 256 × 4 elements: a thread adds four, an inclusive scan over the threads (doubling
// distances in shared memory) says what comes before them, and the total goes on to the next stretch. Sums are made in a wider
// type, f32 in f64, f16 and bf16 in f32, in an order that depends on cols alone. Short rows are given to single threads.

template <class T> DEV T narrow(typename Sum<T>::Type x) { return Element<T>::store((Compute<T>)x); }

const u32 EACH = 4, SHORT = 64;

template <class T> DEV void cumsum(const T* in, T* out, const Layout1& l, u64 rows, u64 cols) {
  typedef typename Sum<T>::Type S;
  SHARED S sums[2][BLOCK];
  if (cols <= SHORT) {
    for (u64 r = first(); r < rows; r += stride()) {
      S x = 0;
      for (u64 c = 0; c < cols; c++) {
        x = add(x, (S)Element<T>::load(in[offsets(l, r * cols + c).of[0]]));
        out[r * cols + c] = narrow<T>(x);
      }
    }
    return;
  }
  for (u64 r = bid(); r < rows; r += blocks()) {
    S before = 0;
    for (u64 c0 = 0; c0 < cols; c0 += BLOCK * EACH) {
      const u64 c = c0 + tid() * EACH;
      S part[EACH], x = 0;
      for (u32 j = 0; j < EACH; j++) {
        if (c + j < cols) x = add(x, (S)Element<T>::load(in[offsets(l, r * cols + c + j).of[0]]));
        part[j] = x;
      }
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
      const S left = tid() > 0 ? add(before, sums[from][tid() - 1]) : before;
      for (u32 j = 0; j < EACH; j++)
        if (c + j < cols) out[r * cols + c + j] = narrow<T>(add(left, part[j]));
      before = add(before, sums[from][BLOCK - 1]);
      sync();  // sums are free for the next stretch
    }
  }
}

#define CUMSUM(T) KERNEL cumsum_##T(const T* in, T* out, Layout1 l, u64 rows, u64 cols) { cumsum(in, out, l, rows, cols); }
