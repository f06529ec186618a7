// Products of a matrix and few vectors, as fast as the matrix can be read: out[v] = W x[v]. W has rows × cols elements, in a batch.
//
// matvec_N_T(w, x, out, Layout2, MatVec): rows of W are dense. 1 << shift threads share a row and load 16 bytes at a time, with several loads in
// flight. Grid: x rows by 256 >> shift, y vectors by N, z batch.
//
// matvec_transposed_N_T: transposed matrices, with dense columns. 1 << shift threads share a column, 16 bytes each; the teams of a block share the
// columns and add their sums. Grid: x rows by 16 bytes << shift, y vectors by N, z batch.
//
// The layout is that of the first elements of the matrices and of the vectors of a batch. Smaller grids loop. Sums are accumulated with fma in the
// compute type, in an order that depends on shapes alone.

struct MatVec {
  i64 rows, cols, vectors, batch;
  i64 w_row, w_col, x_vector, x_step;
  i64 out_row, out_vector, out_batch;
  i64 shift;  // 1 << shift threads
};

const int FLIGHT = 4;  // loads that do not wait for one another

template <class T, int V> DEV Pack<T, V> pack_of(const T* p, i64 at) { return *(const Pack<T, V>*)(p + at); }

// Adds the products of `a` and the same elements of the vectors.
template <class T, int N, int V> DEV void add_products(Compute<T> (&sum)[N], const Pack<T, V>& a, const T* (&with)[N], i64 at) {
#pragma unroll
  for (int n = 0; n < N; n++) {
    const Pack<T, V> y = pack_of<T, V>(with[n], at);
#pragma unroll
    for (int e = 0; e < V; e++) sum[n] = fma(Element<T>::load(a.at[e]), Element<T>::load(y.at[e]), sum[n]);
  }
}

template <class T, int N, int V>
DEV void matvec_rows(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g, Compute<T> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  const u32 threads = 1u << g.shift, each = BLOCK >> g.shift, mine = tid() >> g.shift, part = tid() & (threads - 1);
  const u32 packs = (u32)(g.cols / V);
  const i64 x_step = V == 1 ? g.x_step : V;
  for (i64 z = bid_z(); z < g.batch; z += blocks_z())
    for (i64 v = (i64)bid_y() * N; v < g.vectors; v += (i64)blocks_y() * N)
      for (i64 row0 = (i64)bid() * each; row0 < g.rows; row0 += (i64)blocks() * each) {
        Offsets<2> o = {};
        if (g.batch > 1) o = offsets(l, (u64)z);
        const i64 row = row0 + mine;
        const bool here = row < g.rows;
        const T* from = w + o.of[0] + (here ? row : 0) * g.w_row;
        const T* with[N];
#pragma unroll
        for (int n = 0; n < N; n++) with[n] = x + o.of[1] + (v + n < g.vectors ? v + n : v) * g.x_vector;
        C sum[N] = {};
        u32 p = part;
        for (; p + (FLIGHT - 1) * threads < packs; p += FLIGHT * threads) {
          Pack<T, V> a[FLIGHT];
#pragma unroll
          for (int j = 0; j < FLIGHT; j++) a[j] = pack_of<T, V>(from, (i64)(p + j * threads) * V);
#pragma unroll
          for (int j = 0; j < FLIGHT; j++) add_products<T, N, V>(sum, a[j], with, (i64)(p + j * threads) * x_step);
        }
        for (; p < packs; p += threads) add_products<T, N, V>(sum, pack_of<T, V>(from, (i64)p * V), with, (i64)p * x_step);
#pragma unroll
        for (int n = 0; n < N; n++) {
          for (u32 mask = (threads < LANES ? threads : LANES) / 2; mask > 0; mask /= 2) sum[n] += across(sum[n], mask);
          if (threads > LANES) {
            sync();
            parts[tid()] = sum[n];
            sync();
            sum[n] = parts[mine * threads];
            for (u32 i = LANES; i < threads; i += LANES) sum[n] += parts[mine * threads + i];
          }
          if (part == 0 && here && v + n < g.vectors)
            out[z * g.out_batch + (v + n) * g.out_vector + row * g.out_row] = Element<T>::store(sum[n]);
        }
      }
}

template <class T, int N> DEV void matvec(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g) {
  SHARED Compute<T> parts[BLOCK];
  const int V = 16 / sizeof(T);
  bool packed = g.cols % V == 0 && g.w_row % V == 0 && g.x_step == 1 && (g.x_vector % V == 0 || g.vectors == 1) && aligned<V>(w) && aligned<V>(x);
  for (i32 d = 0; d < l.rank && g.batch > 1; d++) packed = packed && l.strides[0][d] % V == 0 && l.strides[1][d] % V == 0;
  if (packed)
    matvec_rows<T, N, V>(w, x, out, l, g, parts);
  else
    matvec_rows<T, N, 1>(w, x, out, l, g, parts);
}

template <class T, int N, int V> DEV void add_columns(Compute<T> (&sum)[N][V], const Pack<T, V>& a, const T* (&with)[N], i64 at) {
#pragma unroll
  for (int n = 0; n < N; n++) {
    const Compute<T> y = Element<T>::load(with[n][at]);
#pragma unroll
    for (int e = 0; e < V; e++) sum[n][e] = fma(Element<T>::load(a.at[e]), y, sum[n][e]);
  }
}

template <class T, int N, int V>
DEV void matvec_columns(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g, Compute<T> (&parts)[16 / sizeof(T)][BLOCK]) {
  typedef Compute<T> C;
  const u32 threads = 1u << g.shift, teams = BLOCK >> g.shift, team = tid() >> g.shift, part = tid() & (threads - 1), cols = (u32)g.cols;
  const int IN_FLIGHT = N == 1 ? 2 * FLIGHT : FLIGHT;
  for (i64 z = bid_z(); z < g.batch; z += blocks_z())
    for (i64 v = (i64)bid_y() * N; v < g.vectors; v += (i64)blocks_y() * N)
      for (i64 row0 = (i64)bid() * threads * V; row0 < g.rows; row0 += (i64)blocks() * threads * V) {
        Offsets<2> o = {};
        if (g.batch > 1) o = offsets(l, (u64)z);
        const i64 row = row0 + part * V;
        const T* from = w + o.of[0] + (row < g.rows ? row : 0);
        const T* with[N];
#pragma unroll
        for (int n = 0; n < N; n++) with[n] = x + o.of[1] + (v + n < g.vectors ? v + n : v) * g.x_vector;
        C sum[N][V] = {};
        u32 col = team;
        for (; col + (IN_FLIGHT - 1) * teams < cols; col += IN_FLIGHT * teams) {
          Pack<T, V> a[IN_FLIGHT];
#pragma unroll
          for (int j = 0; j < IN_FLIGHT; j++) a[j] = pack_of<T, V>(from, (i64)(col + j * teams) * g.w_col);
#pragma unroll
          for (int j = 0; j < IN_FLIGHT; j++) add_columns<T, N, V>(sum, a[j], with, (i64)(col + j * teams) * g.x_step);
        }
        for (; col < cols; col += teams) add_columns<T, N, V>(sum, pack_of<T, V>(from, (i64)col * g.w_col), with, (i64)col * g.x_step);
#pragma unroll
        for (int n = 0; n < N; n++) {
          sync();
#pragma unroll
          for (int e = 0; e < V; e++) parts[e][tid()] = sum[n][e];
          sync();
          for (u32 i = tid(); i < threads * V; i += BLOCK) {
            const u32 e = i % V, of = i / V;
            C total = parts[e][of];
            for (u32 j = 1; j < teams; j++) total += parts[e][j * threads + of];
            if (row0 + i < g.rows && v + n < g.vectors)
              out[z * g.out_batch + (v + n) * g.out_vector + (row0 + i) * g.out_row] = Element<T>::store(total);
          }
        }
      }
}

template <class T, int N> DEV void matvec_transposed(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g) {
  const int V = 16 / sizeof(T);
  SHARED Compute<T> parts[V][BLOCK];
  bool packed = g.rows % V == 0 && g.w_col % V == 0 && aligned<V>(w);
  for (i32 d = 0; d < l.rank && g.batch > 1; d++) packed = packed && l.strides[0][d] % V == 0;
  if (packed)
    matvec_columns<T, N, V>(w, x, out, l, g, parts);
  else
    matvec_columns<T, N, 1>(w, x, out, l, g, parts);
}

#define MATVEC_ROWS(T, N) \
  KERNEL matvec_##N##_##T(const T* w, const T* x, T* out, Layout2 l, MatVec g) { matvec<T, N>(w, x, out, l, g); }
#define MATVEC_COLUMNS(T, N) \
  KERNEL matvec_transposed_##N##_##T(const T* w, const T* x, T* out, Layout2 l, MatVec g) { matvec_transposed<T, N>(w, x, out, l, g); }
