// hip/hip_cooperative_groups.h: groups of work-items within a block, and the grid of a cooperative launch.
#pragma once
#include <hip/hip_runtime.h>

// Kernel.LaunchCooperative sets it to 0 before each launch.
extern "C" __device__ unsigned gorocm_grid_barrier;
__device__ unsigned gorocm_grid_barrier;

namespace cooperative_groups {

#define GOROCM_GROUP static __device__ inline __attribute__((always_inline))
#define GOROCM_MEMBER __device__ inline __attribute__((always_inline))

struct thread_block {
  GOROCM_MEMBER static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  GOROCM_MEMBER static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  GOROCM_MEMBER static unsigned size() { return num_threads(); }
  GOROCM_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  GOROCM_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  GOROCM_MEMBER static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  GOROCM_MEMBER static void sync() { __syncthreads(); }
};
GOROCM_GROUP thread_block this_thread_block() { return thread_block(); }

// The grid of a cooperative launch, whose blocks all run at the same time.
struct grid_group {
  GOROCM_MEMBER static unsigned block_rank() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  GOROCM_MEMBER static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  GOROCM_MEMBER static unsigned long long thread_rank() { return (unsigned long long)block_rank() * thread_block::num_threads() + thread_block::thread_rank(); }
  GOROCM_MEMBER static unsigned long long num_threads() { return (unsigned long long)num_blocks() * thread_block::num_threads(); }
  GOROCM_MEMBER static unsigned long long size() { return num_threads(); }
  GOROCM_MEMBER static bool is_valid() { return true; }
  // Blocks add 1, and the first one what makes the sum 0x80000000: the highest bit changes when the last has come, and
  // the others are 0 again. CUDA's cooperative groups do the same.
  GOROCM_MEMBER static void sync() {
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      __threadfence();
      unsigned before = atomicAdd(&gorocm_grid_barrier, block_rank() == 0 ? 0x80000000u - (num_blocks() - 1) : 1u);
#if defined(__AMDGCN__)
      while (((before ^ __atomic_load_n(&gorocm_grid_barrier, __ATOMIC_RELAXED)) & 0x80000000u) == 0) __builtin_amdgcn_s_sleep(2);
#else
      while (((before ^ *(volatile unsigned *)&gorocm_grid_barrier) & 0x80000000u) == 0) {}
#endif
      __threadfence();
    }
    __syncthreads();
  }
};
GOROCM_GROUP grid_group this_grid() { return grid_group(); }

#if GOROCM_WAVE == 64 || defined(__AMDGCN_WAVEFRONT_SIZE) && __AMDGCN_WAVEFRONT_SIZE == 64
#define GOROCM_LANES 64
#else
#define GOROCM_LANES 32
#endif

// A tile is Size neighbouring lanes of a wave, and Size a power of two.
template <unsigned Size, class Parent = thread_block> struct thread_block_tile {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0 && Size <= GOROCM_LANES, "a tile has a power of two work-items, of one wave");
  GOROCM_MEMBER static unsigned thread_rank() { return thread_block::thread_rank() & (Size - 1); }
  GOROCM_MEMBER static constexpr unsigned num_threads() { return Size; }
  GOROCM_MEMBER static constexpr unsigned size() { return Size; }
  GOROCM_MEMBER static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  GOROCM_MEMBER static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  GOROCM_MEMBER static void sync() {
#if defined(__AMDGCN__)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
    __syncwarp();
#endif
  }
  template <class T> GOROCM_MEMBER T shfl(T v, int rank) const { return __shfl(v, rank, (int)Size); }
  template <class T> GOROCM_MEMBER T shfl_up(T v, unsigned delta) const { return __shfl_up(v, delta, (int)Size); }
  template <class T> GOROCM_MEMBER T shfl_down(T v, unsigned delta) const { return __shfl_down(v, delta, (int)Size); }
  template <class T> GOROCM_MEMBER T shfl_xor(T v, unsigned mask) const { return __shfl_xor(v, (int)mask, (int)Size); }
  GOROCM_MEMBER unsigned long long ballot(int p) const {
    unsigned from = thread_block::thread_rank() & (GOROCM_LANES - 1) & ~(Size - 1);
    return __ballot(p) >> from & (~0ull >> (64 - Size));
  }
  GOROCM_MEMBER int any(int p) const { return ballot(p) != 0; }
  GOROCM_MEMBER int all(int p) const { return ballot(!p) == 0; }
};
template <unsigned Size, class Parent> GOROCM_GROUP thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<Size, Parent>();
}

// What every group has, by names of their own.
template <class Group> GOROCM_GROUP void sync(const Group &g) { g.sync(); }
template <class Group> GOROCM_GROUP unsigned thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> GOROCM_GROUP unsigned group_size(const Group &g) { return g.size(); }

// Operators of reduce, and reduce and scans over a tile.
template <class T> struct plus { GOROCM_MEMBER T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { GOROCM_MEMBER T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { GOROCM_MEMBER T operator()(T a, T b) const { return a < b ? b : a; } };
template <unsigned Size, class Parent, class T, class Op> GOROCM_GROUP T reduce(const thread_block_tile<Size, Parent> &tile, T v, Op op) {
  for (unsigned step = Size / 2; step > 0; step /= 2) v = op(v, tile.shfl_xor(v, step));
  return v;
}
template <unsigned Size, class Parent, class T, class Op> GOROCM_GROUP T inclusive_scan(const thread_block_tile<Size, Parent> &tile, T v, Op op) {
  for (unsigned step = 1; step < Size; step *= 2) {
    T before = tile.shfl_up(v, step);
    if (tile.thread_rank() >= step) v = op(before, v);
  }
  return v;
}

#undef GOROCM_LANES
#undef GOROCM_GROUP
#undef GOROCM_MEMBER
}  // namespace cooperative_groups
