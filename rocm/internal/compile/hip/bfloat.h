// hip/hip_bf16.h: bfloat16. A __hip_bfloat16 is clang's __bf16, which has operators; they round each result.
#pragma once
typedef __bf16 __hip_bfloat16;
#ifndef _HIP_BFLOAT16_H_  // of hiprtc, a struct
typedef __bf16 hip_bfloat16;
#endif
struct __hip_bfloat162 {
  __bf16 x, y;
};

GOROCM_DEVICE float __bfloat162float(__hip_bfloat16 x) { return __builtin_bit_cast(float, (unsigned)__builtin_bit_cast(unsigned short, x) << 16); }
GOROCM_DEVICE __hip_bfloat16 __float2bfloat16(float x) {
  unsigned bits = __builtin_bit_cast(unsigned, x);
  bits = x != x ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
  return __builtin_bit_cast(__bf16, (unsigned short)(bits >> 16));
}
GOROCM_DEVICE __hip_bfloat16 __float2bfloat16_rn(float x) { return __float2bfloat16(x); }
GOROCM_DEVICE __hip_bfloat16 __double2bfloat16(double x) { return __float2bfloat16((float)x); }
GOROCM_DEVICE unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return __builtin_bit_cast(unsigned short, x); }
GOROCM_DEVICE __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __builtin_bit_cast(__bf16, x); }
GOROCM_DEVICE __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return __hip_bfloat162{__float2bfloat16(a), __float2bfloat16(b)}; }
GOROCM_DEVICE __hip_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
GOROCM_DEVICE float2 __bfloat1622float2(__hip_bfloat162 a) { return float2{__bfloat162float(a.x), __bfloat162float(a.y)}; }
GOROCM_DEVICE __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return __hip_bfloat162{a, b}; }
GOROCM_DEVICE __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return __hip_bfloat162{a, a}; }
GOROCM_DEVICE float __low2float(__hip_bfloat162 a) { return __bfloat162float(a.x); }
GOROCM_DEVICE float __high2float(__hip_bfloat162 a) { return __bfloat162float(a.y); }

#define GOROCM_BFLOAT_BY(name, op) \
  GOROCM_DEVICE __hip_bfloat16 __h##name(__hip_bfloat16 a, __hip_bfloat16 b) { return __float2bfloat16(__bfloat162float(a) op __bfloat162float(b)); } \
  GOROCM_DEVICE __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162{__h##name(a.x, b.x), __h##name(a.y, b.y)}; }
GOROCM_BFLOAT_BY(add, +)
GOROCM_BFLOAT_BY(sub, -)
GOROCM_BFLOAT_BY(mul, *)
GOROCM_BFLOAT_BY(div, /)
GOROCM_DEVICE __hip_bfloat16 __hneg(__hip_bfloat16 a) { return __float2bfloat16(-__bfloat162float(a)); }
GOROCM_DEVICE __hip_bfloat16 __habs(__hip_bfloat16 a) { return __float2bfloat16(__builtin_fabsf(__bfloat162float(a))); }
GOROCM_DEVICE __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) { return __float2bfloat16(__builtin_fminf(__bfloat162float(a), __bfloat162float(b))); }
GOROCM_DEVICE __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) { return __float2bfloat16(__builtin_fmaxf(__bfloat162float(a), __bfloat162float(b))); }
GOROCM_DEVICE __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __float2bfloat16((float)__builtin_fma((double)__bfloat162float(a), (double)__bfloat162float(b), (double)__bfloat162float(c)));
}
GOROCM_DEVICE bool __heq(__hip_bfloat16 a, __hip_bfloat16 b) { return __bfloat162float(a) == __bfloat162float(b); }
GOROCM_DEVICE bool __hlt(__hip_bfloat16 a, __hip_bfloat16 b) { return __bfloat162float(a) < __bfloat162float(b); }
GOROCM_DEVICE bool __hgt(__hip_bfloat16 a, __hip_bfloat16 b) { return __bfloat162float(a) > __bfloat162float(b); }
GOROCM_DEVICE bool __hisnan(__hip_bfloat16 a) { return __bfloat162float(a) != __bfloat162float(a); }
