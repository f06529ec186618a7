// Loops over elements: in packs of up to 16 bytes where the innermost dimension allows it, and any layout one element at a time. Grid-stride: any
// grid is correct. Each thread reads an element before it writes the same address, so out may be in.

// The function of a row of the op table for elements of type T, in the compute type, named OP_T.
#define UNARY_OP(NAME, T, ...) \
  struct NAME##_##T##_op { \
    typedef T Stored; \
    typedef Compute<T> C; \
    DEV C operator()(C x) const { return (C)(__VA_ARGS__); } \
  };
#define PARAM_OP(NAME, T, ...) \
  struct NAME##_##T##_op { \
    typedef Compute<T> C; \
    C p; \
    DEV C operator()(C x) const { return (C)(__VA_ARGS__); } \
  };
#define BINARY_OP(NAME, T, ...) \
  struct NAME##_##T##_op { \
    typedef T Stored; \
    typedef Compute<T> C; \
    DEV C operator()(C a, C b) const { return (C)(__VA_ARGS__); } \
  };
#define COMPARE_OP(NAME, T, ...) \
  struct NAME##_##T##_op { \
    typedef Compute<T> C; \
    DEV u8 operator()(C a, C b) const { return (__VA_ARGS__) ? 1 : 0; } \
  };
template <class C> struct Affine {
  C scale, shift;
  DEV C operator()(C x) const { return add(mul(x, scale), shift); }
};

// Four elements of a pack keep the code of a long formula short. Where all operands are dense, packs have 16 bytes, or 8 of one byte each, and a
// thread has two of them in flight, which keeps the memory busy.
template <class T, class U> struct Width {
  static const int bytes = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  static const int V = bytes >= 4 ? 16 / bytes : 4, DENSE_V = bytes >= 2 ? 16 / bytes : 8;
};
template <bool ALL> struct UnderWay { static const u32 N = ALL ? 2 : 1; };  // ALL: everything is dense

// Operand k in packs of V along the innermost dimension: dense there and aligned, or one value for all of it.
enum Packing { NONE, ONE_VALUE, DENSE };
template <int V, int N, class T> DEV Packing packing(const Layout<N>& l, int k, const T* p) {
  if (l.flags & CONTIGUOUS) return aligned<V>(p) ? DENSE : NONE;
  const i32 q = l.rank - 1;
  if (q < 0 || (q > 0 && l.dims[q] % V != 0)) return NONE;
  if (l.strides[k][q] == 0) return ONE_VALUE;
  if (l.strides[k][q] != 1 || !aligned<V>(p)) return NONE;
  for (i32 d = 0; d < q; d++)
    if (l.strides[k][d] % V != 0) return NONE;
  return DENSE;
}
template <int V, class T> DEV Pack<T, V> pack_of(const T* p, Packing packing) {
  if (packing == DENSE) return *(const Pack<T, V>*)p;
  Pack<T, V> x;
  for (int j = 0; j < V; j++) x.at[j] = *p;
  return x;
}

template <int V, int N> DEV bool all_dense(const Layout<N>&) { return true; }
template <int V, int N, class T, class... Rest> DEV bool all_dense(const Layout<N>& l, const T* p, const Rest*... rest) {
  return (l.flags & CONTIGUOUS) && aligned<V>(p) && all_dense<V>(l, rest...);
}

// out[i] = op(in[i]) of stored elements, for all whole packs. Returns the number of elements done.
template <bool ALL, int V, class Op, class S, class D> DEV u64 map_packs(const S* in, D* out, const Layout1& l, u64 n, const Op& op, Packing pi) {
  const u32 U = UnderWay<ALL>::N;
  for (u64 i = first(); i < n / V; i += U * stride()) {
    Pack<S, V> x[U];
#pragma unroll
    for (u32 u = 0; u < U; u++)
      if (u == 0 || i + u * stride() < n / V) x[u] = ALL ? pack_at<V>(in, i + u * stride()) : pack_of<V>(in + offsets(l, i * V).of[0], pi);
#pragma unroll
    for (u32 u = 0; u < U; u++) {
      if (u > 0 && i + u * stride() >= n / V) break;
      Pack<D, V> y;
#pragma unroll
      for (int j = 0; j < V; j++) y.at[j] = op(x[u].at[j]);
      put_pack(out, i + u * stride(), y);
    }
  }
  return n / V * V;
}
template <class Op, class S, class D> DEV void map_stored(const S* in, D* out, const Layout1& l, u64 n, const Op& op) {
  typedef Width<S, D> W;
  u64 done = 0;
  if (all_dense<W::DENSE_V>(l, in, out)) {  // asked first: it is what most are
    done = map_packs<true, W::DENSE_V>(in, out, l, n, op, DENSE);
  } else {
    const Packing pi = packing<W::V>(l, 0, in);
    if (pi != NONE && aligned<W::V>(out)) done = map_packs<false, W::V>(in, out, l, n, op, pi);
  }
  for (u64 i = done + first(); i < n; i += stride()) out[i] = op(in[offsets(l, i).of[0]]);
}

// out[i] = op(in[i]) of loaded elements
template <class Op, class S, class D> struct Stored1 {
  const Op& op;
  DEV D operator()(S x) const { return Element<D>::store(op(Element<S>::load(x))); }
};
template <class Op, class S, class D> DEV void map(const S* in, D* out, const Layout1& l, u64 n, const Op& op) {
  const Stored1<Op, S, D> stored = {op};
  map_stored(in, out, l, n, stored);
}

// out[i] = op(a[i], b[i])
template <bool ALL, int V, class Op, class S, class D>
DEV u64 zip_packs(const S* a, const S* b, D* out, const Layout2& l, u64 n, const Op& op, Packing pa, Packing pb) {
  const u32 U = UnderWay<ALL>::N;
  for (u64 i = first(); i < n / V; i += U * stride()) {
    Pack<S, V> x[U], y[U];
#pragma unroll
    for (u32 u = 0; u < U; u++) {
      if (u > 0 && i + u * stride() >= n / V) break;
      if (ALL) {
        x[u] = pack_at<V>(a, i + u * stride());
        y[u] = pack_at<V>(b, i + u * stride());
      } else {
        const Offsets<2> o = offsets(l, i * V);
        x[u] = pack_of<V>(a + o.of[0], pa);
        y[u] = pack_of<V>(b + o.of[1], pb);
      }
    }
#pragma unroll
    for (u32 u = 0; u < U; u++) {
      if (u > 0 && i + u * stride() >= n / V) break;
      Pack<D, V> z;
#pragma unroll
      for (int j = 0; j < V; j++) z.at[j] = Element<D>::store(op(Element<S>::load(x[u].at[j]), Element<S>::load(y[u].at[j])));
      put_pack(out, i + u * stride(), z);
    }
  }
  return n / V * V;
}
template <class Op, class S, class D> DEV void zip(const S* a, const S* b, D* out, const Layout2& l, u64 n, const Op& op) {
  typedef Width<S, D> W;
  u64 done = 0;
  if (all_dense<W::DENSE_V>(l, a, b, out)) {
    done = zip_packs<true, W::DENSE_V>(a, b, out, l, n, op, DENSE, DENSE);
  } else {
    const Packing pa = packing<W::V>(l, 0, a), pb = packing<W::V>(l, 1, b);
    if (pa != NONE && pb != NONE && aligned<W::V>(out)) done = zip_packs<false, W::V>(a, b, out, l, n, op, pa, pb);
  }
  for (u64 i = done + first(); i < n; i += stride()) {
    Offsets<2> o = offsets(l, i);
    out[i] = Element<D>::store(op(Element<S>::load(a[o.of[0]]), Element<S>::load(b[o.of[1]])));
  }
}
