// Arithmetic that every dtype has, with the same result on every device: integers wrap, and NaN wins maximum and minimum.

// Integers are added and multiplied as u64, because overflow of signed types is undefined in C.
#define FOR_FLOATS(M) M(f32) M(f64)
#define FOR_INTS(M) M(u8) M(i8) M(u16) M(i16) M(u32) M(i32) M(u64) M(i64)

#define FLOAT_ARITH(T) \
  DEV T add(T a, T b) { return a + b; } \
  DEV T sub(T a, T b) { return a - b; } \
  DEV T mul(T a, T b) { return a * b; } \
  DEV T div(T a, T b) { return a / b; } \
  DEV T neg(T x) { return -x; } \
  DEV T maximum(T a, T b) { return a != a || a > b ? a : b; } \
  DEV T minimum(T a, T b) { return a != a || a < b ? a : b; } \
  DEV T relu(T x) { return x < (T)0 ? (T)0 : x; } \
  DEV T sign(T x) { return (T)((x > (T)0) - (x < (T)0)); } \
  DEV T round(T x) { /* halves away from zero; x - trunc(x) is exact */ \
    T t = trunc(x); \
    return copysign(abs(x - t) >= (T)0.5 ? t + copysign((T)1, x) : t, x); \
  }
FOR_FLOATS(FLOAT_ARITH)

#define INT_ARITH(T) \
  DEV T add(T a, T b) { return (T)((u64)a + (u64)b); } \
  DEV T sub(T a, T b) { return (T)((u64)a - (u64)b); } \
  DEV T mul(T a, T b) { return (T)((u64)a * (u64)b); } \
  DEV T neg(T x) { return (T)(0 - (u64)x); } \
  DEV T abs(T x) { return x < 0 ? neg(x) : x; } \
  DEV T div(T a, T b) { return b == 0 ? (T)0 : (T)-1 < 0 && b == (T)-1 ? neg(a) : (T)(a / b); } \
  DEV T maximum(T a, T b) { return a > b ? a : b; } \
  DEV T minimum(T a, T b) { return a < b ? a : b; } \
  DEV T relu(T x) { return x < 0 ? (T)0 : x; } \
  DEV T sign(T x) { return (T)((x > 0) - (x < 0)); } \
  DEV T ceil(T x) { return x; } \
  DEV T floor(T x) { return x; } \
  DEV T round(T x) { return x; }
FOR_INTS(INT_ARITH)
