// cast_S_D(in, out, Layout1, n): out[i] = (D)in[i], out dense. Conversions from a type to itself are copies.
//   float to integer    truncates toward zero and saturates; NaN gives 0
//   integer to integer  keeps the low bits
//   to float            rounds once, to nearest even; f8e4m3 saturates

template <class S, class D> struct Casting {
  DEV D operator()(S x) const { return Cast<S, D>::of(x); }
};
template <class S, class D> DEV void cast(const S* in, D* out, const Layout1& l, u64 n) { map_stored(in, out, l, n, Casting<S, D>()); }

#define CAST(S, D) KERNEL cast_##S##_##D(const S* in, D* out, Layout1 l, u64 n) { cast(in, out, l, n); }
