// Special functions, the same code on every platform: of f64, and those of f32 by them but for erfc.

// erfc x, by 1 - erf x where that keeps all digits.
template <class F> DEV F erfc(F x) {
  F a = abs(x), s = a * a;
  if (a < (F)0.5) return (F)1 - fma(x, erf_short(s), x);
  if (a > (F)28) return x > (F)0 ? (F)0 : (F)2;
  F tail = erfc_large(a, s, fma(a, a, -s), (F)1);
  return x > (F)0 ? tail : (F)2 - tail;
}

// The inverse of erf, by the quotients of polynomials in Wichura, The percentage points of the normal distribution, 1988.
DEV f64 erfinv(f64 x) {
  f64 a = abs(x);
  if (!(a < 1.0)) return a == 1.0 ? copysign(Float<f64>::inf(), x) : Float<f64>::nan();
  f64 top, bottom, r;
  if (a <= 0.85) {
    r = fma(-0.25 * x, x, 0.180625);
    a = a * poly(r, 0x1.32917a42157d1p+0, 0x1.7894dd814bfa3p+5, 0x1.5c88056b01502p+9, 0x1.2f6e30b2ec51ep+12,
                 0x1.fb5ee66e5a285p+13, 0x1.73982a6012afbp+14, 0x1.715bf25ff1d11p+13,
                 0x1.bb8c0a7936704p+9);
    return copysign(a / poly(r, 0x1p+0, 0x1.5281b386e1ab5p+5, 0x1.5797efdc8b3f7p+9, 0x1.512322e75c89fp+12,
                           0x1.4b772d5d65266p+14, 0x1.3317caa64f4bep+15, 0x1.c0e457cb1ae76p+14,
                           0x1.46a7eca984b69p+12), x);
  }
  r = sqrt(0x1.62e42fefa39efp-1 - log(1.0 - a));
  if (r <= 5.0) {
    r -= 1.6;
    top = poly(r, 0x1.6c665fde9526ap+0, 0x1.2857748cab19bp+2, 0x1.713f71462256ap+2, 0x1.d2ecb1a3d02c4p+1,
               0x1.453cc085375b2p+0, 0x1.ef2abb9b85c37p-3, 0x1.744eb6c45ec67p-6,
               0x1.9615ac0b7ace9p-11);
    bottom = poly(r, 0x1.6a09e667f3bcdp+0, 0x1.73aad9bca5405p+1, 0x1.2f7543ff6ba47p+1, 0x1.f371e4f4de1ap-1,
                  0x1.acf476a756d3dp-3, 0x1.60290af9f12bcp-6, 0x1.96042ab9205bep-11,
                  0x1.9876e6013e192p-30);
  } else {
    r -= 5.0;
    top = poly(r, 0x1.aa1b1c13ee526p+2, 0x1.5daea6e875003p+2, 0x1.c8ea6461fa445p+0, 0x1.2fad9315255cfp-2,
               0x1.b2b41193b4ee7p-6, 0x1.45c1908425345p-10, 0x1.c6ec6cc59e02ap-16,
               0x1.afb74d693bf93p-23);
    bottom = poly(r, 0x1.6a09e667f3bcdp+0, 0x1.b2532d5cd90e5p-1, 0x1.8c975f4d2f24bp-3, 0x1.58ab4fd6bcd5p-6,
                  0x1.23b6cf8ec177ap-10, 0x1.b61164a01861ap-16, 0x1.afb693c174d2p-23,
                  0x1.a0a3fb665cb0ap-49);
  }
  return copysign(top / bottom, x);
}

// log |gamma(x)| for x > 0: (x-1)·(x-2) times a polynomial around 2, recurrence to there, and Stirling's series for x ≥ 10. Error of the fit 2e-21.
DEV f64 lgamma_positive(f64 x) {
  if (x >= 10.0) {
    f64 w = 1.0 / x;
    f64 rest = poly(w * w, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                         -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11,
                         -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8,
                         -0x1.e4286cb0f5398p-6);
    return fma(x - 0.5, log(x) - 1.0, fma(w, rest, 0x1.acfe390c97d69p-2));  // ½·(ln 2π - 1)
  }
  f64 product = 1.0, d;  // d = x + n - 2 for a whole number n
  if (x < 0.5) {
    d = x;
  } else if (x < 1.5) {
    d = x - 1.0;
  } else {
    for (; x > 2.5; product *= x) x -= 1.0;
    d = x - 2.0;
  }
  f64 y = d * (1.0 + d) * poly(d, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea109fp-4, 0x1.0e0c9df293531p-5,
                            -0x1.95ce223a9cbbfp-7, 0x1.47974853aa213p-8, -0x1.145121f99d76bp-9,
                            0x1.dfebcf8e73a62p-11, -0x1.a96a401085607p-12,
                            0x1.7ed733b27982dp-13, -0x1.5c86b66b049c9p-14,
                            0x1.402f0e9261f12p-15, -0x1.285050b1644ccp-16,
                            0x1.13e47cbb198e8p-17, -0x1.0230e4acc4e14p-18,
                            0x1.e542e8fed7e72p-20, -0x1.c9d6594c39e14p-21,
                            0x1.b35874d2fec76p-22, -0x1.9d57d11b7854ep-23,
                            0x1.7241ec4833825p-24, -0x1.611c422be0cf7p-25,
                            0x1.edf193c4af311p-26, -0x1.d9be2c366d43p-27);
  return x < 0.5 ? y - log(x * (1.0 + x)) : x < 1.5 ? y - log1p(d) : y + log(product);
}
DEV f64 lgamma(f64 x) {
  f64 a = abs(x);
  if (!(x <= 0.0)) return lgamma_positive(x);
  if (a == Float<f64>::inf()) return a;
  if (a < 0x1p-60) return -log(a);
  f64 s = abs(sin_pi(a));
  return s == 0.0 ? Float<f64>::inf() : log(0x1.921fb54442d18p+1 / (a * s)) - lgamma_positive(a);
}

// Its derivatives: asymptotic series for x ≥ 10, recurrence to there, and reflection of negative x.
DEV f64 digamma_positive(f64 x) {
  f64 sum = 0.0;
  for (; x < 10.0; x += 1.0) sum += 1.0 / x;
  f64 w = 1.0 / x, z = w * w;
  f64 rest = poly(z, 0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.041041041041p-8, -0x1.1111111111111p-8,
                   0x1.f07c1f07c1f08p-8, -0x1.5995995995996p-6, 0x1.5555555555555p-4,
                   -0x1.c5e5e5e5e5e5ep-2);
  return log(x) - 0.5 * w - z * rest - sum;
}
DEV f64 digamma(f64 x) {
  if (x == 0.0) return copysign(Float<f64>::inf(), -x);
  if (!(x < 0.0)) return digamma_positive(x);
  if (floor(x) == x) return Float<f64>::nan();
  return digamma_positive(1.0 - x) + 0x1.921fb54442d18p+1 * sin_pi(0.5 - x) / sin_pi(-x);
}
DEV f64 trigamma_positive(f64 x) {
  f64 sum = 0.0;
  for (; x < 10.0; x += 1.0) sum += 1.0 / (x * x);
  f64 w = 1.0 / x, z = w * w;
  f64 rest = poly(z, 0x1.5555555555555p-3, -0x1.1111111111111p-5, 0x1.8618618618618p-6, -0x1.1111111111111p-5,
                   0x1.364d9364d9365p-4, -0x1.033033033033p-2, 0x1.2aaaaaaaaaaabp+0,
                   -0x1.c5e5e5e5e5e5ep+2);
  return sum + (w + fma(0.5, z, z * w * rest));
}
DEV f64 trigamma(f64 x) {
  if (!(x <= 0.0)) return trigamma_positive(x);
  if (floor(x) == x) return Float<f64>::inf();
  f64 s = 0x1.921fb54442d18p+1 / sin_pi(-x);
  return s * s - trigamma_positive(1.0 - x);
}

// The modified Bessel functions of the first kind: power series in (x/2)², and e^x/√x times a polynomial in 16/x - 1 for x > 8. Errors of the fits 3e-17.
DEV f64 bessel_far(f64 a, f64 tail) {
  if (a > 720.0) return Float<f64>::inf();
  i32 n;
  f64 k = in_ln2(a, &n);
  return scale((1.0 + expm1_short(minus_ln2(a, k))) * (tail / sqrt(a)), n);
}
DEV f64 i0(f64 x) {
  f64 a = abs(x), z = 0.25 * a * a, t = 16.0 / a - 1.0;
  if (a <= 8.0)
    return poly(z, 0x1p+0, 0x1p+0, 0x1p-2, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-10, 0x1.23456789abcdfp-14,
                0x1.02e85c0898b71p-19, 0x1.522a43f65486ap-25, 0x1.522a43f65486ap-31, 0x1.0b313289be0b9p-37,
                0x1.5601885e63e5dp-44, 0x1.69ca9cf3b7f54p-51, 0x1.4197a7f5154bcp-58, 0x1.e725594ee52e9p-66,
                0x1.3e22d70ef3b5fp-73, 0x1.69f7da8510bcdp-81, 0x1.69f7da8510bcdp-89, 0x1.40a2dc2460523p-97,
                0x1.faaf2fa1c79e5p-106, 0x1.674f8e46c208cp-114, 0x1.cbeaf38dc529fp-123,
                0x1.0afb53e9cec0bp-131, 0x1.1a6d4e307528fp-140, 0x1.1159d2b18fe1fp-149,
                0x1.e5f504c9e358cp-159);
  return bessel_far(a, poly(t, 0x1.9bd428ad249a5p-2, 0x1.b87969bb93bcbp-9, 0x1.1daa72b5ccfadp-13,
                            0x1.75e5ee702e57ap-17, 0x1.8e513c6a21829p-20,
                            0x1.3f49ac32e14bfp-22, 0x1.7d0cd4fd1f2b8p-24,
                            0x1.51ccdc47b6c77p-25, 0x1.7288379f891f7p-26,
                            0x1.03bcdeab408e2p-27, -0x1.d72c8d3f0b6bcp-28,
                            -0x1.cd5da3da6b614p-27, -0x1.58ce729fc478ap-28,
                            0x1.05248ba2f26ap-27, 0x1.c034e59a2db9bp-28,
                            -0x1.ece52144ada18p-29, -0x1.3756a636aa04fp-28,
                            0x1.ba2352eb42f2p-30, 0x1.295fc465ff477p-29, -0x1.5be16a36a0dap-31,
                            -0x1.650b3e7f898bp-31, 0x1.852f5d42d1ca3p-33,
                            0x1.90df137cc1a36p-34, -0x1.ada2c97f3fdddp-36));
}
DEV f64 i1(f64 x) {
  f64 a = abs(x), z = 0.25 * a * a, t = 16.0 / a - 1.0;
  if (a <= 8.0)
    return 0.5 * x * poly(z, 0x1p+0, 0x1p-1, 0x1.5555555555555p-4, 0x1.c71c71c71c71cp-8, 0x1.6c16c16c16c17p-12,
                          0x1.845c8a0ce5129p-17, 0x1.27e4fb7789f5cp-22, 0x1.522a43f65486ap-28,
                          0x1.2c9758daf5cdp-34, 0x1.ab81ea75fcdf4p-41, 0x1.f17697cf1cf13p-48,
                          0x1.e2637bef9ff1ap-55, 0x1.8bce58901a35ep-62, 0x1.165e7c2d153f3p-69,
                          0x1.53585cdcbfb1p-77, 0x1.69f7da8510bcdp-85, 0x1.54ad09e6a6575p-93,
                          0x1.1d028acb00491p-101, 0x1.aaae78f4066a6p-110, 0x1.1f72d8389b3a3p-118,
                          0x1.5e69de22df5cep-127, 0x1.84564b82a1184p-136, 0x1.88f11edf3ed4cp-145,
                          0x1.6c77c3976a829p-154, 0x1.37033643c4b3bp-163);
  return copysign(bessel_far(a, poly(t, 0x1.8ebe783a8403p-2, -0x1.3f796198ee63dp-7, -0x1.cbc54df1d28edp-13,
                                     -0x1.f89c2304c35d3p-17, -0x1.ec8e127b73a3fp-20,
                                     -0x1.761383996deap-22, -0x1.ad8afba84040bp-24,
                                     -0x1.727891f52aef6p-25, -0x1.91e870dc073a7p-26,
                                     -0x1.21ba2485afab4p-27, 0x1.d68fdf13b4f0fp-28,
                                     0x1.e2d0791db759ap-27, 0x1.7ee7fbfb39f9p-28,
                                     -0x1.0821c71098c2bp-27, -0x1.dd37812c1dd72p-28,
                                     0x1.e14768d6db225p-29, 0x1.475d4e2f2acfep-28,
                                     -0x1.a250a944e85b4p-30, -0x1.36f288e187d2ep-29,
                                     0x1.42be4263f9ec5p-31, 0x1.7455f3bd09231p-31,
                                     -0x1.6612a100e112cp-33, -0x1.a1752f6235857p-34,
                                     0x1.8a72ab2fc6959p-36)), x);
}

DEV f32 erfinv(f32 x) { return (f32)erfinv((f64)x); }
DEV f32 lgamma(f32 x) { return (f32)lgamma((f64)x); }
DEV f32 digamma(f32 x) { return (f32)digamma((f64)x); }
DEV f32 trigamma(f32 x) { return (f32)trigamma((f64)x); }
DEV f32 i0(f32 x) { return (f32)i0((f64)x); }
DEV f32 i1(f32 x) { return (f32)i1((f64)x); }
