// Kernels as other compilers and libraries write them: buffer resources, matrices of integers and of 16-bit sums, counters
// in shared memory. build.sh compiles them to foreign.hsaco and, for waves of 64, foreign64.hsaco.
typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef _Float16 f16;
typedef short i16;
typedef i32 i32x2 __attribute__((ext_vector_type(2)));
typedef i32 i32x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x3 __attribute__((ext_vector_type(3)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef i32 i32x8 __attribute__((ext_vector_type(8)));
typedef i16 i16x16 __attribute__((ext_vector_type(16)));
typedef i16 i16x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x16 __attribute__((ext_vector_type(16)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x8 __attribute__((ext_vector_type(8)));

#define DEV static __attribute__((device)) inline __attribute__((always_inline))
#define KERNEL(threads) extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, threads))) void
#define SHARED __attribute__((shared))
#define INTRINSIC(type, name, ...) extern "C" __attribute__((device)) type name(__VA_ARGS__)

DEV u32 tid() { return __builtin_amdgcn_workitem_id_x(); }

// ---- buffers ----------------------------------------------------------------------------------------------------
// raw bounds, 32-bit words
#define FLAGS 0x31004000
KERNEL(64) buffer_raw(u32 *in, u32 *out, u32 bytes) {
  __amdgpu_buffer_rsrc_t a = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, FLAGS);
  u32 t = tid();
  u32 *o = out + 16 * t;
  o[0] = __builtin_amdgcn_raw_buffer_load_b8(a, t, 0, 0);
  o[1] = __builtin_amdgcn_raw_buffer_load_b16(a, 2 * t, 0, 0);
  o[2] = __builtin_amdgcn_raw_buffer_load_b32(a, 4 * t, 0, 0);
  u32x2 b = __builtin_amdgcn_raw_buffer_load_b64(a, 4 * t, 8, 0);
  o[3] = b.x, o[4] = b.y;
  u32x3 c = __builtin_amdgcn_raw_buffer_load_b96(a, 4 * t + 12, 0, 0);
  o[5] = c.x, o[6] = c.y, o[7] = c.z;
  u32x4 d = __builtin_amdgcn_raw_buffer_load_b128(a, 4 * t - 16, 0, 0);
  o[8] = d.x, o[9] = d.y, o[10] = d.z, o[11] = d.w;
}
KERNEL(64) buffer_raw_store(u8 *out, u32 bytes) {
  __amdgpu_buffer_rsrc_t a = __builtin_amdgcn_make_buffer_rsrc(out, 0, bytes, FLAGS);
  __amdgpu_buffer_rsrc_t b = __builtin_amdgcn_make_buffer_rsrc(out + 512, 0, bytes, FLAGS);
  __amdgpu_buffer_rsrc_t c = __builtin_amdgcn_make_buffer_rsrc(out + 1024, 0, bytes, FLAGS);
  u32 t = tid();
  __builtin_amdgcn_raw_buffer_store_b8((u8)(t + 1), a, t, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b16((u16)(t + 0x101), a, 2 * t, 128, 0);
  __builtin_amdgcn_raw_buffer_store_b32(t + 0x1010101, b, 4 * t, 0, 0);
  u32x4 x = {t, t + 100, t + 200, t + 300};
  __builtin_amdgcn_raw_buffer_store_b128(x, c, 16 * t, 0, 0);
}

// The names of the intrinsics, as Composable Kernel has them.
INTRINSIC(u32, struct_load, i32x4 rsrc, i32 index, i32 offset, i32 soffset, i32 aux) __asm("llvm.amdgcn.struct.buffer.load.i32");
INTRINSIC(void, struct_store, u32 x, i32x4 rsrc, i32 index, i32 offset, i32 soffset, i32 aux) __asm("llvm.amdgcn.struct.buffer.store.i32");
INTRINSIC(u32, raw_atomic_add, u32 x, i32x4 rsrc, i32 offset, i32 soffset, i32 aux) __asm("llvm.amdgcn.raw.buffer.atomic.add.i32");
INTRINSIC(float, raw_atomic_fadd, float x, i32x4 rsrc, i32 offset, i32 soffset, i32 aux) __asm("llvm.amdgcn.raw.buffer.atomic.fadd.f32");
INTRINSIC(u32, raw_atomic_cmpswap, u32 x, u32 cmp, i32x4 rsrc, i32 offset, i32 soffset, i32 aux) __asm("llvm.amdgcn.raw.buffer.atomic.cmpswap.i32");
INTRINSIC(u32, scalar_load, i32x4 rsrc, i32 offset, i32 aux) __asm("llvm.amdgcn.s.buffer.load.i32");
INTRINSIC(i32x4, scalar_load4, i32x4 rsrc, i32 offset, i32 aux) __asm("llvm.amdgcn.s.buffer.load.v4i32");

// A descriptor is its four words, of which the caller gives the last three without the address.
DEV i32x4 descriptor(const void *p, u32 word1, u32 records, u32 flags) {
  u64 a = (u64)p;
  i32x4 d = {(i32)a, (i32)((u32)(a >> 32) | word1), (i32)records, (i32)flags};
  return d;
}
KERNEL(64) buffer_struct(const u32 *in, u32 *out, u32 word1, u32 records, u32 flags, u32 soffset) {
  i32x4 d = descriptor(in, word1, records, flags);
  u32 t = tid();
  out[t] = struct_load(d, t / 4, t % 4 * 4, soffset, 0);
}
KERNEL(64) buffer_struct_store(u32 *out, u32 word1, u32 records, u32 flags) {
  i32x4 d = descriptor(out, word1, records, flags);
  u32 t = tid();
  struct_store(t + 1, d, t / 4, t % 4 * 4, 0, 0);
}
KERNEL(64) buffer_atomics(u32 *counter, u32 *out, u32 bytes) {
  i32x4 d = descriptor(counter, 0, bytes, FLAGS);
  u32 t = tid();
  out[t] = raw_atomic_add(t + 1, d, t % 4 * 4, 0, 0);
  raw_atomic_fadd(0.5f, d, 16, 0, 0);
  out[64 + t] = raw_atomic_cmpswap(t, 7, d, 20, 0, 0);
}
KERNEL(64) buffer_scalar(const u32 *in, u32 *out, u32 word1, u32 records, u32 flags, u32 offset) {
  i32x4 d = descriptor(in, word1, records, flags);
  out[0] = scalar_load(d, offset, 0);
  i32x4 x = scalar_load4(d, offset + 4, 0);
  out[1] = x.x, out[2] = x.y, out[3] = x.z, out[4] = x.w;
}

// ---- matrices ---------------------------------------------------------------------------------------------------
DEV u32 lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
#if __AMDGCN_WAVEFRONT_SIZE == 64
typedef i32x4 acc_i32; typedef f32x4 acc_f32; typedef f16x8 acc_f16; typedef i16x8 acc_bf16;
#define WMMA(name) __builtin_amdgcn_wmma_##name##_w64
#else
typedef i32x8 acc_i32; typedef f32x8 acc_f32; typedef f16x16 acc_f16; typedef i16x16 acc_bf16;
#define WMMA(name) __builtin_amdgcn_wmma_##name##_w32
#endif
KERNEL(64) wmma_iu8(const i32x4 *a, const i32x4 *b, const acc_i32 *c, acc_i32 *o) {
  acc_i32 x = c[lane()];
  i32x4 A = a[lane() & 15], B = b[lane() & 15];
  o[lane()] = WMMA(i32_16x16x16_iu8)(false, A, false, B, x, false);
  o[64 + lane()] = WMMA(i32_16x16x16_iu8)(true, A, false, B, x, false);
  o[128 + lane()] = WMMA(i32_16x16x16_iu8)(true, A, true, B, x, true);
}
KERNEL(64) wmma_iu4(const i32x2 *a, const i32x2 *b, const acc_i32 *c, acc_i32 *o) {
  acc_i32 x = c[lane()];
  i32x2 A = a[lane() & 15], B = b[lane() & 15];
  o[lane()] = WMMA(i32_16x16x16_iu4)(false, A, false, B, x, false);
  o[64 + lane()] = WMMA(i32_16x16x16_iu4)(false, A, true, B, x, false);
  o[128 + lane()] = WMMA(i32_16x16x16_iu4)(true, A, true, B, x, true);
}
KERNEL(64) wmma_sum_f32(const f16x16 *a, const f16x16 *b, const acc_f32 *c, acc_f32 *o) {
  o[lane()] = WMMA(f32_16x16x16_f16)(a[lane() & 15], b[lane() & 15], c[lane()]);
}
KERNEL(64) wmma_sum_f32_bf16(const i16x16 *a, const i16x16 *b, const acc_f32 *c, acc_f32 *o) {
  o[lane()] = WMMA(f32_16x16x16_bf16)(a[lane() & 15], b[lane() & 15], c[lane()]);
}
KERNEL(64) wmma_sum_f16(const f16x16 *a, const f16x16 *b, const acc_f16 *c, acc_f16 *o) {
  acc_f16 x = WMMA(f16_16x16x16_f16_tied)(a[lane() & 15], b[lane() & 15], c[lane()], false);
  o[lane()] = WMMA(f16_16x16x16_f16_tied)(a[lane() & 15], b[lane() & 15], x, true);
}
KERNEL(64) wmma_sum_bf16(const i16x16 *a, const i16x16 *b, const acc_bf16 *c, acc_bf16 *o) {
  acc_bf16 x = WMMA(bf16_16x16x16_bf16_tied)(a[lane() & 15], b[lane() & 15], c[lane()], false);
  o[lane()] = WMMA(bf16_16x16x16_bf16_tied)(a[lane() & 15], b[lane() & 15], x, true);
}

// ---- shared memory ----------------------------------------------------------------------------------------------
KERNEL(256) append(u32 *out, u32 *total) {
  SHARED i32 count[2];
  if (tid() == 0) count[0] = 5, count[1] = 1000;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  u32 more = 0, less = 0;
  if (tid() % 3 == 0) {
    more = (u32)__builtin_amdgcn_ds_append((__attribute__((address_space(3))) i32 *)&count[0]);
    less = (u32)__builtin_amdgcn_ds_consume((__attribute__((address_space(3))) i32 *)&count[1]);
  }
  out[2 * tid()] = more;
  out[2 * tid() + 1] = less;
  __builtin_amdgcn_s_barrier();
  if (tid() == 0) total[0] = (u32)count[0], total[1] = (u32)count[1];
}
#define DS(code) asm volatile(code "\ns_waitcnt lgkmcnt(0)"
KERNEL(32) exchanges(u64 *out) {
  SHARED u64 words[256];
  u32 t = tid(), at = (u32)(u64)(__attribute__((address_space(3))) u64 *)words + 8 * t;
  for (u32 i = 0; i < 8; i++) words[32 * i + t] = 0x100000001ull * (32 * i + t);
  u64 *o = out + 16 * t;
  u64 two;
  DS("ds_storexchg_2addr_rtn_b32 %0, %1, %2, %3 offset0:0 offset1:64") : "=v"(two) : "v"(at), "v"(t + 7), "v"(t + 9) : "memory");
  o[0] = two;
  u64 x = 0xaaaaaaaabbbbbbbbull + t, y = 0x1111111122222222ull + t;
  u64 lo, hi;
  typedef u64 u64x2 __attribute__((ext_vector_type(2)));
  u64x2 four;
  DS("ds_storexchg_2addr_rtn_b64 %0, %1, %2, %3 offset0:64 offset1:96") : "=v"(four) : "v"(at), "v"(x), "v"(y) : "memory");
  o[1] = four.x, o[2] = four.y;
  u32 a;
  DS("ds_mskor_rtn_b32 %0, %1, %2, %3 offset:1024") : "=v"(a) : "v"(at), "v"(0xff), "v"(0x1200) : "memory");
  o[3] = a;
  DS("ds_wrap_rtn_b32 %0, %1, %2, %3 offset:1028") : "=v"(a) : "v"(at), "v"(145), "v"(7) : "memory");
  o[4] = a;
  DS("ds_condxchg32_rtn_b64 %0, %1, %2 offset:1280") : "=v"(lo) : "v"(at), "v"(t % 2 ? 0x8000000500000006ull : 0x0000000780000008ull) : "memory");
  o[5] = lo;
  *(float *)&words[192 + t] = t % 2 ? -0.0f : 1.5f;
  DS("ds_cmpstore_rtn_f32 %0, %1, %2, %3 offset:1536") : "=v"(a) : "v"(at), "v"(9.0f), "v"(0.0f) : "memory");
  o[6] = a;
  *(double *)&words[224 + t] = t % 2 ? 2.5 : __builtin_nan("");
  DS("ds_cmpstore_rtn_f64 %0, %1, %2, %3 offset:1792") : "=v"(hi) : "v"(at), "v"(9.0), "v"(t % 2 ? 2.5 : __builtin_nan("")) : "memory");
  o[7] = hi;
  for (u32 i = 0; i < 8; i++) o[8 + i] = words[32 * i + t];
}

// ---- bytes and cubes --------------------------------------------------------------------------------------------
KERNEL(64) sums(const u64 *a, const u32 *b, const u32x4 *c, u64 *o) {
  u32 t = tid();
  u64 c64 = (u64)c[t].y << 32 | c[t].x;
  o[8 * t] = __builtin_amdgcn_qsad_pk_u16_u8(a[t], b[t], c64);
  o[8 * t + 1] = __builtin_amdgcn_mqsad_pk_u16_u8(a[t], b[t], c64);
  u32x4 m = __builtin_amdgcn_mqsad_u32_u8(a[t], b[t], c[t]);
  o[8 * t + 2] = (u64)m.y << 32 | m.x;
  o[8 * t + 3] = (u64)m.w << 32 | m.z;
  o[8 * t + 4] = (u64)(u32)__builtin_amdgcn_sudot4(true, (i32)a[t], true, (i32)b[t], (i32)c[t].x, true) << 32 | (u32)__builtin_amdgcn_udot4((u32)a[t], b[t], c[t].x, true);
  o[8 * t + 5] = (u64)(u32)__builtin_amdgcn_sudot8(true, (i32)a[t], false, (i32)b[t], (i32)c[t].x, true) << 32 | __builtin_amdgcn_udot8((u32)a[t], b[t], c[t].x, true);
}
KERNEL(64) cube(const float *p, float *o) {
  u32 t = tid();
  float x = p[3 * t], y = p[3 * t + 1], z = p[3 * t + 2];
  o[4 * t] = __builtin_amdgcn_cubeid(x, y, z);
  o[4 * t + 1] = __builtin_amdgcn_cubesc(x, y, z);
  o[4 * t + 2] = __builtin_amdgcn_cubetc(x, y, z);
  o[4 * t + 3] = __builtin_amdgcn_cubema(x, y, z);
}
