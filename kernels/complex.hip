// Functions of complex numbers. OP_T(in, out, Layout1, n): out[i] = OP(in[i]); OP_T(a, b, out, Layout2, n): out[i] = OP(a[i], b[i]). out is dense,
// and a stride of 0 broadcasts.

#define COMPLEX1(NAME, T, ...) \
  UNARY_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* in, T* out, Layout1 l, u64 n) { map(in, out, l, n, NAME##_##T##_op()); }
#define COMPLEX2(NAME, T, ...) \
  BINARY_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* a, const T* b, T* out, Layout2 l, u64 n) { zip(a, b, out, l, n, NAME##_##T##_op()); }
