// Loops over elements: in packs of up to 16 bytes where the innermost dimension allows it, and any layout one element at a time.
// Grid-stride: any grid is correct. Each thread reads an element before it writes the same place, so out may be in.

// What a row of the op table computes of elements of type T, in the compute type. OP_T is its name.
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

// Four elements of a pack keep the code of a long formula short; copies use all 16 bytes.
template <class T, class U> struct Width {
  static const int bytes = sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U);
  static const int V = bytes >= 4 ? 16 / bytes : 4;
};

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

// out[i] = op(in[i])
template <class Op, class S, class D> DEV void map(const S* in, D* out, const Layout1& l, u64 n, const Op& op) {
  const int V = Width<S, D>::V;
  const Packing pi = packing<V>(l, 0, in);
  u64 done = 0;
  if (pi != NONE && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Pack<S, V> x = pack_of<V>(in + offsets(l, i * V).of[0], pi);
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
  const Packing pa = packing<V>(l, 0, a), pb = packing<V>(l, 1, b);
  u64 done = 0;
  if (pa != NONE && pb != NONE && aligned<V>(out)) {
    for (u64 i = first(); i < n / V; i += stride()) {
      Offsets<2> o = offsets(l, i * V);
      Pack<S, V> x = pack_of<V>(a + o.of[0], pa), y = pack_of<V>(b + o.of[1], pb);
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
