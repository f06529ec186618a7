// Loops over elements: the dense case in packs of up to 16 bytes, and any layout one element at a time.
// Grid-stride: any grid is correct. Each thread reads an element before it writes the same place, so out may be in.

// Four elements of a pack keep the code of a long formula short; copies use all 16 bytes.
template <class T, class U> struct Width {
  static const int bytes = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  static const int V = bytes >= 4 ? 16 / bytes : 4;
};

// out[i] = op(in[i])
template <class Op, class S, class D> DEV void map(const S* in, D* out, const Layout1& l, u64 n, const Op& op) {
  const int V = Width<S, D>::V;
  u64 done = 0;
  if (l.flags & CONTIGUOUS && aligned<V>(in) && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Pack<S, V> x = pack_at<V>(in, i);
      Pack<D, V> y;
#pragma unroll
      for (int j = 0; j < V; j++) y.at[j] = Element<D>::store(op(Element<S>::load(x.at[j])));
      put_pack(out, i, y);
    }
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride())
    out[i] = Element<D>::store(op(Element<S>::load(in[offsets(l, i).of[0]])));
}

// out[i] = op(a[i], b[i])
template <class Op, class S, class D> DEV void zip(const S* a, const S* b, D* out, const Layout2& l, u64 n, const Op& op) {
  const int V = Width<S, D>::V;
  u64 done = 0;
  if (l.flags & CONTIGUOUS && aligned<V>(a) && aligned<V>(b) && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Pack<S, V> x = pack_at<V>(a, i), y = pack_at<V>(b, i);
      Pack<D, V> z;
#pragma unroll
      for (int j = 0; j < V; j++) z.at[j] = Element<D>::store(op(Element<S>::load(x.at[j]), Element<S>::load(y.at[j])));
      put_pack(out, i, z);
    }
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride()) {
    Offsets<2> o = offsets(l, i);
    out[i] = Element<D>::store(op(Element<S>::load(a[o.of[0]]), Element<S>::load(b[o.of[1]])));
  }
}
