// Convolutions of images of any layout, both ways, through one rule: place o of the result and tap k meet element
// i = (o·out_step + offset + k·tap_step) / in_step, if that is whole and inside. For a convolution out_step is its stride, offset its padding
// with a minus, tap_step its dilation and in_step 1; for a transposed one 1, padding, dilation with a minus, and stride.
//
//   im2col_bN(in, cols, Layout1, Steps, Conv)                 cols[p][ky][kx][oy][ox] = in[p][iy][ix], or 0 outside: the right
//                                                             operand of a product
//   depthwise_T(in, weight, out, Layout1, Steps, Conv, Taps)  out[b][c·multiplier+m][oy][ox] = Σ in[b][c][iy][ix]·weight[c·multiplier+m][ky][kx]
//
// The layout is that of the first elements of the planes of in; Steps says how far apart their rows are, and the elements of a row.
// Any grid is correct. Products are accumulated with fma in the compute type: f32 for f16, bf16 and f8e4m3; integers wrap.

struct Steps { i64 row, col; };
struct Taps { i64 kernel, row, col; };  // of the weights: how far apart kernels are, their rows, and the elements of a row
struct Window {
  i64 in, out, taps;
  i64 out_step, offset, tap_step, in_step;
  template <class I> DEV I at(I o, I k) const {  // -1 outside
    I i = o * (I)out_step + (I)offset + k * (I)tap_step;
    if (i < 0) return -1;
    if (in_step != 1) {
      const u32 step = (u32)in_step;  // positions are below 2^32
      const u32 q = (u32)i / step;
      if (q * step != (u32)i) return -1;
      i = (I)q;
    }
    return i < (I)in ? i : (I)-1;
  }
  DEV bool short_range() const {  // i32 will do for positions
    const i64 tap = tap_step < 0 ? -tap_step : tap_step, off = offset < 0 ? -offset : offset;
    return (out * out_step + off + taps * tap + in) >> 31 == 0;
  }
};
struct Conv {
  i64 planes;      // images × channels of the input
  i64 multiplier;  // results for each channel
  i64 channels;
  Window y, x;
};

template <class Index, class B> DEV void im2col(const B* in, B* cols, const Layout1& l, const Steps& s, const Conv& g, u64 n) {
  const Index ox = (Index)g.x.out, oy = (Index)g.y.out, kx = (Index)g.x.taps, ky = (Index)g.y.taps;
  for (u64 f = first(); f < n; f += stride()) {
    Index rest = (Index)f, q = rest / ox;
    const Index c = rest - q * ox;
    rest = q, q = rest / oy;
    const Index r = rest - q * oy;
    rest = q, q = rest / kx;
    const i64 x = g.x.at<i64>((i64)c, (i64)(rest - q * kx));
    rest = q, q = rest / ky;
    const i64 y = g.y.at<i64>((i64)r, (i64)(rest - q * ky));
    cols[f] = x < 0 || y < 0 ? (B)0 : in[offsets(l, q).of[0] + y * s.row + x * s.col];
  }
}

template <class T> DEV Sums<T> tap_sum(T x, T w, Sums<T> sum) { return product_sum((Sums<T>)Element<T>::load(x), (Sums<T>)Element<T>::load(w), sum); }

// The elements that one place meets: any number of taps.
template <int K, class I, class T> struct Met {
  const Steps& s;
  const Conv& g;
  const Taps& t;
  const I py, px;
  DEV Met(const Walk& p, const Steps& steps, const Conv& conv, const Taps& taps) : s(steps), g(conv), t(taps), py((I)p.y), px((I)p.x) {}
  DEV Sums<T> sum(const T* from, const T* w) const {
    Sums<T> sum = 0;
    for (I j = 0; j < (I)g.y.taps; j++) {
      const I y = g.y.template at<I>(py, j);
      if (y < 0) continue;
      for (I k = 0; k < (I)g.x.taps; k++) {
        const I x = g.x.template at<I>(px, k);
        if (x >= 0) sum = tap_sum(from[y * (I)s.row + x * (I)s.col], w[j * (I)t.row + k * (I)t.col], sum);
      }
    }
    return sum;
  }
};

// Three by three taps: their places are found once, and the elements are read at once.
template <class I, class T> struct Met<3, I, T> {
  const Taps& t;
  I row[3], col[3];
  bool in_row[3], in_col[3];
  DEV Met(const Walk& p, const Steps& s, const Conv& g, const Taps& taps) : t(taps) {
#pragma unroll
    for (int i = 0; i < 3; i++) {
      const I y = g.y.template at<I>((I)p.y, (I)i), x = g.x.template at<I>((I)p.x, (I)i);
      in_row[i] = y >= 0;
      in_col[i] = x >= 0;
      row[i] = y * (I)s.row;
      col[i] = x * (I)s.col;
    }
  }
  DEV Sums<T> sum(const T* from, const T* w) const {
    T e[9] = {};
#pragma unroll
    for (int i = 0; i < 9; i++)
      if (in_row[i / 3] && in_col[i % 3]) e[i] = from[row[i / 3] + col[i % 3]];
    Sums<T> sum = 0;
#pragma unroll
    for (int i = 0; i < 9; i++) {
      const Sums<T> more = tap_sum(e[i], w[i / 3 * (I)t.row + i % 3 * (I)t.col], sum);
      sum = in_row[i / 3] && in_col[i % 3] ? more : sum;
    }
    return sum;
  }
};

// Whether i32 will do for all offsets in a plane and in a kernel.
DEV bool short_offsets(const Steps& s, const Conv& g, const Taps& t) {
  const i64 row = s.row < 0 ? -s.row : s.row, col = s.col < 0 ? -s.col : s.col;
  return g.y.short_range() && g.x.short_range() && (g.y.in * row + g.x.in * col + g.y.taps * t.row + g.x.taps * t.col) >> 31 == 0;
}

template <int K, class I, class T>
DEV void depthwise(const T* in, const T* weight, T* out, const Layout1& l, const Steps& s, const Conv& g, const Taps& t) {
  const u64 multiplier = (u64)g.multiplier, kernels = (u64)(g.channels * g.multiplier);
  for (Walk p(g.planes * g.multiplier, g.y.out, g.x.out); p.more(); p.next()) {
    const Met<K, I, T> met(p, s, g, t);
    do {
      const u64 from = multiplier == 1 ? p.plane : quotient(p.plane, multiplier), kernel = p.plane - quotient(p.plane, kernels) * kernels;
      out[p.f] = Element<T>::store((Compute<T>)met.sum(in + offsets(l, from).of[0], weight + (i64)kernel * t.kernel));
    } while (p.same());
  }
}

#define IM2COL(B) \
  KERNEL im2col_##B(const B* in, B* cols, Layout1 l, Steps s, Conv g) { \
    const u64 n = (u64)(g.planes * g.y.taps * g.x.taps * g.y.out * g.x.out); \
    if (n >> 32) \
      im2col<u64>(in, cols, l, s, g, n); \
    else \
      im2col<u32>(in, cols, l, s, g, n); \
  }
#define DEPTHWISE(T) \
  KERNEL depthwise_##T(const T* in, const T* weight, T* out, Layout1 l, Steps s, Conv g, Taps t) { \
    if (!short_offsets(s, g, t)) \
      depthwise<0, i64>(in, weight, out, l, s, g, t); \
    else if (g.y.taps == 3 && g.x.taps == 3) \
      depthwise<3, i32>(in, weight, out, l, s, g, t); \
    else \
      depthwise<0, i32>(in, weight, out, l, s, g, t); \
  }
