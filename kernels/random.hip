// rand_T(out, n, u64 seed, u64 counter, u64* base, f64 lo, f64 hi) and randn_T(out, n, seed, counter, base, f64 mean, f64 std). Element i is made from
// lane i%4 of Philox4x32-10 at counter + i/4. philox.go is the same in Go and documents it. In a graph base has the seed of a replay, and a number to add
// to the counter; otherwise it is 0.

// Random bits of a type: as many as its precision, as a fraction below 1.
template <class T> struct Digits {};
template <> struct Digits<bf16> { MEMBER f32 fraction(u32 w, u32) { return (f32)(w >> 24) * 0x1p-8f; } };
template <> struct Digits<f16> { MEMBER f32 fraction(u32 w, u32) { return (f32)(w >> 21) * 0x1p-11f; } };
template <> struct Digits<f8e4m3> { MEMBER f32 fraction(u32 w, u32) { return (f32)(w >> 28) * 0x1p-4f; } };
template <> struct Digits<f32> { MEMBER f32 fraction(u32 w, u32) { return (f32)(w >> 8) * 0x1p-24f; } };
template <> struct Digits<f64> {
  MEMBER f64 fraction(u32 w, u32 low) { return (f64)((u64)w << 21 | low >> 11) * 0x1p-53; }
};
template <class T> DEV void uniform(T* out, u64 n, u64 seed, u64 counter, f64 lo, f64 hi) {
  typedef Compute<T> C;
  const C l = (C)lo, h = (C)hi, span = sub(h, l);
  for (u64 i = first(); i < (n + 3) / 4; i += stride()) {
    Words w = philox(seed, counter + i, 0), low = {};
    if (sizeof(T) == 8) low = philox(seed, counter + i, 1);
    T x[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      x[j] = Element<T>::store(l + Digits<T>::fraction(w.at[j], low.at[j]) * span);
      if (Element<T>::load(x[j]) >= h) x[j] = Element<T>::store(l);
    }
    put_four(out, n, i, x);
  }
}

// What Box and Muller's method makes two normal numbers of: √(-2 ln u)·std and the sine and cosine of 2πv, u from (0, 1] and v from [0, 1), which are
// words of a generator; low has further bits of them.
template <class C> struct Polar { C radius, sine, cosine; };

// The sine and cosine given, of an angle to which q quarters of a turn are added.
template <class C> DEV Polar<C> turned(u32 q, C radius, C sine, C cosine) {
  Polar<C> p = {radius, q & 1 ? cosine : sine, q & 1 ? sine : cosine};
  if (q & 2) p.sine = -p.sine;
  if ((q + 1) & 2) p.cosine = -p.cosine;
  return p;
}

DEV Polar<f64> polar(const u32 (&w)[2], const u32 (&low)[2], f64 std) {
  const f64 u = Digits<f64>::fraction(w[0], low[0]) + 0x1p-53, v = Digits<f64>::fraction(w[1], low[1]);
  const f64 q = floor(fma(4.0, v, 0.5)), angle = fma(-0.25, q, v) * 0x1.921fb54442d18p+2;  // the reduction to an eighth of a turn is exact
  return turned((u32)q, sqrt(-2.0 * log_positive(u)) * std, sin_short(angle), cos_short(angle));
}

// Here u and v are whole numbers over 2^24: conversions, which take eight times as long as additions on some GPUs, are few. The logarithm is that of
// log_positive with an approximate inverse.
DEV Polar<f32> polar(const u32 (&w)[2], const u32 (&)[2], f32 std) {
  const u32 u = bitcast<u32>((f32)((w[0] >> 8) + 1)) + (0x3f800000u - 0x3f3504f3u);
  const f32 e = small_number((i32)(u >> 23) - 127 - 24), f = bitcast<f32>((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  const u32 v = w[1] >> 8, q = (v + (1u << 21)) >> 22;
  const f32 angle = small_number((i32)(v - (q << 22))) * 0x1.921fb6p-22f;
  return turned(q, quick_sqrt(-2.0f * log_parts(f, f * quick_inverse(2.0f + f), e)) * std, sin_short(angle), cos_short(angle));
}

template <class T> DEV void normal(T* out, u64 n, u64 seed, u64 counter, f64 mean, f64 std) {
  typedef Compute<T> C;
  for (u64 i = first(); i < (n + 3) / 4; i += stride()) {
    Words w = philox(seed, counter + i, 0), low = {};
    if (sizeof(T) == 8) low = philox(seed, counter + i, 1);
    T x[4];
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      const u32 words[2] = {w.at[j], w.at[j + 1]}, more[2] = {low.at[j], low.at[j + 1]};
      const Polar<C> p = polar(words, more, (C)std);
      x[j] = Element<T>::store(fma(p.radius, p.cosine, (C)mean));
      x[j + 1] = Element<T>::store(fma(p.radius, p.sine, (C)mean));
    }
    put_four(out, n, i, x);
  }
}

#define RAND(T) \
  KERNEL rand_##T(T* out, u64 n, u64 seed, u64 counter, const u64* base, f64 lo, f64 hi) { \
    uniform(out, n, base ? base[0] : seed, base ? counter + base[1] : counter, lo, hi); \
  }
#define RANDN(T) \
  KERNEL randn_##T(T* out, u64 n, u64 seed, u64 counter, const u64* base, f64 mean, f64 std) { \
    normal(out, n, base ? base[0] : seed, base ? counter + base[1] : counter, mean, std); \
  }
