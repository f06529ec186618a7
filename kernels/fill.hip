// fill_bN(out, Layout1, n, u64 bits): out[i] = the low N bits.

template <class B> DEV void fill(B* out, const Layout1& l, u64 n, B value) {
  const int V = 16 / sizeof(B);
  u64 done = 0;
  if (l.flags & CONTIGUOUS && aligned<V>(out)) {
    Pack<B, V> x;
    for (int j = 0; j < V; j++) x.at[j] = value;
    for (u64 i = first(); i < n / V; i += stride()) put_pack(out, i, x);
    done = n / V * V;
  }
  for (u64 i = done + first(); i < n; i += stride()) out[offsets(l, i).of[0]] = value;
}

#define FILL(B) KERNEL fill_##B(B* out, Layout1 l, u64 n, u64 bits) { fill(out, l, n, (B)bits); }
