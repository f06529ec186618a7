// What else kernels in HIP call by name, beside names.h, for a clang without ROCm's headers.

// Vectors. names.h has those of the types up to 32 bits and of double.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;
GOROCM_VECTORS(long, long)
GOROCM_VECTORS(ulong, unsigned long)
GOROCM_VECTORS(longlong, long long)
GOROCM_VECTORS(ulonglong, unsigned long long)
#define GOROCM_ONE(T, C) \
  struct T##1 { C x; }; \
  GOROCM_DEVICE T##1 make_##T##1(C x) { return T##1{x}; }
#define GOROCM_THREE_BY(T, C, op) \
  GOROCM_DEVICE T operator op(T a, T b) { return T{(C)(a.x op b.x), (C)(a.y op b.y), (C)(a.z op b.z)}; } \
  GOROCM_DEVICE T operator op(T a, C b) { return T{(C)(a.x op b), (C)(a.y op b), (C)(a.z op b)}; } \
  GOROCM_DEVICE T operator op(C a, T b) { return T{(C)(a op b.x), (C)(a op b.y), (C)(a op b.z)}; } \
  GOROCM_DEVICE T &operator op##=(T &a, T b) { return a = a op b; } \
  GOROCM_DEVICE T &operator op##=(T &a, C b) { return a = a op b; }
#define GOROCM_MORE_VECTORS(T, C) \
  GOROCM_ONE(T, C) \
  GOROCM_THREE_BY(T##3, C, +) \
  GOROCM_THREE_BY(T##3, C, -) \
  GOROCM_THREE_BY(T##3, C, *) \
  GOROCM_THREE_BY(T##3, C, /) \
  GOROCM_DEVICE T##3 operator-(T##3 a) { return T##3{(C)-a.x, (C)-a.y, (C)-a.z}; } \
  GOROCM_DEVICE bool operator==(T##3 a, T##3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; } \
  GOROCM_DEVICE bool operator!=(T##3 a, T##3 b) { return !(a == b); }
GOROCM_MORE_VECTORS(char, signed char)
GOROCM_MORE_VECTORS(uchar, unsigned char)
GOROCM_MORE_VECTORS(short, short)
GOROCM_MORE_VECTORS(ushort, unsigned short)
GOROCM_MORE_VECTORS(int, int)
GOROCM_MORE_VECTORS(uint, unsigned)
GOROCM_MORE_VECTORS(long, long)
GOROCM_MORE_VECTORS(ulong, unsigned long)
GOROCM_MORE_VECTORS(longlong, long long)
GOROCM_MORE_VECTORS(ulonglong, unsigned long long)
GOROCM_MORE_VECTORS(float, float)
GOROCM_MORE_VECTORS(double, double)

struct dim3 {
  unsigned x, y, z;
  __device__ __host__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Bits.
GOROCM_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
GOROCM_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
GOROCM_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
GOROCM_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
GOROCM_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  unsigned long long both = (unsigned long long)y << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(both >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return r;
}
GOROCM_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return (((unsigned long long)hi << 32 | lo) << (n & 31)) >> 32; }
GOROCM_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return ((unsigned long long)hi << 32 | lo) >> (n & 31); }
GOROCM_DEVICE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? lo : __funnelshift_l(lo, hi, n); }
GOROCM_DEVICE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? hi : __funnelshift_r(lo, hi, n); }
GOROCM_DEVICE unsigned __bitextract_u32(unsigned x, unsigned from, unsigned n) {
  from &= 31, n &= 31;
  return n == 0 ? 0 : x << (32 - n - from) >> (32 - n);
}
GOROCM_DEVICE unsigned __bitinsert_u32(unsigned x, unsigned y, unsigned from, unsigned n) {
  from &= 31, n &= 31;
  unsigned mask = (1u << n) - 1;
  return x & ~(mask << from) | (y & mask) << from;
}

// Integers.
GOROCM_DEVICE int abs(int x) { return x < 0 ? -x : x; }
GOROCM_DEVICE long labs(long x) { return x < 0 ? -x : x; }
GOROCM_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
GOROCM_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
GOROCM_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long long)a * b >> 32; }
GOROCM_DEVICE long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
GOROCM_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
GOROCM_DEVICE int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
GOROCM_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
GOROCM_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
GOROCM_DEVICE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
GOROCM_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return ((unsigned long long)a + b) >> 1; }
GOROCM_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return ((unsigned long long)a + b + 1) >> 1; }
GOROCM_DEVICE unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a); }
GOROCM_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }

// Numbers from one type to another, in each direction of rounding. What lies outside of the type becomes its end, NaN 0.
template <class T, class F> GOROCM_DEVICE T gorocm_whole(F x) {
  const F end = (F)2 * (F)(T)((T)1 << (sizeof(T) * 8 - ((T)-1 < (T)0 ? 2 : 1)));  // one more than the greatest T
  const T least = (T)-1 < (T)0 ? (T)((T)1 << (sizeof(T) * 8 - 1)) : (T)0;
  if (x != x) return 0;
  return x >= end ? (T)~least : x <= (F)least ? least : (T)x;
}
#define GOROCM_WHOLE(from, F, to, T, f) \
  GOROCM_DEVICE T __##from##2##to##_rz(F x) { return gorocm_whole<T>(x); } \
  GOROCM_DEVICE T __##from##2##to##_rd(F x) { return gorocm_whole<T>(__builtin_floor##f(x)); } \
  GOROCM_DEVICE T __##from##2##to##_ru(F x) { return gorocm_whole<T>(__builtin_ceil##f(x)); } \
  GOROCM_DEVICE T __##from##2##to##_rn(F x) { return gorocm_whole<T>(__builtin_rint##f(x)); }
GOROCM_WHOLE(float, float, int, int, f)
GOROCM_WHOLE(float, float, uint, unsigned, f)
GOROCM_WHOLE(float, float, ll, long long, f)
GOROCM_WHOLE(float, float, ull, unsigned long long, f)
GOROCM_WHOLE(double, double, int, int, )
GOROCM_WHOLE(double, double, uint, unsigned, )
GOROCM_WHOLE(double, double, ll, long long, )
GOROCM_WHOLE(double, double, ull, unsigned long long, )
GOROCM_DEVICE float __int2float_rn(int x) { return (float)x; }
GOROCM_DEVICE float __uint2float_rn(unsigned x) { return (float)x; }
GOROCM_DEVICE float __ll2float_rn(long long x) { return (float)x; }
GOROCM_DEVICE float __ull2float_rn(unsigned long long x) { return (float)x; }
GOROCM_DEVICE double __int2double_rn(int x) { return (double)x; }
GOROCM_DEVICE double __uint2double_rn(unsigned x) { return (double)x; }
GOROCM_DEVICE double __ll2double_rn(long long x) { return (double)x; }
GOROCM_DEVICE double __ull2double_rn(unsigned long long x) { return (double)x; }
GOROCM_DEVICE float __double2float_rn(double x) { return (float)x; }
GOROCM_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
GOROCM_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
GOROCM_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
GOROCM_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
GOROCM_DEVICE double __hiloint2double(int hi, int lo) { return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo); }

// Arithmetic that is rounded to nearest by name, and functions that may be less exact.
#define GOROCM_ROUNDED(f, F, s) \
  GOROCM_DEVICE F __##f##add_rn(F a, F b) { return a + b; } \
  GOROCM_DEVICE F __##f##sub_rn(F a, F b) { return a - b; } \
  GOROCM_DEVICE F __##f##mul_rn(F a, F b) { return a * b; } \
  GOROCM_DEVICE F __##f##div_rn(F a, F b) { return a / b; } \
  GOROCM_DEVICE F __##f##rcp_rn(F a) { return 1 / a; } \
  GOROCM_DEVICE F __##f##sqrt_rn(F a) { return __builtin_sqrt##s(a); }
GOROCM_ROUNDED(f, float, f)
GOROCM_ROUNDED(d, double, )
GOROCM_DEVICE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOROCM_DEVICE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
GOROCM_DEVICE float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
GOROCM_DEVICE float __fdividef(float a, float b) { return a / b; }
GOROCM_DEVICE float fdividef(float a, float b) { return a / b; }
GOROCM_DEVICE float __saturatef(float x) { return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f; }
GOROCM_DEVICE float __expf(float x) { return __builtin_expf(x); }
GOROCM_DEVICE float __exp10f(float x) { return __builtin_exp2f(x * 3.3219280948873623f); }
GOROCM_DEVICE float __logf(float x) { return __builtin_logf(x); }
GOROCM_DEVICE float __log2f(float x) { return __builtin_log2f(x); }
GOROCM_DEVICE float __log10f(float x) { return __builtin_log10f(x); }
GOROCM_DEVICE float __powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
GOROCM_DEVICE float __sinf(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.15915494309189535f)); }
GOROCM_DEVICE float __cosf(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.15915494309189535f)); }
GOROCM_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
GOROCM_DEVICE void __sincosf(float x, float *s, float *c) { *s = __sinf(x), *c = __cosf(x); }
GOROCM_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
GOROCM_DEVICE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
GOROCM_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GOROCM_DEVICE float fmin(float a, float b) { return __builtin_fminf(a, b); }
GOROCM_DEVICE float fmax(float a, float b) { return __builtin_fmaxf(a, b); }
GOROCM_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
GOROCM_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
GOROCM_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
GOROCM_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
GOROCM_DEVICE float abs(float x) { return __builtin_fabsf(x); }
GOROCM_DEVICE double abs(double x) { return __builtin_fabs(x); }

// Atomic operations. What has no instruction compares and exchanges until it is its turn.
GOROCM_ATOMICS(double)
GOROCM_INT_ATOMICS(unsigned long)
template <class T> GOROCM_DEVICE T gorocm_atomic_least(T *p, T v, bool greatest) {
  T was = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while ((greatest ? was < v : v < was) &&
         !__hip_atomic_compare_exchange_strong(p, &was, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return was;
}
#define GOROCM_ATOMIC_ENDS(T) \
  GOROCM_DEVICE T atomicMin(T *p, T v) { return gorocm_atomic_least(p, v, false); } \
  GOROCM_DEVICE T atomicMax(T *p, T v) { return gorocm_atomic_least(p, v, true); }
GOROCM_ATOMIC_ENDS(float)
GOROCM_ATOMIC_ENDS(double)
GOROCM_ATOMIC_ENDS(long long)
template <class T> struct gorocm_same { typedef T type; }; // an operand that is converted to the type of the memory
template <class T> GOROCM_DEVICE T atomicSub(T *p, typename gorocm_same<T>::type v) { return atomicAdd(p, (T)-v); }
template <class T> GOROCM_DEVICE T unsafeAtomicAdd(T *p, typename gorocm_same<T>::type v) { return atomicAdd(p, v); }
template <class T> GOROCM_DEVICE T safeAtomicAdd(T *p, typename gorocm_same<T>::type v) { return atomicAdd(p, v); }
GOROCM_DEVICE float atomicCAS(float *p, float expected, float v) {
  return __uint_as_float(atomicCAS((unsigned *)p, __float_as_uint(expected), __float_as_uint(v)));
}
GOROCM_DEVICE double atomicCAS(double *p, double expected, double v) {
  return __longlong_as_double(atomicCAS((unsigned long long *)p, (unsigned long long)__double_as_longlong(expected),
                                        (unsigned long long)__double_as_longlong(v)));
}
GOROCM_DEVICE unsigned atomicInc(unsigned *p, unsigned end) { return __builtin_amdgcn_atomic_inc32(p, end, __ATOMIC_RELAXED, "agent"); }
GOROCM_DEVICE unsigned atomicDec(unsigned *p, unsigned end) { return __builtin_amdgcn_atomic_dec32(p, end, __ATOMIC_RELAXED, "agent"); }
#define atomicAdd_system atomicAdd
#define atomicSub_system atomicSub
#define atomicExch_system atomicExch
#define atomicCAS_system atomicCAS
#define atomicMin_system atomicMin
#define atomicMax_system atomicMax

// Between the lanes of a wave and the waves of a block.
GOROCM_DEVICE unsigned long long __activemask() { return __ballot(1); }
GOROCM_DEVICE int __any_sync(unsigned long long, int p) { return __any(p); }
GOROCM_DEVICE int __all_sync(unsigned long long, int p) { return __all(p); }
GOROCM_DEVICE void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <class T> GOROCM_DEVICE unsigned long long __match_any(T v) {
  unsigned long long same = 0;
  for (int i = 0; i < warpSize; i++)
    if (__activemask() >> i & 1) same |= (unsigned long long)(__shfl(v, i) == v) << i;
  return same;
}
template <class T> GOROCM_DEVICE unsigned long long __match_any_sync(unsigned long long, T v) { return __match_any(v); }
GOROCM_DEVICE int __syncthreads_count(int p) {
  __shared__ unsigned count;
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) count = 0;
  __syncthreads();
  unsigned long long votes = __ballot(p);
  if (__lane_id() == (unsigned)__builtin_ctzll(__activemask())) __hip_atomic_fetch_add(&count, (unsigned)__popcll(votes), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  int n = (int)count;
  __syncthreads();  // before the next count begins
  return n;
}
GOROCM_DEVICE int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }
GOROCM_DEVICE int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
GOROCM_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// Clocks count cycles of the device, or what stands for them.
GOROCM_DEVICE long long clock64() { return (long long)__builtin_readcyclecounter(); }
GOROCM_DEVICE long long clock() { return clock64(); }
GOROCM_DEVICE long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }
GOROCM_DEVICE void __trap() { __builtin_trap(); }
