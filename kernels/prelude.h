// The platform layer of the kernels, with every difference between platforms. No other header of ROCm, CUDA or C++ is included. The same text
// compiles with clang (-x hip -nogpuinc -nogpulib, or -x cuda), with hiprtc, and with NVRTC.
#if defined(__AMDGCN__)
#define AMD 1
#elif defined(__CUDACC_RTC__) || defined(__NVCC__) || defined(__NVPTX__)
#define AMD 0
#else
#error "gorocm kernels compile for AMDGPU (clang -x hip, hiprtc) and for NVIDIA GPUs (NVRTC, clang -x cuda)"
#endif

// hiprtc and NVRTC define the attributes; clang without headers does not.
#ifdef __clang__
#pragma clang fp contract(off)  // a*b+c is rounded twice on every compiler, except where fma is spelled
#define DEV inline __attribute__((device)) __attribute__((always_inline))
#define MEMBER static DEV
#define SHARED __attribute__((shared))
#define CONSTANT [[maybe_unused]] static __attribute__((constant)) const
#else
#define DEV __device__ __forceinline__
#define MEMBER static DEV
#define SHARED __shared__
#define CONSTANT static __constant__ const
#endif

// Every kernel runs in blocks of 256 threads in x.
#if AMD
#define KERNEL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 256))) void
#elif defined(__clang__)
#define KERNEL extern "C" __attribute__((global)) void
#else
#define KERNEL extern "C" __global__ void __launch_bounds__(256)
#endif
// A kernel with a minimum number of blocks per multiprocessor, for compilers that would use too many registers.
#if AMD || defined(__clang__)
#define KERNEL_FOR(BLOCKS) KERNEL
#else
#define KERNEL_FOR(BLOCKS) extern "C" __global__ void __launch_bounds__(256, BLOCKS)
#endif

// KERNEL2 is for kernels of which two blocks share a multiprocessor of NVIDIA's, each with half of the registers. AMD's compilers limit the registers
// by themselves.
#if AMD || defined(__clang__)
#define KERNEL2 KERNEL
#else
#define KERNEL2 extern "C" __global__ void __launch_bounds__(256, 2)
#endif

// In a namespace, our names hide the compiler's own (hiprtc and NVRTC declare exp, abs, … and some integer types).
namespace gr {

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 { u16 bits; };   // storage types: arithmetic is in f32
struct bf16 { u16 bits; };
struct f8e4m3 { u8 bits; };
typedef u8 b8;              // any type of so many bits
typedef u16 b16;
typedef u32 b32;
typedef u64 b64;

// ---- threads

[[maybe_unused]] const u32 BLOCK = 256;
#if AMD
DEV u32 tid() { return __builtin_amdgcn_workitem_id_x(); }
DEV u32 bid() { return __builtin_amdgcn_workgroup_id_x(); }
DEV u32 bid_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEV u32 bid_z() { return __builtin_amdgcn_workgroup_id_z(); }
DEV u32 blocks() { return __builtin_amdgcn_grid_size_x() / BLOCK; }
DEV u32 blocks_y() { return __builtin_amdgcn_grid_size_y(); }
DEV u32 blocks_z() { return __builtin_amdgcn_grid_size_z(); }
DEV void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#elif defined(__clang__)
DEV u32 tid() { return __nvvm_read_ptx_sreg_tid_x(); }
DEV u32 bid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEV u32 bid_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEV u32 bid_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
DEV u32 blocks() { return __nvvm_read_ptx_sreg_nctaid_x(); }
DEV u32 blocks_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
DEV u32 blocks_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }
DEV void sync() { __syncthreads(); }
#else
DEV u32 tid() { return threadIdx.x; }
DEV u32 bid() { return blockIdx.x; }
DEV u32 bid_y() { return blockIdx.y; }
DEV u32 bid_z() { return blockIdx.z; }
DEV u32 blocks() { return gridDim.x; }
DEV u32 blocks_y() { return gridDim.y; }
DEV u32 blocks_z() { return gridDim.z; }
DEV void sync() { __syncthreads(); }
#endif

// The word of the thread whose number differs from ours in the bits of mask, which is below LANES.
[[maybe_unused]] const u32 LANES = 32;  // so many neighbouring threads are in one wave on every GPU; waves may be wider
#if AMD
DEV u32 word_across(u32 x, u32 mask) {
  u32 lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
  return (u32)__builtin_amdgcn_ds_bpermute((i32)((lane ^ mask) << 2), (i32)x);
}
#elif defined(__clang__)
DEV u32 word_across(u32 x, u32 mask) { return (u32)__nvvm_shfl_sync_bfly_i32(~0u, (i32)x, (i32)mask, 31); }
#else
DEV u32 word_across(u32 x, u32 mask) { return __shfl_xor_sync(~0u, x, mask); }
#endif

// Within our group of LANES adjacent threads, which must all be active: the word of thread `lane`; a ballot, one bit per thread; and a fence for
// their accesses to shared memory.
DEV u32 lane() { return tid() % LANES; }
#if AMD
DEV u32 wave_lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
DEV u32 word_of(u32 x, u32 lane) { return (u32)__builtin_amdgcn_ds_bpermute((i32)(((wave_lane() & ~31u) | lane) << 2), (i32)x); }
DEV u32 ballot(bool x) { return (u32)(__builtin_amdgcn_uicmp((u32)x, 0u, 33) >> (wave_lane() & 32)); }
DEV void sync_lanes() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#elif defined(__clang__)
DEV u32 word_of(u32 x, u32 lane) { return (u32)__nvvm_shfl_sync_idx_i32(~0u, (i32)x, (i32)lane, 31); }
DEV u32 ballot(bool x) { return __nvvm_vote_ballot_sync(~0u, x); }
DEV void sync_lanes() { __nvvm_bar_warp_sync(~0u); }
#else
DEV u32 word_of(u32 x, u32 lane) { return __shfl_sync(~0u, x, lane); }
DEV u32 ballot(bool x) { return __ballot_sync(~0u, x); }
DEV void sync_lanes() { __syncwarp(); }
#endif

// The largest word of such a group.
#if !AMD && __CUDA_ARCH__ >= 800
DEV u32 max_word(u32 x) { u32 r; asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x)); return r; }
#else
DEV u32 max_word(u32 x) {
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const u32 y = word_across(x, d);
    x = y > x ? y : x;
  }
  return x;
}
#endif

// Population count, and an addition to a word in shared memory without its old value.
#ifdef __clang__
DEV u32 ones(u32 x) { return (u32)__builtin_popcount(x); }
#else
DEV u32 ones(u32 x) { return (u32)__popc(x); }
#endif
#if AMD
DEV void add_shared(u32* p, u32 x) { __hip_atomic_fetch_add(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); }
#elif defined(__clang__)
DEV void add_shared(u32* p, u32 x) { __nvvm_atom_add_gen_i((i32*)p, (i32)x); }
#else
DEV void add_shared(u32* p, u32 x) { atomicAdd(p, x); }
#endif

// For blocks that wait for one another: device-wide atomic loads and stores of words; an atomic increment of *p that returns the old value; and a
// short pause.
#if AMD
DEV u64 seen_by_all(const u64* p) { return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
DEV void show_all(u64* p, u64 x) { __hip_atomic_store(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
DEV u32 next_number(u32* p) { return __hip_atomic_fetch_add(p, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
DEV u64 next_number(u64* p) { return __hip_atomic_fetch_add(p, (u64)1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
DEV void rest() { __builtin_amdgcn_s_sleep(1); }
#else
#if __CUDA_ARCH__ >= 700
DEV u64 seen_by_all(const u64* p) { u64 x; asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory"); return x; }
DEV void show_all(u64* p, u64 x) { asm volatile("st.relaxed.gpu.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory"); }
DEV void rest() { asm volatile("nanosleep.u32 32;"); }
#else
DEV u64 seen_by_all(const u64* p) { return *(const volatile u64*)p; }
DEV void show_all(u64* p, u64 x) { *(volatile u64*)p = x; }
DEV void rest() {}
#endif
#ifdef __clang__
DEV u32 next_number(u32* p) { return (u32)__nvvm_atom_add_gen_i((i32*)p, 1); }
DEV u64 next_number(u64* p) { return (u64)__nvvm_atom_add_gen_ll((i64*)p, 1); }
#else
DEV u32 next_number(u32* p) { return atomicAdd(p, 1u); }
DEV u64 next_number(u64* p) { return atomicAdd(p, (u64)1); }
#endif
#endif

// For blocks whose stores are used by other blocks: a sync with release, after which thread 0 may signal other blocks (with next_number, for example)
// that the stores of all our threads are visible; and the acquire before a thread loads what the signalling blocks stored.
#if AMD
DEV void sync_shown() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
DEV void see_stores() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); }
#elif defined(__clang__)
DEV void sync_shown() {
  __syncthreads();
  if (tid() == 0) __nvvm_membar_gl();
}
DEV void see_stores() { __nvvm_membar_gl(); }
#else
DEV void sync_shown() {
  __syncthreads();
  if (tid() == 0) __threadfence();
}
DEV void see_stores() { __threadfence(); }
#endif

template <class S> DEV S across(const S& x, u32 mask) {
  const int WORDS = (sizeof(S) + 3) / 4;
  union { u32 words[WORDS]; S value; } u;
  for (int i = 0; i < WORDS; i++) u.words[i] = 0;
  u.value = x;
  for (int i = 0; i < WORDS; i++) u.words[i] = word_across(u.words[i], mask);
  return u.value;
}

#if AMD
DEV u32 opaque(u32 x) { asm volatile("" : "+v"(x)); return x; }  // x, but in a loop nothing that depends on it leaves the loop
#else
DEV u32 opaque(u32 x) { asm volatile("" : "+r"(x)); return x; }
#endif
DEV void apart() { asm volatile("" ::: "memory"); }  // ends a branch whose loads are not to be merged with those of the other one
DEV u64 first() { return (u64)bid() * BLOCK + tid(); }     // where a grid-stride loop begins
DEV u64 stride() { return (u64)blocks() * BLOCK; }

// ---- bits

template <class To, class From> DEV To bitcast(From x) {
  static_assert(sizeof(To) == sizeof(From), "bitcast keeps the size");
  union { From from; To to; } u;
  u.from = x;
  return u.to;
}

// ---- hardware functions, correctly rounded

#ifdef __clang__
DEV f32 fma(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEV f64 fma(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
DEV f32 abs(f32 x) { return __builtin_fabsf(x); }
DEV f64 abs(f64 x) { return __builtin_fabs(x); }
DEV f32 floor(f32 x) { return __builtin_floorf(x); }
DEV f64 floor(f64 x) { return __builtin_floor(x); }
DEV f32 ceil(f32 x) { return __builtin_ceilf(x); }
DEV f64 ceil(f64 x) { return __builtin_ceil(x); }
DEV f32 trunc(f32 x) { return __builtin_truncf(x); }
DEV f64 trunc(f64 x) { return __builtin_trunc(x); }
#if AMD
DEV f32 sqrt(f32 x) { return __builtin_sqrtf(x); }
DEV f64 sqrt(f64 x) { return __builtin_sqrt(x); }
#else
DEV f32 sqrt(f32 x) { return __nvvm_sqrt_rn_f(x); }
DEV f64 sqrt(f64 x) { return __nvvm_sqrt_rn_d(x); }
#endif
#else
DEV f32 fma(f32 a, f32 b, f32 c) { return ::fmaf(a, b, c); }
DEV f64 fma(f64 a, f64 b, f64 c) { return ::fma(a, b, c); }
DEV f32 abs(f32 x) { return ::fabsf(x); }
DEV f64 abs(f64 x) { return ::fabs(x); }
DEV f32 floor(f32 x) { return ::floorf(x); }
DEV f64 floor(f64 x) { return ::floor(x); }
DEV f32 ceil(f32 x) { return ::ceilf(x); }
DEV f64 ceil(f64 x) { return ::ceil(x); }
DEV f32 trunc(f32 x) { return ::truncf(x); }
DEV f64 trunc(f64 x) { return ::trunc(x); }
DEV f32 sqrt(f32 x) { return __fsqrt_rn(x); }
DEV f64 sqrt(f64 x) { return __dsqrt_rn(x); }
#endif
// The maximum, NaN only if both are; and 2^x, 1/x and √x within two units in the last place, 0 for results below 2^-126.
#if AMD
DEV f32 greater(f32 a, f32 b) { return __builtin_fmaxf(a, b); }
#if __has_builtin(__builtin_amdgcn_exp2f)
DEV f32 quick_exp2(f32 x) { return __builtin_amdgcn_exp2f(x); }
#else  // ROCm 5
DEV f32 quick_exp2(f32 x) { return __builtin_exp2f(x); }
#endif
DEV f32 quick_inverse(f32 x) { return __builtin_amdgcn_rcpf(x); }
DEV f32 quick_sqrt(f32 x) { return __builtin_amdgcn_sqrtf(x); }
#else
DEV f32 greater(f32 a, f32 b) { f32 r; asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b)); return r; }
DEV f32 quick_exp2(f32 x) { f32 r; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV f32 quick_inverse(f32 x) { f32 r; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
DEV f32 quick_sqrt(f32 x) { f32 r; asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r; }
#endif
DEV f32 copysign(f32 x, f32 s) { return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(s) & 0x80000000u)); }
DEV f64 copysign(f64 x, f64 s) {
  return bitcast<f64>((bitcast<u64>(x) & 0x7fffffffffffffffull) | (bitcast<u64>(s) & 0x8000000000000000ull));
}

// ---- 16-bit floats

DEV f32 widen(bf16 x) { return bitcast<f32>((u32)x.bits << 16); }
#if AMD
DEV f32 widen(f16 x) { return (f32)bitcast<_Float16>(x.bits); }
DEV f16 narrow_f16(f32 x) { f16 r = {bitcast<u16>((_Float16)x)}; return r; }
#else
DEV f32 widen(f16 x) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits)); return r; }
DEV f16 narrow_f16(f32 x) { f16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x)); return r; }
#endif
#if !AMD && !defined(__clang__) && __CUDA_ARCH__ >= 800
DEV bf16 narrow_bf16(f32 x) {  // as one of two, which takes a quarter of the time of one alone
  u32 two;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(0.0f), "f"(x));
  bf16 r = {(u16)two};
  return r;
}
#else
DEV bf16 narrow_bf16(f32 x) {  // to nearest even; NaN stays NaN
  u32 u = bitcast<u32>(x);
  bf16 r = {(u16)(x != x ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16)};
  return r;
}
#endif

// Two of them in a word; the sign of NaN may change.
#if !AMD && __CUDA_ARCH__ >= 800
DEV u32 narrow_two(f16, f32 low, f32 high) { u32 r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
DEV u32 narrow_two(bf16, f32 low, f32 high) { u32 r; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
#else
DEV u32 narrow_two(f16, f32 low, f32 high) { return (u32)narrow_f16(low).bits | (u32)narrow_f16(high).bits << 16; }
DEV u32 narrow_two(bf16, f32 low, f32 high) {
  const u32 x = bitcast<u32>(low), y = bitcast<u32>(high);
  return (x + 0x7fffu + (x >> 16 & 1u)) >> 16 | ((y + 0x7fffu + (y >> 16 & 1u)) & 0xffff0000u);
}
#endif

// ---- 8-bit floats: four bits of exponent, bias 7; no infinities; 0x7f is NaN

DEV f32 widen(f8e4m3 x) {
  const u32 magnitude = x.bits & 0x7fu;
  f32 r = magnitude < 8 ? (f32)magnitude * 0x1p-9f : bitcast<f32>((magnitude << 20) + 0x3c000000u);
  if (magnitude == 0x7f) r = bitcast<f32>(0x7fc00000u);
  return copysign(r, bitcast<f32>((u32)x.bits << 24));
}
DEV f8e4m3 narrow_f8e4m3(f32 x) {  // to nearest even; what is beyond 448 becomes 448
  u32 u = bitcast<u32>(x) & 0x7fffffffu, r;
  if (u > 0x43e00000u) u = 0x43e00000u;
  if (u < 0x3c800000u)
    r = bitcast<u32>(bitcast<f32>(u) + 16384.0f) - 0x46800000u;  // the sum is a multiple of 2^-9, the least value
  else
    r = ((u + 0x7ffffu + (u >> 20 & 1u)) >> 20) - 960u;
  f8e4m3 out = {(u8)(x != x ? 0x7fu : r | (bitcast<u32>(x) >> 24 & 0x80u))};
  return out;
}

// An f32 next to x whose last bit says whether x was inexact (rounding to odd). It can be rounded once more to 11, 8 or
// 4 digits as if x itself were.
DEV f32 round_to_odd(f64 x) {
  f32 y = (f32)x;
  u32 u = bitcast<u32>(y);
  if ((f64)y == x || x != x || (u & 1)) return y;
  return bitcast<f32>(abs((f64)y) > abs(x) ? u - 1 : u + 1);
}

// ---- elements: T in memory, Compute<T> in registers

template <class T> struct Element {
  typedef T Register;
  MEMBER T load(T x) { return x; }
  MEMBER T store(T x) { return x; }
  MEMBER T round(f64 x) { return (T)x; }
};
template <> struct Element<f16> {
  typedef f32 Register;
  MEMBER f32 load(f16 x) { return widen(x); }
  MEMBER f16 store(f32 x) { return narrow_f16(x); }
  MEMBER f16 round(f64 x) { return narrow_f16(round_to_odd(x)); }
};
template <> struct Element<bf16> {
  typedef f32 Register;
  MEMBER f32 load(bf16 x) { return widen(x); }
  MEMBER bf16 store(f32 x) { return narrow_bf16(x); }
  MEMBER bf16 round(f64 x) { return narrow_bf16(round_to_odd(x)); }
};
template <> struct Element<f8e4m3> {
  typedef f32 Register;
  MEMBER f32 load(f8e4m3 x) { return widen(x); }
  MEMBER f8e4m3 store(f32 x) { return narrow_f8e4m3(x); }
  MEMBER f8e4m3 round(f64 x) { return narrow_f8e4m3(round_to_odd(x)); }
};
template <class T> using Compute = typename Element<T>::Register;

// ---- layouts: N strided operands of the same dims, by value (abi.go has the same structs)

const u32 CONTIGUOUS = 1, INDEX32 = 2;
template <int N> struct Layout {
  i32 rank;
  u32 flags;
  i64 dims[8];
  i64 strides[N][8];
};
typedef Layout<1> Layout1;
typedef Layout<2> Layout2;
typedef Layout<3> Layout3;

template <int N> struct Offsets { i64 of[N]; };

template <class Signed, class Unsigned, int N> DEV Offsets<N> offsets_in(const Layout<N>& l, u64 flat) {
  Unsigned rest = (Unsigned)flat;
  Signed sum[N] = {};
#pragma unroll 1  // copies of the body would make long what is compiled
  for (i32 d = l.rank - 1; d > 0; d--) {
    Unsigned n = (Unsigned)l.dims[d], q = rest / n;
    Signed r = (Signed)(rest - q * n);
    for (int k = 0; k < N; k++) sum[k] += r * (Signed)l.strides[k][d];
    rest = q;
  }
  Offsets<N> o;
  for (int k = 0; k < N; k++) o.of[k] = sum[k] + (Signed)rest * (Signed)l.strides[k][0];
  return o;
}

// The offsets of the element with this row-major index, in each operand.
template <int N> DEV Offsets<N> offsets(const Layout<N>& l, u64 flat) {
  if (l.flags & CONTIGUOUS) {
    Offsets<N> o;
    for (int k = 0; k < N; k++) o.of[k] = (i64)flat;
    return o;
  }
  if (l.flags & INDEX32) return offsets_in<i32, u32>(l, flat);
  return offsets_in<i64, u64>(l, flat);
}

// ---- packs: V elements in one access of up to 16 bytes

template <class T, int V> struct alignas(sizeof(T) * V) Pack { T at[V]; };
template <int V, class T> DEV bool aligned(const T* p) { return (u64)p % (sizeof(T) * V) == 0; }
template <int V, class T> DEV Pack<T, V> pack_at(const T* p, u64 i) { return ((const Pack<T, V>*)p)[i]; }
template <int V, class T> DEV void put_pack(T* p, u64 i, const Pack<T, V>& x) { ((Pack<T, V>*)p)[i] = x; }

// The same for one pack, because NVRTC may not merge the accesses by itself.
#if AMD || defined(__clang__)
template <class T, int V> DEV void put_whole(T* p, const Pack<T, V>& x) { *(Pack<T, V>*)p = x; }
#else
template <class T, int V> DEV void put_whole(T* p, const Pack<T, V>& x) {
  static_assert(sizeof(x) == 16 || sizeof(x) == 8, "packs have 8 or 16 bytes");
  union { Pack<T, V> pack; u32 words[sizeof(x) / 4]; } u;
  u.pack = x;
  if constexpr (sizeof(x) == 16)
    asm volatile("{ .reg .u64 to; cvta.to.global.u64 to, %0; st.global.v4.u32 [to], {%1, %2, %3, %4}; }"
                 : : "l"(p), "r"(u.words[0]), "r"(u.words[1]), "r"(u.words[2]), "r"(u.words[3]) : "memory");
  else
    asm volatile("{ .reg .u64 to; cvta.to.global.u64 to, %0; st.global.v2.u32 [to], {%1, %2}; }"
                 : : "l"(p), "r"(u.words[0]), "r"(u.words[1]) : "memory");
}
#endif

// Loads of data that is read once, so that the nearest cache keeps data that is reused, on platforms with such an instruction. Streaming operations
// do not gain: on an H200, operations on large tensors that bypass the caches are faster only while no other program uses the GPU, and slower
// otherwise. T is an element or a pack, in global memory.
#if AMD || defined(__clang__) || __CUDA_ARCH__ < 700
template <class T> DEV T read_once(const T* p) { return *p; }
#else
template <class T> DEV T read_once(const T* p) {
  union { T value; u32 words[4]; u64 both; } u;
  const u64 at = (u64)__cvta_generic_to_global(p);
  if constexpr (sizeof(T) == 16)
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(u.words[0]), "=r"(u.words[1]), "=r"(u.words[2]), "=r"(u.words[3]) : "l"(at) : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("ld.global.L1::no_allocate.u64 %0, [%1];" : "=l"(u.both) : "l"(at) : "memory");
  else if constexpr (sizeof(T) == 4)
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(u.words[0]) : "l"(at) : "memory");
  else
    return *p;
  return u.value;
}
#endif
