// What stands before a kernel that hiprtc compiles, beside constants.h: names that it lacks, or has in some versions only.

#ifndef GOROCM_DEVICE
#define GOROCM_DEVICE static __device__ inline __attribute__((always_inline))
#endif

// Integers by size: 6.4 has those of 32 and 64 bits only. Where it has one, it is the same type.
namespace gorocm_integers {
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
}  // namespace gorocm_integers
using namespace gorocm_integers;

// The _sync forms came with ROCm 6.2, want a mask of 64 bits there, and are off before ROCm 7. Masks are ignored, as for the emulated GPU.
#define __shfl_sync(mask, ...) __shfl(__VA_ARGS__)
#define __shfl_xor_sync(mask, ...) __shfl_xor(__VA_ARGS__)
#define __shfl_up_sync(mask, ...) __shfl_up(__VA_ARGS__)
#define __shfl_down_sync(mask, ...) __shfl_down(__VA_ARGS__)
#define __ballot_sync(mask, p) __ballot(p)
#define __any_sync(mask, p) __any(p)
#define __all_sync(mask, p) __all(p)
#define __syncwarp(...) gorocm_syncwarp()
GOROCM_DEVICE void gorocm_syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#define __activemask() __ballot(1)
#define __match_any(v) gorocm_match_any(v)
#define __match_any_sync(mask, v) gorocm_match_any(v)
template <class T> GOROCM_DEVICE unsigned long long gorocm_match_any(T v) {
  unsigned long long same = 0;
  for (int i = 0; i < warpSize; i++)
    if (__ballot(1) >> i & 1) same |= (unsigned long long)(__shfl(v, i) == v) << i;
  return same;
}
