// Pooling and resizing: `planes` images of h × w, of any layout, to dense ones:
//   avg_pool2d_T, max_pool2d_T(in, out, Layout1, Steps, Pool)   mean or maximum of windows of kh × kw elements, sh and sw apart
//   upsample_nearest_bN(in, out, Layout1, Steps, Resize)        out[y][x] = in[min(⌊y·scale_h⌋, h-1)][min(⌊x·scale_w⌋, w-1)]
//   upsample_bilinear_T(in, out, Layout1, Steps, Resize)        between the four neighbours of a place: y·scale_h with aligned corners,
//                                                               else max((y+½)·scale_h - ½, 0); places are computed in f64
// The layout is that of the first elements of the images; Steps has the strides of their rows and of the elements of a row. Any grid is correct. NaN
// propagates through maxima. Means are summed as by sum_T, bilinear values in f32 for f16, bf16 and f8e4m3.

struct Steps { i64 row, col; };
struct Pool {
  i64 planes, h, w, oh, ow;
  i64 kh, kw, sh, sw;
};
struct Resize {
  i64 planes, h, w, oh, ow;
  i64 aligned;
  f64 scale_h, scale_w;
};

// Windows of K × K elements, or of any size if K is 0: a window of known size is loaded at once.
template <int K, class T> DEV void avg_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  typedef typename Sum<T>::Type S;
  const i64 kh = K ? K : g.kh, kw = K ? K : g.kw;
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const i64 at = (i64)p.y * g.sh * s.row + (i64)p.x * g.sw * s.col;
    do {
      const T* from = in + offsets(l, p.plane).of[0] + at;
      S sum = 0;
      for (i64 j = 0; j < kh; j++)
        for (i64 k = 0; k < kw; k++) sum += (S)Element<T>::load(from[j * s.row + k * s.col]);
      out[p.f] = Element<T>::store((Compute<T>)(sum / (S)(kh * kw)));
    } while (p.same());
  }
}

template <int K, class T> DEV void max_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  const i64 kh = K ? K : g.kh, kw = K ? K : g.kw;
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const i64 at = (i64)p.y * g.sh * s.row + (i64)p.x * g.sw * s.col;
    do {
      const T* from = in + offsets(l, p.plane).of[0] + at;
      Compute<T> top = Element<T>::load(*from);
      for (i64 j = 0; j < kh; j++)
        for (i64 k = 0; k < kw; k++) top = maximum(top, Element<T>::load(from[j * s.row + k * s.col]));
      out[p.f] = Element<T>::store(top);
    } while (p.same());
  }
}

DEV i64 nearest(u64 i, f64 scale, i64 n) {
  const i64 at = (i64)((f64)i * scale);
  return at < n ? at : n - 1;
}

template <class B> DEV void upsample_nearest(const B* in, B* out, const Layout1& l, const Steps& s, const Resize& g) {
  const u32 FEW = 4;  // so many loads are under way
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const i64 at = nearest(p.y, g.scale_h, g.h) * s.row + nearest(p.x, g.scale_w, g.w) * s.col;
    do {
      B x[FEW];
#pragma unroll
      for (u32 i = 0; i < FEW; i++)
        if (p.has(i)) x[i] = in[offsets(l, p.plane + i * p.hop).of[0] + at];
#pragma unroll
      for (u32 i = 0; i < FEW; i++)
        if (p.has(i)) out[p.f + i * p.step] = x[i];
    } while (p.same(FEW));
  }
}

// The neighbours of a position along one dimension, and the weight of the second.
struct Between { i64 low, high; f64 weight; };
DEV Between between(u64 i, f64 scale, bool aligned, i64 n) {
  f64 at = aligned ? (f64)i * scale : ((f64)i + 0.5) * scale - 0.5;
  if (at < 0) at = 0;
  Between b;
  b.low = (i64)at < n ? (i64)at : n - 1;
  b.high = b.low + 1 < n ? b.low + 1 : n - 1;
  b.weight = at - (f64)b.low;
  if (b.weight > 1) b.weight = 1;
  return b;
}

template <class T> DEV void upsample_bilinear(const T* in, T* out, const Layout1& l, const Steps& s, const Resize& g) {
  typedef Compute<T> C;
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const Between y = between(p.y, g.scale_h, g.aligned, g.h), x = between(p.x, g.scale_w, g.aligned, g.w);
    const i64 left = x.low * s.col, right = x.high * s.col;
    const C wx = (C)x.weight, wy = (C)y.weight;
    do {
      const T* top = in + offsets(l, p.plane).of[0] + y.low * s.row;
      const T* bottom = top + (y.high - y.low) * s.row;
      const C above = Element<T>::load(top[left]) * ((C)1 - wx) + Element<T>::load(top[right]) * wx;
      const C below = Element<T>::load(bottom[left]) * ((C)1 - wx) + Element<T>::load(bottom[right]) * wx;
      out[p.f] = Element<T>::store(above * ((C)1 - wy) + below * wy);
    } while (p.same());
  }
}

#define POOL2D(NAME, T) \
  KERNEL NAME##_##T(const T* in, T* out, Layout1 l, Steps s, Pool g) { \
    if (g.kh == 2 && g.kw == 2) \
      NAME<2>(in, out, l, s, g); \
    else if (g.kh == 3 && g.kw == 3) \
      NAME<3>(in, out, l, s, g); \
    else \
      NAME<0>(in, out, l, s, g); \
  }
#define AVG_POOL2D(T) POOL2D(avg_pool2d, T)
#define MAX_POOL2D(T) POOL2D(max_pool2d, T)
#define UPSAMPLE_NEAREST(B) \
  KERNEL upsample_nearest_##B(const B* in, B* out, Layout1 l, Steps s, Resize g) { upsample_nearest(in, out, l, s, g); }
#define UPSAMPLE_BILINEAR(T) \
  KERNEL upsample_bilinear_##T(const T* in, T* out, Layout1 l, Steps s, Resize g) { upsample_bilinear(in, out, l, s, g); }
