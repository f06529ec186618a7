// What hiprtc declares by itself, for a clang without ROCm's headers: enough for kernels that use no library.
#ifndef __global__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#endif

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
static __device__ __forceinline__ int atomicAdd(int *p, int v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
static __device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
static __device__ __forceinline__ unsigned long long atomicAdd(unsigned long long *p, unsigned long long v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
static __device__ __forceinline__ float atomicAdd(float *p, float v) { return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
static __device__ __forceinline__ float sqrtf(float x) { return __builtin_sqrtf(x); }
static __device__ __forceinline__ float fabsf(float x) { return __builtin_fabsf(x); }
static __device__ __forceinline__ float expf(float x) { return __builtin_expf(x); }
static __device__ __forceinline__ float logf(float x) { return __builtin_logf(x); }
static __device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __device__ __forceinline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
static __device__ __forceinline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
static __device__ __forceinline__ float floorf(float x) { return __builtin_floorf(x); }
static __device__ __forceinline__ float ceilf(float x) { return __builtin_ceilf(x); }
