// Pools and resized images: `planes` images of h × w, of any layout, to dense ones:
//   avg_pool2d_T, max_pool2d_T(in, out, Layout1, Steps, Pool)   mean or maximum of windows of kh × kw elements, sh and sw apart
//   upsample_nearest_bN(in, out, Layout1, Steps, Resize)        out[y][x] = in[min(⌊y·scale_h⌋, h-1)][min(⌊x·scale_w⌋, w-1)]
//   upsample_bilinear_T(in, out, Layout1, Steps, Resize)        between the four neighbours of a place: y·scale_h with aligned corners,
//                                                               else max((y+½)·scale_h - ½, 0); places are computed in f64
// The layout is that of the first elements of the images; Steps says how far apart their rows are, and the elements of a row.
// Grid-stride; any grid is correct. NaN wins maxima. Means are summed as by sum_T, bilinear values in f32 for f16, bf16 and f8e4m3.

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

struct Place { u64 plane, y, x; };
template <class G> DEV Place place(const G& g, u64 f) {
  const u64 row = f / (u64)g.ow, plane = row / (u64)g.oh;
  Place p = {plane, row - plane * (u64)g.oh, f - row * (u64)g.ow};
  return p;
}

template <class T> DEV void avg_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  typedef typename Sum<T>::Type S;
  for (u64 f = first(); f < (u64)(g.planes * g.oh * g.ow); f += stride()) {
    const Place p = place(g, f);
    const T* from = in + offsets(l, p.plane).of[0] + (i64)p.y * g.sh * s.row + (i64)p.x * g.sw * s.col;
    S sum = 0;
    for (i64 j = 0; j < g.kh; j++)
      for (i64 k = 0; k < g.kw; k++) sum += (S)Element<T>::load(from[j * s.row + k * s.col]);
    out[f] = Element<T>::store((Compute<T>)(sum / (S)(g.kh * g.kw)));
  }
}

template <class T> DEV void max_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  for (u64 f = first(); f < (u64)(g.planes * g.oh * g.ow); f += stride()) {
    const Place p = place(g, f);
    const T* from = in + offsets(l, p.plane).of[0] + (i64)p.y * g.sh * s.row + (i64)p.x * g.sw * s.col;
    Compute<T> top = Element<T>::load(*from);
    for (i64 j = 0; j < g.kh; j++)
      for (i64 k = 0; k < g.kw; k++) top = maximum(top, Element<T>::load(from[j * s.row + k * s.col]));
    out[f] = Element<T>::store(top);
  }
}

DEV i64 nearest(u64 i, f64 scale, i64 n) {
  const i64 at = (i64)((f64)i * scale);
  return at < n ? at : n - 1;
}

template <class B> DEV void upsample_nearest(const B* in, B* out, const Layout1& l, const Steps& s, const Resize& g) {
  for (u64 f = first(); f < (u64)(g.planes * g.oh * g.ow); f += stride()) {
    const Place p = place(g, f);
    out[f] = in[offsets(l, p.plane).of[0] + nearest(p.y, g.scale_h, g.h) * s.row + nearest(p.x, g.scale_w, g.w) * s.col];
  }
}

// The neighbours of a place along one dimension, and the weight of the second.
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
  for (u64 f = first(); f < (u64)(g.planes * g.oh * g.ow); f += stride()) {
    const Place p = place(g, f);
    const Between y = between(p.y, g.scale_h, g.aligned, g.h), x = between(p.x, g.scale_w, g.aligned, g.w);
    const T* top = in + offsets(l, p.plane).of[0] + y.low * s.row;
    const T* bottom = top + (y.high - y.low) * s.row;
    const C wx = (C)x.weight, wy = (C)y.weight;
    const C above = Element<T>::load(top[x.low * s.col]) * ((C)1 - wx) + Element<T>::load(top[x.high * s.col]) * wx;
    const C below = Element<T>::load(bottom[x.low * s.col]) * ((C)1 - wx) + Element<T>::load(bottom[x.high * s.col]) * wx;
    out[f] = Element<T>::store(above * ((C)1 - wy) + below * wy);
  }
}

#define AVG_POOL2D(T) KERNEL avg_pool2d_##T(const T* in, T* out, Layout1 l, Steps s, Pool g) { avg_pool2d(in, out, l, s, g); }
#define MAX_POOL2D(T) KERNEL max_pool2d_##T(const T* in, T* out, Layout1 l, Steps s, Pool g) { max_pool2d(in, out, l, s, g); }
#define UPSAMPLE_NEAREST(B) \
  KERNEL upsample_nearest_##B(const B* in, B* out, Layout1 l, Steps s, Resize g) { upsample_nearest(in, out, l, s, g); }
#define UPSAMPLE_BILINEAR(T) \
  KERNEL upsample_bilinear_##T(const T* in, T* out, Layout1 l, Steps s, Resize g) { upsample_bilinear(in, out, l, s, g); }
