// OP_T(in, out, Layout1, n, f64 p): out[i] = OP(in[i], p), out dense. p is rounded to the compute type of T.

#define PARAM(NAME, T, ...) \
  PARAM_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* in, T* out, Layout1 l, u64 n, f64 p) { \
    NAME##_##T##_op op = {(Compute<T>)p}; \
    map(in, out, l, n, op); \
  }
