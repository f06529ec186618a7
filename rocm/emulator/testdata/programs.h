// What random programs are written in, for a GPU and for the host. The tests put it before each.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));

// What is the same for all work-items.
struct Same {
  u32 word[4];
  u64 wide[2];
  f32 real[2];
};
struct Triple { u32 a, b, c; };
struct alignas(16) Quad { u32 a, b, c, d; };

#ifdef __HIP__
#define DEV static __attribute__((device, always_inline))
#define OUTLINED static __attribute__((device, noinline))
#define ATOMIC(op, p, x) __hip_atomic_fetch_##op(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#else
#define DEV static inline
#define OUTLINED static
#define ATOMIC(op, p, x) host_##op(p, x)
template <class T> T host_add(T *p, T x) { T old = *p; *p += x; return old; }
template <class T> T host_min(T *p, T x) { T old = *p; *p = x < *p ? x : *p; return old; }
template <class T> T host_max(T *p, T x) { T old = *p; *p = x > *p ? x : *p; return old; }
template <class T> T host_and(T *p, T x) { T old = *p; *p &= x; return old; }
template <class T> T host_or(T *p, T x) { T old = *p; *p |= x; return old; }
template <class T> T host_xor(T *p, T x) { T old = *p; *p ^= x; return old; }
#endif

// The value, of which the compiler knows nothing.
#ifdef __HIP__
#define OPAQUE(T) DEV T opaque(T x) { asm volatile("" : "+v"(x)); return x; }
OPAQUE(u32)
OPAQUE(u64)
OPAQUE(i32)
OPAQUE(i64)
OPAQUE(f32)
#endif
template <class T> DEV T opaque(T x) { return x; }

// Operations that C leaves undefined for some operands. Clang 19 divides unsigned numbers as f32 where it knows that many upper bits are set.
template <class T> DEV T quotient(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(opaque(a) / opaque(b)); }
template <class T> DEV T remainder_(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(opaque(a) % opaque(b)); }
template <class I, class F> DEV I whole(F x, F lo, F hi) { return x >= lo && x <= hi ? (I)x : (I)7; }

// The payload and the sign of a NaN are not specified.
DEV u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
DEV u64 bits(f64 x) { return x != x ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, x); }
DEV u16 bits(f16 x) { return x != x ? (u16)0x7e00 : __builtin_bit_cast(u16, x); }
DEV u32 bits(f16x2 x) { return bits(x.x) | (u32)bits(x.y) << 16; }
DEV u32 bits(u16x2 x) { return __builtin_bit_cast(u32, x); }
DEV u32 bits(i16x2 x) { return __builtin_bit_cast(u32, x); }
template <class T> DEV T bits(T x) { return x; }
template <class T> DEV T canonical(T x) { return __builtin_bit_cast(T, bits(x)); }
template <class F> DEV F plain(F x) { return x != x ? (F)1 : x; }

DEV u32 mulhi(u32 a, u32 b) { return (u64)a * b >> 32; }
DEV i32 mulhi(i32 a, i32 b) { return (i64)a * b >> 32; }
template <class T> DEV T rotate(T x, u32 n, u32 width) { n &= width - 1; return n ? (T)(x << n | x >> (width - n)) : x; }
DEV f32 sqrt_(f32 x) { return __builtin_sqrtf(x); }
DEV f64 sqrt_(f64 x) { return __builtin_sqrt(x); }
DEV f32 fma_(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEV f64 fma_(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
DEV f32 floor_(f32 x) { return __builtin_floorf(x); }
DEV f64 floor_(f64 x) { return __builtin_floor(x); }
DEV f32 ceil_(f32 x) { return __builtin_ceilf(x); }
DEV f64 ceil_(f64 x) { return __builtin_ceil(x); }
DEV f32 trunc_(f32 x) { return __builtin_truncf(x); }
DEV f64 trunc_(f64 x) { return __builtin_trunc(x); }
DEV f32 rint_(f32 x) { return __builtin_rintf(x); }
DEV f64 rint_(f64 x) { return __builtin_rint(x); }
DEV f32 abs_(f32 x) { return __builtin_fabsf(x); }
DEV f64 abs_(f64 x) { return __builtin_fabs(x); }
DEV f32 sign_(f32 x, f32 y) { return __builtin_copysignf(x, plain(y)); }
DEV f64 sign_(f64 x, f64 y) { return __builtin_copysign(x, plain(y)); }
DEV f32 scale_(f32 x, i32 n) { return __builtin_ldexpf(x, n); }
DEV f64 scale_(f64 x, i32 n) { return __builtin_ldexp(x, n); }
