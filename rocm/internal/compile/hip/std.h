// What kernels take from namespace std.
namespace std {
#define GOROCM_STD static __device__ __host__ constexpr inline __attribute__((always_inline))
template <class T> GOROCM_STD const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> GOROCM_STD const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> GOROCM_STD const T &clamp(const T &x, const T &low, const T &high) { return x < low ? low : high < x ? high : x; }

template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cvref_t = remove_const_t<remove_reference_t<T>>;
template <class T> GOROCM_STD remove_reference_t<T> &&move(T &&x) { return static_cast<remove_reference_t<T> &&>(x); }
template <class T> GOROCM_STD T &&forward(remove_reference_t<T> &x) { return static_cast<T &&>(x); }
template <class T> GOROCM_STD void swap(T &a, T &b) {
  T t = move(a);
  a = move(b), b = move(t);
}

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class A, class B> inline constexpr bool is_same_v = __is_same(A, B);
template <class T> inline constexpr bool is_integral_v = __is_integral(T);
template <class T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> inline constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <class T> inline constexpr bool is_signed_v = __is_arithmetic(T) && (T)-1 < (T)0;
template <class A, class B> struct is_same { static constexpr bool value = is_same_v<A, B>; };
template <class T> struct is_integral { static constexpr bool value = is_integral_v<T>; };
template <class T> struct is_floating_point { static constexpr bool value = is_floating_point_v<T>; };

template <class T> struct numeric_limits {  // of integers
  static constexpr bool is_signed = (T)-1 < (T)0, is_integer = true;
  static constexpr int digits = (int)sizeof(T) * 8 - is_signed;
  GOROCM_STD T min() { return is_signed ? (T)((T)1 << digits) : (T)0; }
  GOROCM_STD T max() { return (T)~min(); }
  GOROCM_STD T lowest() { return min(); }
};
#define GOROCM_LIMITS(T, P, s) \
  template <> struct numeric_limits<T> { \
    static constexpr bool is_signed = true, is_integer = false; \
    static constexpr int digits = __##P##_MANT_DIG__; \
    GOROCM_STD T min() { return __##P##_MIN__; } \
    GOROCM_STD T max() { return __##P##_MAX__; } \
    GOROCM_STD T lowest() { return -__##P##_MAX__; } \
    GOROCM_STD T epsilon() { return __##P##_EPSILON__; } \
    GOROCM_STD T infinity() { return __builtin_inf##s(); } \
    GOROCM_STD T quiet_NaN() { return __builtin_nan##s(""); } \
  };
GOROCM_LIMITS(float, FLT, f)
GOROCM_LIMITS(double, DBL, )

using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::size_t;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
#undef GOROCM_STD
}  // namespace std
