// Functions of f32 without a device library. math64.h has the same names for f64, math.h what both have in common.
//
// The methods are the textbook ones: reduction to a short interval (Cody and Waite, Software Manual for the Elementary Functions, 1980; for large
// angles Payne and Hanek, Radian reduction for trigonometric functions, 1983), then a polynomial. The polynomials are Chebyshev fits made with mpmath
// at 50 digits and rounded to the type; each comment gives the error of the fit, to which roundings are added. fma is written explicitly where its
// single rounding matters.

// c0 + c1·x + c2·x² + …
template <class F> DEV F poly(F, F c0) { return c0; }
template <class F, class... Rest> DEV F poly(F x, F c0, Rest... rest) { return fma(poly(x, rest...), x, c0); }

template <class F> struct Float {};
template <> struct Float<f32> {
  MEMBER f32 inf() { return bitcast<f32>(0x7f800000u); }
  MEMBER f32 nan() { return bitcast<f32>(0x7fc00000u); }
  MEMBER f32 least() { return -110.0f; }  // below it exp is 0, also times 100
  MEMBER f32 most() { return 89.0f; }     // above it exp is infinite
};

// The nearest integer, for |x| < 2^22, as f32 and as i32: adding 1.5·2^23 leaves it in the low bits. NaN gives some integer.
DEV f32 nearest(f32 x, i32* n) {
  f32 t = x + 12582912.0f;
  *n = bitcast<i32>(t) - bitcast<i32>(12582912.0f);
  return t - 12582912.0f;
}

// n as f32, for |n| < 2^22: two additions, where a conversion takes as long as eight on some GPUs.
DEV f32 small_number(i32 n) { return bitcast<f32>(bitcast<i32>(12582912.0f) + n) - 12582912.0f; }

DEV f32 power_of_2(i32 n) { return bitcast<f32>((u32)(n + 127) << 23); }  // -126 ≤ n ≤ 127

// y·2^n, rounded once where it is subnormal, for -252 ≤ n ≤ 254 and y near 1.
#if AMD
DEV f32 scale(f32 y, i32 n) { return __builtin_amdgcn_ldexpf(y, n); }
#else
DEV f32 scale(f32 y, i32 n) { return y * power_of_2(n >> 1) * power_of_2(n - (n >> 1)); }
#endif

// e^r - 1 for |r| ≤ ln(2)/2. Error of the fit 8e-9.
DEV f32 expm1_short(f32 r) {
  f32 p = poly(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.55551ap-5f, 0x1.120b6ep-7f, 0x1.6d110ap-10f);
  return fma(r * r, p, r);
}

// x - n·ln 2
DEV f32 minus_ln2(f32 x, f32 n) { return fma(n, 0x1.05c61p-29f, fma(n, -0x1.62e43p-1f, x)); }
DEV f32 in_ln2(f32 x, i32* n) { return nearest(x * 0x1.715476p+0f, n); }

// e^(v + lo) for |v| < 80, where lo is below a unit in the last place of v: as 2^(t + t_lo), good to a unit and a half.
DEV f32 exp_near(f32 v, f32 lo) {
  const f32 log2_e = 0x1.715476p+0f, rest = 0x1.4ae0cp-26f;
  f32 t = v * log2_e, t_lo = fma(v, log2_e, -t) + fma(lo, log2_e, v * rest);
  f32 y = quick_exp2(t);
  return fma(y * 0x1.62e43p-1f, t_lo, y);
}

// Logarithm of 2^e·(1 + f), √½ ≤ 1 + f < √2, given s = f/(2+f): ln(1 + f) = 2 artanh s is f - (f²/2 - s·(f²/2 + R(s²))). Error of the fit of R 2e-11.
DEV f32 log_parts(f32 f, f32 s, f32 e) {
  f32 z = s * s, half = 0.5f * f * f;
  f32 R = z * poly(z, 0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c0ap-2f, 0x1.dddaep-3f);
  return fma(e, 0x1.62e4p-1f, f - (half - fma(s, half + R, e * 0x1.7f7d1cp-20f)));
}

// Logarithm of a positive, finite x.
DEV f32 log_positive(f32 x) {
  f32 tiny = x < 0x1p-126f ? 23.0f : 0.0f;
  if (tiny > 0) x *= 0x1p23f;
  u32 u = bitcast<u32>(x) + (0x3f800000u - 0x3f3504f3u);  // 0x3f3504f3 is √½
  f32 e = (f32)((i32)(u >> 23) - 127) - tiny;
  f32 f = bitcast<f32>((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  return log_parts(f, f / (2.0f + f), e);
}

// sin and cos of |r| ≤ π/4. Errors of the fits 2e-11 and 1e-12.
DEV f32 sin_short(f32 r) {
  f32 s = r * r;
  return fma(r * s, poly(s, -0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a013a6p-13f, 0x1.6dbdd2p-19f), r);
}
DEV f32 cos_short(f32 r) {
  f32 s = r * r, w = fma(-0.5f, s, 1.0f);
  return w + (fma(-0.5f, s, 1.0f - w) + s * s * poly(s, 0x1.555556p-5f, -0x1.6c16cp-10f, 0x1.a015c4p-16f, -0x1.25242ap-22f));
}

// erf(x)/x - 1 in s = x² for |x| ≤ ½. Error of the fit 2e-9.
DEV f32 erf_short(f32 s) {
  return poly(s, 0x1.06eba8p-3f, -0x1.812732p-2f, 0x1.ce250cp-4f, -0x1.b665b8p-6f, 0x1.3541dep-8f);
}
// (1 + 2x)·exp(x²)·erfc(x) for ½ ≤ x ≤ 10.4, in t = (x-3)/(x+3) (Shepherd and Laframboise, Chebyshev approximation of
// (1+2x)exp(x²)erfc(x), 1981). Error of the fit 5e-9.
DEV f32 erfc_scaled(f32 x) {
  f32 t = (x - 3.0f) / (x + 3.0f);
  return poly(t, 0x1.40c522p+0f, -0x1.15c07cp-3f, -0x1.85a128p-5f, 0x1.098216p-3f, -0x1.e88d8ap-4f, 0x1.17e882p-4f,
              -0x1.852d46p-6f, 0x1.3a6dbcp-9f, 0x1.dcd73p-10f, -0x1.1dc33cp-11f);
}
