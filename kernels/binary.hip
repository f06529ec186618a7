// OP_T(a, b, out, Layout2, n): out[i] = OP(a[i], b[i]), out dense. A stride of 0 broadcasts.

#define BINARY(NAME, T, ...) \
  BINARY_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* a, const T* b, T* out, Layout2 l, u64 n) { zip(a, b, out, l, n, NAME##_##T##_op()); }
