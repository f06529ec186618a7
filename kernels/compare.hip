// OP_T(a, b, u8* out, Layout2, n): out[i] = 1 where a[i] OP b[i], else 0; out dense.

#define COMPARE(NAME, T, ...) \
  COMPARE_OP(NAME, T, __VA_ARGS__) \
  KERNEL NAME##_##T(const T* a, const T* b, u8* out, Layout2 l, u64 n) { zip(a, b, out, l, n, NAME##_##T##_op()); }
