// What hiprtc declares by itself, for a clang without ROCm's headers: enough for kernels that use no library.
#pragma once
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#endif

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

struct gorocm_thread_idx {
  struct X { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workitem_id_x(); } } x;
  struct Y { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workitem_id_y(); } } y;
  struct Z { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workitem_id_z(); } } z;
};
struct gorocm_block_idx {
  struct X { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_id_x(); } } x;
  struct Y { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_id_y(); } } y;
  struct Z { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_id_z(); } } z;
};
struct gorocm_block_dim {
  struct X { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_size_x(); } } x;
  struct Y { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_size_y(); } } y;
  struct Z { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_workgroup_size_z(); } } z;
};
struct gorocm_grid_dim {
  struct X { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); } } x;
  struct Y { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(); } } y;
  struct Z { __device__ __attribute__((nodebug)) operator unsigned() const { return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z(); } } z;
};
#define threadIdx (gorocm_thread_idx{})
#define blockIdx (gorocm_block_idx{})
#define blockDim (gorocm_block_dim{})
#define gridDim (gorocm_grid_dim{})

static __device__ __forceinline__ __attribute__((nodebug)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define GOROCM_DEVICE static __device__ __forceinline__ __attribute__((nodebug))

#define GOROCM_VECTORS(T, C) \
  typedef C T##2 __attribute__((ext_vector_type(2))); \
  typedef C T##4 __attribute__((ext_vector_type(4))); \
  struct T##3 { C x, y, z; }; \
  GOROCM_DEVICE T##2 make_##T##2(C x, C y) { return T##2{x, y}; } \
  GOROCM_DEVICE T##3 make_##T##3(C x, C y, C z) { return T##3{x, y, z}; } \
  GOROCM_DEVICE T##4 make_##T##4(C x, C y, C z, C w) { return T##4{x, y, z, w}; }
GOROCM_VECTORS(char, signed char)
GOROCM_VECTORS(uchar, unsigned char)
GOROCM_VECTORS(short, short)
GOROCM_VECTORS(ushort, unsigned short)
GOROCM_VECTORS(int, int)
GOROCM_VECTORS(uint, unsigned)
GOROCM_VECTORS(float, float)
GOROCM_VECTORS(double, double)


// Between the lanes of a wave. The masks of the _sync forms are ignored: lanes that are off take no part.
#if GOROCM_WAVE == 64
#define warpSize 64
GOROCM_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
#else
#define warpSize 32
GOROCM_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }
#endif
template <class T> GOROCM_DEVICE T gorocm_from_lane(T v, int lane) {
  static_assert(sizeof(T) % 4 == 0, "values of whole words go between lanes");
  union { int words[sizeof(T) / 4]; T value; } u;
  u.value = v;
  for (unsigned i = 0; i < sizeof(T) / 4; i++) u.words[i] = __builtin_amdgcn_ds_bpermute(lane << 2, u.words[i]);
  return u.value;
}
template <class T> GOROCM_DEVICE T __shfl(T v, int lane, int width = warpSize) {
  return gorocm_from_lane(v, (int)(__lane_id() & ~(width - 1)) + (lane & (width - 1)));
}
template <class T> GOROCM_DEVICE T __shfl_xor(T v, int mask, int width = warpSize) {
  int lane = (int)__lane_id(), from = lane ^ mask;
  return gorocm_from_lane(v, from < ((lane + width) & ~(width - 1)) ? from : lane);
}
template <class T> GOROCM_DEVICE T __shfl_down(T v, unsigned delta, int width = warpSize) {
  int lane = (int)__lane_id();
  return gorocm_from_lane(v, (lane & (width - 1)) + (int)delta < width ? lane + (int)delta : lane);
}
template <class T> GOROCM_DEVICE T __shfl_up(T v, unsigned delta, int width = warpSize) {
  int lane = (int)__lane_id();
  return gorocm_from_lane(v, (lane & (width - 1)) >= (int)delta ? lane - (int)delta : lane);
}
template <class T> GOROCM_DEVICE T __shfl_sync(unsigned long long, T v, int lane, int width = warpSize) { return __shfl(v, lane, width); }
template <class T> GOROCM_DEVICE T __shfl_xor_sync(unsigned long long, T v, int mask, int width = warpSize) { return __shfl_xor(v, mask, width); }
template <class T> GOROCM_DEVICE T __shfl_down_sync(unsigned long long, T v, unsigned delta, int width = warpSize) { return __shfl_down(v, delta, width); }
template <class T> GOROCM_DEVICE T __shfl_up_sync(unsigned long long, T v, unsigned delta, int width = warpSize) { return __shfl_up(v, delta, width); }
#if GOROCM_WAVE == 64
GOROCM_DEVICE unsigned long long __ballot(int p) { return __builtin_amdgcn_ballot_w64(p != 0); }
#else
GOROCM_DEVICE unsigned long long __ballot(int p) { return __builtin_amdgcn_ballot_w32(p != 0); }
#endif
GOROCM_DEVICE unsigned long long __ballot_sync(unsigned long long, int p) { return __ballot(p); }
GOROCM_DEVICE int __any(int p) { return __ballot(p) != 0; }
GOROCM_DEVICE int __all(int p) { return __ballot(!p) == 0; }

GOROCM_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
GOROCM_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GOROCM_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
GOROCM_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
GOROCM_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
GOROCM_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
GOROCM_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
GOROCM_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
GOROCM_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
GOROCM_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
template <class T> GOROCM_DEVICE T __ldg(const T *p) { return *p; }

typedef _Float16 __half;
GOROCM_DEVICE float __half2float(__half x) { return (float)x; }
GOROCM_DEVICE __half __float2half(float x) { return (__half)x; }

#define GOROCM_ATOMICS(T) \
  GOROCM_DEVICE T atomicAdd(T *p, T v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicExch(T *p, T v) { return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#define GOROCM_INT_ATOMICS(T) \
  GOROCM_ATOMICS(T) \
  GOROCM_DEVICE T atomicMin(T *p, T v) { return __hip_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicMax(T *p, T v) { return __hip_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicAnd(T *p, T v) { return __hip_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicOr(T *p, T v) { return __hip_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicXor(T *p, T v) { return __hip_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); } \
  GOROCM_DEVICE T atomicCAS(T *p, T expected, T v) { \
    __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    return expected; \
  }
GOROCM_INT_ATOMICS(int)
GOROCM_INT_ATOMICS(unsigned)
GOROCM_INT_ATOMICS(unsigned long long)
GOROCM_ATOMICS(float)

#define GOROCM_MINMAX(T) \
  GOROCM_DEVICE T min(T a, T b) { return b < a ? b : a; } \
  GOROCM_DEVICE T max(T a, T b) { return a < b ? b : a; }
GOROCM_MINMAX(int)
GOROCM_MINMAX(unsigned)
GOROCM_MINMAX(long long)
GOROCM_MINMAX(unsigned long long)

// Mathematics that clang makes without a library; float versions under both names, as in C++.
#define GOROCM_MATH1(name) \
  GOROCM_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  GOROCM_DEVICE float name(float x) { return __builtin_##name##f(x); }
#define GOROCM_MATH1D(name) GOROCM_MATH1(name) GOROCM_DEVICE double name(double x) { return __builtin_##name(x); }
GOROCM_MATH1(exp)
GOROCM_MATH1(exp2)
GOROCM_MATH1(log)
GOROCM_MATH1(log2)
GOROCM_MATH1(log10)
GOROCM_MATH1D(sqrt)
GOROCM_MATH1D(fabs)
GOROCM_MATH1D(floor)
GOROCM_MATH1D(ceil)
GOROCM_MATH1D(trunc)
GOROCM_MATH1D(rint)
GOROCM_DEVICE float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
GOROCM_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOROCM_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
GOROCM_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
GOROCM_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GOROCM_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
GOROCM_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
