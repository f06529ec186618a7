// OP_T(in, out, Layout1, n): out[i] = OP(in[i]), out dense.

#define UNARY(NAME, T, ...) \
  UNARY_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* in, T* out, Layout1 l, u64 n) { map(in, out, l, n, NAME##_##T##_op()); }
