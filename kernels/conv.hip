// Convolutions of images of any layout, both ways, through one rule: place o of the result and tap k meet element
// i = (o·out_step + offset + k·tap_step) / in_step, if that is whole and inside. For a convolution out_step is its stride, offset its padding
// with a minus, tap_step its dilation and in_step 1; for a transposed one 1, padding, dilation with a minus, and stride.
//
//   im2col_bN(in, cols, Layout1, Steps, Conv)                 cols[p][ky][kx][oy][ox] = in[p][iy][ix], or 0 outside: the right
//                                                             operand of a product
//   depthwise_T(in, weight, out, Layout1, Steps, Conv, Taps)  out[b][c·multiplier+m][oy][ox] = Σ in[b][c][iy][ix]·weight[c·multiplier+m][ky][kx]
//
// The layout is that of the first elements of the planes of in; Steps says how far apart their rows are, and the elements of a row.
// Grid-stride; any grid is correct. Products are accumulated with fma in the compute type: f32 for f16, bf16 and f8e4m3; integers wrap.

struct Steps { i64 row, col; };
struct Taps { i64 kernel, row, col; };  // of the weights: how far apart kernels are, their rows, and the elements of a row
struct Window {
  i64 in, out, taps;
  i64 out_step, offset, tap_step, in_step;
  DEV i64 at(i64 o, i64 k) const {  // -1 outside
    i64 i = o * out_step + offset + k * tap_step;
    if (i < 0) return -1;
    if (in_step != 1) {
      const u32 step = (u32)in_step;  // positions are below 2^32
      const u32 q = (u32)i / step;
      if (q * step != (u32)i) return -1;
      i = q;
    }
    return i < in ? i : -1;
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
    const i64 x = g.x.at((i64)c, (i64)(rest - q * kx));
    rest = q, q = rest / ky;
    const i64 y = g.y.at((i64)r, (i64)(rest - q * ky));
    cols[f] = x < 0 || y < 0 ? (B)0 : in[offsets(l, q).of[0] + y * s.row + x * s.col];
  }
}

template <class T>
DEV void depthwise(const T* in, const T* weight, T* out, const Layout1& l, const Steps& s, const Conv& g, const Taps& t) {
  const u64 n = (u64)(g.planes * g.multiplier * g.y.out * g.x.out), ox = (u64)g.x.out, oy = (u64)g.y.out;
  for (u64 f = first(); f < n; f += stride()) {
    const u64 row = f / ox, c = f - row * ox, plane = row / oy, r = row - plane * oy;
    const T* from = in + offsets(l, plane / (u64)g.multiplier).of[0];
    const T* w = weight + (i64)(plane % (u64)(g.channels * g.multiplier)) * t.kernel;
    Sums<T> sum = 0;
    for (i64 j = 0; j < g.y.taps; j++) {
      const i64 y = g.y.at((i64)r, j);
      if (y < 0) continue;
      for (i64 k = 0; k < g.x.taps; k++) {
        const i64 x = g.x.at((i64)c, k);
        if (x >= 0) sum = product_sum((Sums<T>)Element<T>::load(from[y * s.row + x * s.col]), (Sums<T>)Element<T>::load(w[j * t.row + k * t.col]), sum);
      }
    }
    out[f] = Element<T>::store((Compute<T>)sum);
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
  KERNEL depthwise_##T(const T* in, const T* weight, T* out, Layout1 l, Steps s, Conv g, Taps t) { depthwise(in, weight, out, l, s, g, t); }
