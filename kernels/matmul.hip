// matmul_T(a, b, c, Layout2, MatMul): C[z] = A[z] B[z]. Grid: x tiles of 64 columns, y tiles of 64 rows, z matrices; a smaller grid loops.
//
// 256 threads compute a tile of 64×64 with 4×4 results each, or of 128×128 with 8×8 if that keeps a GPU busy (three blocks of four are then idle).
// Panels of 16 in k are in shared memory; the next one is loaded to registers meanwhile. Any strides: adjacent threads load along the direction in
// which the operand is dense, so that A and Aᵀ are both read in whole cache lines. The layout is that of the first elements of the matrices of A and
// of B in a batch (stride 0 repeats a matrix). f16, bf16 and f8e4m3 are multiplied by matrix cores if available (matrix.h). Products are accumulated
// with fma in the compute type: f32 for f16, bf16 and f8e4m3; integers wrap.

// R×R results a thread, in chunks of 4×4 that are 64 apart: adjacent threads read adjacent words of shared memory.
template <class T, int R> DEV void matmul_tiles(const T* a, const T* b, T* c, const Layout2& l, const MatMul& g, u8* memory) {
  typedef Sums<T> C;
  const int TILE = 16 * R, AT_ONCE = (C)0.5f != (C)0 ? 4 : 1;  // of integers, LLVM 19 would take minutes over more for gfx90a and gfx942
  typedef C Shared[DEPTH][TILE + PAD];
  Shared& as = *(Shared*)memory;
  Shared& bs = *(Shared*)(memory + sizeof(Shared));
  for (i64 z = bid_z(); z < g.batch; z += blocks_z()) {
    const Offsets<2> o = offsets(l, (u64)z);
    for (i64 row = (i64)bid_y() * TILE; row < g.m; row += (i64)blocks_y() * TILE)
      for (i64 col = (i64)bid() * TILE; col < g.n; col += (i64)blocks() * TILE) {
        const u32 t = opaque(tid());  // else offsets are computed once for all tiles, and fill the registers
        const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
        Panel<T, TILE> pa(t, a + o.of[0], g.a_col != 1, row, g.m, g.a_row, g.a_col);
        Panel<T, TILE> pb(t, b + o.of[1], g.b_row != 1, col, g.n, g.b_col, g.b_row);
        C sum[R][R] = {};
        pa.fetch(g.k);
        pb.fetch(g.k);
        for (i64 k = 0; k < g.k; k += DEPTH) {
          pa.put(as);
          pb.put(bs);
          sync();
          pa.fetch(g.k - k - DEPTH);
          pb.fetch(g.k - k - DEPTH);
#pragma unroll AT_ONCE
          for (int d = 0; d < DEPTH; d++) {
            C x[R / 4][4], y[R / 4][4];
#pragma unroll
            for (int i = 0; i < R / 4; i++) {
              four_at(&as[d][i * 64 + ty], x[i]);
              four_at(&bs[d][i * 64 + tx], y[i]);
            }
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
              for (int j = 0; j < R; j++) sum[i][j] = product_sum(x[i / 4][i % 4], y[j / 4][j % 4], sum[i][j]);
          }
          sync();
        }
#pragma unroll
        for (int i = 0; i < R; i++) {
          const i64 r = row + i / 4 * 64 + ty + i % 4;
          T* to = c + z * g.c_bat + r * g.c_row;
#pragma unroll
          for (int j = 0; j < R; j++) {
            const i64 s = col + j / 4 * 64 + tx + j % 4;
            if (r < g.m && s < g.n) to[s] = Element<T>::store((Compute<T>)sum[i][j]);
          }
        }
      }
  }
}

// A hundred large tiles keep most GPUs busy. In f64 they would need too many registers.
template <class T> DEV void matmul(const T* a, const T* b, T* c, const Layout2& l, const MatMul& g) {
  const int R = sizeof(T) < 8 ? 8 : 4;
  alignas(16) SHARED u8 memory[2 * DEPTH * (16 * R + PAD) * sizeof(Sums<T>)];
  const i64 large = ((g.m + 127) / 128) * ((g.n + 127) / 128) * g.batch;
  if (R == 8 && g.m > 64 && g.n > 64 && large >= 100)
    matmul_tiles<T, R>(a, b, c, l, g, memory);
  else
    matmul_tiles<T, 4>(a, b, c, l, g, memory);
}

// With matrix cores, unless most of their work would be wasted: then the other algorithm needs less.
template <class T> DEV void matmul_small(const T* a, const T* b, T* c, const Layout2& l, const MatMul& g) {
#if MATRIX_CORES
  alignas(16) SHARED u8 memory[2 * 128 * (STRIP + GAP) * sizeof(f16)];
  const i64 large = ((g.m + 127) / 128) * ((g.n + 127) / 128) * g.batch;
  if (g.m < 8 || g.n < 8)
    matmul_tiles<T, 4>(a, b, c, l, g, memory);
  else if (g.m > 64 && g.n > 64 && large >= 100)
    matmul_cores<T, 128>(a, b, c, l, g, memory);
  else
    matmul_cores<T, 64>(a, b, c, l, g, memory);
#else
  matmul(a, b, c, l, g);
#endif
}

#define MATMUL_SMALL(T) KERNEL matmul_##T(const T* a, const T* b, T* c, Layout2 l, MatMul g) { matmul_small(a, b, c, l, g); }
#define MATMUL(T) KERNEL matmul_##T(const T* a, const T* b, T* c, Layout2 l, MatMul g) { matmul(a, b, c, l, g); }
