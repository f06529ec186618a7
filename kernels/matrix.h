// Products of 16×16 matrices of f16 or bf16 by the matrix cores of GPUs, added in f32; f8e4m3 are multiplied as f16, which has all their values.
// MATRIX_CORES is 1 if the GPU has them. An instruction multiplies MATRIX_K values of each row and column:
//
//   gfx11   v_wmma     16; a lane has all of a row of A (column of B); lanes 16 apart have the same ones
//   gfx120x v_wmma     16; a lane has 8 of them: lanes below 16 the first ones
//   gfx125x v_wmma     32; 16 of them: lanes below 16 the first 8, and from the 16th on
//   CDNA    v_mfma     16; 4 of them, waves have 64 lanes
//   gfx950  v_mfma     32; 8 of them
//   NVIDIA  mma.sync   16; pairs of two rows and two columns; a product is two of 16×8
//
// Which 32 values these are does not matter, if they are the same ones for A and B.
// row_of and column_of give the positions of a lane's results: on AMD's GPUs, lane l has only column l%16.

#if AMD
// Whether the compiler has the GPU's instruction. Before clang 17 it may say so of every GPU: there names tell.
#if __clang_major__ >= 17
#define HAS(BUILTIN) __has_builtin(BUILTIN)
#else
#define HAS(BUILTIN) 0
#endif
// GOROCM_CORES: the emulated GPU computes as the matrix cores of gfx942, gfx950, gfx1200 or gfx1250 do. In waves of 64 lanes, it does so in any case.
#if defined(__GFX11__) && (GOROCM_WAVE == 64 || GOROCM_CORES)
#define EMULATED_CORES 1
#endif
#if HAS(__builtin_amdgcn_wmma_f32_16x16x32_f16) || GOROCM_CORES == 1250
#define WMMA 32
#elif HAS(__builtin_amdgcn_mfma_f32_16x16x32_f16) || GOROCM_CORES == 950
#define MFMA 32
#elif defined(__gfx1200__) || defined(__gfx1201__) || defined(__gfx12_generic__) || GOROCM_CORES == 1200
#define WMMA 16
#elif defined(__gfx908__) || defined(__gfx90a__) || HAS(__builtin_amdgcn_mfma_f32_16x16x16f16) || EMULATED_CORES
#define MFMA 16
#endif
#endif

#if WMMA
#define MATRIX_CORES 1
const u32 WAVE = 32, MATRIX_K = WMMA, LANE_K = MATRIX_K / 2;  // LANE_K: values of a row that a lane has
const int LANE_ROWS = 8;                                      // results that a lane has
DEV u32 row_of(u32 lane, u32 i) { return i + lane / 16 * 8; }
#elif MFMA
#define MATRIX_CORES 1
const u32 WAVE = 64, MATRIX_K = MFMA, LANE_K = MATRIX_K / 4;
const int LANE_ROWS = 4;
DEV u32 row_of(u32 lane, u32 i) { return i + lane / 16 * 4; }
#elif AMD && defined(__GFX11__)
#define MATRIX_CORES 1
const u32 WAVE = 32, MATRIX_K = 16, LANE_K = 16;
const int LANE_ROWS = 8;
DEV u32 row_of(u32 lane, u32 i) { return 2 * i + lane / 16; }
#elif !AMD && __CUDA_ARCH__ >= 800
#define MATRIX_CORES 1
const u32 WAVE = 32, MATRIX_K = 16;
const int LANE_ROWS = 8;
DEV u32 row_of(u32 lane, u32 i) { return lane / 4 + i / 2 % 2 * 8; }
DEV u32 column_of(u32 lane, u32 i) { return lane % 4 * 2 + i % 2 + i / 4 * 8; }
#else
#define MATRIX_CORES 0
#endif

// FLOAT_CORES is 1 if matrix cores multiply f32, too: on CDNA as they are, on NVIDIA's GPUs as sums of two numbers each.
#if MFMA || (MATRIX_CORES && !AMD)
#define FLOAT_CORES 1
#else
#define FLOAT_CORES 0
#endif

// The strides of rows and columns of a product's operands; c's columns are dense.
struct MatMul {
  i64 m, n, k, batch;
  i64 a_row, a_col, a_bat;  // of a batch that has one stride only; the layout says it for every one
  i64 b_row, b_col, b_bat;
  i64 c_row, c_bat;
};

#if MATRIX_CORES
// The type of elements of T in shared memory.
template <class T> struct Lane { typedef T Shared; MEMBER T of(T x) { return x; } };
template <> struct Lane<f8e4m3> { typedef f16 Shared; MEMBER f16 of(f8e4m3 x) { return narrow_f16(widen(x)); } };

#if AMD
DEV u32 column_of(u32 lane, u32) { return lane % 16; }
DEV u32 first_k(u32 lane) { return LANE_K == MATRIX_K ? 0 : lane / 16 * LANE_K; }

typedef f32 Results __attribute__((ext_vector_type(LANE_ROWS)));
typedef _Float16 Halves __attribute__((ext_vector_type(LANE_K)));
typedef short Shorts __attribute__((ext_vector_type(LANE_K)));
template <class S> struct ValuesOf {};  // what a lane has of a matrix
template <> struct ValuesOf<f16> { typedef Halves Type; };
template <> struct ValuesOf<bf16> { typedef Shorts Type; };
#if FLOAT_CORES
typedef f32 Floats __attribute__((ext_vector_type(LANE_K)));
template <> struct ValuesOf<f32> { typedef Floats Type; };
#endif
template <class S> using Rows = typename ValuesOf<S>::Type;
template <class S> using Columns = Rows<S>;
template <class S> const int PLACED = LANE_K * sizeof(S) < 16 ? LANE_K * sizeof(S) : 16;  // bytes: so are the values of a lane aligned in shared memory

#if EMULATED_CORES
// The result of another GPU's instruction, from the values of other lanes.
template <class V> DEV V values_of(V x, u32 lane) {
  typedef int Words __attribute__((ext_vector_type(sizeof(V) / 4)));
  Words w = __builtin_bit_cast(Words, x);
  for (u32 i = 0; i < sizeof(V) / 4; i++) w[i] = __builtin_amdgcn_ds_bpermute((i32)(lane << 2), w[i]);
  return __builtin_bit_cast(V, w);
}
DEV f32 number(_Float16 x) { return (f32)x; }
DEV f32 number(short x) { return __builtin_bit_cast(f32, (u32)(u16)x << 16); }
DEV f32 number(f32 x) { return x; }
template <class V> DEV Results multiply(V a, V b, Results c) {
  const u32 own = wave_lane();
  for (u32 k = 0; k < WAVE; k += 16) {
    const V column = values_of(b, k + own % 16);
    for (u32 i = 0; i < LANE_ROWS; i++) {
      const V row = values_of(a, k + row_of(own, i));
      for (u32 j = 0; j < LANE_K; j++) c[i] += number(row[j]) * number(column[j]);
    }
  }
  return c;
}
#elif defined(__GFX11__)
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c); }
#elif WMMA == 32 || MFMA == 32
typedef __bf16 Brains __attribute__((ext_vector_type(LANE_K)));
DEV Brains brains(Shorts x) { return __builtin_bit_cast(Brains, x); }
#if WMMA == 32
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x32_f16(false, a, false, b, 0, c, false, false); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x32_bf16(false, brains(a), false, brains(b), 0, c, false, false); }
#else
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x32_bf16(brains(a), brains(b), c, 0, 0, 0); }
#endif
#elif WMMA
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c); }
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c); }
#else
DEV Results multiply(Halves a, Halves b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }
#ifdef __gfx908__  // it multiplies 8 values of bf16 at a time: which of the 16 are the first 8 does not matter, if it is the same for both
DEV Results multiply(Shorts a, Shorts b, Results c) {
  c = __builtin_amdgcn_mfma_f32_16x16x8bf16(a.lo, b.lo, c, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_16x16x8bf16(a.hi, b.hi, c, 0, 0, 0);
}
#else
DEV Results multiply(Shorts a, Shorts b, Results c) { return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0); }
#endif
#endif
#if FLOAT_CORES && !EMULATED_CORES
DEV Results multiply(Floats a, Floats b, Results c) {  // an instruction multiplies one value of each lane
#pragma unroll
  for (u32 i = 0; i < LANE_K; i++) c = __builtin_amdgcn_mfma_f32_16x16x4f32(a[i], b[i], c, 0, 0, 0);
  return c;
}
#endif

// Rows of A, and columns of B, of MATRIX_K contiguous values in shared memory, with stride `step`, a multiple of 16 bytes.
template <class S> DEV Rows<S> rows_at(const S* p, u32 step, u32 lane) {
  typedef Rows<S> Placed __attribute__((aligned(PLACED<S>)));
  return *(const Placed*)(p + lane % 16 * step + first_k(lane));
}
template <class S> DEV Columns<S> columns_at(const S* p, u32 step, u32 lane) { return rows_at(p, step, lane); }
#else
template <class S> struct Rows { u32 at[4]; };     // pairs of rows l/4 and l/4 + 8, and the same of the other 8 values
template <class S> struct Columns { u32 at[4]; };  // two pairs of column l/4, and of l/4 + 8
struct Results {
  f32 at[LANE_ROWS];
  DEV f32& operator[](int i) { return at[i]; }
  DEV f32 operator[](int i) const { return at[i]; }
};

#define MULTIPLY(S, TYPE) \
  DEV void multiply_half(const Rows<S>& a, u32 b0, u32 b1, f32* c) { \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
                 : "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(b0), "r"(b1)); \
  }
MULTIPLY(f16, "f16")
MULTIPLY(bf16, "bf16")
template <class S> DEV Results multiply(const Rows<S>& a, const Columns<S>& b, Results c) {
  multiply_half(a, b.at[0], b.at[1], c.at);
  multiply_half(a, b.at[2], b.at[3], c.at + 4);
  return c;
}

// f32: mma.sync multiplies tf32, which have 11 bits, eight values at a time. A number is the sum of a high one and a low one; products of two low ones,
// below 2^-22 of the whole, are left out (Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores", 2022). A product with an
// infinite number is NaN. A lane's values are adjacent, like its results.
template <> struct Rows<f32> { f32 at[8]; };     // two of row l/4, two of row l/4 + 8; the same of the other 8 values
template <> struct Columns<f32> { f32 at[8]; };  // two of column l/4, two of column l/4 + 8; the same of the other 8 values
struct Tensor32 { u32 high, low; };
DEV Tensor32 tensor32(f32 x) {
  u32 high;  // rounded, so that low ones have either sign, and what is left out of products adds up to little
  asm volatile("and.b32 %0, %1, 0xffffe000;" : "=r"(high) : "r"(bitcast<u32>(x) + 0x1000));  // else loops keep the parts of rows that stay, in twice the registers
  return {high, bitcast<u32>(x - bitcast<f32>(high))};
}
DEV void multiply_eight(u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1, f32* c) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
DEV Results multiply(const Rows<f32>& rows, const Columns<f32>& columns, Results c) {
#pragma unroll
  for (int k = 0; k < 8; k += 4) {
    Tensor32 a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) a[i] = tensor32(rows.at[k + i]), b[i] = tensor32(columns.at[k + i]);
#pragma unroll
    for (int h = 0; h < 4; h += 2) multiply_eight(a[0].low, a[2].low, a[1].low, a[3].low, b[h].high, b[h + 1].high, c.at + 2 * h);
#pragma unroll
    for (int h = 0; h < 4; h += 2) multiply_eight(a[0].high, a[2].high, a[1].high, a[3].high, b[h].low, b[h + 1].low, c.at + 2 * h);
#pragma unroll
    for (int h = 0; h < 4; h += 2) multiply_eight(a[0].high, a[2].high, a[1].high, a[3].high, b[h].high, b[h + 1].high, c.at + 2 * h);
  }
  return c;
}

// Four matrices of 8×8: each lane has the address of a row, those of the first matrix the first eight.
DEV u32 shared_address(const void* p) {
  u32 a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}
DEV void eights_at(u32 (&x)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(shared_address(p)));
}
DEV void transposed_eights_at(u32 (&x)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(shared_address(p)));
}
template <class S> DEV Rows<S> rows_at(const S* p, u32 step, u32 lane) {
  Rows<S> x;
  eights_at(x.at, p + lane % 16 * step + lane / 16 * 8);
  return x;
}
template <class S> DEV Columns<S> columns_at(const S* p, u32 step, u32 lane) {
  Columns<S> x;
  eights_at(x.at, p + (lane / 16 * 8 + lane % 8) * step + lane / 8 % 2 * 8);
  return x;
}
#endif

const int STRIP = 32, GAP = 8;  // values of k that lie in shared memory at once; rows there are 80 bytes apart

// A panel of TILE × STRIP elements that is copied to shared memory, where the values of k are contiguous. Threads take 8 elements in the direction in
// which the operand is dense, in one access if they are aligned and complete.
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

// Tiles of TILE × TILE results. The waves of a block are arranged side by side in them, and each computes DOWN × ACROSS matrices.
template <class T, int TILE> DEV void matmul_cores(const T* a, const T* b, T* c, const Layout2& l, const MatMul& g, u8* memory) {
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
          for (u32 d = 0; d < STRIP; d += MATRIX_K) {
            Rows<S> x[DOWN];
            Columns<S> y[ACROSS];
#pragma unroll
            for (int i = 0; i < DOWN; i++) x[i] = rows_at(&as[top + i * 16][d], STRIP + GAP, lane);
#pragma unroll
            for (int j = 0; j < ACROSS; j++) y[j] = columns_at(&bs[left + j * 16][d], STRIP + GAP, lane);
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
          for (int j = 0; j < ACROSS; j++)
#pragma unroll
            for (int e = 0; e < LANE_ROWS; e++) {
              const i64 r = row + top + i * 16 + row_of(lane, e), s = col + left + j * 16 + column_of(lane, e);
              if (r < g.m && s < g.n) c[z * g.c_bat + r * g.c_row + s] = Element<T>::store(sum[i][j][e]);
            }
      }
  }
}
#endif
