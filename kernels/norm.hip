// Norms of rows, and rotary embeddings; results are dense:
//   rms_norm_T(in, alpha, out, Layout1, Norm)           out = in / √(mean in² + eps) · alpha
//   layer_norm_T(in, alpha, beta, out, Layout1, Norm)   out = (in - mean) / √(mean (in - mean)² + eps) · alpha + beta
//   rope_T(in, cos, sin, out, Layout1, Angles, Rope)    every pair (x, y) becomes (x·cos - y·sin, x·sin + y·cos)
//
// The layout is that of the first elements of the rows of in, whose elements are `step` apart. Norms: teams of threads take a row (rows.h).
// The mean is known before squares are summed (two passes), so that a large mean costs no digits. Everything is in the
// compute type: f32 for f16, bf16 and f8e4m3. Any grid is correct.

struct Norm {
  u64 rows, cols;
  i64 step, alpha_step, beta_step;
  f64 eps;
};

template <bool LAYER, class T>
DEV void norm(const T* in, const T* alpha, const T* beta, T* out, const Layout1& l, const Norm& g) {
  typedef Compute<T> C;
  SHARED Careful<C> parts[BLOCK];
  const Team t = team_of(side_by_side(l, 0, g.step), g.rows, g.cols);
  const bool kept = g.cols <= FETCH * t.group;  // threads have all of their elements in registers
  for (u64 r0 = (u64)bid() * t.rows; r0 < g.rows; r0 += (u64)blocks() * t.rows) {
    const u64 r = r0 + t.row, end = r < g.rows ? g.cols : 0;
    const T* x = in + offsets(l, end ? r : 0).of[0];
    T e[FETCH];
    Careful<C> sum = {0, 0}, squares = {0, 0};
    C mean = 0;
    if (LAYER) {
      for (u64 c = t.part; c < end; c += FETCH * t.group) {
        fetch(e, x, c, end, t.group, g.step);
#pragma unroll
        for (u32 j = 0; j < FETCH; j++)
          if (c + j * t.group < end) sum.add(Element<T>::load(e[j]));
      }
      mean = together<Total<C>>(sum, t, parts).sum / (C)g.cols;
    }
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      if (!LAYER || !kept) fetch(e, x, c, end, t.group, g.step);
#pragma unroll
      for (u32 j = 0; j < FETCH; j++) {
        const C d = Element<T>::load(e[j]) - mean;
        if (c + j * t.group < end) squares.add(d * d);
      }
    }
    const C root = sqrt(together<Total<C>>(squares, t, parts).sum / (C)g.cols + (C)g.eps);
    for (u64 c0 = t.part; c0 < end; c0 += FETCH * t.group) {
      if (!kept) fetch(e, x, c0, end, t.group, g.step);
#pragma unroll
      for (u32 j = 0; j < FETCH; j++) {
        const u64 c = c0 + j * t.group;
        if (c >= end) continue;
        C y = (Element<T>::load(e[j]) - mean) / root * Element<T>::load(alpha[(i64)c * g.alpha_step]);
        if (LAYER) y += Element<T>::load(beta[(i64)c * g.beta_step]);
        out[r * g.cols + c] = Element<T>::store(y);
      }
    }
  }
}

// Rows of 2·half elements. Row r is at position r / per_position % positions of batch r / per_batch. Pairs are neighbours if
// interleaved, else half a row apart.
struct Rope {
  i64 rows, half, per_position, positions, per_batch, batch_step, interleaved;
};
// How far apart elements of in are, and angles of neighbouring batches, positions and pairs.
struct Angles {
  i64 step;
  i64 cos[3], sin[3];
};

template <class T> DEV void rope(const T* in, const T* cos, const T* sin, T* out, const Layout1& l, const Angles& s, const Rope& g) {
  typedef Compute<T> C;
  const u64 half = (u64)g.half;
  for (u64 f = first(); f < (u64)g.rows * half; f += stride()) {
    const u64 r = f / half, i = f - r * half;
    const i64 batch = (i64)(r / (u64)g.per_batch), position = (i64)(r / (u64)g.per_position % (u64)g.positions);
    const u64 a = g.interleaved ? 2 * i : i, b = a + (g.interleaved ? 1 : half);
    const T* row = in + offsets(l, r).of[0];
    const C x = Element<T>::load(row[(i64)a * s.step]), y = Element<T>::load(row[(i64)b * s.step]);
    const C c = Element<T>::load(cos[batch * s.cos[0] + position * s.cos[1] + (i64)i * s.cos[2]]);
    const C d = Element<T>::load(sin[batch * s.sin[0] + position * s.sin[1] + (i64)i * s.sin[2]]);
    out[r * 2 * half + a] = Element<T>::store(x * c - y * d);
    out[r * 2 * half + b] = Element<T>::store(x * d + y * c);
  }
}

#define RMS_NORM(T) \
  KERNEL rms_norm_##T(const T* in, const T* alpha, T* out, Layout1 l, Norm g) { norm<false>(in, alpha, (const T*)0, out, l, g); }
#define LAYER_NORM(T) \
  KERNEL layer_norm_##T(const T* in, const T* alpha, const T* beta, T* out, Layout1 l, Norm g) { norm<true>(in, alpha, beta, out, l, g); }
#define ROPE(T) \
  KERNEL rope_##T(const T* in, const T* cos, const T* sin, T* out, Layout1 l, Angles s, Rope g) { rope(in, cos, sin, out, l, s, g); }
