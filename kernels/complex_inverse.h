// The inverse functions of complex numbers, with the branch cuts and special values of C99 (annex G). The sign of a zero says on which side of a cut a
// number is. asin and acos follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception handling" (1997).

DEV c128 swapped(c128 x) { return parts(x.im, x.re); }
DEV bool negative(f64 x) { return copysign(1.0, x) < 0.0; }
DEV bool is_nan(c128 x) { return x.re != x.re || x.im != x.im; }

// (hypotenuse - b)/2 for the legs a and b, without cancellation
DEV f64 half_beyond(f64 a, f64 b, f64 hypotenuse) {
  return b < 0.0 ? (hypotenuse - b) / 2.0 : b == 0.0 ? a / 2.0 : a * a / (hypotenuse + b) / 2.0;
}

// For x + iy in the first quadrant: asin is atan2(sin, cos) + i·log, and acos atan2(cos, sin) - i·log.
struct Arc { f64 sin, cos, log; };
DEV Arc arc(f64 x, f64 y) {
  const f64 eps = 0x1p-52;
  Arc z = {x, y, 0.0};
  if (x > 0x1p52 || y > 0x1p52) {
    z.log = log_abs(parts(x, y)) + 0x1.62e42fefa39efp-1;
    return z;
  }
  const f64 r = hypot(x + 1.0, y), s = hypot(x - 1.0, y), mean = (r + s) / 2.0, a = mean < 1.0 ? 1.0 : mean;
  const bool off_axis = y >= eps * abs(x - 1.0);
  if (a >= 10.0) {
    z.log = log(a + sqrt(a * a - 1.0));
  } else if (x == 1.0 && y < eps * eps / 128.0) {
    z.log = sqrt(y);
  } else if (off_axis) {
    const f64 beyond = half_beyond(y, 1.0 + x, r) + half_beyond(y, 1.0 - x, s);
    z.log = log1p(beyond + sqrt(beyond * (a + 1.0)));
  } else {
    z.log = x < 1.0 ? y / sqrt((1.0 - x) * (1.0 + x)) : log1p((x - 1.0) + sqrt((x - 1.0) * (x + 1.0)));
  }
  if (x <= 0.64 * a) {
    z.cos = sqrt((a - x) * (a + x));
  } else if (x == 1.0 && y < eps / 128.0) {
    z.cos = sqrt(y) * sqrt((a + x) / 2.0);
  } else if (off_axis) {
    z.cos = sqrt((half_beyond(y, x + 1.0, r) + half_beyond(y, x - 1.0, s)) * (a + x));
  } else if (x > 1.0) {  // scaled, so that a small y keeps its digits
    z.cos = y * 0x1p106 * x / sqrt((x + 1.0) * (x - 1.0));
    z.sin = x * 0x1p106;
  } else {
    z.cos = sqrt((1.0 - x) * (1.0 + x));
  }
  return z;
}

DEV c128 asin(c128 x) {
  if (is_nan(x)) {
    const f64 nan = Float<f64>::nan();
    if (infinite(x.re) || infinite(x.im)) return parts(nan, infinite(x.im) ? x.im : x.re);
    return parts(x.re == 0.0 ? x.re : nan, nan);
  }
  const Arc a = arc(abs(x.re), abs(x.im));
  return parts(copysign(atan2(a.sin, a.cos), x.re), copysign(a.log, x.im));
}
DEV c128 acos(c128 x) {
  if (is_nan(x)) {
    const f64 nan = Float<f64>::nan(), inf = Float<f64>::inf();
    if (infinite(x.re)) return parts(nan, -inf);
    if (infinite(x.im)) return parts(nan, -x.im);
    return parts(x.re == 0.0 ? 0x1.921fb54442d18p+0 : nan, nan);
  }
  const Arc a = arc(abs(x.re), abs(x.im));
  return parts(atan2(a.cos, negative(x.re) ? -a.sin : a.sin), negative(x.im) ? a.log : -a.log);
}
DEV c128 asinh(c128 x) { return swapped(asin(swapped(x))); }
DEV c128 acosh(c128 x) {
  const c128 w = acos(x);
  if (w.re != w.re) return parts(abs(w.im), w.re);
  if (w.im != w.im) return parts(w.im, x.re == 0.0 ? w.re : w.im);
  return parts(abs(w.im), copysign(w.re, x.im));
}

// The real part is log(1 + 4x/((1 - x)² + y²))/4.
DEV c128 atanh(c128 x) {
  const f64 quarter = 0x1.921fb54442d18p+0, nan = Float<f64>::nan(), a = abs(x.re), b = abs(x.im);
  if (x.im == 0.0 && a <= 1.0) return parts(atanh(x.re), x.im);
  if (x.re == 0.0) return parts(x.re, atan2(x.im, 1.0));
  if (infinite(a) || infinite(b)) return parts(copysign(0.0, x.re), x.im != x.im ? nan : copysign(quarter, x.im));
  if (is_nan(x)) return parts(nan, nan);
  if (a > 0x1p52 || b > 0x1p52) return parts(recip(x).re, copysign(quarter, x.im));
  const f64 square = b < 0x1p-511 ? (a - 1.0) * (a - 1.0) : (a - 1.0) * (a - 1.0) + b * b;
  const f64 re = a == 1.0 && b < 0x1p-52 ? (0x1.62e42fefa39efp-1 - log(b)) / 2.0 : log1p(4.0 * a / square) / 4.0;
  const f64 im = a == 1.0 ? atan2(2.0, -b) / 2.0 : atan2(2.0 * b, (1.0 - a) * (1.0 + a) - (b < 0x1p-511 ? 0.0 : b * b)) / 2.0;
  return parts(copysign(re, x.re), copysign(im, x.im));
}
DEV c128 atan(c128 x) { return swapped(atanh(swapped(x))); }

// e^x·cos y - 1 is (e^x - 1)·cos y - 2·sin²(y/2).
DEV c128 expm1(c128 x) {
  if (x.im == 0.0) return parts(expm1(x.re), x.im);
  if (!finite(x.re) || !finite(x.im) || x.re > 40.0) {
    const c128 e = exp(x);
    return parts(e.re - 1.0, e.im);
  }
  const f64 half = sin(x.im / 2.0);
  return parts(expm1(x.re) * cos(x.im) - 2.0 * half * half, exp(x.re) * sin(x.im));
}

// log |1 + z|, from 2x + x² + y² as a sum of exact parts where 1 + x would lose digits of x.
DEV c128 log1p(c128 x) {
  const f64 a = x.re, b = x.im, angle = atan2(b, 1.0 + a);
  const f64 p = a * a, q = b * b, sum = 2.0 * a + q;
  if (!(p + q < 0x1p60) || 1.0 + sum + p < 0.5) return parts(log_abs(parts(1.0 + a, b)), angle);
  const f64 back = sum - q, lost = (2.0 * a - back) + (q - (sum - back));
  const f64 total = sum + p, back2 = total - p, lost2 = (sum - back2) + (p - (total - back2));
  const f64 rest = lost + lost2 + fma(a, a, -p) + fma(b, b, -q);
  return parts(0.5 * log1p(total + rest), angle);
}
