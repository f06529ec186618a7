// Pooling and resizing: `planes` images of h × w, of any layout, to dense ones:
//   avg_pool2d_T, max_pool2d_T(in, out, Layout1, Steps, Pool)   mean or maximum of windows of kh × kw elements, sh and sw apart
//   max_pool2d_first_T(in, i64* out, Layout1, Steps, Pool)      where the first maximum of each window is: y·w + x
//   upsample_nearest_bN(in, out, Layout1, Steps, Resize)        out[y][x] = in[min(⌊y·scale_h⌋, h-1)][min(⌊x·scale_w⌋, w-1)]
//   upsample_bilinear_T(in, out, Layout1, Steps, Resize)        between the four neighbours of a place: y·scale_h with aligned corners,
//                                                               else max((y+½)·scale_h - ½, 0); places are computed in f64
// and the gradients of pools, from dense ones of the results to dense ones of the images:
//   avg_pool2d_gradient_T(g, out, Pool)                         the sum over the windows with an element of g / their counts
//   max_pool2d_gradient_T(g, const i64* first, out, Pool)       the sum over the windows of which it is the first maximum of g
// The layout is that of the first elements of the images; Steps has the strides of their rows and of the elements of a row. Any grid is correct. NaN
// propagates through maxima. Means are summed as by sum_T, bilinear values in f32 for f16, bf16 and f8e4m3.
//
// A window has kh × kw elements, dh and dw apart; the first one begins ph rows and pw columns before the image. Elements outside of the image are in
// no sum and no maximum; each window has one inside. A mean is divided by the elements of the window in rows count_h[0]…count_h[1]-1, and likewise of
// columns.

struct Steps { i64 row, col; };
struct Pool {
  i64 planes, h, w, oh, ow;
  i64 kh, kw, sh, sw;
  i64 ph, pw, dh, dw;
  i64 count_h[2], count_w[2];
};
struct Resize {
  i64 planes, h, w, oh, ow;
  i64 aligned;
  f64 scale_h, scale_w;
};

// Elements `from` … to-1 of the k elements of a window along a dim that begins at `begin` and has them d apart.
struct Taps {
  i64 from, to;
  DEV Taps(i64 begin, i64 d, i64 k, i64 low, i64 high) : from(below(low - begin, d, k)), to(below(high - begin, d, k)) {}
  DEV static i64 below(i64 room, i64 d, i64 k) {  // how many are less than room after the first one
    const i64 n = room <= 0 ? 0 : d == 1 ? room : (i64)quotient((u64)(room + d - 1), (u64)d);
    return n < k ? n : k;
  }
  DEV i64 clamp(i64 i) const { return i < from ? from : i < to ? i : to - 1; }
  DEV bool has(i64 i) const { return i >= from && i < to; }
};
struct PoolWindow {
  i64 y, x;
  Taps rows, cols;
  DEV PoolWindow(const Pool& g, u64 oy, u64 ox)
      : y((i64)oy * g.sh - g.ph), x((i64)ox * g.sw - g.pw), rows(y, g.dh, g.kh, 0, g.h), cols(x, g.dw, g.kw, 0, g.w) {}
  DEV i64 counted(const Pool& g) const {
    const Taps h(y, g.dh, g.kh, g.count_h[0], g.count_h[1]), w(x, g.dw, g.kw, g.count_w[0], g.count_w[1]);
    return (h.to - h.from) * (w.to - w.from);
  }
};

// Windows of K × K elements, or of any size if K is 0: a window of known size is loaded at once, elements outside of the image from the next one
// inside.
template <int K, class T> DEV void avg_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  typedef typename Sum<T>::Type S;
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const PoolWindow v(g, p.y, p.x);
    const S count = (S)v.counted(g);
    const i64 at = v.y * s.row + v.x * s.col, row = g.dh * s.row, col = g.dw * s.col;
    do {
      const T* from = in + offsets(l, p.plane).of[0] + at;
      S sum = 0;
      for (i64 j = K ? 0 : v.rows.from; j < (K ? K : v.rows.to); j++)
        for (i64 k = K ? 0 : v.cols.from; k < (K ? K : v.cols.to); k++) {
          const S x = (S)Element<T>::load(from[(K ? v.rows.clamp(j) : j) * row + (K ? v.cols.clamp(k) : k) * col]);
          sum += !K || (v.rows.has(j) && v.cols.has(k)) ? x : (S)0;
        }
      out[p.f] = Element<T>::store((Compute<T>)(sum / count));
    } while (p.same());
  }
}

template <int K, class T> DEV void max_pool2d(const T* in, T* out, const Layout1& l, const Steps& s, const Pool& g) {
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const PoolWindow v(g, p.y, p.x);
    const i64 at = v.y * s.row + v.x * s.col, row = g.dh * s.row, col = g.dw * s.col;
    do {
      const T* from = in + offsets(l, p.plane).of[0] + at;
      Compute<T> top = Element<T>::load(from[v.rows.from * row + v.cols.from * col]);
      for (i64 j = K ? 0 : v.rows.from; j < (K ? K : v.rows.to); j++)
        for (i64 k = K ? 0 : v.cols.from; k < (K ? K : v.cols.to); k++)
          top = maximum(top, Element<T>::load(from[(K ? v.rows.clamp(j) : j) * row + (K ? v.cols.clamp(k) : k) * col]));
      out[p.f] = Element<T>::store(top);
    } while (p.same());
  }
}

template <int K, class T> DEV void max_pool2d_first(const T* in, i64* out, const Layout1& l, const Steps& s, const Pool& g) {
  for (Walk p(g.planes, g.oh, g.ow); p.more(); p.next()) {
    const PoolWindow v(g, p.y, p.x);
    const i64 at = v.y * s.row + v.x * s.col, row = g.dh * s.row, col = g.dw * s.col;
    do {
      const T* from = in + offsets(l, p.plane).of[0] + at;
      i64 y = v.rows.from, x = v.cols.from;
      Compute<T> top = Element<T>::load(from[y * row + x * col]);
      for (i64 j = K ? 0 : v.rows.from; j < (K ? K : v.rows.to); j++)
        for (i64 k = K ? 0 : v.cols.from; k < (K ? K : v.cols.to); k++) {
          const i64 dy = K ? v.rows.clamp(j) : j, dx = K ? v.cols.clamp(k) : k;
          const Compute<T> e = Element<T>::load(from[dy * row + dx * col]);
          const bool above = e > top || (e != e && top == top);
          top = above ? e : top;
          y = above ? dy : y;
          x = above ? dx : x;
        }
      out[p.f] = (v.y + y * g.dh) * g.w + v.x + x * g.dw;
    } while (p.same());
  }
}

// The windows first … last, of n along a dim, that an element may be in which is `at` elements after the begin of the first window.
struct Over {
  i64 first, last;
  DEV Over(i64 at, i64 k, i64 s, i64 d, i64 n) {
    const i64 before = at - (k - 1) * d;
    first = before <= 0 ? 0 : (i64)quotient((u64)(before + s - 1), (u64)s);
    last = (i64)quotient((u64)at, (u64)s);
    if (last >= n) last = n - 1;
  }
};

// The gradient of elements that up to N windows along a dim have: what does not depend on the plane is known before the first one, and of FEW planes the
// loads are under way at a time.
template <int N, class T, class F> DEV void pool2d_gradient(T* out, const Pool& g, const F& each) {
  typedef typename Sum<T>::Type S;
  const u32 FEW = N == 1 ? 4 : 2;
  for (Walk p(g.planes, g.h, g.w); p.more(); p.next()) {
    const Over ys((i64)p.y + g.ph, g.kh, g.sh, g.dh, g.oh), xs((i64)p.x + g.pw, g.kw, g.sw, g.dw, g.ow);
    bool has[N * N];
    typename F::Part part[N * N];
#pragma unroll
    for (int i = 0; i < N * N; i++) {
      const i64 oy = ys.first + i / N, ox = xs.first + i % N;
      has[i] = oy <= ys.last && ox <= xs.last;
      part[i] = each.part(p, has[i] ? oy : 0, has[i] ? ox : 0);
    }
    do {
      S sum[FEW];
#pragma unroll
      for (u32 f = 0; f < FEW; f++) {
        sum[f] = 0;
        if (p.has(f)) {
          const i64 plane = (i64)(p.plane + f * p.hop) * g.oh * g.ow;
#pragma unroll
          for (int i = 0; i < N * N; i++) sum[f] += has[i] ? (S)each.value(plane, part[i]) : (S)0;
        }
      }
#pragma unroll
      for (u32 f = 0; f < FEW; f++)
        if (p.has(f)) out[p.f + f * p.step] = Element<T>::store((Compute<T>)sum[f]);
    } while (p.same(FEW));
  }
}

// Elements that any number of windows have, and those of windows whose elements are apart.
template <class T, class F> DEV void pool2d_gradient_any(T* out, const Pool& g, const F& each) {
  typedef typename Sum<T>::Type S;
  for (Walk p(g.planes, g.h, g.w); p.more(); p.next()) {
    const i64 y = (i64)p.y + g.ph, x = (i64)p.x + g.pw;
    const Over ys(y, g.kh, g.sh, g.dh, g.oh), xs(x, g.kw, g.sw, g.dw, g.ow);
    do {
      S sum = 0;
      for (i64 oy = ys.first; oy <= ys.last; oy++) {
        if (g.dh > 1 && (y - oy * g.sh) % g.dh) continue;
        for (i64 ox = xs.first; ox <= xs.last; ox++)
          if (g.dw == 1 || (x - ox * g.sw) % g.dw == 0) sum += (S)each.value((i64)p.plane * g.oh * g.ow, each.part(p, oy, ox));
      }
      out[p.f] = Element<T>::store((Compute<T>)sum);
    } while (p.same());
  }
}

// near and far compute the same, with 32 and with 64 bits for a position in a plane.
template <class T, class F, class G> DEV void pool2d_gradient_of(T* out, const Pool& g, const F& near, const G& far) {
  const bool whole = g.dh == 1 && g.dw == 1 && g.oh * g.ow < (i64)1 << 31;
  if (whole && g.kh <= g.sh && g.kw <= g.sw)
    pool2d_gradient<1>(out, g, near);
  else if (whole && g.kh <= 2 * g.sh && g.kw <= 2 * g.sw)
    pool2d_gradient<2>(out, g, near);
  else
    pool2d_gradient_any(out, g, far);
}

template <class T, class I> struct MeanGradient {
  const T* g;
  const Pool& pool;
  struct Part { I at; Compute<T> count; };
  DEV Part part(const Walk&, i64 oy, i64 ox) const {
    return Part{(I)(oy * pool.ow + ox), (Compute<T>)PoolWindow(pool, (u64)oy, (u64)ox).counted(pool)};
  }
  DEV Compute<T> value(i64 plane, const Part& p) const { return Element<T>::load((g + plane)[p.at]) / p.count; }
};
template <class T, class I> struct MaxGradient {
  const T* g;
  const i64* first;
  const Pool& pool;
  struct Part { I at; i64 own; };
  DEV Part part(const Walk& p, i64 oy, i64 ox) const { return Part{(I)(oy * pool.ow + ox), (i64)p.y * pool.w + (i64)p.x}; }
  DEV Compute<T> value(i64 plane, const Part& p) const {
    const i64 at = (first + plane)[p.at];
    const Compute<T> x = Element<T>::load((g + plane)[p.at]);
    return at == p.own ? x : (Compute<T>)0;
  }
};

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

#define POOL2D(NAME, T, OUT) \
  KERNEL NAME##_##T(const T* in, OUT* out, Layout1 l, Steps s, Pool g) { \
    if (g.kh == 2 && g.kw == 2) \
      NAME<2>(in, out, l, s, g); \
    else if (g.kh == 3 && g.kw == 3) \
      NAME<3>(in, out, l, s, g); \
    else \
      NAME<0>(in, out, l, s, g); \
  }
#define AVG_POOL2D(T) POOL2D(avg_pool2d, T, T)
#define MAX_POOL2D(T) POOL2D(max_pool2d, T, T)
#define MAX_POOL2D_FIRST(T) POOL2D(max_pool2d_first, T, i64)
#define AVG_POOL2D_GRADIENT(T) \
  KERNEL avg_pool2d_gradient_##T(const T* g, T* out, Pool p) { pool2d_gradient_of(out, p, MeanGradient<T, u32>{g, p}, MeanGradient<T, i64>{g, p}); }
#define MAX_POOL2D_GRADIENT(T) \
  KERNEL max_pool2d_gradient_##T(const T* g, const i64* first, T* out, Pool p) { \
    pool2d_gradient_of(out, p, MaxGradient<T, u32>{g, first, p}, MaxGradient<T, i64>{g, first, p}); \
  }
#define UPSAMPLE_NEAREST(B) \
  KERNEL upsample_nearest_##B(const B* in, B* out, Layout1 l, Steps s, Resize g) { upsample_nearest(in, out, l, s, g); }
#define UPSAMPLE_BILINEAR(T) \
  KERNEL upsample_bilinear_##T(const T* in, T* out, Layout1 l, Steps s, Resize g) { upsample_bilinear(in, out, l, s, g); }
