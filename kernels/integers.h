// Arithmetic of integers beyond arith.h, and bits. It wraps, and division by zero gives 0, as there.

DEV u64 magnitude(u64 a, bool negative) { return negative ? 0 - a : a; }
template <class U> DEV U euclid(U a, U b) {
  while (b) {
    const U r = a % b;
    a = b;
    b = r;
  }
  return a;
}
DEV u64 euclid_of(u64 a, u64 b, bool wide) { return wide ? euclid<u64>(a, b) : euclid<u32>((u32)a, (u32)b); }

// Counts of shifts that are negative or beyond the width shift everything out.
#define INT_MORE(T) \
  DEV T trunc(T x) { return x; } \
  DEV T fmod(T a, T b) { return b == 0 ? (T)0 : sub(a, mul(div(a, b), b)); } \
  DEV T mod(T a, T b) { \
    const T r = fmod(a, b); \
    return r != 0 && (r < 0) != (b < 0) ? add(r, b) : r; \
  } \
  DEV T floor_div(T a, T b) { \
    const T q = div(a, b); \
    return fmod(a, b) != 0 && (a < 0) != (b < 0) ? sub(q, (T)1) : q; \
  } \
  DEV T gcd(T a, T b) { return (T)euclid_of(magnitude((u64)a, a < 0), magnitude((u64)b, b < 0), sizeof(T) == 8); } \
  DEV T lcm(T a, T b) { \
    const u64 x = magnitude((u64)a, a < 0), y = magnitude((u64)b, b < 0); \
    return a == 0 || b == 0 ? (T)0 : (T)(x / euclid_of(x, y, sizeof(T) == 8) * y); \
  } \
  DEV T shift_left(T a, T b) { return (u64)b < 8 * sizeof(T) ? (T)((u64)a << b) : (T)0; } \
  DEV T shift_right(T a, T b) { return (u64)b < 8 * sizeof(T) ? (T)(a >> b) : a < 0 ? (T)-1 : (T)0; }
FOR_INTS(INT_MORE)
