// Functions of f32 and f64. F is either; math32.h and math64.h have the differences.

template <class F> DEV F clamp_exponent(F x) {  // NaN passes
  return x > Float<F>::most() ? Float<F>::most() : x < Float<F>::least() ? Float<F>::least() : x;
}

template <class F> DEV F own_exp(F x) {
  x = clamp_exponent(x);
  i32 n;
  F k = in_ln2(x, &n);
  return scale((F)1 + expm1_short(minus_ln2(x, k)), n);
}

// e^(x + lo) as y·2^n, where lo is below a unit in the last place of x. A factor goes to y before scale(y, n), so that a
// subnormal product is rounded once.
template <class F> DEV F exp_parts(F x, F lo, i32* n) {
  x = clamp_exponent(x);
  F k = in_ln2(x, n);
  F p = expm1_short(minus_ln2(x, k));
  return (F)1 + fma(lo, (F)1 + p, p);
}

template <class F> DEV F own_expm1(F x) {
  if (x > (F)60) return own_exp(x);      // 1 is lost beside it
  x = x < (F)-45 ? (F)-45 : x;           // -1
  i32 n;
  F k = in_ln2(x, &n);
  F p = expm1_short(minus_ln2(x, k)), s = scale((F)1, n);
  return n == 0 ? p : fma(s, p, s - (F)1);
}

template <class F> DEV F own_log(F x) {
  if (!(x > (F)0)) return x == (F)0 ? -Float<F>::inf() : Float<F>::nan();
  if (x == Float<F>::inf()) return x;
  return log_positive(x);
}

// log(1 + x) as the logarithm of u = 1 + x, plus a correction for the rounding of u.
template <class F> DEV F own_log1p(F x) {
  const F u = (F)1 + x;
  if (!(u > (F)0)) return u == (F)0 ? -Float<F>::inf() : Float<F>::nan();
  if (u == Float<F>::inf() || u == (F)1) return x;
  const F lost = x >= (F)1 ? (F)1 - (u - x) : x - (u - (F)1);
  return log_positive(u) + lost / u;
}

template <class F> DEV F own_sin(F x) {
  i32 n;
  F r = minus_pi_2(x, &n);
  F y = n & 1 ? cos_short(r) : sin_short(r);
  return n & 2 ? -y : y;
}

template <class F> DEV F own_cos(F x) {
  i32 n;
  F r = minus_pi_2(x, &n);
  F y = n & 1 ? sin_short(r) : cos_short(r);
  return (n + 1) & 2 ? -y : y;
}

// tanh a = e/(e+2) with e = exp(2a) - 1, for a = |x|
template <class F> DEV F own_tanh(F x) {
  F a = abs(x);
  F e = own_expm1(a > (F)22 ? (F)44 : (F)2 * a);  // beyond 22 it is 1
  return copysign(e / (e + (F)2), x);
}

// factor·erfc(x) for x ≥ ½, given x² as hi + lo
template <class F> DEV F erfc_large(F x, F hi, F lo, F factor) {
  i32 n;
  F e = exp_parts(-hi, -lo, &n);
  return scale(factor * e * (erfc_scaled(x) / fma((F)2, x, (F)1)), n);
}

template <class F> DEV F own_erf(F x) {
  F a = abs(x), s = a * a;
  if (a < (F)0.5) return fma(x, erf_short(s), x);
  if (a > (F)6) return copysign((F)1, x);
  return copysign((F)1 - erfc_large(a, s, fma(a, a, -s), (F)1), x);
}

// ln m for √½ ≤ m < √2, to 2^-32
DEV f64 log_mantissa(f64 m) {
  f64 f = m - 1.0, s = f / (2.0 + f), z = s * s;
  f64 R = poly(z, 0x1.5555555565120p-1, 0x1.999998c94c6b8p-2, 0x1.2493253caaf95p-2, 0x1.c67a2fa260450p-3, 0x1.8c98fcdc42a0ap-3);
  return fma(s * z, R, 2.0 * s);
}

// x^y for x > 0 and finite, y finite. For f32 in f64, with log and exp to 2^-32 and better.
DEV f32 pow_positive(f32 x, f32 y) {
  f64 e, p = log_mantissa(mantissa((f64)x, &e));
  p = (f64)y * fma(e, 0x1.62e42fefa39efp-1, p);
  p = p > 200.0 ? 200.0 : p < -200.0 ? -200.0 : p;
  i32 n;
  f64 r = fma(in_ln2(p, &n), -0x1.62e42fefa39efp-1, p);
  f64 q = poly(r, 0x1.0000000b9129bp-1, 0x1.5555555a78ed4p-3, 0x1.5554e9063586ep-5, 0x1.1110e0f238322p-7,
               0x1.6d43246b523b4p-10, 0x1.a124f19fe89acp-13);
  return (f32)scale(1.0 + fma(r * r, q, r), n);
}

// Half of ln m as the result and *lo, good to about 2^-64: artanh s = s·(1 + z·(1/3 + z·T(z))) for s = (m-1)/(m+1),
// z = s². Error of the fit of T 6e-24.
DEV f64 half_log_mantissa(f64 m, f64* lo) {
  f64 f = m - 1.0, d = m + 1.0, dlo = m - (d - 1.0), inv = 1.0 / d;
  f64 s = f * inv, slo = (fma(-s, d, f) - s * dlo) * inv;
  f64 z = s * s, zlo = fma(s, s, -z) + 2.0 * s * slo;
  f64 t = z * poly(z, 0x1.999999999999ap-3, 0x1.2492492492491p-3, 0x1.c71c71c71cff7p-4, 0x1.745d174511201p-4,
                   0x1.3b13b1bdb9604p-4, 0x1.1110df49dca19p-4, 0x1.e1f81bf33b7c7p-5, 0x1.ac479c05883d9p-5, 0x1.b8eeb7095f447p-5);
  const f64 third = 0x1.5555555555555p-2, third_lo = 0x1.5555555555555p-56;
  f64 u = third + t, ulo = (third - u) + t + third_lo;
  f64 v = z * u, vlo = fma(z, u, -v) + fma(z, ulo, zlo * u);
  f64 w = s * v, wlo = fma(s, v, -w) + fma(s, vlo, slo * v);
  f64 h = s + w;
  *lo = (s - h) + w + wlo + slo;
  return h;
}

DEV f64 pow_positive(f64 x, f64 y) {
  f64 e, m = mantissa(x, &e), hlo, h = half_log_mantissa(m, &hlo);
  f64 eh = e * 0x1.62e42feep-1, sum = fma(2.0, h, eh);  // e·ln 2, upper part exact
  f64 rest = (eh - sum) + 2.0 * h + fma(2.0, hlo, e * 0x1.a39ef35793c76p-33);
  f64 hi = sum + rest, lo = (sum - hi) + rest;
  f64 p = y * hi, plo = fma(y, hi, -p) + y * lo;
  if (!(abs(p) < 1500.0)) {
    p = copysign(1500.0, p);
    plo = 0;
  }
  i32 n;
  f64 r = exp_parts(p, plo, &n);
  return scale(r, n);
}

// As in C: x^0 and 1^y are 1 even for NaN; a negative x takes integer exponents only.
template <class F> DEV F own_pow(F x, F y) {
  if (y == (F)0 || x == (F)1) return (F)1;
  if (x != x || y != y) return Float<F>::nan();
  const F inf = Float<F>::inf();
  F a = abs(x), r;
  bool integer = trunc(y) == y, odd = integer && trunc(y * (F)0.5) * (F)2 != y;
  if (abs(y) == inf) return a == (F)1 ? (F)1 : (a > (F)1) == (y > (F)0) ? inf : (F)0;
  if (a == (F)0 || a == inf) {
    r = (a == inf) == (y > (F)0) ? inf : (F)0;
  } else {
    if (x < (F)0 && !integer) return Float<F>::nan();
    r = pow_positive(a, y);
  }
  return odd ? copysign(r, x) : r;
}

#if defined(__clang__)
template <class F> DEV F exp(F x) { return own_exp(x); }
template <class F> DEV F expm1(F x) { return own_expm1(x); }
template <class F> DEV F log(F x) { return own_log(x); }
template <class F> DEV F log1p(F x) { return own_log1p(x); }
template <class F> DEV F sin(F x) { return own_sin(x); }
template <class F> DEV F cos(F x) { return own_cos(x); }
template <class F> DEV F tanh(F x) { return own_tanh(x); }
template <class F> DEV F erf(F x) { return own_erf(x); }
template <class F> DEV F pow(F x, F y) { return own_pow(x, y); }
#else  // NVRTC has all of them
DEV f32 exp(f32 x) { return ::expf(x); }
DEV f64 exp(f64 x) { return ::exp(x); }
DEV f32 expm1(f32 x) { return ::expm1f(x); }
DEV f64 expm1(f64 x) { return ::expm1(x); }
DEV f32 log(f32 x) { return ::logf(x); }
DEV f64 log(f64 x) { return ::log(x); }
DEV f32 log1p(f32 x) { return ::log1pf(x); }
DEV f64 log1p(f64 x) { return ::log1p(x); }
DEV f32 sin(f32 x) { return ::sinf(x); }
DEV f64 sin(f64 x) { return ::sin(x); }
DEV f32 cos(f32 x) { return ::cosf(x); }
DEV f64 cos(f64 x) { return ::cos(x); }
DEV f32 tanh(f32 x) { return ::tanhf(x); }
DEV f64 tanh(f64 x) { return ::tanh(x); }
DEV f32 erf(f32 x) { return ::erff(x); }
DEV f64 erf(f64 x) { return ::erf(x); }
DEV f32 pow(f32 x, f32 y) { return ::powf(x, y); }
DEV f64 pow(f64 x, f64 y) { return ::pow(x, y); }
#endif

// x/(1 + exp(-v-lo)), without overflow and to full accuracy in the tail. It is 0 in the limit of v, also for x = -Inf.
template <class F> DEV F logistic_far(F x, F v, F lo) {
  i32 n;
  bool negative = v < (F)0;
  F y = negative ? exp_parts(v, lo, &n) : exp_parts(-v, -lo, &n);
  F e = scale(y, n);
  F top = !negative ? x : v < Float<F>::least() ? copysign((F)0, x) : scale(x * y, n);
  return top / ((F)1 + e);
}
DEV f64 logistic(f64 x, f64 v, f64 lo) { return logistic_far(x, v, lo); }
DEV f32 logistic_near(f32 x, f32 v, f32 lo) { return x * quick_inverse(1.0f + exp_near(-v, -lo)); }
DEV f64 logistic_near(f64 x, f64 v, f64 lo) { return logistic_far(x, v, lo); }
DEV f32 logistic(f32 x, f32 v, f32 lo) {
  if (abs(v) < 60.0f) return logistic_near(x, v, lo);
  return logistic_far(x, v, lo);
}

// Whether elements have the range of f32.
template <class Stored> constexpr bool F32_RANGE = false;
template <> constexpr bool F32_RANGE<bf16> = true;

// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) as x/(1 + exp(-v)) with v = x·(A + B·x²), which does not cancel for x < 0.
// The exponent v is carried in two parts, as its rounding would show in the tail, though not in 16 bits.
template <class F> struct GeluConstants {};
template <> struct GeluConstants<f32> {
  MEMBER f32 A() { return 0x1.988454p+0f; }
  MEMBER f32 A_lo() { return -0x1.857936p-25f; }
  MEMBER f32 B() { return 0x1.2444f2p-4f; }
  MEMBER f32 B_lo() { return 0x1.49b16ap-29f; }
};
template <> struct GeluConstants<f64> {
  MEMBER f64 A() { return 0x1.9884533d43651p+0; }
  MEMBER f64 A_lo() { return -0x1.cbc0d30ebfd15p-54; }
  MEMBER f64 B() { return 0x1.2444f2a4d8b4bp-4; }
  MEMBER f64 B_lo() { return -0x1.6c843a29d1c7p-61; }
};
// In 16 bits the exponent needs one part only, and no element a branch: those of a pack are computed side by side. Results that may be below 2^-126
// are computed as larger ones times 2^-64.
template <class Stored> DEV f32 gelu_short(f32 x) {
  const f32 w = x * fma(-0x1.a5a7dp-4f, x * x, -0x1.26aec2p+1f);  // -v·log2(e)
  const bool tiny = F32_RANGE<Stored> && w > 96.0f;
  const f32 y = greater(x, -64.0f) * quick_inverse(1.0f + quick_exp2(tiny ? w - 64.0f : w));  // 0 for -Inf; NaN for NaN, as the factor is
  return tiny ? y * 0x1p-64f : y;
}
template <class Stored, class F> DEV F gelu(F x) {
  typedef GeluConstants<F> K;
  if constexpr (sizeof(Stored) < 4) return gelu_short<Stored>(x);
  F s = x * x, s_lo = fma(x, x, -s);
  F m = K::B() * s, m_lo = fma(K::B(), s, -m) + fma(K::B(), s_lo, K::B_lo() * s);
  F q = m + K::A(), t = q - m, q_lo = (m - (q - t)) + (K::A() - t) + (m_lo + K::A_lo());
  F v = x * q, v_lo = fma(x, q_lo, fma(x, q, -v));
  if (sizeof(F) == 4 && abs(x) < (F)8.5) return logistic_near(x, v, v_lo);  // |v| < 60
  if (abs(x) > (F)64) return x > (F)0 ? x : -(F)0;
  return logistic_far(x, v, v_lo);
}

// tanh x as 1 - 2/(1 + exp(2x)) for 16-bit types, without a branch as above, and by its series where that would cancel.
DEV f32 tanh_short(f32 x) {
  const f32 y = fma(-2.0f, quick_inverse(1.0f + quick_exp2(x * 0x1.715476p+1f)), 1.0f);
  return abs(x) < 0x1p-5f ? fma(x * x * x, -0x1.555556p-2f, x) : y;
}
template <class Stored, class F> DEV F tanh_as(F x) {
  if constexpr (sizeof(Stored) < 4) return tanh_short(x);
  else return tanh(x);
}

// x/2·erfc(-x/√2). The exponent x²/2 is carried in two parts: its rounding would show in the result's tail.
template <class F> DEV F gelu_erf(F x) {
  const F root = (F)0x1.6a09e667f3bcdp-1;  // √½
  F a = abs(x) * root, s = x * x, half = (F)0.5 * x;
  if (a < (F)0.5) return fma(half, copysign(fma(a, erf_short(a * a), a), x), half);
  if (a > (F)30) return x > (F)0 ? x : -(F)0;
  F hi = (F)0.5 * s, lo = (F)0.5 * fma(x, x, -s);
  F tail = erfc_large(a, hi, lo, x > (F)0 ? (F)1 : half);
  return x > (F)0 ? half * ((F)2 - tail) : tail;
}
