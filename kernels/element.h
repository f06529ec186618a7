// Operations on numbers as Go defines them, for functions over elements: they are written for a function of a cell. Division by zero and negative
// shift counts have been checked.

template <class T> DEV T go_shl(T x, u64 n) { return n < 8 * sizeof(T) ? (T)((u64)x << n) : (T)0; }
template <class T> DEV T go_shr(T x, u64 n) { return n < 8 * sizeof(T) ? (T)(x >> n) : x < 0 ? (T)-1 : (T)0; }
// opaque is x, of which the compiler knows nothing then: it does not look through what the assembler might do. LLVM 19 for AMD needs it in two places. For a
// 64-bit | or ^ whose one operand is known to have an upper half of all ones, and has a lower half that is not constant, such as ~(x & 7), it returns the upper half of
// the other operand. And it divides unsigned numbers that are sign-extended as if they were short.
template <class T> DEV T opaque(T x) {
#if AMD
  asm("" : "+v"(x));
#endif
  return x;
}
DEV u64 go_or(u64 x, u64 y) { return opaque(x) | opaque(y); }
DEV u64 go_xor(u64 x, u64 y) { return opaque(x) ^ opaque(y); }

template <class T> DEV T go_dividend(T x) { return x; }
DEV u32 go_dividend(u32 x) { return opaque(x); }
DEV u64 go_dividend(u64 x) { return opaque(x); }
template <class T> DEV T go_div(T x, T y) { return (T)-1 < (T)0 && y == (T)-1 ? (T)(0 - (u64)x) : (T)(go_dividend(x) / y); }
template <class T> DEV T go_rem(T x, T y) { return (T)-1 < (T)0 && y == (T)-1 ? (T)0 : (T)(go_dividend(x) % y); }

// What Go's compiler for amd64 gives, also where Go leaves it open because the number does not fit: instructions convert to i32 and i64, and give
// the least value then. Smaller types are parts of an i32, u32 of an i64.
template <class F> DEV i32 go_i32(F x) { return (f64)x > -2147483649.0 && (f64)x < 2147483648.0 ? (i32)x : (i32)0x80000000u; }
template <class F> DEV i64 go_i64(F x) { return x >= (F)-9223372036854775808.0 && x < (F)9223372036854775808.0 ? (i64)x : (i64)0x8000000000000000ull; }
template <class T> struct GoInt {
  template <class F> MEMBER T of(F x) { return (T)go_i32(x); }
};
template <> struct GoInt<i64> {
  template <class F> MEMBER i64 of(F x) { return go_i64(x); }
};
template <> struct GoInt<u32> {
  template <class F> MEMBER u32 of(F x) { return (u32)go_i64(x); }
};
template <> struct GoInt<u64> {
  template <class F> MEMBER u64 of(F x) {
    const F half = (F)9223372036854775808.0;
    return x < half ? (u64)go_i64(x) : (u64)go_i64(x - half) | 0x8000000000000000ull;
  }
};
template <class T, class F> DEV T go_int(F x) { return GoInt<T>::of(x); }

// Functions of package math.
DEV f64 element_nan() { return bitcast<f64>(0x7ff8000000000001ull); }
DEV f64 element_inf(i64 sign) { return bitcast<f64>(sign >= 0 ? 0x7ff0000000000000ull : 0xfff0000000000000ull); }
DEV bool element_is_nan(f64 x) { return x != x; }
DEV bool element_is_inf(f64 x, i64 sign) { return (sign >= 0 && x == element_inf(1)) || (sign <= 0 && x == element_inf(-1)); }
DEV bool element_signbit(f64 x) { return bitcast<u64>(x) >> 63 != 0; }
DEV f64 element_max(f64 x, f64 y) {
  if (x == element_inf(1) || y == element_inf(1)) return element_inf(1);
  if (x != x || y != y) return element_nan();
  if (x == y) return bitcast<f64>(bitcast<u64>(x) & bitcast<u64>(y));
  return x > y ? x : y;
}
DEV f64 element_min(f64 x, f64 y) {
  if (x == element_inf(-1) || y == element_inf(-1)) return element_inf(-1);
  if (x != x || y != y) return element_nan();
  if (x == y) return bitcast<f64>(bitcast<u64>(x) | bitcast<u64>(y));
  return x < y ? x : y;
}
DEV f64 element_dim(f64 x, f64 y) {
  const f64 v = x - y;
  return v <= 0.0 ? 0.0 : v;
}
DEV f64 element_round_even(f64 x) {
  const f64 t = trunc(x), rest = abs(x - t);
  const bool odd = t * 0.5 != trunc(t * 0.5);
  return copysign(rest > 0.5 || (rest == 0.5 && odd) ? t + copysign(1.0, x) : t, x);
}

// Functions of package math/bits.
DEV i64 element_ones(u32 x) { return ones(x); }
DEV i64 element_ones(u64 x) { return ones((u32)x) + ones((u32)(x >> 32)); }
DEV i64 element_len(u64 x) {
  x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16, x |= x >> 32;
  return element_ones(x);
}
DEV i64 element_len(u32 x) { return element_len((u64)x); }
template <class T> DEV i64 element_leading(T x) { return (i64)(8 * sizeof(T)) - element_len(x); }
template <class T> DEV i64 element_trailing(T x) { return element_ones((T)(~x & (x - 1))); }
template <class T> DEV T element_rotate(T x, i64 k) {
  const u64 n = 8 * sizeof(T), s = (u64)k & (n - 1);
  return s == 0 ? x : (T)(x << s | x >> (n - s));
}
