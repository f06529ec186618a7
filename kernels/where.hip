// where_C_bN(cond, t, f, out, Layout3, n): out[i] = cond[i] ≠ 0 ? t[i] : f[i], out dense.

template <bool ALL, int V, class C, class B>
DEV u64 where_packs(const C* cond, const B* t, const B* f, B* out, const Layout3& l, u64 n, Packing pc, Packing pt, Packing pf) {
  const u32 U = UnderWay<ALL>::N;
  for (u64 i = first(); i < n / V; i += U * stride()) {
    Pack<C, V> c[U];
    Pack<B, V> x[U], y[U];
#pragma unroll
    for (u32 u = 0; u < U; u++) {
      if (u > 0 && i + u * stride() >= n / V) break;
      if (ALL) {
        c[u] = pack_at<V>(cond, i + u * stride());
        x[u] = pack_at<V>(t, i + u * stride());
        y[u] = pack_at<V>(f, i + u * stride());
      } else {
        const Offsets<3> o = offsets(l, i * V);
        c[u] = pack_of<V>(cond + o.of[0], pc);
        x[u] = pack_of<V>(t + o.of[1], pt);
        y[u] = pack_of<V>(f + o.of[2], pf);
      }
    }
#pragma unroll
    for (u32 u = 0; u < U; u++) {
      if (u > 0 && i + u * stride() >= n / V) break;
#pragma unroll
      for (int j = 0; j < V; j++) x[u].at[j] = c[u].at[j] ? x[u].at[j] : y[u].at[j];
      put_pack(out, i + u * stride(), x[u]);
    }
  }
  return n / V * V;
}

template <class C, class B> DEV void where(const C* cond, const B* t, const B* f, B* out, const Layout3& l, u64 n) {
  typedef Width<C, B> W;
  u64 done = 0;
  if (all_dense<W::DENSE_V>(l, cond, t, f, out)) {
    done = where_packs<true, W::DENSE_V>(cond, t, f, out, l, n, DENSE, DENSE, DENSE);
  } else {
    const Packing pc = packing<W::V>(l, 0, cond), pt = packing<W::V>(l, 1, t), pf = packing<W::V>(l, 2, f);
    if (pc != NONE && pt != NONE && pf != NONE && aligned<W::V>(out)) done = where_packs<false, W::V>(cond, t, f, out, l, n, pc, pt, pf);
  }
  for (u64 i = done + first(); i < n; i += stride()) {
    Offsets<3> o = offsets(l, i);
    out[i] = cond[o.of[0]] ? t[o.of[1]] : f[o.of[2]];
  }
}

#define WHERE(C, B) \
  KERNEL where_##C##_##B(const C* cond, const B* t, const B* f, B* out, Layout3 l, u64 n) { where(cond, t, f, out, l, n); }
