// hip/hip_fp16.h: half floats. A __half is clang's _Float16, which has operators; names.h declares it.
#pragma once
typedef _Float16 half;
typedef _Float16 __half2 __attribute__((ext_vector_type(2)));
typedef __half2 half2;

GOROCM_DEVICE __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
GOROCM_DEVICE __half2 make_half2(__half a, __half b) { return __half2{a, b}; }
GOROCM_DEVICE __half2 __half2half2(__half a) { return __half2{a, a}; }
GOROCM_DEVICE __half __low2half(__half2 a) { return a.x; }
GOROCM_DEVICE __half __high2half(__half2 a) { return a.y; }
GOROCM_DEVICE __half2 __low2half2(__half2 a) { return a.xx; }
GOROCM_DEVICE __half2 __high2half2(__half2 a) { return a.yy; }
GOROCM_DEVICE __half2 __lowhigh2highlow(__half2 a) { return a.yx; }
GOROCM_DEVICE __half2 __lows2half2(__half2 a, __half2 b) { return __half2{a.x, b.x}; }
GOROCM_DEVICE __half2 __highs2half2(__half2 a, __half2 b) { return __half2{a.y, b.y}; }
GOROCM_DEVICE float __low2float(__half2 a) { return (float)a.x; }
GOROCM_DEVICE float __high2float(__half2 a) { return (float)a.y; }
GOROCM_DEVICE float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
GOROCM_DEVICE __half2 __floats2half2_rn(float a, float b) { return __half2{(_Float16)a, (_Float16)b}; }
GOROCM_DEVICE __half2 __float22half2_rn(float2 a) { return __half2{(_Float16)a.x, (_Float16)a.y}; }
GOROCM_DEVICE __half2 __float2half2_rn(float a) { return __half2{(_Float16)a, (_Float16)a}; }
GOROCM_DEVICE __half __float2half_rn(float x) { return (_Float16)x; }
GOROCM_DEVICE __half __float2half_rz(float x) {
  _Float16 h = (_Float16)x;
  float back = (float)h;
  // One that was rounded away from zero, perhaps to infinity, is the one after it.
  return x == x && __builtin_fabsf(back) > __builtin_fabsf(x) ? __builtin_bit_cast(_Float16, (unsigned short)(__builtin_bit_cast(unsigned short, h) - 1)) : h;
}
GOROCM_DEVICE __half __double2half(double x) { return (_Float16)x; }
GOROCM_DEVICE __half __int2half_rn(int x) { return (_Float16)x; }
GOROCM_DEVICE __half __uint2half_rn(unsigned x) { return (_Float16)x; }
GOROCM_DEVICE int __half2int_rn(__half x) { return (int)__builtin_rintf((float)x); }
GOROCM_DEVICE int __half2int_rz(__half x) { return (int)(float)x; }
GOROCM_DEVICE unsigned __half2uint_rn(__half x) { return (unsigned)__builtin_rintf((float)x); }
GOROCM_DEVICE unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x); }
GOROCM_DEVICE short __half_as_short(__half x) { return __builtin_bit_cast(short, x); }
GOROCM_DEVICE __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
GOROCM_DEVICE __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }

#define GOROCM_HALF_BY(name, op) \
  GOROCM_DEVICE __half __h##name(__half a, __half b) { return a op b; } \
  GOROCM_DEVICE __half2 __h##name##2(__half2 a, __half2 b) { return a op b; }
GOROCM_HALF_BY(add, +)
GOROCM_HALF_BY(sub, -)
GOROCM_HALF_BY(mul, *)
GOROCM_DEVICE __half __hdiv(__half a, __half b) { return a / b; }
GOROCM_DEVICE __half2 __h2div(__half2 a, __half2 b) { return a / b; }
GOROCM_DEVICE __half __hneg(__half a) { return -a; }
GOROCM_DEVICE __half2 __hneg2(__half2 a) { return -a; }
GOROCM_DEVICE __half __habs(__half a) { return __builtin_fabsf16(a); }
GOROCM_DEVICE __half2 __habs2(__half2 a) { return __half2{__habs(a.x), __habs(a.y)}; }
GOROCM_DEVICE __half __hfma(__half a, __half b, __half c) { return __builtin_fmaf16(a, b, c); }
GOROCM_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __builtin_elementwise_fma(a, b, c); }
GOROCM_DEVICE __half __hmin(__half a, __half b) { return __builtin_fminf16(a, b); }
GOROCM_DEVICE __half __hmax(__half a, __half b) { return __builtin_fmaxf16(a, b); }
GOROCM_DEVICE __half2 __hmin2(__half2 a, __half2 b) { return __half2{__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
GOROCM_DEVICE __half2 __hmax2(__half2 a, __half2 b) { return __half2{__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
GOROCM_DEVICE bool __hisnan(__half a) { return a != a; }
GOROCM_DEVICE int __hisinf(__half a) { return __habs(a) == (_Float16)__builtin_inff(); }
#define GOROCM_HALF_IS(name, op) \
  GOROCM_DEVICE bool __h##name(__half a, __half b) { return a op b; } \
  GOROCM_DEVICE __half2 __h##name##2(__half2 a, __half2 b) { return __half2{(_Float16)(a.x op b.x), (_Float16)(a.y op b.y)}; } \
  GOROCM_DEVICE bool __hb##name##2(__half2 a, __half2 b) { return a.x op b.x && a.y op b.y; }
GOROCM_HALF_IS(eq, ==)
GOROCM_HALF_IS(lt, <)
GOROCM_HALF_IS(le, <=)
GOROCM_HALF_IS(gt, >)
GOROCM_HALF_IS(ge, >=)
GOROCM_DEVICE bool __hne(__half a, __half b) { return a < b || a > b; }

// Functions, computed in float and rounded.
#define GOROCM_HALF_OF(name, value) \
  GOROCM_DEVICE __half h##name(__half h) { float x = (float)h; return (_Float16)(value); } \
  GOROCM_DEVICE __half2 h2##name(__half2 h) { return __half2{h##name(h.x), h##name(h.y)}; }
GOROCM_HALF_OF(exp, __builtin_expf(x))
GOROCM_HALF_OF(exp2, __builtin_exp2f(x))
GOROCM_HALF_OF(exp10, __builtin_exp2f(x * 3.3219280948873623f))
GOROCM_HALF_OF(log, __builtin_logf(x))
GOROCM_HALF_OF(log2, __builtin_log2f(x))
GOROCM_HALF_OF(log10, __builtin_log10f(x))
GOROCM_HALF_OF(sqrt, __builtin_sqrtf(x))
GOROCM_HALF_OF(rsqrt, 1.0f / __builtin_sqrtf(x))
GOROCM_HALF_OF(rcp, 1.0f / x)
GOROCM_HALF_OF(sin, __sinf(x))
GOROCM_HALF_OF(cos, __cosf(x))
GOROCM_HALF_OF(floor, __builtin_floorf(x))
GOROCM_HALF_OF(ceil, __builtin_ceilf(x))
GOROCM_HALF_OF(trunc, __builtin_truncf(x))
GOROCM_HALF_OF(rint, __builtin_rintf(x))
GOROCM_DEVICE __half2 atomicAdd(__half2 *p, __half2 v) {
  unsigned *word = (unsigned *)p, was = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(word, &was, __builtin_bit_cast(unsigned, __builtin_bit_cast(__half2, was) + v), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return __builtin_bit_cast(__half2, was);
}
