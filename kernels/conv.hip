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

// The sum of one result; K × K taps, or any number if K is 0.
template <int K, class I, class T> DEV Sums<T> window_sum(const T* from, const T* w, const Walk& p, const Steps& s, const Conv& g, const Taps& t) {
  const I ky = K ? (I)K : (I)g.y.taps, kx = K ? (I)K : (I)g.x.taps;
  Sums<T> sum = 0;
  for (I j = 0; j < ky; j++) {
    const I y = g.y.template at<I>((I)p.y, j);
    if (y < 0) continue;
    const T* row = from + y * s.row;
    const T* of = w + j * t.row;
    for (I k = 0; k < kx; k++) {
      const I x = g.x.template at<I>((I)p.x, k);
      if (x >= 0) sum = product_sum((Sums<T>)Element<T>::load(row[x * s.col]), (Sums<T>)Element<T>::load(of[k * t.col]), sum);
    }
  }
  return sum;
}

template <int K, class I, class T>
DEV void depthwise(const T* in, const T* weight, T* out, const Layout1& l, const Steps& s, const Conv& g, const Taps& t) {
  const u64 multiplier = (u64)g.multiplier, kernels = (u64)(g.channels * g.multiplier);
  for (Walk p(g.planes * g.multiplier, g.y.out, g.x.out); p.more(); p.next()) {
    do {
      const u64 from = multiplier == 1 ? p.plane : quotient(p.plane, multiplier), kernel = p.plane - quotient(p.plane, kernels) * kernels;
      const Sums<T> sum = window_sum<K, I>(in + offsets(l, from).of[0], weight + (i64)kernel * t.kernel, p, s, g, t);
      out[p.f] = Element<T>::store((Compute<T>)sum);
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
    if (!g.y.short_range() || !g.x.short_range()) \
      depthwise<0, i64>(in, weight, out, l, s, g, t); \
    else if (g.y.taps == 3 && g.x.taps == 3) \
      depthwise<3, i32>(in, weight, out, l, s, g, t); \
    else \
      depthwise<0, i32>(in, weight, out, l, s, g, t); \
  }
