// Elementary functions of f32 and f64 beyond math.h. They are the same code on every platform. Comments give errors of fits as in math32.h.

// Of any type: the other operand where one is NaN, and the step function.
template <class T> DEV T fmax(T a, T b) { return a != a || b > a ? b : a; }
template <class T> DEV T fmin(T a, T b) { return a != a || b < a ? b : a; }
template <class T> DEV T heaviside(T a, T b) { return a > (T)0 ? (T)1 : a < (T)0 ? (T)0 : a == (T)0 ? b : a; }

// The value of type S after a towards b.
template <class S> struct BitsOf { typedef u16 T; };
template <> struct BitsOf<f8e4m3> { typedef u8 T; };
template <> struct BitsOf<f32> { typedef u32 T; };
template <> struct BitsOf<f64> { typedef u64 T; };
template <class S, class C> DEV C nextafter(C a, C b) {
  typedef typename BitsOf<S>::T U;
  if (a != a || b != b) return Float<C>::nan();
  if (a == b) return b;
  U u = bitcast<U>(Element<S>::store(a));
  if (a == (C)0) u = (U)(1 | (u64)(b < (C)0) << (8 * sizeof(U) - 1));
  else u = (U)((b > a) == (a > (C)0) ? u + 1 : u - 1);
  return Element<S>::load(bitcast<S>(u));
}

// A constant as hi + lo.
template <class F> struct Two { F hi, lo; };
template <class F> DEV Two<F> half_pi() {
  const F hi = (F)0x1.921fb54442d18p+0;
  Two<F> c = {hi, (F)((0x1.921fb54442d18p+0 - (f64)hi) + 0x1.1a62633145c07p-54)};
  return c;
}

template <class F> DEV F exp2(F x) {
  x = x > (F)1.5 * Float<F>::most() ? (F)1.5 * Float<F>::most() : x < (F)1.5 * Float<F>::least() ? (F)1.5 * Float<F>::least() : x;
  i32 n;
  F r = x - nearest(x, &n);
  return scale((F)1 + expm1_short(r * (F)0x1.62e42fefa39efp-1), n);
}

// The logarithm of x = 2^e·m to a base with the logarithm b + b_lo of 2, of which products with e are exact, and 1/ln(base) c + c_lo.
DEV f64 log_to(f64 x, f64 b, f64 b_lo, f64 c, f64 c_lo) {
  f64 e, m = mantissa(x, &e), lo, h = half_log_mantissa(m, &lo);
  f64 p = 2.0 * h * c, p_lo = fma(2.0 * h, c, -p) + (2.0 * h * c_lo + 2.0 * lo * c);
  f64 eb = e * b, sum = eb + p;
  return sum + ((eb - sum) + p + (p_lo + e * b_lo));
}
DEV f32 log_to(f32 x, f64 b, f64 b_lo, f64 c, f64) {
  f64 e, l = log_mantissa(mantissa((f64)x, &e));
  return (f32)fma(l, c, e * (b + b_lo));
}
template <class F> DEV F log_based(F x, f64 b, f64 b_lo, f64 c, f64 c_lo) {
  if (!(x > (F)0)) return x == (F)0 ? -Float<F>::inf() : Float<F>::nan();
  if (x == Float<F>::inf()) return x;
  return log_to(x, b, b_lo, c, c_lo);
}
template <class F> DEV F log2(F x) { return log_based(x, 1.0, 0.0, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56); }
template <class F> DEV F log10(F x) {
  return log_based(x, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}

// The cube root: two or three steps of Halley from an estimate by the exponent, which triple the digits, and one of Newton with an exact residue.
DEV f32 cbrt_estimate(f32 x) { return bitcast<f32>(bitcast<u32>(x) / 3 + 0x2a5119f2u); }
DEV f64 cbrt_estimate(f64 x) { return bitcast<f64>(bitcast<u64>(x) / 3 + 0x2a9f7893782da1ceull); }
template <class F> DEV F cbrt(F x) {
  F a = abs(x);
  if (a == (F)0 || !(a < Float<F>::inf())) return x;
  const F shift = (F)0x1p120 * (F)(sizeof(F) == 8 ? 0x1p600 : 1), root = (F)0x1p40 * (F)(sizeof(F) == 8 ? 0x1p200 : 1);
  const bool tiny = a < (F)0x1p-126, huge = a > (F)0x1p126;
  a = tiny ? a * shift : huge ? a / shift : a;
  F y = cbrt_estimate(a);
  for (int i = 0; i < (sizeof(F) == 8 ? 3 : 2); i++) {
    F c = y * y * y;
    y = y * ((c + (F)2 * a) / ((F)2 * c + a));
  }
  F s = y * y, s_lo = fma(y, y, -s), c = s * y, c_lo = fma(s, y, -c) + s_lo * y;
  y += ((a - c) - c_lo) / ((F)3 * s);
  return copysign(tiny ? y / root : huge ? y * root : y, x);
}

// √(a² + b²), infinite if either is
template <class F> DEV F hypot(F a, F b) {
  a = abs(a);
  b = abs(b);
  if (a == Float<F>::inf() || b == Float<F>::inf()) return Float<F>::inf();
  F m = a < b ? b : a, n = a < b ? a : b;
  const F big = (F)(sizeof(F) == 8 ? 0x1p500 : 0x1p60), shift = (F)(sizeof(F) == 8 ? 0x1p600 : 0x1p80);
  F k = m > big ? (F)1 / shift : m < (F)1 / big ? shift : (F)1;
  m *= k;
  n *= k;
  return sqrt(fma(m, m, n * n)) * ((F)1 / k);
}

template <class F> DEV F logaddexp(F a, F b) {
  if (a == b) return a + (F)0x1.62e42fefa39efp-1;  // infinities too
  return (a > b ? a : b) + log1p(exp(-abs(a - b)));
}

// ---- trigonometric functions and their inverses

template <class F> DEV F tan(F x) {
  i32 n;
  F r = minus_pi_2(x, &n), s = sin_short(r), c = cos_short(r);
  return x == (F)0 ? x : n & 1 ? -c / s : s / c;
}

// sin(π·x), with an exact reduction of x
template <class F> DEV F sin_pi(F x) {
  F a = abs(x);
  if (a >= (F)(sizeof(F) == 8 ? 0x1p52 : 0x1p23)) return a == Float<F>::inf() ? Float<F>::nan() : (F)0;
  F n = floor(a + (F)0.5), r = a - n;
  if (r == (F)0) return r;
  const F pi = (F)0x1.921fb54442d18p+1;
  F y = abs(r) > (F)0.25 ? copysign(cos_short(pi * ((F)0.5 - abs(r))), r) : sin_short(pi * r);
  return (floor(n * (F)0.5) * (F)2 != n) != (x < (F)0) ? -y : y;
}
template <class F> DEV F sinc(F x) {
  F a = abs(x);
  return a == (F)0 ? (F)1 : sin_pi(a) / ((F)0x1.921fb54442d18p+1 * a);
}

// (atan(t)/t - 1)/z in z = t² for |t| ≤ tan(π/8). Errors of the fits 9e-11 and 3e-22.
DEV f32 atan_short(f32 z) {
  return poly(z, -0x1.555556p-2f, 0x1.99997cp-3f, -0x1.248a18p-3f, 0x1.c57baep-4f, -0x1.614448p-4f, 0x1.9d8b24p-5f);
}
DEV f64 atan_short(f64 z) {
  return poly(z, -0x1.5555555555555p-2, 0x1.9999999999999p-3, -0x1.2492492492461p-3, 0x1.c71c71c718cf7p-4,
              -0x1.745d1744b4e3fp-4, 0x1.3b13b106d37cap-4, -0x1.11110ad583f48p-4, 0x1.e1e0de9066de1p-5,
              -0x1.af19a8b39ae2cp-5, 0x1.857fa34a07dap-5, -0x1.5fc95a72572b3p-5, 0x1.310618266d26p-5,
              -0x1.bedee19c9247cp-6, 0x1.87e4201de7102p-7);
}
// (asin(s)/s - 1)/z in z = s² for |s| ≤ ½. Errors of the fits 1e-9 and 3e-19.
DEV f32 asin_short(f32 z) {
  return poly(z, 0x1.555554p-3f, 0x1.33343p-4f, 0x1.6d5bbap-5f, 0x1.fd8da2p-6f, 0x1.18f91ep-6f, 0x1.13fed4p-5f);
}
DEV f64 asin_short(f64 z) {
  return poly(z, 0x1.5555555555555p-3, 0x1.3333333333388p-4, 0x1.6db6db6dac1ep-5, 0x1.f1c71c7a52ba5p-6,
              0x1.6e8ba123e4911p-6, 0x1.1c4efce230728p-6, 0x1.c990ad3d85071p-7, 0x1.7b027ee251612p-7,
              0x1.3b49de6dc2167p-7, 0x1.3162247b377efp-7, 0x1.8f19364e6bd85p-9, 0x1.406193170421fp-6,
              -0x1.3b416c1541e6bp-6, 0x1.e529c7346692bp-6);
}

// By the angle of 0, 45° or 90° that is nearest.
template <class F> DEV F atan(F x) {
  F a = abs(x), t = a;
  Two<F> base = {(F)0, (F)0};
  if (a > (F)2.414213562373095) {
    base = half_pi<F>();
    t = (F)-1 / a;
  } else if (a > (F)0.41421356237309503) {
    base = half_pi<F>();
    base.hi *= (F)0.5;
    base.lo *= (F)0.5;
    t = (a - (F)1) / (a + (F)1);
  }
  F z = t * t, y = fma(t * z, atan_short(z), base.lo);
  F sum = base.hi + t;
  return copysign(sum + ((base.hi - sum) + t + y), x);
}

// The angle of the point (x, y), as in C also for zeros and infinities.
template <class F> DEV F atan2(F y, F x) {
  F a = abs(x), b = abs(y);
  if (a != a || b != b) return Float<F>::nan();
  bool steep = b > a;
  F most = steep ? b : a, q = most == (F)0 ? (F)0 : a == b ? (F)1 : (steep ? a : b) / most;
  F r = atan(q);
  const Two<F> c = half_pi<F>();
  if (steep) r = (c.hi - r) + c.lo;
  if (copysign((F)1, x) < (F)0) r = ((F)2 * c.hi - r) + (F)2 * c.lo;
  return copysign(r, y);
}

// √z as a sum, for z ≥ 0; NaN for z < 0
template <class F> DEV Two<F> sqrt_two(F z) {
  F s = sqrt(z);
  Two<F> r = {s, s > (F)0 ? fma(-s, s, z) / ((F)2 * s) : (F)0};
  return r;
}

// With asin a = π/2 - 2·asin √((1-a)/2) for a > ½.
template <class F> DEV F asin(F x) {
  F a = abs(x);
  if (a <= (F)0.5) return fma(x * (x * x), asin_short(x * x), x);
  F z = (F)0.5 * ((F)1 - a);
  const Two<F> s = sqrt_two(z), c = half_pi<F>();
  F rest = fma(s.hi * z, asin_short(z), s.lo), y = c.hi - (F)2 * s.hi;
  return copysign(y + (((c.hi - y) - (F)2 * s.hi) + (c.lo - (F)2 * rest)), x);
}
template <class F> DEV F acos(F x) {
  const Two<F> c = half_pi<F>();
  F a = abs(x);
  if (a <= (F)0.5) {
    F y = c.hi - x, z = x * x;
    return y + (((c.hi - y) - x) + (c.lo - x * z * asin_short(z)));
  }
  F z = (F)0.5 * ((F)1 - a);
  const Two<F> s = sqrt_two(z);
  F rest = fma(s.hi * z, asin_short(z), s.lo);
  if (x > (F)0) return (F)2 * (s.hi + rest);
  F y = c.hi - s.hi;
  return (F)2 * (y + (((c.hi - y) - s.hi) + (c.lo - rest)));
}

// ---- hyperbolic functions and their inverses

// e^a/2 for a ≥ 0, which overflows only where the half does
template <class F> DEV F half_exp(F a) {
  a = a > Float<F>::most() + (F)11 ? Float<F>::most() + (F)11 : a;
  i32 n;
  F k = in_ln2(a, &n);
  return scale((F)1 + expm1_short(minus_ln2(a, k)), n - 1);
}
template <class F> DEV F sinh(F x) {
  F a = abs(x);
  if (a >= (F)22) return copysign(half_exp(a), x);
  F e = expm1(a);
  return copysign((F)0.5 * (e + e / (e + (F)1)), x);
}
template <class F> DEV F cosh(F x) {
  F a = abs(x);
  if (a >= (F)22) return half_exp(a);
  F e = exp(a);
  return fma((F)0.5, e, (F)0.5 / e);
}
template <class F> DEV F asinh(F x) {
  F a = abs(x), s = a * a;
  F y = a > (F)0x1p28 ? log(a) + (F)0x1.62e42fefa39efp-1 : log1p(a + s / ((F)1 + sqrt(s + (F)1)));
  return copysign(y, x);
}
template <class F> DEV F acosh(F x) {
  if (x > (F)0x1p28) return log(x) + (F)0x1.62e42fefa39efp-1;
  if (x > (F)2) return log((F)2 * x - (F)1 / (x + sqrt(x * x - (F)1)));
  if (x < (F)1) return Float<F>::nan();
  F t = x - (F)1;
  return log1p(t + sqrt(fma(t, t, (F)2 * t)));
}
template <class F> DEV F atanh(F x) {
  F a = abs(x), t = a + a;
  t = a < (F)0.5 ? t + t * a / ((F)1 - a) : t / ((F)1 - a);
  return copysign((F)0.5 * log1p(t), x);
}

// ---- remainders

// |x| = m·2^e
DEV u64 split(f32 x, i32* e) {
  u32 u = bitcast<u32>(x) & 0x7fffffffu, k = u >> 23;
  *e = (i32)(k ? k : 1) - 150;
  return k ? (u & 0x7fffffu) | 0x800000u : u;
}
DEV u64 split(f64 x, i32* e) {
  u64 u = bitcast<u64>(x) & 0x7fffffffffffffffull, k = u >> 52;
  *e = (i32)(k ? k : 1) - 1075;
  return k ? (u & 0xfffffffffffffull) | 0x10000000000000ull : u;
}

// What a/b truncated toward zero leaves, exactly, with the sign of a: long division of the mantissas.
template <class F> DEV F fmod(F a, F b) {
  F x = abs(a), y = abs(b);
  if (!(x < Float<F>::inf()) || !(y > (F)0)) return Float<F>::nan();
  if (x < y) return a;
  i32 e, least;
  u64 m = split(y, &least), r = split(x, &e) % m;
  const i32 step = sizeof(F) == 8 ? 11 : 40;
  for (i32 n = e - least; n > 0 && r; n -= step) r = (r << (n < step ? n : step)) % m;
  return copysign(scale((F)r, least), a);
}
// What floor_div leaves, with the sign of b.
template <class F> DEV F mod(F a, F b) {
  F r = fmod(a, b);
  if (r == (F)0) return copysign(r, b);
  return (r < (F)0) != (b < (F)0) ? r + b : r;
}
// a/b rounded down, by the remainder r; in f64 for both types, which keeps the quotients of f32 exact.
DEV f64 floor_quotient(f64 a, f64 b, f64 r) {
  if (b == 0.0) return a / b;
  f64 q = (a - r) / b;
  if (r != 0.0 && (r < 0.0) != (b < 0.0)) q -= 1.0;
  if (q == 0.0) return copysign(0.0, a / b);
  f64 n = floor(q);
  return q - n > 0.5 ? n + 1.0 : n;
}
template <class F> DEV F floor_div(F a, F b) { return (F)floor_quotient((f64)a, (f64)b, (f64)fmod(a, b)); }
