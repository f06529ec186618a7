// The functions of math32.h for f64.

template <> struct Float<f64> {
  MEMBER f64 inf() { return bitcast<f64>(0x7ff0000000000000ull); }
  MEMBER f64 nan() { return bitcast<f64>(0x7ff8000000000000ull); }
  MEMBER f64 least() { return -752.0; }
  MEMBER f64 most() { return 710.0; }
};

DEV f64 nearest(f64 x, i32* n) {  // for |x| < 2^31
  f64 t = x + 0x1.8p52;
  *n = (i32)(u32)bitcast<u64>(t);
  return t - 0x1.8p52;
}

DEV f64 power_of_2_f64(i32 n) { return bitcast<f64>((u64)(n + 1023) << 52); }
#if AMD
DEV f64 scale(f64 y, i32 n) { return __builtin_amdgcn_ldexp(y, n); }
#else
DEV f64 scale(f64 y, i32 n) { return y * power_of_2_f64(n >> 1) * power_of_2_f64(n - (n >> 1)); }
#endif

// Error of the fit 2e-19.
DEV f64 expm1_short(f64 r) {
  f64 p = poly(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100dcp-7, 0x1.6c16c16c162d4p-10,
               0x1.a01a01abe7fe1p-13, 0x1.a01a01a6d889cp-16, 0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22,
               0x1.af4de97ca4194p-26, 0x1.1f730349868cep-29);
  return fma(r * r, p, r);
}

DEV f64 minus_ln2(f64 x, f64 n) { return fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, x)); }
DEV f64 in_ln2(f64 x, i32* n) { return nearest(x * 0x1.71547652b82fep+0, n); }

// x = 2^e·m with √½ ≤ m < √2, for a positive, finite x
DEV f64 mantissa(f64 x, f64* e) {
  f64 tiny = x < 0x1p-1022 ? 52.0 : 0.0;
  if (tiny > 0) x *= 0x1p52;
  u64 u = bitcast<u64>(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);  // the latter is √½
  *e = (f64)((i32)(u >> 52) - 1023) - tiny;
  return bitcast<f64>((u & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
}

// Error of the fit of R 3e-20.
DEV f64 log_positive(f64 x) {
  f64 e, f = mantissa(x, &e) - 1.0;
  f64 s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  f64 R = z * poly(z, 0x1.5555555555555p-1, 0x1.9999999999a3ap-2, 0x1.2492492476765p-2, 0x1.c71c7201f207cp-3,
                   0x1.745cf8c4c7bcap-3, 0x1.3b1c42e3df02cp-3, 0x1.0fbd2bafa02d6p-3, 0x1.0c1263e1bac13p-3);
  return fma(e, 0x1.62e42feep-1, f - (half - fma(s, half + R, e * 0x1.a39ef35793c76p-33)));
}

// Errors of the fits 7e-21 and 3e-22.
DEV f64 sin_short(f64 r) {
  f64 s = r * r;
  return fma(r * s, poly(s, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19,
                         -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33, -0x1.ab17a79237a19p-41), r);
}
DEV f64 cos_short(f64 r) {
  f64 s = r * r, w = fma(-0.5, s, 1.0);
  return w + (fma(-0.5, s, 1.0 - w) + s * s * poly(s, 0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d0ap-16,
                                                   -0x1.27e4fb7712bdfp-22, 0x1.1eed8deb6d561p-29, -0x1.9394b9c9c20a4p-37,
                                                   0x1.ab783376962cfp-45));
}

// Error of the fit 2e-20.
DEV f64 erf_short(f64 s) {
  return poly(s, 0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b28p-4, -0x1.b82ce3127f6d1p-6,
              0x1.565bcd0aa3ed8p-8, -0x1.c02db23c5e7d3p-11, 0x1.f9a2a62fe9253p-14, -0x1.f4bb98aab31bep-17,
              0x1.b775c94200bfbp-20, -0x1.39f7b53f1b575p-23);
}
// For ½ ≤ x ≤ 27.6, in t = (x-4)/(x+4). Error of the fit 1e-18.
DEV f64 erfc_scaled(f64 x) {
  f64 t = (x - 4.0) / (x + 4.0);
  return poly(t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd757p-7, 0x1.16ecefcfa52bcp-4,
              -0x1.9ddb23c3e8d3dp-4, 0x1.7fee004e14b14p-4, -0x1.0fb06dfe4fab1p-4, 0x1.3079edf621630p-5,
              -0x1.09623883a1680p-6, 0x1.49c672a906968p-8, -0x1.8d4a9b6749be3p-11, -0x1.a1df43fdaef28p-13,
              0x1.3be05bec2edb7p-13, -0x1.9954f68e20291p-16, -0x1.788adce820274p-17, 0x1.7ef5e5ecbe7b8p-18,
              0x1.3b24eb3d5d26cp-22, -0x1.b80590dd961bbp-21, 0x1.41b9f81e959d5p-24, 0x1.bbd66f3bc09ecp-24,
              -0x1.35bbbe2d61754p-26, -0x1.4caeb33ec409ep-27, 0x1.fbe9956c74c98p-30);
}
