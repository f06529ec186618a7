// copy_bN(in, out, Layout2, n): out[i] = in[i], each with its own strides. The operands do not overlap.

template <class B> DEV void copy(const B* in, B* out, const Layout2& l, u64 n) {
  const int V = 16 / sizeof(B);
  u64 done = 0;
  if (l.flags & CONTIGUOUS && aligned<V>(in) && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) put_pack(out, i, pack_at<V>(in, i));
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride()) {
    Offsets<2> o = offsets(l, i);
    out[o.of[1]] = in[o.of[0]];
  }
}

#define COPY(B) KERNEL copy_##B(const B* in, B* out, Layout2 l, u64 n) { copy(in, out, l, n); }
