// The matrix instructions of gfx1200, for TestRDNA4Matrices, which compiles this file. A lane has half of a row of A and of
// a column of B; C and D are stored as the lanes have them.
typedef _Float16 f16;
typedef short i16;
typedef int i32;
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));
typedef i32 i32x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));
typedef i16 i16x8 __attribute__((ext_vector_type(8)));

#define KERNEL(name, A, C) extern "C" __attribute__((global, amdgpu_flat_work_group_size(32, 32))) void name(const A *a, const A *b, const C *c, C *o)
#define LANE __builtin_amdgcn_workitem_id_x()
#define FLOATS(name, A, C) \
  KERNEL(name, A, C) { o[LANE] = __builtin_amdgcn_wmma_##name##_w32_gfx12(a[LANE], b[LANE], c[LANE]); }

FLOATS(f32_16x16x16_f16, f16x8, f32x8)
FLOATS(f32_16x16x16_bf16, i16x8, f32x8)
FLOATS(f16_16x16x16_f16, f16x8, f16x8)
FLOATS(bf16_16x16x16_bf16, i16x8, i16x8)
FLOATS(f32_16x16x16_fp8_fp8, i32x2, f32x8)
FLOATS(f32_16x16x16_fp8_bf8, i32x2, f32x8)
FLOATS(f32_16x16x16_bf8_fp8, i32x2, f32x8)
FLOATS(f32_16x16x16_bf8_bf8, i32x2, f32x8)

#define INTEGERS(name, A) \
  KERNEL(name, A, i32x8) { o[LANE] = __builtin_amdgcn_wmma_##name##_w32_gfx12(true, a[LANE], false, b[LANE], c[LANE], false); }

INTEGERS(i32_16x16x16_iu8, i32x2)
INTEGERS(i32_16x16x16_iu4, i32)
INTEGERS(i32_16x16x32_iu4, i32x2)

#define GROUP(name) extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void name(unsigned *o)

// Two waves signal a barrier. The first then waits for a flag that the second sets behind the barrier's wait.
GROUP(split_barrier) {
  __attribute__((shared)) static int flag;
  const int t = LANE;
  if (t == 0) __atomic_store_n(&flag, 0, __ATOMIC_RELAXED);
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_s_barrier_signal(-1);
  if (__builtin_amdgcn_readfirstlane(t) < 32) {
    while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0) {}
    __builtin_amdgcn_s_barrier_wait(-1);
    o[t] = t + 100;
  } else {
    __builtin_amdgcn_s_barrier_wait(-1);
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    o[t] = t - 32;
  }
}

GROUP(wait_alone) {
  o[LANE] = 1;
  __builtin_amdgcn_s_barrier_wait(-1);
}

// The upper half of the result is a factor, and its lower half does not depend on what nothing has written.
GROUP(own_factor) {
  __attribute__((shared)) static unsigned unwritten[64];
  unsigned at;
  __asm volatile("v_mov_b32 v21, %1\n v_mov_b32 v22, 0\n v_mov_b32 v23, %2\n"
                 "v_mad_co_u64_u32 v[20:21], null, v21, 4, v[22:23]\n v_mov_b32 %0, v20"
                 : "=v"(at) : "v"(LANE), "v"(((volatile unsigned *)unwritten)[LANE]) : "v20", "v21", "v22", "v23");
  *(unsigned *)((char *)o + at) = LANE;
}
