// Mathematics that clang does not make without a device library, from the functions of gorocm's own kernels.
#define GOROCM_MATH(name) \
  GOROCM_DEVICE float name##f(float x) { return gr::name(x); } \
  GOROCM_DEVICE float name(float x) { return gr::name(x); } \
  GOROCM_DEVICE double name(double x) { return gr::name(x); }
GOROCM_MATH(sin)
GOROCM_MATH(cos)
GOROCM_MATH(erf)
GOROCM_MATH(expm1)
GOROCM_DEVICE double exp(double x) { return gr::exp(x); }
GOROCM_DEVICE double log(double x) { return gr::log(x); }
GOROCM_DEVICE float tanhf(float x) { return gr::tanh(x); }
GOROCM_DEVICE float tanh(float x) { return gr::tanh(x); }
GOROCM_DEVICE double tanh(double x) { return gr::tanh(x); }
GOROCM_DEVICE float tanf(float x) { return gr::sin(x) / gr::cos(x); }
GOROCM_DEVICE float tan(float x) { return tanf(x); }
GOROCM_DEVICE double tan(double x) { return gr::sin(x) / gr::cos(x); }
GOROCM_DEVICE float powf(float x, float y) { return gr::pow(x, y); }
GOROCM_DEVICE float pow(float x, float y) { return gr::pow(x, y); }
GOROCM_DEVICE double pow(double x, double y) { return gr::pow(x, y); }
GOROCM_DEVICE void sincosf(float x, float *s, float *c) { *s = gr::sin(x), *c = gr::cos(x); }
GOROCM_DEVICE void sincos(double x, double *s, double *c) { *s = gr::sin(x), *c = gr::cos(x); }

// What follows is computed in double, for float too: it is right to the last place or nearly so, and short.
GOROCM_DEVICE double round(double x) { return __builtin_round(x); }
GOROCM_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
GOROCM_DEVICE double copysign(double x, double s) { return __builtin_copysign(x, s); }
GOROCM_DEVICE double fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0.0; }
GOROCM_DEVICE double ldexp(double x, int n) { return __builtin_ldexp(x, n); }
GOROCM_DEVICE double scalbn(double x, int n) { return __builtin_ldexp(x, n); }
GOROCM_DEVICE double scalbln(double x, long n) { return __builtin_ldexp(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n); }
GOROCM_DEVICE double frexp(double x, int *e) {
  *e = 0;
  if (x == 0.0 || x - x != 0.0) return x;
  if (__builtin_fabs(x) < __DBL_MIN__) x *= 0x1p54, *e = -54;
  unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  *e += (int)(bits >> 52 & 0x7ff) - 1022;
  return __builtin_bit_cast(double, (bits & ~(0x7ffull << 52)) | 1022ull << 52);
}
GOROCM_DEVICE int ilogb(double x) {
  if (x == 0.0) return -__INT_MAX__;
  if (x - x != 0.0) return __INT_MAX__;
  int e;
  frexp(x, &e);
  return e - 1;
}
GOROCM_DEVICE double logb(double x) { return x == 0.0 ? -__builtin_inf() : x - x != 0.0 ? x * x : (double)ilogb(x); }
GOROCM_DEVICE double modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(x - x != 0.0 && x == x ? 0.0 : x - *whole, x);
}
GOROCM_DEVICE double nextafter(double x, double y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0) return __builtin_copysign(0x1p-1074, y);
  long long bits = __builtin_bit_cast(long long, x);
  return __builtin_bit_cast(double, bits + ((x < y) == (x > 0.0) ? 1 : -1));
}
GOROCM_DEVICE float nextafterf(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return __builtin_copysignf(0x1p-149f, y);
  int bits = __builtin_bit_cast(int, x);
  return __builtin_bit_cast(float, bits + ((x < y) == (x > 0.0f) ? 1 : -1));
}

// Each difference is exact: y·2ⁿ is at most a and more than half of it.
GOROCM_DEVICE double fmod(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (!(b > 0.0) || a - a != 0.0) return __builtin_nan("");
  while (a >= b) {
    double part = __builtin_ldexp(b, ilogb(a) - ilogb(b));
    a -= part > a ? part * 0.5 : part;
  }
  return __builtin_copysign(a, x);
}
GOROCM_DEVICE double remainder(double x, double y) {
  double b = __builtin_fabs(y), a = __builtin_fabs(b <= __DBL_MAX__ / 2 ? fmod(x, 2.0 * b) : fmod(x, b));
  if (!(b > 0.0) || x - x != 0.0) return __builtin_nan("");
  if (b < 2.0 * __DBL_MIN__ ? a + a > b : a > 0.5 * b) {
    a -= b;
    if (b < 2.0 * __DBL_MIN__ ? a + a >= b : a >= 0.5 * b) a -= b;
  }
  return x < 0.0 || x == 0.0 && __builtin_signbit(x) ? -a : a;
}
GOROCM_DEVICE double remquo(double x, double y, int *q) {
  double r = remainder(x, y), b = __builtin_fabs(y), a = b <= __DBL_MAX__ / 8 ? fmod(__builtin_fabs(x), 8.0 * b) : __builtin_fabs(x);
  *q = r == r ? (int)__builtin_rint((a - (x < 0.0 ? -r : r)) / b) & 7 : 0;
  if ((x < 0.0) != (y < 0.0)) *q = -*q;
  return r;
}

GOROCM_DEVICE double exp2(double x) {
  double n = __builtin_rint(x < -2000.0 ? -2000.0 : x > 2000.0 ? 2000.0 : x);
  return x != x ? x : x - x != 0.0 ? (x > 0.0 ? x : 0.0) : __builtin_ldexp(gr::exp((x - n) * 0x1.62e42fefa39efp-1), (int)n);
}
GOROCM_DEVICE double gorocm_power_of_ten(int n) {  // exact, for n from 0 to 22
  double p = 1.0;
  for (int i = 0; i < n; i++) p *= 10.0;
  return p;
}
GOROCM_DEVICE double exp10(double x) {
  if (x != x) return x;
  if (x > 309.0) return __builtin_inf();
  if (x < -324.0) return 0.0;
  if (x >= 0.0 && x <= 22.0 && x == __builtin_trunc(x)) return gorocm_power_of_ten((int)x);
  double n = __builtin_rint(x * 3.3219280948873623);  // 10ˣ = 2ⁿ·10ʳ, log₁₀ 2 in two parts
  double r = __builtin_fma(-n, -0x1.9dc1da994fd21p-59, __builtin_fma(-n, 0x1.34413509f79ffp-2, x));
  return __builtin_ldexp(gr::exp(r * 2.302585092994045684), (int)n);
}
GOROCM_DEVICE double log2(double x) {
  if (!(x > 0.0) || x - x != 0.0) return gr::log(x);
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752440) m *= 2.0, e--;
  return (double)e + gr::log(m) * 1.4426950408889634074;
}
GOROCM_DEVICE double log10(double x) {
  double y = gr::log(x) * 0.43429448190325182765, n = __builtin_rint(y);
  return n > 0.0 && n <= 22.0 && gorocm_power_of_ten((int)n) == x ? n : y;
}
// The rounding of 1 + x is made good by what it changes (W. Kahan).
GOROCM_DEVICE double log1p(double x) {
  double u = 1.0 + x;
  return u == 1.0 ? x : u - u != 0.0 || u <= 0.0 ? gr::log(u) : gr::log(u) * (x / (u - 1.0));
}
GOROCM_DEVICE double cbrt(double x) {
  double a = __builtin_fabs(x);
  if (a == 0.0 || x - x != 0.0) return x;
  bool tiny = a < __DBL_MIN__;
  if (tiny) a *= 0x1p54;
  double y = gr::exp(gr::log(a) * (1.0 / 3.0));
  y -= (y * y * y - a) / (3.0 * y * y);  // a step of Newton's
  return __builtin_copysign(tiny ? y * 0x1p-18 : y, x);
}
GOROCM_DEVICE double rcbrt(double x) { return 1.0 / cbrt(x); }
GOROCM_DEVICE double hypot(double x, double y) {
  x = __builtin_fabs(x), y = __builtin_fabs(y);
  if (x == __builtin_inf() || y == __builtin_inf()) return __builtin_inf();
  double most = x > y ? x : y;
  if (most != most || most == 0.0) return x + y;
  int e = ilogb(most);
  x = __builtin_ldexp(x, -e), y = __builtin_ldexp(y, -e);
  return __builtin_ldexp(__builtin_sqrt(__builtin_fma(x, x, y * y)), e);
}
GOROCM_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
GOROCM_DEVICE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
GOROCM_DEVICE double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
GOROCM_DEVICE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
GOROCM_DEVICE double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }

// atan t = atan c + atan((t-c)/(1+tc)) for a c of 0, ¼, … 1 near t; then the series, whose next term is below 2⁻⁵⁹ of the first.
GOROCM_DEVICE double gorocm_atan_to_1(double t) {
  double k = __builtin_rint(4.0 * t), c = 0.25 * k, z = (t - c) / __builtin_fma(t, c, 1.0), s = z * z;
  double series = 0.0;
  for (int n = 17; n >= 3; n -= 2) series = s * (((n & 2) != 0 ? -1.0 : 1.0) / n + series);
  const double of[5] = {0.0, 0.24497866312686415417, 0.46364760900080611621, 0.64350110879328438680, 0.78539816339744830962};
  return of[(int)k] + __builtin_fma(z, series, z);
}
GOROCM_DEVICE double atan(double x) {
  double a = __builtin_fabs(x);
  if (x != x) return x;
  return __builtin_copysign(a > 1.0 ? 1.57079632679489661923 - gorocm_atan_to_1(1.0 / a) : gorocm_atan_to_1(a), x);
}
GOROCM_DEVICE double atan2(double y, double x) {
  const double pi = 3.14159265358979323846;
  double a = __builtin_fabs(y), b = __builtin_fabs(x), r;
  if (x != x || y != y) return x + y;
  if (a == __builtin_inf() && b == a) r = pi / 4.0;
  else if (a == 0.0) r = 0.0;
  else if (a > b) r = pi / 2.0 - gorocm_atan_to_1(b / a);
  else r = gorocm_atan_to_1(a / b);
  return __builtin_copysign(__builtin_signbit(x) ? pi - r : r, y);
}
GOROCM_DEVICE double asin(double x) { return atan2(x, __builtin_sqrt((1.0 - x) * (1.0 + x))); }
GOROCM_DEVICE double acos(double x) { return 2.0 * atan2(__builtin_sqrt(1.0 - x), __builtin_sqrt(1.0 + x)); }
GOROCM_DEVICE double sinh(double x) {
  double a = __builtin_fabs(x), half = gr::exp(0.5 * a), e = gr::expm1(a);
  return __builtin_copysign(a > 709.0 ? 0.5 * half * half : 0.5 * (e + e / (e + 1.0)), x);
}
GOROCM_DEVICE double cosh(double x) {
  double a = __builtin_fabs(x), half = gr::exp(0.5 * a), e = gr::exp(a);
  return a > 709.0 ? 0.5 * half * half : 0.5 * e + 0.5 / e;
}
GOROCM_DEVICE double asinh(double x) {
  double a = __builtin_fabs(x);
  if (a == 0.0 || x - x != 0.0) return x;
  return __builtin_copysign(a > 0x1p28 ? gr::log(a) + 0.69314718055994530942 : log1p(a + a * a / (1.0 + __builtin_sqrt(__builtin_fma(a, a, 1.0)))), x);
}
GOROCM_DEVICE double acosh(double x) {
  double t = x - 1.0;
  return x > 0x1p28 ? gr::log(x) + 0.69314718055994530942 : log1p(t + __builtin_sqrt(__builtin_fma(t, t, 2.0 * t)));
}
GOROCM_DEVICE double atanh(double x) {
  double a = __builtin_fabs(x);
  return __builtin_copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

// Of multiples of π: whole and half ones are exact.
GOROCM_DEVICE double gorocm_quarter(double x, bool cosine) {
  double n = __builtin_rint(2.0 * x), f = (x - 0.5 * n) * 3.14159265358979323846;
  int q = (int)(n - 4.0 * __builtin_floor(0.25 * n)) + cosine;
  double y = q & 1 ? gr::cos(f) : gr::sin(f);
  return q & 2 ? -y : y;
}
GOROCM_DEVICE double sinpi(double x) { return x - x != 0.0 ? __builtin_nan("") : x == __builtin_trunc(x) ? __builtin_copysign(0.0, x) : gorocm_quarter(x, false); }
GOROCM_DEVICE double cospi(double x) { return x - x != 0.0 ? __builtin_nan("") : gorocm_quarter(__builtin_fabs(x), true); }
GOROCM_DEVICE void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }

// The normal distribution.
GOROCM_DEVICE double erfcx(double x) {
  if (x < 0.5) return gr::exp(x * x) * (1.0 - gr::erf(x));
  if (x <= 27.0) return gr::erfc_scaled(x) / __builtin_fma(2.0, x, 1.0);
  return 0.56418958354775628695 / x * (1.0 - 0.5 / x / x);
}
GOROCM_DEVICE double erfc(double x) {
  if (x < 0.5) return 1.0 - gr::erf(x);
  double s = x * x;
  return x > 28.0 ? 0.0 : gr::erfc_large(x, s, __builtin_fma(x, x, -s), 1.0);
}
GOROCM_DEVICE double gorocm_erfinv_short(double y) {  // for |y| ≤ ½
  double x = 0.88622692545275801365 * y * (1.0 + 0.26179938779914943654 * y * y);
  for (int i = 0; i < 3; i++) {  // Halley's steps
    double err = gr::erf(x) - y;
    x -= err / (1.12837916709551257390 * gr::exp(-x * x) + x * err);
  }
  return x;
}
GOROCM_DEVICE double gorocm_erfcinv_far(double p) {  // for 0 < p < ½
  double t = __builtin_sqrt(-2.0 * gr::log(0.5 * p));
  double x = 0.70710678 * (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));  // Abramowitz and Stegun 26.2.22
  for (int i = 0; i < 3; i++) {
    double err = erfc(x) - p;
    x += err / (1.12837916709551257390 * gr::exp(-x * x) - x * err);
  }
  return x;
}
GOROCM_DEVICE double erfcinv(double y) {
  if (y >= 0.5 && y <= 1.5) return gorocm_erfinv_short(1.0 - y);
  if (!(y > 0.0 && y < 2.0)) return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  double x = gorocm_erfcinv_far(y < 1.0 ? y : 2.0 - y);
  return y < 1.0 ? x : -x;
}
GOROCM_DEVICE double erfinv(double y) {
  double a = __builtin_fabs(y);
  if (a <= 0.5) return gorocm_erfinv_short(y);
  return a < 1.0 ? __builtin_copysign(gorocm_erfcinv_far(1.0 - a), y) : a == 1.0 ? __builtin_copysign(__builtin_inf(), y) : __builtin_nan("");
}
GOROCM_DEVICE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
GOROCM_DEVICE double normcdfinv(double y) { return -1.41421356237309504880 * erfcinv(2.0 * y); }

// The gamma function by C. Lanczos, with g = 7 and nine terms.
GOROCM_DEVICE double gorocm_lanczos(double x) {
  return 0.99999999999980993 + 676.5203681218851 / (x + 1.0) - 1259.1392167224028 / (x + 2.0) + 771.32342877765313 / (x + 3.0) - 176.61502916214059 / (x + 4.0) +
         12.507343278686905 / (x + 5.0) - 0.13857109526572012 / (x + 6.0) + 9.9843695780195716e-6 / (x + 7.0) + 1.5056327351493116e-7 / (x + 8.0);
}
GOROCM_DEVICE double gorocm_log_gamma(double x) {  // for x ≥ ½
  double t = x + 6.5;
  return 0.91893853320467274178 + (x - 0.5) * gr::log(t) - t + gr::log(gorocm_lanczos(x - 1.0));
}
GOROCM_DEVICE double gorocm_gamma(double x) {  // for x ≥ ½
  double p = 1.0, t = x + 6.5;
  for (int i = 2; i < x && x <= 19.0; i++) p *= i;
  if (x <= 19.0 && x == __builtin_trunc(x)) return p;
  double half = gr::pow(t, 0.5 * (x - 0.5));
  return x > 172.0 ? __builtin_inf() : 2.50662827463100050242 * half * gr::exp(-t) * half * gorocm_lanczos(x - 1.0);
}
GOROCM_DEVICE double lgamma(double x) {
  if (x - x != 0.0) return x * x;
  if (x <= 0.0 && x == __builtin_trunc(x)) return __builtin_inf();
  if (x == 1.0 || x == 2.0) return 0.0;
  double y = gorocm_log_gamma(x < 0.5 ? 1.0 - x : x);
  return x < 0.5 ? gr::log(3.14159265358979323846 / __builtin_fabs(sinpi(x))) - y : y;
}
GOROCM_DEVICE double tgamma(double x) {
  if (x == 0.0) return __builtin_copysign(__builtin_inf(), x);
  if (x != x || x == __builtin_inf()) return x;
  if (x < 0.0 && x == __builtin_trunc(x)) return __builtin_nan("");
  double y = gorocm_gamma(x < 0.5 ? 1.0 - x : x);
  return x < 0.5 ? 3.14159265358979323846 / (sinpi(x) * y) : y;
}

GOROCM_DEVICE double powi(double x, int n) { return gr::pow(x, (double)n); }
GOROCM_DEVICE long lrint(double x) { return (long)__builtin_rint(x); }
GOROCM_DEVICE long lround(double x) { return (long)__builtin_round(x); }
GOROCM_DEVICE long long llrint(double x) { return (long long)__builtin_rint(x); }
GOROCM_DEVICE long long llround(double x) { return (long long)__builtin_round(x); }
GOROCM_DEVICE double nan(const char *) { return __builtin_nan(""); }
GOROCM_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

#define GOROCM_FLOAT1(name) \
  GOROCM_DEVICE float name##f(float x) { return (float)name((double)x); } \
  GOROCM_DEVICE float name(float x) { return name##f(x); }
GOROCM_FLOAT1(round)
GOROCM_FLOAT1(nearbyint)
GOROCM_FLOAT1(logb)
GOROCM_FLOAT1(log1p)
GOROCM_FLOAT1(exp10)
GOROCM_FLOAT1(cbrt)
GOROCM_FLOAT1(rcbrt)
GOROCM_FLOAT1(atan)
GOROCM_FLOAT1(asin)
GOROCM_FLOAT1(acos)
GOROCM_FLOAT1(sinh)
GOROCM_FLOAT1(cosh)
GOROCM_FLOAT1(asinh)
GOROCM_FLOAT1(acosh)
GOROCM_FLOAT1(atanh)
GOROCM_FLOAT1(sinpi)
GOROCM_FLOAT1(cospi)
GOROCM_FLOAT1(erfc)
GOROCM_FLOAT1(erfcx)
GOROCM_FLOAT1(erfinv)
GOROCM_FLOAT1(erfcinv)
GOROCM_FLOAT1(normcdf)
GOROCM_FLOAT1(normcdfinv)
GOROCM_FLOAT1(lgamma)
GOROCM_FLOAT1(tgamma)
GOROCM_DEVICE void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
GOROCM_DEVICE float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
GOROCM_DEVICE float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
GOROCM_DEVICE float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
GOROCM_DEVICE float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
GOROCM_DEVICE float ldexpf(float x, int n) { return __builtin_ldexpf(x, n); }
GOROCM_DEVICE float scalbnf(float x, int n) { return __builtin_ldexpf(x, n); }
GOROCM_DEVICE float scalblnf(float x, long n) { return (float)scalbln(x, n); }
GOROCM_DEVICE float powif(float x, int n) { return gr::pow(x, (float)n); }
GOROCM_DEVICE int ilogbf(float x) { return ilogb((double)x); }
GOROCM_DEVICE float frexpf(float x, int *e) { return (float)frexp((double)x, e); }
GOROCM_DEVICE float modff(float x, float *whole) {
  double w, rest = modf((double)x, &w);
  *whole = (float)w;
  return (float)rest;
}
GOROCM_DEVICE float remquof(float x, float y, int *q) { return (float)remquo((double)x, (double)y, q); }
GOROCM_DEVICE long lrintf(float x) { return lrint((double)x); }
GOROCM_DEVICE long lroundf(float x) { return lround((double)x); }
GOROCM_DEVICE long long llrintf(float x) { return llrint((double)x); }
GOROCM_DEVICE long long llroundf(float x) { return llround((double)x); }

// Functions of two numbers: floats, as C++ has them also of numbers of different types, where integers count as doubles.
template <class A, class B, bool mixed = __is_arithmetic(A) && __is_arithmetic(B) && !__is_same(A, B), bool twice = __is_same(A, double) || __is_same(B, double) || __is_integral(A) || __is_integral(B)>
struct gorocm_mixed {};
template <class A, class B> struct gorocm_mixed<A, B, true, true> { typedef double type; };
template <class A, class B> struct gorocm_mixed<A, B, true, false> { typedef float type; };
#define GOROCM_MIXED(name) \
  template <class A, class B> GOROCM_DEVICE typename gorocm_mixed<A, B>::type name(A x, B y) { \
    typedef typename gorocm_mixed<A, B>::type T; \
    return name((T)x, (T)y); \
  }
#define GOROCM_FLOAT2(name) \
  GOROCM_DEVICE float name##f(float x, float y) { return (float)name((double)x, (double)y); } \
  GOROCM_DEVICE float name(float x, float y) { return name##f(x, y); } \
  GOROCM_MIXED(name)
GOROCM_FLOAT2(fmod)
GOROCM_FLOAT2(remainder)
GOROCM_FLOAT2(copysign)
GOROCM_FLOAT2(fdim)
GOROCM_FLOAT2(hypot)
GOROCM_FLOAT2(rhypot)
GOROCM_FLOAT2(atan2)
GOROCM_MIXED(pow)

// Classes of numbers.
#define GOROCM_CLASS(name, value) \
  GOROCM_DEVICE bool name(float x) { return value; } \
  GOROCM_DEVICE bool name(double x) { return value; }
GOROCM_CLASS(isnan, x != x)
GOROCM_CLASS(isinf, x == x && x - x != 0)
GOROCM_CLASS(isfinite, x - x == 0)
GOROCM_CLASS(isnormal, x - x == 0 && (sizeof x == 4 ? __builtin_fabs((double)x) >= (double)__FLT_MIN__ : __builtin_fabs((double)x) >= __DBL_MIN__))
GOROCM_CLASS(signbit, __builtin_signbit((double)x))
