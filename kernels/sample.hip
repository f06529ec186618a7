// Random integers and variates of gamma, Poisson, binomial, hypergeometric, truncated normal, von Mises distributions, and Sobol points. Package
// tensor/random/internal/sample is the same in Go and documents the methods; its results have the same bits.
//
//	integers_bN(out, n, u64 seed, u64 counter, u64 low, u64 range, u64 threshold)
//	order_ties(u32* keys, u32* ids, n, seed, counter)
//	gamma_T(f64* shape, u64 step, out, n, seed, counter, u64 logarithm)
//	gamma_slope_f64(f64* shape, u64 step, f64* logarithms, f64* out, n)
//	poisson_T(f64* mean, u64 step, out, n, seed, counter)
//	binomial_T(f64* trials, u64 step, f64* chance, u64 chance_step, out, n, seed, counter)
//	truncated_normal_T(out, n, seed, counter, f64 mean, f64 std, f64 lo, f64 hi)
//	hypergeometric_T(out, n, seed, counter, f64 good, f64 bad, f64 draws)
//	von_mises_T(f64* concentration, u64 step, out, n, seed, counter): the sines of half the angles
//	sobol_T(u32* directions, out, n, u64 dims, u64 start)
//
// Parameters that are tensors have a step of 0 for one number, or 1 for one of each element. Variates are computed in
// f64 by operations that IEEE 754 defines, so that each device takes the same decisions.

// ---- integers below a range: the upper half of word · range, without the words that some results have too many of

DEV u64 high_product(u64 a, u64 b) {
  const u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
  const u64 low = al * bl, middle = ah * bl + (low >> 32), other = al * bh + (u32)middle;
  return ah * bh + (middle >> 32) + (other >> 32);
}

// The upper halves of word · range of four words of 32 bits, where range is 0 for 2^32.
DEV void below(u32 range, u32 threshold, const Words& w, u64 seed, u64 counter, u32 (&x)[4]) {
  bool again = false;
#pragma unroll
  for (u32 j = 0; j < 4; j++) {
    const u64 m = (u64)w.at[j] * range;
    x[j] = range == 0 ? w.at[j] : (u32)(m >> 32);
    again |= (u32)m < threshold;
  }
  if (!again) return;
#pragma unroll 1
  for (u32 j = 0; j < 4; j++) {
    u64 m = (u64)lane_of(w, j) * range;
#pragma unroll 1
    for (u32 k = 1; (u32)m < threshold; k++) m = (u64)lane_of(philox(seed, counter, k), j) * range;
    if (j == 0) x[0] = (u32)(m >> 32);
    if (j == 1) x[1] = (u32)(m >> 32);
    if (j == 2) x[2] = (u32)(m >> 32);
    if (j == 3) x[3] = (u32)(m >> 32);
  }
}

DEV u64 below_wide(u64 range, u64 threshold, u64 word, u64 seed, u64 counter, u32 lane) {
  if (range == 0) return word;  // 2^64
#pragma unroll 1
  for (u32 k = 2; word * range < threshold; k += 2)
    word = (u64)lane_of(philox(seed, counter, k), lane) << 32 | lane_of(philox(seed, counter, k + 1), lane);
  return high_product(word, range);
}

// Numbers from low on, as T.
template <class T> struct From {
  u64 low;
  DEV T operator()(u64 x) const { return (T)(low + x); }
};

template <class T> DEV void integers_wide(T* out, u64 n, u64 seed, u64 counter, u64 low, u64 range, u64 threshold) {
  for (u64 i = first(); i < (n + 3) / 4; i += stride()) {
    const Words w = philox(seed, counter + i, 0), v = philox(seed, counter + i, 1);
    u64 x[4];
#pragma unroll
    for (u32 j = 0; j < 4; j++) x[j] = below_wide(range, threshold, (u64)w.at[j] << 32 | v.at[j], seed, counter + i, j);
    put_four(out, n, i, x, From<T>{low});
  }
}

template <class T> DEV void integers_narrow(T* out, u64 n, u64 seed, u64 counter, u64 low, u32 range, u32 threshold) {
  for (u64 i = first(); i < (n + 3) / 4; i += stride()) {
    u32 x[4];
    below(range, threshold, philox(seed, counter + i, 0), seed, counter + i, x);
    put_four(out, n, i, x, From<T>{low});
  }
}

#define INTEGERS(T) \
  KERNEL integers_##T(T* out, u64 n, u64 seed, u64 counter, u64 low, u64 range, u64 threshold) { \
    if (range == 0 || range > (u64)1 << 32) \
      integers_wide(out, n, seed, counter, low, range, threshold); \
    else \
      integers_narrow(out, n, seed, counter, low, (u32)range, (u32)threshold); \
  }

// ---- the order of random keys of 64 bits, of which keys has the sorted upper halves and ids the positions: elements with equal upper halves are put into
// the order of their lower halves, which are the words with the third word 1. They are few.

DEV u32 lower_half(u64 seed, u64 counter, u32 id) { return lane_of(philox(seed, counter + id / 4, 1), id % 4); }

DEV void order_run(u32* ids, u64 begin, u64 end, u64 seed, u64 counter) {
  for (u64 k = begin + 1; k < end; k++) {
    const u32 id = ids[k], low = lower_half(seed, counter, id);
    u64 at = k;
    for (; at > begin && lower_half(seed, counter, ids[at - 1]) > low; at--) ids[at] = ids[at - 1];
    ids[at] = id;
  }
}

#define ORDER_TIES() \
  KERNEL order_ties(const u32* keys, u32* ids, u64 n, u64 seed, u64 counter) { \
    for (u64 i = first(); i + 1 < n; i += stride()) { \
      const u32 key = keys[i]; \
      if (keys[i + 1] != key || (i > 0 && keys[i - 1] == key)) continue; \
      u64 end = i + 2; \
      while (end < n && keys[end] == key) end++; \
      order_run(ids, i, end, seed, counter); \
    } \
  }

// ---- uniform numbers of attempts

// Two numbers of 52 bits between 0 and 1, without both.
struct Uniforms { f64 u, v; };
DEV f64 inside(u32 high, u32 low) { return ((f64)(((u64)high << 32 | low) >> 12) + 0.5) * 0x1p-52; }
DEV Uniforms uniforms(u64 seed, u64 counter, u32 k) {
  const Words w = philox(seed, counter, k);
  Uniforms r = {inside(w.at[0], w.at[1]), inside(w.at[2], w.at[3])};
  return r;
}

// Marsaglia's polar method: a normal number, or none.
DEV bool polar(Uniforms r, f64* x) {
  const f64 a = 2.0 * r.u - 1.0, b = 2.0 * r.v - 1.0, s = a * a + b * b;
  if (!(s < 1.0)) return false;
  *x = a * sqrt(-2.0 * log_positive(s) / s);
  return true;
}

DEV f64 not_a_number() { return Float<f64>::nan(); }

// ---- gamma

DEV f64 standard_gamma(f64 shape, u64 seed, u64 counter, bool logarithm) {
  if (!(shape > 0.0) || shape == Float<f64>::inf()) return not_a_number();
  const bool small = shape < 1.0;
  const f64 d = (small ? shape + 1.0 : shape) - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
  for (u32 k = 0;; k += 2) {
    f64 x;
    if (!polar(uniforms(seed, counter, k), &x)) continue;
    f64 v = 1.0 + c * x;
    if (!(v > 0.0)) continue;
    v = v * v * v;
    const Uniforms r = uniforms(seed, counter, k + 1);
    const f64 xx = x * x;
    if (!(r.u < 1.0 - 0.0331 * (xx * xx)) && !(log_positive(r.u) < 0.5 * xx + d * (1.0 - v + log_positive(v)))) continue;
    const f64 power = small ? log_positive(r.v) / shape : 0.0;
    if (logarithm) return log_positive(d * v) + power;
    return small ? d * v * own_exp(power) : d * v;
  }
}

// The logarithmic derivative of the gamma function, for a above 0.
DEV f64 digamma_of(f64 a) {
  f64 sum = 0.0;
  for (; a < 10.0; a += 1.0) sum -= 1.0 / a;
  const f64 r = 1.0 / a, s = r * r;
  return sum + log_positive(a) - 0.5 * r -
         s * (0.08333333333333333 - s * (0.008333333333333333 - s * (0.003968253968253968 - s * (0.004166666666666667 -
         s * (0.007575757575757576 - s * 0.021092796092796094)))));
}

const f64 MANY = 1000.0;  // from this shape on, the normal distribution is near

// The derivative of log x by the shape a, where log_x is the logarithm of a gamma variate x at a fixed quantile: -∂F/∂a
// over the density and x (Figurnov et al., Implicit reparameterization gradients, 2018).
DEV f64 gamma_slope(f64 a, f64 log_x) {
  if (log_x == -Float<f64>::inf()) return 0.0;
  if (!(a > 0.0) || log_x != log_x) return not_a_number();
  const f64 x = own_exp(log_x);
  if (a >= MANY) {  // Cornish and Fisher's series of the quantile, by its normal quantile y
    const f64 r = 1.0 / sqrt(a), w = (x - a) * r;
    f64 y = w;
    for (int k = 0; k < 4; k++)
      y = w - r * ((y * y - 1.0) / 3.0 + r * ((y * y * y - 7.0 * y) / 36.0 - r * (3.0 * (y * y) * (y * y) + 7.0 * (y * y) - 16.0) / 810.0));
    const f64 slope = 1.0 + r * (0.5 * y - r * r * ((y * y * y - 7.0 * y) / 72.0 - r * (3.0 * (y * y) * (y * y) + 7.0 * (y * y) - 16.0) / 810.0));
    return slope / x;
  }
  // F over the density and x is the sum of the terms x^n / (a·(a+1)·…·(a+n)); each has the logarithmic derivative -h
  f64 term = 1.0 / a, h = term, sum = term, slope = term * h;
  for (f64 j = a + 1.0; term > sum * 0x1p-60; j += 1.0) {
    term = term * x / j;
    h += 1.0 / j;
    sum += term;
    slope += term * h;
  }
  return slope - (log_x - digamma_of(a)) * sum;
}

// ---- counts

// x·log(x/m) + m - x, without the cancellation for x near m (Loader, Fast and accurate computation of binomial
// probabilities, 2000).
DEV f64 deviance(f64 x, f64 m) {
  if (x == 0.0) return m;
  if (abs(x - m) < 0.1 * (x + m)) {
    const f64 v = (x - m) / (x + m), square = v * v;
    f64 s = (x - m) * v, e = 2.0 * x * v;
    for (f64 j = 3.0; j < 1000.0; j += 2.0) {
      e *= square;
      const f64 next = s + e / j;
      if (next == s) break;
      s = next;
    }
    return s;
  }
  return x * log_positive(x / m) + m - x;
}

// log x! - (x·log x - x)
CONSTANT f64 small_tails[16] = {
    0.0, 1.0, 1.3068528194400546, 1.4959226032237257,
    1.6328763858683832, 1.7403021806115442, 1.828694396641771, 1.9037903176782212,
    1.9690705693065629, 2.0268062840554952, 2.0785616431350586, 2.12545984509181,
    2.168334698205882, 2.207822206123445, 2.244418568125061, 2.2785183673077407
};
DEV f64 tail(f64 x) {
  if (x < 16.0) return small_tails[(i32)x];
  const f64 r = 1.0 / x, s = r * r;
  return 0.5 * log_positive(6.283185307179586 * x) +
         r * (0.08333333333333333 - s * (0.002777777777777778 - s * (0.0007936507936507937 - s * 0.0005952380952380953)));
}

const f64 MOST_COUNT = 0x1p52, FEW = 10.0;  // means below the latter are inverted

DEV f64 poisson(f64 mean, u64 seed, u64 counter) {
  if (!(mean >= 0.0) || mean > MOST_COUNT) return not_a_number();
  if (mean < FEW) {
    const f64 u = uniforms(seed, counter, 0).u;
    f64 k = 0.0, p = own_exp(-mean), sum = p;
    while (u > sum) {
      k += 1.0;
      p = p * mean / k;
      if (sum + p == sum) break;
      sum += p;
    }
    return k;
  }
  const f64 b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
  const f64 scale = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2.0);
  for (u32 t = 0;; t++) {
    const Uniforms r = uniforms(seed, counter, t);
    const f64 u = r.u - 0.5, us = 0.5 - abs(u), k = floor((2.0 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && r.v <= sure) return k;
    if (k < 0.0 || (us < 0.013 && r.v > us)) continue;
    if (log_positive(r.v * scale / (a / (us * us) + b)) <= -deviance(k, mean) - tail(k)) return k;
  }
}

DEV f64 few_successes(f64 trials, f64 p, f64 u) {
  const f64 odds = p / (1.0 - p);
  f64 k = 0.0, each = own_exp(trials * own_log1p(-p)), sum = each;
  while (u > sum && k < trials) {
    k += 1.0;
    each = each * odds * (trials - k + 1.0) / k;
    if (sum + each == sum) break;
    sum += each;
  }
  return k;
}

DEV f64 many_successes(f64 trials, f64 p, u64 seed, u64 counter) {
  const f64 q = 1.0 - p, mean = trials * p, deviation = sqrt(mean * q);
  const f64 b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const f64 sure = 0.92 - 4.2 / b, scale = (2.83 + 5.1 / b) * deviation, mode = floor((trials + 1.0) * p);
  const f64 top = deviance(mode, mean) + deviance(trials - mode, trials * q) + tail(mode) + tail(trials - mode);
  for (u32 t = 0;; t++) {
    const Uniforms r = uniforms(seed, counter, t);
    const f64 u = r.u - 0.5, us = 0.5 - abs(u), k = floor((2.0 * a / us + b) * u + mean + 0.5);
    if (us >= 0.07 && r.v <= sure) return k;
    if (k < 0.0 || k > trials) continue;
    const f64 at = deviance(k, mean) + deviance(trials - k, trials * q) + tail(k) + tail(trials - k);
    if (log_positive(r.v * scale / (a / (us * us) + b)) <= top - at) return k;
  }
}

DEV f64 binomial(f64 trials, f64 p, u64 seed, u64 counter) {
  if (!(trials >= 0.0) || trials > MOST_COUNT || trials != floor(trials) || !(p >= 0.0 && p <= 1.0)) return not_a_number();
  const bool flip = p > 0.5;
  const f64 less = flip ? 1.0 - p : p;
  f64 k = 0.0;
  if (trials * less >= FEW)
    k = many_successes(trials, less, seed, counter);
  else if (less > 0.0)
    k = few_successes(trials, less, uniforms(seed, counter, 0).u);
  return flip ? trials - k : k;
}

// ---- truncated normal

// A standard normal number between a and b, 0 ≤ a < b (Robert, Simulation of truncated normal variables, 1995).
DEV f64 normal_tail(f64 a, f64 b, u64 seed, u64 counter) {
  if (a >= 1e8) return a;  // all others are within an ulp
  const f64 root = sqrt(a * a + 4.0), rate = 0.5 * (a + root);
  const bool exponential = b - a > 3.2974425414002564 / (a + root) * own_exp(0.25 * (a * a - a * root));
  for (u32 t = 0;; t++) {
    const Uniforms r = uniforms(seed, counter, t);
    if (exponential) {
      const f64 x = a - log_positive(r.u) / rate, off = x - rate;
      if (x <= b && log_positive(r.v) <= -0.5 * (off * off)) return x;
      continue;
    }
    const f64 step = (b - a) * r.u, x = a + step;
    if (log_positive(r.v) <= -0.5 * (step * (x + a))) return x;
  }
}

DEV f64 normal_between(f64 a, f64 b, u64 seed, u64 counter) {
  if (!(a <= b)) return not_a_number();
  if (a == b) return a;
  if (a > 0.0) return normal_tail(a, b, seed, counter);
  if (b < 0.0) return -normal_tail(-b, -a, seed, counter);
  const bool narrow = b - a < 2.5066282746310002;
  for (u32 t = 0;; t++) {
    const Uniforms r = uniforms(seed, counter, t);
    f64 x = a + (b - a) * r.u;
    if (narrow) {
      if (log_positive(r.v) <= -0.5 * (x * x)) return x;
      continue;
    }
    if (polar(r, &x) && x >= a && x <= b) return x;
  }
}

// ---- kernels

DEV f64 log_factorial(f64 x) { return (x == 0.0 ? 0.0 : x * log_positive(x) - x) + tail(x); }

// How many of some draws are good, without replacement.
DEV f64 hypergeometric(f64 good, f64 bad, f64 draws, u64 seed, u64 counter) {
  const f64 all = good + bad, few = draws < all - draws ? draws : all - draws;
  f64 k = 0.0;
  if (few < FEW) {  // one after the other
    f64 left = all, rest = good;
    for (u32 t = 0; (f64)t < few; t++) {
      const Uniforms r = uniforms(seed, counter, t / 2);
      if ((t % 2 ? r.v : r.u) * left < rest) {
        k += 1.0;
        rest -= 1.0;
      }
      left -= 1.0;
    }
    return draws == few ? k : good - k;
  }
  const f64 less = good < bad ? good : bad, more = good < bad ? bad : good, p = less / all, q = more / all;
  const f64 a = few * p + 0.5, c = sqrt((all - few) * few * p * q / (all - 1.0) + 0.5);
  const f64 h = 1.7155277699214135 * c + 0.8989161620588988, m = floor((few + 1.0) * (less + 1.0) / (all + 2.0));
  const f64 g = log_factorial(m) + log_factorial(less - m) + log_factorial(few - m) + log_factorial(more - few + m);
  const f64 cut = floor(a + 16.0 * c), most = (few < less ? few : less) + 1.0, end = cut < most ? cut : most;
  for (u32 t = 0;; t++) {
    const Uniforms r = uniforms(seed, counter, t);
    const f64 x = a + h * (r.v - 0.5) / r.u;
    if (!(x >= 0.0) || x >= end) continue;
    k = floor(x);
    const f64 d = g - (log_factorial(k) + log_factorial(less - k) + log_factorial(few - k) + log_factorial(more - few + k));
    if (r.u * (4.0 - r.u) - 3.0 <= d) break;
    if (r.u * (r.u - d) >= 1.0) continue;
    if (2.0 * log_positive(r.u) <= d) break;
  }
  if (good > bad) k = few - k;
  return draws == few ? k : good - k;
}

// The sine of half an angle of the von Mises distribution around 0.
DEV f64 von_mises(f64 concentration, u64 seed, u64 counter) {
  if (!(concentration >= 0.0) || concentration > 0x1p400) return not_a_number();
  const f64 k2 = 2.0 * concentration, s = sqrt(1.0 + k2 * k2), root = sqrt(1.0 + s), two = sqrt(2.0);
  const f64 rho = k2 * root / ((s + 1.0) * (root + two));
  const f64 rest = (root * (1.0 + 1.0 / (s + k2)) + two * (s + 1.0)) / ((s + 1.0) * (root + two));  // 1 - rho
  const f64 base = (s + 1.0) * (root + two) / (4.0 * root) * (rest * rest);
  for (u32 t = 0;; t += 2) {
    const Uniforms r = uniforms(seed, counter, t);
    const f64 a = 2.0 * r.u - 1.0, b = 2.0 * r.v - 1.0, d = a * a + b * b;
    if (!(d <= 1.0) || d == 0.0) continue;
    const f64 far = 2.0 * (a * a) / d, near = 2.0 * (b * b) / d;  // 1 + z and 1 - z for the cosine z of any angle
    const f64 one_minus = rest * rest / (rest * rest + 2.0 * rho * far) * near;
    const f64 c = base + concentration * one_minus, u = uniforms(seed, counter, t + 1).u;
    if (!(c * (2.0 - c) > u) && !(log_positive(c / u) + 1.0 >= c)) continue;
    return copysign(sqrt(0.5 * one_minus), a * b);
  }
}

#define GAMMA(T) \
  KERNEL gamma_##T(const f64* shape, u64 step, T* out, u64 n, u64 seed, u64 counter, u64 logarithm) { \
    for (u64 i = first(); i < n; i += stride()) \
      out[i] = Element<T>::round(standard_gamma(shape[i * step], seed, counter + i, logarithm != 0)); \
  }
#define GAMMA_SLOPE(T) \
  KERNEL gamma_slope_##T(const T* shape, u64 step, const T* logarithms, T* out, u64 n) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = gamma_slope(shape[i * step], logarithms[i]); \
  }
#define POISSON(T) \
  KERNEL poisson_##T(const f64* mean, u64 step, T* out, u64 n, u64 seed, u64 counter) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = Element<T>::round(poisson(mean[i * step], seed, counter + i)); \
  }
#define BINOMIAL(T) \
  KERNEL binomial_##T(const f64* trials, u64 step, const f64* chance, u64 chance_step, T* out, u64 n, u64 seed, \
                      u64 counter) { \
    for (u64 i = first(); i < n; i += stride()) \
      out[i] = Element<T>::round(binomial(trials[i * step], chance[i * chance_step], seed, counter + i)); \
  }
#define TRUNCATED_NORMAL(T) \
  KERNEL truncated_normal_##T(T* out, u64 n, u64 seed, u64 counter, f64 mean, f64 std, f64 lo, f64 hi) { \
    for (u64 i = first(); i < n; i += stride()) { \
      const f64 x = mean + std * normal_between((lo - mean) / std, (hi - mean) / std, seed, counter + i); \
      out[i] = Element<T>::round(x < lo ? lo : x > hi ? hi : x); \
    } \
  }
#define HYPERGEOMETRIC(T) \
  KERNEL hypergeometric_##T(T* out, u64 n, u64 seed, u64 counter, f64 good, f64 bad, f64 draws) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = Element<T>::round(hypergeometric(good, bad, draws, seed, counter + i)); \
  }
#define VON_MISES(T) \
  KERNEL von_mises_##T(const f64* concentration, u64 step, T* out, u64 n, u64 seed, u64 counter) { \
    for (u64 i = first(); i < n; i += stride()) out[i] = Element<T>::round(von_mises(concentration[i * step], seed, counter + i)); \
  }
#define SOBOL(T) \
  KERNEL sobol_##T(const u32* directions, T* out, u64 n, u64 dims, u64 start) { \
    for (u64 i = first(); i < n; i += stride()) { \
      const u64 point = start + i / dims; \
      const u32* d = directions + i % dims * 33; \
      u32 x = d[32]; \
      for (u32 gray = (u32)(point ^ point >> 1); gray; gray >>= 1, d++) \
        if (gray & 1) x ^= *d; \
      out[i] = sizeof(T) == 4 ? (T)(x >> 8) * (T)0x1p-24 : (T)x * (T)0x1p-32; \
    } \
  }
