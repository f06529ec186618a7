// cast_S_D(in, out, Layout1, n): out[i] = (D)in[i], out dense. There is none from a type to itself: that is a copy.
//   float to integer    truncates toward zero and saturates; NaN gives 0
//   integer to integer  keeps the low bits
//   to float            rounds once, to nearest even; f8e4m3 saturates

template <class S, class D> DEV void cast(const S* in, D* out, const Layout1& l, u64 n) {
  const int V = Width<S, D>::V;
  const Packing pi = packing<V>(l, 0, in);
  u64 done = 0;
  if (pi != NONE && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Pack<S, V> x = pack_of<V>(in + offsets(l, i * V).of[0], pi);
      Pack<D, V> y;
      for (int j = 0; j < V; j++) y.at[j] = Cast<S, D>::of(x.at[j]);
      put_pack(out, i, y);
    }
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride()) out[i] = Cast<S, D>::of(in[offsets(l, i).of[0]]);
}

#define CAST(S, D) KERNEL cast_##S##_##D(const S* in, D* out, Layout1 l, u64 n) { cast(in, out, l, n); }
