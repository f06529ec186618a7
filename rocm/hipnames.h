// What hiprtc declares by itself, for a clang without ROCm's headers: enough for kernels that use no library.
#pragma once
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
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
  struct X { __device__ operator unsigned() const { return __builtin_amdgcn_workitem_id_x(); } } x;
  struct Y { __device__ operator unsigned() const { return __builtin_amdgcn_workitem_id_y(); } } y;
  struct Z { __device__ operator unsigned() const { return __builtin_amdgcn_workitem_id_z(); } } z;
};
struct gorocm_block_idx {
  struct X { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_id_x(); } } x;
  struct Y { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_id_y(); } } y;
  struct Z { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_id_z(); } } z;
};
struct gorocm_block_dim {
  struct X { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_size_x(); } } x;
  struct Y { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_size_y(); } } y;
  struct Z { __device__ operator unsigned() const { return __builtin_amdgcn_workgroup_size_z(); } } z;
};
struct gorocm_grid_dim {
  struct X { __device__ operator unsigned() const { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); } } x;
  struct Y { __device__ operator unsigned() const { return __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(); } } y;
  struct Z { __device__ operator unsigned() const { return __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z(); } } z;
};
#define threadIdx (gorocm_thread_idx{})
#define blockIdx (gorocm_block_idx{})
#define blockDim (gorocm_block_dim{})
#define gridDim (gorocm_grid_dim{})

static __device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define GOROCM_DEVICE static __device__ __forceinline__

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
GOROCM_DEVICE float tanhf(float x) {
  float e = __builtin_expf(-2.0f * __builtin_fabsf(x));
  return __builtin_copysignf((1.0f - e) / (1.0f + e), x);
}
GOROCM_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOROCM_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
GOROCM_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
GOROCM_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
GOROCM_DEVICE double fmin(double a, double b) { return __builtin_fmin(a, b); }
GOROCM_DEVICE double fmax(double a, double b) { return __builtin_fmax(a, b); }
