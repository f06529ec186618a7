// Convolutions of dense images, both ways, through one rule: place o of the result and tap k meet element
// i = (o·out_step + offset + k·tap_step) / in_step, if that is whole and inside. For a convolution out_step is its stride, offset its padding
// with a minus, tap_step its dilation and in_step 1; for a transposed one 1, padding, dilation with a minus, and stride.
//
//   im2col_bN(in, cols, Conv)              cols[p][ky][kx][oy][ox] = in[p][iy][ix], or 0 outside: the right operand of a product
//   depthwise_T(in, weight, out, Conv)     out[b][c·multiplier+m][oy][ox] = Σ in[b][c][iy][ix]·weight[c·multiplier+m][ky][kx]
//
// Grid-stride; any grid is correct. Products are accumulated with fma in the compute type: f32 for f16, bf16 and f8e4m3.

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

template <class Index, class B> DEV void im2col(const B* in, B* cols, const Conv& g, u64 n) {
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
    cols[f] = x < 0 || y < 0 ? (B)0 : in[((i64)q * g.y.in + y) * g.x.in + x];
  }
}

template <class T> DEV void depthwise(const T* in, const T* weight, T* out, const Conv& g) {
  const u64 n = (u64)(g.planes * g.multiplier * g.y.out * g.x.out), ox = (u64)g.x.out, oy = (u64)g.y.out;
  for (u64 f = first(); f < n; f += stride()) {
    const u64 row = f / ox, c = f - row * ox, plane = row / oy, r = row - plane * oy;
    const T* from = in + plane / g.multiplier * g.y.in * g.x.in;
    const T* w = weight + plane % (u64)(g.channels * g.multiplier) * g.y.taps * g.x.taps;
    Compute<T> sum = 0;
    for (i64 j = 0; j < g.y.taps; j++) {
      const i64 y = g.y.at((i64)r, j);
      if (y < 0) continue;
      for (i64 k = 0; k < g.x.taps; k++) {
        const i64 x = g.x.at((i64)c, k);
        if (x >= 0) sum = fma(Element<T>::load(from[y * g.x.in + x]), Element<T>::load(w[j * g.x.taps + k]), sum);
      }
    }
    out[f] = Element<T>::store(sum);
  }
}

#define IM2COL(B) \
  KERNEL im2col_##B(const B* in, B* cols, Conv g) { \
    const u64 n = (u64)(g.planes * g.y.taps * g.x.taps * g.y.out * g.x.out); \
    if (n >> 32) \
      im2col<u64>(in, cols, g, n); \
    else \
      im2col<u32>(in, cols, g, n); \
  }
#define DEPTHWISE(T) KERNEL depthwise_##T(const T* in, const T* weight, T* out, Conv g) { depthwise(in, weight, out, g); }
