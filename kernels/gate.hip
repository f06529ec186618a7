// silu_mul_T(a, b, out, Layout2, n): out[i] = silu(a[i])·b[i], out dense: bit-identical to silu followed by mul.

template <class T, class Silu> struct Gate {
  typedef Compute<T> C;
  DEV C operator()(C a, C b) const { return Element<T>::load(Element<T>::store(Silu()(a))) * b; }
};

#define SILU_MUL(T, ...) \
  UNARY_OP(silu, T, __VA_ARGS__) \
  KERNEL silu_mul_##T(const T* a, const T* b, T* out, Layout2 l, u64 n) { zip(a, b, out, l, n, Gate<T, silu_##T##_op>()); }
