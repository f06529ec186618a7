// Products of a matrix and few vectors, as fast as the matrix can be read: out[v] = W x[v]. W has rows × cols elements, in a batch.
//
// matvec_N_T(w, x, out, Layout2, MatVec): rows of W are dense. `threads` threads share a row, a power of two of them, and take 16 bytes
// at a time, several of which are on their way at once. Grid: x rows by 256/threads, y vectors by N, z batch.
//
// matvec_turned_N_T: columns of W are dense. `threads` threads share a column and have 16 bytes of their own of each, and the 256/threads teams
// share the columns, and add up what they have. Grid: x rows by threads·16 bytes, y vectors by N, z batch.
//
// The layout is that of the first elements of the matrices and of the vectors of a batch. Smaller grids loop. Sums are made with fma in the
// compute type, in an order that shapes alone decide.

struct MatVec {
  i64 rows, cols, vectors, batch;
  i64 w_row, w_col, x_vector, x_step;
  i64 out_row, out_vector, out_batch;
  i64 threads;
};

const int FLIGHT = 4;  // loads that do not wait for one another

template <class T, int N, int V>
DEV void matvec_rows(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g, Compute<T> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u32 threads = (u32)g.threads, each = BLOCK / threads, mine = tid() / threads, part = tid() % threads;
  const u32 packs = (u32)(g.cols / V);
  const i64 x_step = V == 1 ? g.x_step : V;
  for (i64 z = bid_z(); z < g.batch; z += blocks_z())
    for (i64 v = (i64)bid_y() * N; v < g.vectors; v += (i64)blocks_y() * N)
      for (i64 row0 = (i64)bid() * each; row0 < g.rows; row0 += (i64)blocks() * each) {
        const Offsets<2> o = offsets(l, (u64)z);
        const i64 row = row0 + mine;
        const bool here = row < g.rows;
        const T* from = w + o.of[0] + (here ? row : 0) * g.w_row;
        const T* with[N];
#pragma unroll
        for (int n = 0; n < N; n++) with[n] = x + o.of[1] + (v + n < g.vectors ? v + n : v) * g.x_vector;
        C sum[N] = {};
        for (u32 p = part; p < packs; p += FLIGHT * threads) {
          P a[FLIGHT];
#pragma unroll
          for (int j = 0; j < FLIGHT; j++) a[j] = *(const P*)(from + (u64)(p + j * threads < packs ? p + j * threads : p) * V);
#pragma unroll
          for (int j = 0; j < FLIGHT; j++) {
            const bool in = p + j * threads < packs;
            const u32 at = in ? p + j * threads : p;
#pragma unroll
            for (int n = 0; n < N; n++) {
              const P y = *(const P*)(with[n] + (i64)at * x_step);
              C s = sum[n];
#pragma unroll
              for (int e = 0; e < V; e++) s = fma(Element<T>::load(a[j].at[e]), Element<T>::load(y.at[e]), s);
              sum[n] = in ? s : sum[n];
            }
          }
        }
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

template <class T, int N, int V>
DEV void matvec_columns(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g, Compute<T> (&parts)[16 / sizeof(T)][BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u32 threads = (u32)g.threads, teams = BLOCK / threads, team = tid() / threads, part = tid() % threads, cols = (u32)g.cols;
  const int IN_FLIGHT = N == 1 ? 2 * FLIGHT : FLIGHT;
  for (i64 z = bid_z(); z < g.batch; z += blocks_z())
    for (i64 v = (i64)bid_y() * N; v < g.vectors; v += (i64)blocks_y() * N)
      for (i64 row0 = (i64)bid() * threads * V; row0 < g.rows; row0 += (i64)blocks() * threads * V) {
        const Offsets<2> o = offsets(l, (u64)z);
        const i64 row = row0 + part * V;
        const bool here = row < g.rows;
        const T* from = w + o.of[0] + (here ? row : 0);
        const T* with[N];
#pragma unroll
        for (int n = 0; n < N; n++) with[n] = x + o.of[1] + (v + n < g.vectors ? v + n : v) * g.x_vector;
        C sum[N][V] = {};
        for (u32 col = team; col < cols; col += IN_FLIGHT * teams) {
          P a[IN_FLIGHT];
#pragma unroll
          for (int j = 0; j < IN_FLIGHT; j++) a[j] = *(const P*)(from + (i64)(col + j * teams < cols ? col + j * teams : col) * g.w_col);
#pragma unroll
          for (int j = 0; j < IN_FLIGHT; j++) {
            const bool in = col + j * teams < cols;
            const i64 at = in ? col + j * teams : col;
#pragma unroll
            for (int n = 0; n < N; n++) {
              const C y = Element<T>::load(with[n][at * g.x_step]);
#pragma unroll
              for (int e = 0; e < V; e++) {
                const C s = fma(Element<T>::load(a[j].at[e]), y, sum[n][e]);
                sum[n][e] = in ? s : sum[n][e];
              }
            }
          }
        }
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

template <class T, int N> DEV void matvec_turned(const T* w, const T* x, T* out, const Layout2& l, const MatVec& g) {
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
  KERNEL matvec_turned_##N##_##T(const T* w, const T* x, T* out, Layout2 l, MatVec g) { matvec_turned<T, N>(w, x, out, l, g); }
