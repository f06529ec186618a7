// Convolutions and transposed convolutions of images of any layout, by one rule: position o of the result and tap k use element i = (o·out_step +
// offset + k·tap_step) / in_step, if that is an integer and inside. For a convolution out_step is its stride, offset its negative padding, tap_step
// its dilation and in_step 1; for a transposed one 1, padding, negative dilation, and stride.
//
//   im2col_bN(in, cols, Layout1, Steps, Conv)                 cols[p][ky][kx][oy][ox] = in[p][iy][ix], or 0 outside: the right
//                                                             operand of a product
//   depthwise_T(in, weight, out, Layout1, Steps, Conv, Taps)  out[b][c·multiplier+m][oy][ox] = Σ in[b][c][iy][ix]·weight[c·multiplier+m][ky][kx]
//   depthwise_K_S_T(the same)                                 the same for K × K contiguous taps, whose elements are S apart in
//                                                             neighbouring results; where S is 1 and Taps.col -1 the last tap is first, and
//                                                             weight is where the last tap of the first kernel lies
//
// The layout is that of the first elements of the planes of in; Steps has the strides of their rows and of the elements of a row. Any grid is
// correct. Products are accumulated with fma in the compute type: f32 for f16, bf16 and f8e4m3; integers wrap. They are added row by row of the taps
// in every kernel. Outside the image 0 is added, or nothing: only weights that are not finite make a difference.

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

// The elements for one result: any number of taps.
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

// 3×3 taps: their positions are computed once, and the elements are loaded together.
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

// Whether i32 suffices for all offsets in a plane and in a kernel.
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

// ---- strips: a thread computes adjacent results and loads their common inputs once
//
// For windows with a tap_step and an in_step of 1 and a padding of at most K/2, dense kernels, planes whose offsets and those of their results fit
// i32, and fewer than 2^32 strips.

template <class T> struct Packs { static const int SIZE = sizeof(T) == 8 ? 2 : 4; };  // elements that are read at once, where they lie so
template <int K, int S, int G, class T> struct Strip {  // DepthwiseStrip in rows.go says the same
  static const int COLS = K == 3 && S == 1 && G != 1 && sizeof(T) == 2 ? 8 : Packs<T>::SIZE;
  static const int ROWS = S == 1 ? (K == 3 ? 4 : 2) : K == 3 ? 2 : 1;
  static const int WIDE = (COLS - 1) * S + K, HIGH = (ROWS - 1) * S + K;  // what they meet
};

DEV i32 within(i32 i, i32 n) { return i < 0 ? 0 : i < n ? i : n - 1; }

// The inputs of a strip, and the taps: packs of G elements at multiples of G, with a padding of K/2, or, if G is 1, single elements at any position.
template <int K, int S, int G, int TAP, class T> struct Meeting {
  typedef Strip<K, S, G, T> Of;
  static const int BEFORE = G == 1 ? 0 : (G - K / 2 % G) % G;  // elements of the first pack that nothing meets
  static const int PACKS = (BEFORE + Of::WIDE + G - 1) / G;
  static const int AHEAD = K == 3 && G != 1 ? Of::HIGH : 2;     // rows that are read before those before them are used
  static const int SURE = G == 1 ? K / 2 : (BEFORE + K / 2) / G;  // this one is inside

  Pack<T, G> e[Of::HIGH][PACKS];
  Sums<T> taps[K][K];
  const T *from, *weight;  // element 0 of pack SURE in row 0 of the image
  i32 y, h, row, col;
  bool inside[PACKS];

  DEV bool in_row(int i) const { return (u32)(y + i) < (u32)h; }
  DEV void read(int first) {  // AHEAD rows
#pragma unroll
    for (int q = 0; q < PACKS; q++) {
      const int p = (q + SURE) % PACKS;
#pragma unroll
      for (int j = 0; j < AHEAD; j++)
        if (first + j < Of::HIGH) e[first + j][p] = {};
      if (p == SURE || inside[p])
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
          if (first + j < Of::HIGH) e[first + j][p] = *(const Pack<T, G>*)(from + within(y + first + j, h) * row + (p - SURE) * (G == 1 ? col : G));
    }
#pragma unroll
    for (int j = 0; j < AHEAD * K; j++)
      if (first * K + j < K * K) taps[first + j / K][j % K] = (Sums<T>)Element<T>::load(weight[(first * K + j) * TAP]);
  }
};

template <int K, int S, int G, int TAP, class T>
DEV void strips(const T* in, const T* weight, T* out, const Layout1& l, const Steps& s, const Conv& g) {
  typedef Meeting<K, S, G, TAP, T> Met;
  typedef Strip<K, S, G, T> Of;
  typedef Sums<T> Sum;
  const int COLS = Of::COLS, ROWS = Of::ROWS, P = Packs<T>::SIZE;
  const i32 high = (i32)g.y.out, wide = (i32)g.x.out;
  const u32 across = (u32)(wide + COLS - 1) / COLS, down = (u32)(high + ROWS - 1) / ROWS, planes = (u32)(g.planes * g.multiplier);
  const u32 multiplier = (u32)g.multiplier, kernels = (u32)(g.channels * g.multiplier);
  // Adjacent threads have adjacent columns, or adjacent planes if these are contiguous.
  const bool transposed = G == 1 && s.col != 1 && l.rank > 0 && l.strides[0][l.rank - 1] == 1;
  const u32 inner = transposed ? planes : across, middle = transposed ? across : down;
  const bool packed_out = wide % P == 0;
  const u64 n = (u64)planes * across * down;
  for (u64 f = first(); f < n; f += stride()) {
    const u32 lines = (u32)f / inner, a = (u32)f - lines * inner, c = lines / middle, b = lines - c * middle;
    const u32 plane = transposed ? a : c;
    const i32 ox = (i32)(transposed ? b : a) * COLS, oy = (i32)(transposed ? c : b) * ROWS;
    Met met;
    met.weight = weight + (u64)(plane % kernels) * (K * K);
    met.y = oy * S + (i32)g.y.offset;
    met.h = (i32)g.y.in;
    met.row = (i32)s.row;
    met.col = (i32)s.col;
    const i32 x = ox * S + (G == 1 ? (i32)g.x.offset + K / 2 : 0);  // of pack SURE
#pragma unroll
    for (int p = 0; p < Met::PACKS; p++) met.inside[p] = (u32)(x + (p - Met::SURE) * G) < (u32)g.x.in;
    met.from = in + offsets(l, multiplier == 1 ? plane : plane / multiplier).of[0] + x * met.col;

    Sum sum[ROWS][COLS] = {};
    met.read(0);
#pragma unroll
    for (int first = 0; first < Of::HIGH; first += Met::AHEAD) {
      apart();
      met.read(first + Met::AHEAD);
      apart();
#pragma unroll
      for (int j = 0; j < Met::AHEAD; j++) {
        const int i = first + j;
        if (i >= Of::HIGH || !met.in_row(i)) continue;
        Sum x[Met::PACKS * G];
#pragma unroll
        for (int p = 0; p < Met::PACKS * G; p++) x[p] = (Sum)Element<T>::load(met.e[i][p / G].at[p % G]);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
          for (int k = 0; k < K; k++)
#pragma unroll
            for (int c = 0; c < COLS; c++)
              if (i >= r * S && i < r * S + K) sum[r][c] = product_sum(x[Met::BEFORE + c * S + k], met.taps[i - r * S][k], sum[r][c]);
      }
    }

    T* to = out + (u64)plane * (u64)(high * wide);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      if (oy + r >= high) break;
      T* row = to + (oy + r) * wide + ox;
#pragma unroll
      for (int p = 0; p < COLS / P; p++) {
        Pack<T, P> x;
#pragma unroll
        for (int c = 0; c < P; c++) x.at[c] = Element<T>::store((Compute<T>)sum[r][p * P + c]);
        if (packed_out) {
          if (ox + p * P < wide) put_pack(row, p, x);
        } else
#pragma unroll
          for (int c = 0; c < P; c++)
            if (ox + p * P + c < wide) row[p * P + c] = x.at[c];
      }
    }
  }
}

// Whether packs of V elements are whole and aligned.
template <int V, class T> DEV bool packed_planes(const T* in, const Layout1& l, const Steps& s, const Conv& g) {
  if (s.col != 1 || g.x.in % V != 0 || s.row % V != 0 || !aligned<V>(in)) return false;
  if (l.flags & CONTIGUOUS) return g.planes == 1;  // planes of one element
  for (i32 d = 0; d < l.rank; d++)
    if (l.strides[0][d] % V != 0) return false;
  return true;
}

template <int K, int S, int TAP, class T>
DEV void depthwise_strips(const T* in, const T* weight, T* out, const Layout1& l, const Steps& s, const Conv& g) {
  const int V = Packs<T>::SIZE;
  if (g.x.offset == -(K / 2) && packed_planes<V>(in, l, s, g))
    strips<K, S, V, TAP>(in, weight, out, l, s, g);
  else
    strips<K, S, 1, TAP>(in, weight, out, l, s, g);
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
#define DEPTHWISE_STRIPS(K, S, T) \
  KERNEL depthwise_##K##_##S##_##T(const T* in, const T* weight, T* out, Layout1 l, Steps s, Conv g, Taps t) { \
    if (S != 1 || t.col > 0) \
      depthwise_strips<K, S, 1>(in, weight, out, l, s, g); \
    else \
      depthwise_strips<K, S, S == 1 ? -1 : 1>(in, weight, out, l, s, g); \
  }
