// matmul_T(a, b, c, MatMul): C[z] = A[z] B[z]. Grid: x tiles of 64 columns, y tiles of 64 rows, z matrices; a smaller grid loops.
//
// 256 threads make a tile of 64×64, 4×4 each, from panels of 16 in k that lie in shared memory. Any strides: neighbouring
// threads load along the direction in which the operand is dense, so that A and Aᵀ are both read in whole cache lines.
// Products are accumulated with fma in the compute type: f32 for f16, bf16 and f32.

struct MatMul {
  i64 m, n, k, batch;
  i64 a_row, a_col, a_bat;
  i64 b_row, b_col, b_bat;
  i64 c_row, c_bat;
};

const int TILE = 64, DEPTH = 16, PAD = 4, EACH = TILE * DEPTH / 256;  // EACH elements of a panel are loaded by each thread

// Where a thread's j-th element of a panel is: along is the position in the tile, deep the one in k.
struct Spot { i32 along, deep; };
DEV Spot spot(int j, bool along_first) {
  i32 i = (i32)tid() + j * 256;
  Spot s;
  s.along = along_first ? i % TILE : i / DEPTH;
  s.deep = along_first ? i / TILE : i % DEPTH;
  return s;
}

template <class T> DEV void load_panel(Compute<T> (&panel)[DEPTH][TILE + PAD], const T* p, bool along_first, i64 along0, i64 along_end,
                                       i64 along_stride, i64 k0, i64 k_end, i64 k_stride) {
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    Spot s = spot(j, along_first);
    i64 i = along0 + s.along, k = k0 + s.deep;
    panel[s.deep][s.along] = i < along_end && k < k_end ? Element<T>::load(p[i * along_stride + k * k_stride]) : (Compute<T>)0;
  }
}

template <class T> DEV void matmul(const T* a, const T* b, T* c, const MatMul& g) {
  typedef Compute<T> C;
  SHARED C as[DEPTH][TILE + PAD];
  SHARED C bs[DEPTH][TILE + PAD];
  const i32 tx = (i32)(tid() % 16) * 4, ty = (i32)(tid() / 16) * 4;
  const bool a_along = g.a_col != 1, b_along = g.b_row != 1;  // else neighbouring threads go along k
  for (i64 z = bid_z(); z < g.batch; z += blocks_z())
    for (i64 row = (i64)bid_y() * TILE; row < g.m; row += (i64)blocks_y() * TILE)
      for (i64 col = (i64)bid() * TILE; col < g.n; col += (i64)blocks() * TILE) {
        C sum[4][4] = {};
        for (i64 k = 0; k < g.k; k += DEPTH) {
          load_panel<T>(as, a + z * g.a_bat, a_along, row, g.m, g.a_row, k, g.k, g.a_col);
          load_panel<T>(bs, b + z * g.b_bat, b_along, col, g.n, g.b_col, k, g.k, g.b_row);
          sync();
#pragma unroll
          for (int d = 0; d < DEPTH; d++) {
            C x[4], y[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
              x[i] = as[d][ty + i];
              y[i] = bs[d][tx + i];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
              for (int j = 0; j < 4; j++) sum[i][j] = fma(x[i], y[j], sum[i][j]);
          }
          sync();
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
          for (int j = 0; j < 4; j++)
            if (row + ty + i < g.m && col + tx + j < g.n)
              c[z * g.c_bat + (row + ty + i) * g.c_row + col + tx + j] = Element<T>::store(sum[i][j]);
      }
}

#define MATMUL(T) KERNEL matmul_##T(const T* a, const T* b, T* c, MatMul g) { matmul(a, b, c, g); }
