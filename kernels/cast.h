// Cast<S, D>::of(x) converts an element, as cast.hip says.

template <class D> struct Limits {};  // the least value and the first power of two above all values
#define LIMITS(T, LOW, END) template <> struct Limits<T> { MEMBER f64 low() { return LOW; } MEMBER f64 end() { return END; } };
LIMITS(u8, 0, 256.0)
LIMITS(i8, -128.0, 128.0)
LIMITS(u16, 0, 65536.0)
LIMITS(u32, 0, 4294967296.0)
LIMITS(i16, -32768.0, 32768.0)
LIMITS(i32, -2147483648.0, 2147483648.0)
LIMITS(u64, 0, 18446744073709551616.0)
LIMITS(i64, -9223372036854775808.0, 9223372036854775808.0)

template <class D, class F> DEV D saturate(F x) {
  const F low = (F)Limits<D>::low(), end = (F)Limits<D>::end();  // exact in f32
  if (x != x) return 0;
  if (x <= low) return (D)Limits<D>::low();
  if (x >= end) return (D)(sizeof(D) == 8 && (D)-1 > 0 ? ~0ull : (u64)end - 1);
  return (D)x;
}

// An integer of more than 53 digits as an f64 whose last bits say only whether the lost ones were zero.
DEV f64 to_f64_sticky(i64 x) {
  u64 m = x < 0 ? 0 - (u64)x : (u64)x;
  if (m >> 53) m = (m & ~0xfffull) | ((m & 0xfff) ? 0x1000 : 0);
  return x < 0 ? -(f64)m : (f64)m;
}
DEV f64 to_f64_sticky(u64 x) { return (f64)(x >> 53 ? (x & ~0xfffull) | ((x & 0xfff) ? 0x1000 : 0) : x); }

template <class S, class D> struct Cast { MEMBER D of(S x) { return (D)x; } };
#define TO_INT(D) \
  template <> struct Cast<f32, D> { MEMBER D of(f32 x) { return saturate<D>(x); } }; \
  template <> struct Cast<f64, D> { MEMBER D of(f64 x) { return saturate<D>(x); } }; \
  template <> struct Cast<f16, D> { MEMBER D of(f16 x) { return saturate<D>(widen(x)); } }; \
  template <> struct Cast<bf16, D> { MEMBER D of(bf16 x) { return saturate<D>(widen(x)); } }; \
  template <> struct Cast<f8e4m3, D> { MEMBER D of(f8e4m3 x) { return saturate<D>(widen(x)); } };
TO_INT(u8) TO_INT(i8) TO_INT(u16) TO_INT(i16) TO_INT(u32) TO_INT(i32) TO_INT(u64) TO_INT(i64)
#define TO_WIDE(D) \
  template <> struct Cast<f16, D> { MEMBER D of(f16 x) { return widen(x); } }; \
  template <> struct Cast<bf16, D> { MEMBER D of(bf16 x) { return widen(x); } }; \
  template <> struct Cast<f8e4m3, D> { MEMBER D of(f8e4m3 x) { return widen(x); } };
TO_WIDE(f32) TO_WIDE(f64)
#define TO_SMALL(D) \
  template <> struct Cast<u8, D> { MEMBER D of(u8 x) { return narrow_##D((f32)x); } }; \
  template <> struct Cast<i8, D> { MEMBER D of(i8 x) { return narrow_##D((f32)x); } }; \
  template <> struct Cast<u16, D> { MEMBER D of(u16 x) { return narrow_##D((f32)x); } }; \
  template <> struct Cast<i16, D> { MEMBER D of(i16 x) { return narrow_##D((f32)x); } }; \
  template <> struct Cast<u32, D> { MEMBER D of(u32 x) { return narrow_##D(round_to_odd((f64)x)); } }; \
  template <> struct Cast<i32, D> { MEMBER D of(i32 x) { return narrow_##D(round_to_odd((f64)x)); } }; \
  template <> struct Cast<u64, D> { MEMBER D of(u64 x) { return narrow_##D(round_to_odd(to_f64_sticky(x))); } }; \
  template <> struct Cast<i64, D> { MEMBER D of(i64 x) { return narrow_##D(round_to_odd(to_f64_sticky(x))); } }; \
  template <> struct Cast<f32, D> { MEMBER D of(f32 x) { return narrow_##D(x); } }; \
  template <> struct Cast<f64, D> { MEMBER D of(f64 x) { return narrow_##D(round_to_odd(x)); } };
TO_SMALL(f16) TO_SMALL(bf16) TO_SMALL(f8e4m3)
#define SMALL_TO_SMALL(S, D) \
  template <> struct Cast<S, D> { MEMBER D of(S x) { return narrow_##D(widen(x)); } };
SMALL_TO_SMALL(f16, bf16) SMALL_TO_SMALL(f16, f8e4m3)
SMALL_TO_SMALL(bf16, f16) SMALL_TO_SMALL(bf16, f8e4m3)
SMALL_TO_SMALL(f8e4m3, f16) SMALL_TO_SMALL(f8e4m3, bf16)
