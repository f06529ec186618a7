// Products of signed bytes by matrix cores, for quantized tensors: of 16 rows and 16 columns, each a part of 32 bytes in shared memory, or of a half of
// each. A lane has bytes of one row, of BYTE_STEPS instructions, and results where matrix.h has them. Instructions:
//
//   gfx11    v_wmma    16 bytes; a lane has all of them
//   gfx120x  v_wmma    16; a lane has 8: lanes below 16 the first ones
//   gfx125x  v_wmma    64, of which a part is half; 16 of the part
//   CDNA     v_mfma    16; 4 of them
//   gfx942, gfx950     32; 8 of them
//   NVIDIA   mma.sync  32, or 16 of a half
//
// As with matrix.h, which bytes these are does not matter. Sums of 32 products are below 2²⁰, which single precision holds.

#if MATRIX_CORES
#if AMD
#if WMMA
const u32 BYTES_K = WMMA, LANE_WORDS = WMMA / 8;  // of an instruction; what a lane has for one, in words
#elif MFMA && (MFMA == 32 || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx9_4_generic__) || GOROCM_CORES == 942)
#define MFMA_BYTES 32
const u32 BYTES_K = 32, LANE_WORDS = 2;
#elif MFMA
#define MFMA_BYTES 16
const u32 BYTES_K = 16, LANE_WORDS = 1;
#else
const u32 BYTES_K = 16, LANE_WORDS = 4;
#endif
const u32 BYTE_STEPS = 32 / BYTES_K;
struct Bytes { u32 at[BYTE_STEPS][LANE_WORDS]; };
typedef i32 ByteSums __attribute__((ext_vector_type(LANE_ROWS)));

// Where a lane's bytes of rows are, which are `step` apart, and those of 16 of them, `bytes` further on.
typedef const u8* BytesPlace;
DEV BytesPlace row_bytes_place(const u8* p, u32 step, u32 lane) {
  return p + lane % 16 * step + (LANE_WORDS * 4 == BYTES_K ? 0 : lane / 16 * LANE_WORDS * 4);
}
DEV BytesPlace column_bytes_place(const u8* p, u32 step, u32 lane) { return row_bytes_place(p, step, lane); }
DEV Bytes bytes_at(BytesPlace p, u32 bytes) {
  Bytes x;
#pragma unroll
  for (u32 i = 0; i < BYTE_STEPS; i++)
#pragma unroll
    for (u32 j = 0; j < LANE_WORDS; j++) x.at[i][j] = *(const u32*)(p + bytes + i * BYTES_K + j * 4);
  return x;
}

DEV ByteSums multiply_bytes(const u32 (&a)[LANE_WORDS], const u32 (&b)[LANE_WORDS], ByteSums c) {
#if EMULATED_CORES
  const u32 own = wave_lane();
  for (u32 k = 0; k < WAVE; k += 16)
    for (u32 j = 0; j < LANE_WORDS; j++) {
      const u32 column = (u32)__builtin_amdgcn_ds_bpermute((i32)((k + own % 16) << 2), (i32)b[j]);
      for (u32 i = 0; i < LANE_ROWS; i++) {
        const u32 row = (u32)__builtin_amdgcn_ds_bpermute((i32)((k + row_of(own, i)) << 2), (i32)a[j]);
        c[i] = dot4(row, column, c[i]);
      }
    }
  return c;
#elif MFMA_BYTES == 32
  return __builtin_amdgcn_mfma_i32_16x16x32_i8((i64)((u64)a[1] << 32 | a[0]), (i64)((u64)b[1] << 32 | b[0]), c, 0, 0, 0);
#elif MFMA_BYTES == 16
  return __builtin_amdgcn_mfma_i32_16x16x16i8((i32)a[0], (i32)b[0], c, 0, 0, 0);
#elif WMMA == 32
  typedef i32 Whole __attribute__((ext_vector_type(8)));
  const Whole x = {(i32)a[0], (i32)a[1], (i32)a[2], (i32)a[3]}, y = {(i32)b[0], (i32)b[1], (i32)b[2], (i32)b[3]};
  return __builtin_amdgcn_wmma_i32_16x16x64_iu8(true, x, true, y, c, false, false);
#else
  typedef i32 LaneWords __attribute__((ext_vector_type(LANE_WORDS)));
  LaneWords x, y;
#pragma unroll
  for (u32 j = 0; j < LANE_WORDS; j++) x[j] = (i32)a[j], y[j] = (i32)b[j];
#if WMMA
  return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, x, true, y, c, false);
#else
  return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x, true, y, c, false);
#endif
#endif
}

// The products of a part, or of its half h.
template <bool HALF> DEV Results product_of_bytes(const Bytes& a, const Bytes& b, u32 h, u32 lane) {
  ByteSums sum = {};
  Results x;
#pragma unroll
  for (u32 i = 0; i < BYTE_STEPS; i++) {
    u32 of[LANE_WORDS];
    if (HALF && BYTE_STEPS == 2 && i != h) continue;
#pragma unroll
    for (u32 j = 0; j < LANE_WORDS; j++) of[j] = HALF && BYTE_STEPS == 1 && lane / 16 * LANE_WORDS / 4 != h ? 0 : a.at[i][j];
    sum = multiply_bytes(of, b.at[i], sum);
  }
#pragma unroll
  for (u32 e = 0; e < LANE_ROWS; e++) x[e] = (f32)sum[e];
  return x;
}
#else
struct Bytes { u32 at[4]; };  // words of rows l/4 and l/4 + 8, and of their other halves; or both halves of column l/4, and of l/4 + 8
typedef u32 BytesPlace;
DEV BytesPlace row_bytes_place(const u8* p, u32 step, u32 lane) { return shared_address(p) + lane % 16 * step + lane / 16 * 16; }
DEV BytesPlace column_bytes_place(const u8* p, u32 step, u32 lane) {
  return shared_address(p) + (lane / 16 * 8 + lane % 8) * step + lane / 8 % 2 * 16;
}
DEV Bytes bytes_at(BytesPlace p, u32 bytes) {
  Bytes x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x.at[0]), "=r"(x.at[1]), "=r"(x.at[2]), "=r"(x.at[3]) : "r"(p + bytes));
  return x;
}

template <bool HALF> DEV Results product_of_bytes(const Bytes& a, const Bytes& b, u32 h, u32) {
  Results x;
#pragma unroll
  for (u32 i = 0; i < 2; i++) {
    i32 c[4];
    if (HALF)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
                   : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3]) : "r"(a.at[2 * h]), "r"(a.at[2 * h + 1]), "r"(b.at[2 * i + h]), "r"(0));
    else
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                   : "=r"(c[0]), "=r"(c[1]), "=r"(c[2]), "=r"(c[3])
                   : "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(b.at[2 * i]), "r"(b.at[2 * i + 1]), "r"(0));
#pragma unroll
    for (u32 e = 0; e < 4; e++) x[4 * i + e] = (f32)c[e];
  }
  return x;
}
#endif
#endif
