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

// sin and cos of 2πv for v in [0, 1): the reduction to an eighth of a turn is exact.
template <class C> DEV void sincos_turns(C v, C* s, C* c) {
  C q = floor(fma((C)4, v, (C)0.5)), r = fma((C)-0.25, q, v) * (C)0x1.921fb54442d18p+2;
  i32 n = (i32)q;
  C a = sin_short(r), b = cos_short(r);
  *s = n & 1 ? b : a;
  *c = n & 1 ? a : b;
  if (n & 2) *s = -*s;
  if ((n + 1) & 2) *c = -*c;
}

template <class T> DEV void normal(T* out, u64 n, u64 seed, u64 counter, f64 mean, f64 std) {
  typedef Compute<T> C;
  const C least = sizeof(T) == 8 ? (C)0x1p-53 : (C)0x1p-24;
  for (u64 i = first(); i < (n + 3) / 4; i += stride()) {
    Words w = philox(seed, counter + i, 0), low = {};
    if (sizeof(T) == 8) low = philox(seed, counter + i, 1);
    T x[4];
#pragma unroll
    for (int j = 0; j < 4; j += 2) {
      C u = Digits<C>::fraction(w.at[j], low.at[j]) + least, v = Digits<C>::fraction(w.at[j + 1], low.at[j + 1]);
      C r = sqrt((C)-2 * log_positive(u)) * (C)std, s, c;
      sincos_turns(v, &s, &c);
      x[j] = Element<T>::store(fma(r, c, (C)mean));
      x[j + 1] = Element<T>::store(fma(r, s, (C)mean));
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
