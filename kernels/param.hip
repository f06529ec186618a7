// OP_T(in, out, Layout1, n, f64 p): out[i] = OP(in[i], p), out dense. p is rounded to the compute type of T.

#define PARAM(NAME, T, ...) \
  struct NAME##_##T##_op { \
    typedef Compute<T> C; \
    C p; \
    DEV C operator()(C x) const { return (C)(__VA_ARGS__); } \
  }; \
  KERNEL NAME##_##T(const T* in, T* out, Layout1 l, u64 n, f64 p) { \
    NAME##_##T##_op op = {(Compute<T>)p}; \
    map(in, out, l, n, op); \
  }
