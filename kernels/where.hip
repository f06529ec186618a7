// where_C_bN(cond, t, f, out, Layout3, n): out[i] = cond[i] ≠ 0 ? t[i] : f[i], out dense.

template <class C, class B> DEV void where(const C* cond, const B* t, const B* f, B* out, const Layout3& l, u64 n) {
  const int V = Width<C, B>::V;
  const Packing pc = packing<V>(l, 0, cond), pt = packing<V>(l, 1, t), pf = packing<V>(l, 2, f);
  u64 done = 0;
  if (pc != NONE && pt != NONE && pf != NONE && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Offsets<3> o = offsets(l, i * V);
      Pack<C, V> c = pack_of<V>(cond + o.of[0], pc);
      Pack<B, V> x = pack_of<V>(t + o.of[1], pt), y = pack_of<V>(f + o.of[2], pf);
      for (int j = 0; j < V; j++) x.at[j] = c.at[j] ? x.at[j] : y.at[j];
      put_pack(out, i, x);
    }
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride()) {
    Offsets<3> o = offsets(l, i);
    out[i] = cond[o.of[0]] ? t[o.of[1]] : f[o.of[2]];
  }
}

#define WHERE(C, B) \
  KERNEL where_##C##_##B(const C* cond, const B* t, const B* f, B* out, Layout3 l, u64 n) { where(cond, t, f, out, l, n); }
