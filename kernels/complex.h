// Complex numbers and their functions, with the special values of C99 (annex G). They are computed in c128; c64 is a storage type, so its functions
// neither overflow nor cancel before their results do.

struct c64 { f32 re, im; };
struct c128 { f64 re, im; };

template <> struct Element<c64> {
  typedef c128 Register;
  MEMBER c128 load(c64 x) { c128 r = {x.re, x.im}; return r; }
  MEMBER c64 store(c128 x) { c64 r = {(f32)x.re, (f32)x.im}; return r; }
};

DEV c128 parts(f64 re, f64 im) { c128 r = {re, im}; return r; }
DEV c128 times_i(c128 x) { return parts(-x.im, x.re); }
DEV c128 over_i(c128 x) { return parts(x.im, -x.re); }
DEV bool infinite(f64 x) { return abs(x) == Float<f64>::inf(); }
DEV bool finite(f64 x) { return abs(x) < Float<f64>::inf(); }
DEV bool is_zero(c128 x) { return x.re == 0.0 && x.im == 0.0; }

DEV c128 mul(c128 a, c128 b) { return parts(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }

// The exponent of the larger part of a finite number; the least one for subnormals.
DEV i32 exponent(c128 x) {
  const f64 a = abs(x.re), b = abs(x.im);
  return (i32)(bitcast<u64>(a < b ? b : a) >> 52) - 1023;
}
DEV c128 scale(c128 x, i32 n) { return parts(scale(x.re, n), scale(x.im, n)); }
DEV f64 unit_if_infinite(f64 x) { return copysign(infinite(x) ? 1.0 : 0.0, x); }

// (a + bi)/(c + di), with both scaled to an exponent of 0
DEV c128 div(c128 x, c128 y) {
  const f64 inf = Float<f64>::inf();
  if (is_zero(y)) return parts(copysign(inf, y.re) * x.re, copysign(inf, y.re) * x.im);
  f64 factor = 1.0;
  i32 n = 0;
  if ((infinite(x.re) || infinite(x.im)) && finite(y.re) && finite(y.im)) {
    x = parts(unit_if_infinite(x.re), unit_if_infinite(x.im));
    factor = inf;
  } else if ((infinite(y.re) || infinite(y.im)) && finite(x.re) && finite(x.im)) {
    y = parts(unit_if_infinite(y.re), unit_if_infinite(y.im));
    factor = 0.0;
  } else if (!finite(x.re) || !finite(x.im) || !finite(y.re) || !finite(y.im)) {
    return parts(Float<f64>::nan(), Float<f64>::nan());
  } else {
    const i32 ex = exponent(x), ey = exponent(y);
    x = scale(x, -ex);
    y = scale(y, -ey);
    n = ex - ey;
  }
  const f64 re = x.re * y.re + x.im * y.im, im = x.im * y.re - x.re * y.im;
  if (factor != 1.0) return parts(factor * re, factor * im);
  const f64 square = y.re * y.re + y.im * y.im;
  n = n > 2000 ? 2000 : n < -2000 ? -2000 : n;
  return scale(parts(re / square, im / square), n);
}
DEV c128 recip(c128 x) { return div(parts(1.0, 0.0), x); }

DEV c128 conj(c128 x) { return parts(x.re, -x.im); }

// x/|x|, and 0 for 0. An infinity gives the direction of its infinite parts.
DEV c128 sign(c128 x) {
  if (is_zero(x)) return x;
  if (infinite(x.re) || infinite(x.im))
    x = parts(unit_if_infinite(x.re), unit_if_infinite(x.im));
  else if (finite(x.re) && finite(x.im))
    x = scale(x, -exponent(x));
  const f64 size = sqrt(x.re * x.re + x.im * x.im);
  return parts(x.re / size, x.im / size);
}

DEV c128 sqrt(c128 x) {
  const f64 inf = Float<f64>::inf();
  if (is_zero(x)) return parts(0.0, x.im);
  if (infinite(x.im)) return parts(inf, x.im);
  if (x.re == inf) return parts(inf, x.im != x.im ? x.im : copysign(0.0, x.im));
  if (x.re == -inf) return parts(x.im != x.im ? x.im : 0.0, copysign(inf, x.im));
  if (x.re != x.re || x.im != x.im) return parts(Float<f64>::nan(), Float<f64>::nan());
  const i32 half = exponent(x) >> 1;
  const c128 y = scale(x, -2 * half);
  const f64 t = scale(sqrt(0.5 * (abs(y.re) + sqrt(y.re * y.re + y.im * y.im))), half), other = x.im / (2.0 * t);
  return x.re < 0.0 ? parts(abs(other), copysign(t, x.im)) : parts(t, other);
}

// log |x|. Near the unit circle |x|² - 1 is computed from exact squares.
DEV f64 log_abs(c128 x) {
  f64 a = abs(x.re), b = abs(x.im);
  if (infinite(a) || infinite(b)) return Float<f64>::inf();
  const f64 m = a < b ? b : a, n = a < b ? a : b, p = m * m, q = n * n;
  if (p + q > 0.5 && p + q < 3.0) return 0.5 * log1p(((p - 1.0) + q) + (fma(m, m, -p) + fma(n, n, -q)));
  if (m > 0x1p1000) return log(hypot(0.5 * m, 0.5 * n)) + 0x1.62e42fefa39efp-1;
  if (m < 0x1p-1000 && m > 0.0) return log(hypot(0x1p200 * m, 0x1p200 * n)) - 0x1.1542457337d43p+7;
  return log(hypot(a, b));
}
DEV f64 arg(c128 x) { return atan2(x.im, x.re); }
DEV c128 log(c128 x) { return parts(log_abs(x), arg(x)); }

// a·b, where 0 wins over an infinity or NaN
DEV f64 times(f64 a, f64 b) {
  return a == 0.0 || b == 0.0 ? copysign(0.0, a) * copysign(1.0, b) : a * b;
}
[[maybe_unused]] const f64 FAR = 700.0, BACK = 50.0, E_BACK = 0x1.19103e4080b45p+72;  // beyond FAR, e^x is e^(x - BACK)·e^BACK

DEV c128 exp(c128 x) {
  if (x.im == 0.0) return parts(exp(x.re), x.im);
  if (infinite(x.re) && !finite(x.im))
    return x.re < 0.0 ? parts(0.0, copysign(0.0, x.im)) : parts(x.re, Float<f64>::nan());
  const f64 s = sin(x.im), c = cos(x.im);
  if (x.re > FAR) {
    const f64 r = exp(x.re - BACK);
    return parts(times(r, c) * E_BACK, times(r, s) * E_BACK);
  }
  const f64 r = exp(x.re);
  return parts(times(r, c), times(r, s));
}

DEV c128 sinh(c128 x) {
  if (infinite(x.re) && !finite(x.im)) return parts(x.re, Float<f64>::nan());
  const bool far = abs(x.re) > FAR;
  const f64 re = far ? copysign(abs(x.re) - BACK, x.re) : x.re, k = far ? E_BACK : 1.0;
  return parts(times(sinh(re), cos(x.im)) * k, times(cosh(re), sin(x.im)) * k);
}
DEV c128 cosh(c128 x) {
  if (infinite(x.re) && !finite(x.im)) return parts(Float<f64>::inf(), Float<f64>::nan());
  const bool far = abs(x.re) > FAR;
  const f64 re = far ? copysign(abs(x.re) - BACK, x.re) : x.re, k = far ? E_BACK : 1.0;
  return parts(times(cosh(re), cos(x.im)) * k, times(sinh(re), sin(x.im)) * k);
}
// (sinh x·cosh x + i·sin y·cos y)/(cos² y + sinh² x)
DEV c128 tanh(c128 x) {
  if (x.im == 0.0) return parts(tanh(x.re), x.im);
  if (!finite(x.im) && (x.re == 0.0 || infinite(x.re)))
    return x.re == 0.0 ? parts(x.re, Float<f64>::nan()) : parts(copysign(1.0, x.re), copysign(0.0, x.im));
  const f64 s = sin(x.im), c = cos(x.im);
  if (abs(x.re) > 22.0) return parts(copysign(1.0, x.re), 4.0 * s * c * exp(-2.0 * abs(x.re)));
  const f64 sh = sinh(x.re), square = c * c + sh * sh;
  return parts(sh * cosh(x.re) / square, s * c / square);
}
DEV c128 sin(c128 x) { return over_i(sinh(times_i(x))); }
DEV c128 cos(c128 x) { return cosh(times_i(x)); }
DEV c128 tan(c128 x) { return over_i(tanh(times_i(x))); }

DEV c128 pow(c128 x, c128 y) {
  const f64 inf = Float<f64>::inf(), nan = Float<f64>::nan();
  if (is_zero(y)) return parts(1.0, 0.0);
  if (is_zero(x)) return y.re > 0.0 ? parts(0.0, 0.0) : y.re < 0.0 ? parts(inf, y.im == 0.0 ? 0.0 : inf) : parts(nan, nan);
  if (y.im == 0.0 && y.re == 1.0) return x;
  if (y.im == 0.0 && y.re == 2.0) return mul(x, x);
  f64 r, angle = y.re * arg(x);
  if (y.im == 0.0) {
    r = hypot(x.re, x.im);
    r = r < 0x1p-1000 ? exp(y.re * log_abs(x)) : pow(r, y.re);  // the former may be subnormal
  } else {
    const f64 l = log_abs(x);
    r = exp(y.re * l - y.im * arg(x));
    angle += y.im * l;
  }
  return parts(times(r, cos(angle)), times(r, sin(angle)));
}
