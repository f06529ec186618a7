// Products of 16×16 matrices of f16 or bf16 by the matrix cores of AMD GPUs, added in f32; f8e4m3 are multiplied as f16, which has all their
// values. MATRIX_CORES is 1 where there are some.
//
//   gfx11  v_wmma   a lane has all 16 values of a row of A (column of B); lanes 16 apart have the same ones
//   gfx12  v_wmma   8 of them: lanes below 16 the first ones
//   CDNA   v_mfma   4 of them, waves have 64 lanes
//
// Lane l has row l%16 of A, column l%16 of B, and of the result column l%16 and the rows that row_of says.

#if AMD && defined(__GFX11__)
#define MATRIX_CORES 1
const u32 WAVE = 32, LANE_K = 16;  // values of a row that a lane has
const int LANE_ROWS = 8;           // results that a lane has
DEV u32 row_of(u32 lane, u32 i) { return 2 * i + lane / 16; }
#elif AMD && defined(__GFX12__)
#define MATRIX_CORES 1
const u32 WAVE = 32, LANE_K = 8;
const int LANE_ROWS = 8;
DEV u32 row_of(u32 lane, u32 i) { return i + lane / 16 * 8; }
#elif AMD && (defined(__gfx90a__) || defined(__gfx942__))
#define MATRIX_CORES 1
const u32 WAVE = 64, LANE_K = 4;
const int LANE_ROWS = 4;
DEV u32 row_of(u32 lane, u32 i) { return i + lane / 16 * 4; }
#else
#define MATRIX_CORES 0
#endif

// What a product is told of its operands: strides of rows and of columns; c's columns are dense.
struct MatMul {
  i64 m, n, k, batch;
  i64 a_row, a_col, a_bat;  // of a batch that has one stride only; the layout says it for every one
  i64 b_row, b_col, b_bat;
  i64 c_row, c_bat;
};

#if MATRIX_CORES
DEV u32 column_of(u32 lane) { return lane % 16; }
DEV u32 first_k(u32 lane) { return LANE_K == 16 ? 0 : lane / 16 * LANE_K; }

typedef f32 Results __attribute__((ext_vector_type(LANE_ROWS)));
typedef _Float16 Halves __attribute__((ext_vector_type(LANE_K)));
typedef short Shorts __attribute__((ext_vector_type(LANE_K)));
// What elements of T are in shared memory, and what a lane has of them.
template <class T> struct Lane {};
template <> struct Lane<f16> {
  typedef f16 Shared;
  typedef Halves Values;
  MEMBER f16 of(f16 x) { return x; }
};
template <> struct Lane<bf16> {
  typedef bf16 Shared;
  typedef Shorts Values;
  MEMBER bf16 of(bf16 x) { return x; }
};
template <> struct Lane<f8e4m3> {
  typedef f16 Shared;
  typedef Halves Values;
  MEMBER f16 of(f8e4m3 x) { return narrow_f16(widen(x)); }
};
const int PLACED = LANE_K == 16 ? 16 : LANE_K * 2;  // bytes: so are the values of a lane aligned in shared memory

#if defined(__GFX11__)
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c); }
#elif defined(__GFX12__)
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c); }
#else
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0); }
#endif

const int STRIP = 32, GAP = 8;  // values of k that lie in shared memory at once; rows there are 80 bytes apart

// A panel of TILE × STRIP elements on its way to shared memory, where the values of k are neighbours. Threads take 8 elements in the
// direction in which the operand is dense, in one access where they are aligned and all there.
template <class T, int TILE> struct Strip {
  typedef typename Lane<T>::Shared S;
  static const int EACH = TILE * STRIP / 8 / 256;
  const T* p;
  i64 step, advance, near;  // from one of the thread's stretches to the next, from strip to strip, from element to element
  i32 along, deep, along_left;
  bool along_first, packed;
  Pack<T, 8> next[EACH];

  DEV Strip(u32 t, const T* origin, i64 along0, i64 along_end, i64 along_stride, i64 k_stride) {
    const i64 left = along_end - along0;
    along_left = left < TILE ? (i32)left : TILE;
    along_first = along_stride == 1 && k_stride != 1;
    along = along_first ? (i32)(t / 64 * 16 + t % 2 * 8) : (i32)(t / 4);
    deep = along_first ? (i32)(t / 2 % STRIP) : (i32)(t % 4 * 8);
    step = 64 * along_stride;
    advance = STRIP * k_stride;
    near = along_first ? along_stride : k_stride;
    packed = near == 1 && (along_first ? k_stride : along_stride) % 8 == 0 && aligned<8>(origin);
    p = origin + (along0 + along) * along_stride + deep * k_stride;
  }
  DEV void fetch(i64 k_left) {
    const i32 deep_left = k_left < STRIP ? (i32)k_left : STRIP;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i32 a = along + 64 * j;
      const i32 have = along_first ? (deep < deep_left ? along_left - a : 0) : (a < along_left ? deep_left - deep : 0);
      if (packed && have >= 8) {
        next[j] = *(const Pack<T, 8>*)(p + j * step);
      } else {
#pragma unroll
        for (int e = 0; e < 8; e++) next[j].at[e] = e < have ? p[j * step + e * near] : T();
      }
    }
    p += advance;
  }
  DEV void put(S (*strip)[STRIP + GAP]) const {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      Pack<S, 8> x;
#pragma unroll
      for (int e = 0; e < 8; e++) x.at[e] = Lane<T>::of(next[j].at[e]);
      if (!along_first) {
        *(Pack<S, 8>*)&strip[along + 64 * j][deep] = x;
      } else {
#pragma unroll
        for (int e = 0; e < 8; e++) strip[along + 64 * j + e][deep] = x.at[e];
      }
    }
  }
};

// Tiles of TILE × TILE results. The waves of a block lie side by side in them, and each makes DOWN × ACROSS matrices.
template <class T, int TILE> DEV void matmul_cores(const T* a, const T* b, T* c, const Layout2& l, const MatMul& g, u8* memory) {
  typedef typename Lane<T>::Values Values;
  typedef Values Placed __attribute__((aligned(PLACED)));
  const int HIGH = BLOCK / WAVE / 2, DOWN = TILE / HIGH / 16, ACROSS = TILE / 2 / 16;
  typedef typename Lane<T>::Shared S;
  S(*as)[STRIP + GAP] = (S(*)[STRIP + GAP])memory;
  S(*bs)[STRIP + GAP] = as + TILE;
  for (i64 z = bid_z(); z < g.batch; z += blocks_z()) {
    const Offsets<2> o = offsets(l, (u64)z);
    for (i64 row = (i64)bid_y() * TILE; row < g.m; row += (i64)blocks_y() * TILE)
      for (i64 col = (i64)bid() * TILE; col < g.n; col += (i64)blocks() * TILE) {
        const u32 t = opaque(tid()), lane = t % WAVE, wave = t / WAVE;
        const u32 top = wave / 2 * DOWN * 16, left = wave % 2 * ACROSS * 16;
        Strip<T, TILE> pa(t, a + o.of[0], row, g.m, g.a_row, g.a_col);
        Strip<T, TILE> pb(t, b + o.of[1], col, g.n, g.b_col, g.b_row);
        Results sum[DOWN][ACROSS] = {};
        pa.fetch(g.k);
        pb.fetch(g.k);
        for (i64 k = 0; k < g.k; k += STRIP) {
          pa.put(as);
          pb.put(bs);
          sync();
          pa.fetch(g.k - k - STRIP);
          pb.fetch(g.k - k - STRIP);
#pragma unroll
          for (u32 d = 0; d < STRIP; d += 16) {
            Values x[DOWN], y[ACROSS];
#pragma unroll
            for (int i = 0; i < DOWN; i++) x[i] = *(const Placed*)&as[top + i * 16 + lane % 16][d + first_k(lane)];
#pragma unroll
            for (int j = 0; j < ACROSS; j++) y[j] = *(const Placed*)&bs[left + j * 16 + lane % 16][d + first_k(lane)];
#pragma unroll
            for (int i = 0; i < DOWN; i++)
#pragma unroll
              for (int j = 0; j < ACROSS; j++) sum[i][j] = multiply(x[i], y[j], sum[i][j]);
          }
          sync();
        }
#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
          for (int j = 0; j < ACROSS; j++) {
            const i64 s = col + left + j * 16 + column_of(lane);
#pragma unroll
            for (int e = 0; e < LANE_ROWS; e++) {
              const i64 r = row + top + i * 16 + row_of(lane, e);
              if (r < g.m && s < g.n) c[z * g.c_bat + r * g.c_row + s] = Element<T>::store(sum[i][j][e]);
            }
          }
      }
  }
}
#endif
