// Norms of rows, and rotary embeddings; results are dense:
//   rms_norm_T(in, alpha, out, Layout1, Norm)           out = in / √(mean in² + eps) · alpha
//   layer_norm_T(in, alpha, beta, out, Layout1, Norm)   out = (in - mean) / √(mean (in - mean)² + eps) · alpha + beta
//   add_rms_norm_T(in, plus, alpha, sum, out, Layout1, Norm)
//                                                       sum = in + plus, and out its rms_norm; rows are dense, and whole packs (rows.h)
//   rope_T(in, cos, sin, out, Layout1, Angles, Rope)    every pair (x, y) becomes (x·cos - y·sin, x·sin + y·cos); in place, out lies as in does
//
// rms_norm_x2_T, rms_norm_x4_T and those of layer_norm and add_rms_norm are for dense rows of more elements, as many as Held says (rows.h).
//
// The layout is that of the first elements of the rows of in, whose stride is `step`. Norms: a team of threads processes a row (rows.h), which stays
// in their registers between reading and writing if it is dense and fits. The mean is computed before squares are summed (two passes), so a large
// mean costs no precision. Everything is in the compute type: f32 for f16, bf16 and f8e4m3. Any grid is correct.

struct Norm {
  u64 rows, cols;
  i64 step, alpha_step, beta_step;
  f64 eps;
};

// With ADD, rows of plus are added first, and the sums are stored in sum; both have the layout of out.
template <class T, bool LAYER, int X, bool ADD = false>
DEV void norm_held(const T* in, const T* alpha, const T* beta, T* out, const Layout1& l, const Norm& g, Compute<T> (&parts)[BLOCK],
                   const T* plus = 0, T* sum = 0) {
  typedef Compute<T> C;
  const int V = RowPack<T>::V;
  const u32 N = Held<T, X>::PACKS, packs = (u32)g.cols / V;
  typedef Pack<T, V> P;
  const Team t = team_of(false, g.rows, (packs + N - 1) / N);
  for (u64 r0 = (u64)bid() * t.rows; r0 < g.rows; r0 += (u64)blocks() * t.rows) {
    const u64 r = r0 + t.row;
    const bool mine = r < g.rows && t.part < packs;
    P p[N];
    C x[N * V], squares[N * V], mean = 0;
    fetch(p, (const P*)(in + offsets(l, r < g.rows ? r : r0).of[0]), mine ? t.part : 0, packs, t.group, 1);
    if constexpr (ADD) {
      const u64 row = (r < g.rows ? r : r0) * g.cols;
      P q[N];
      fetch(q, (const P*)(plus + row), mine ? t.part : 0, packs, t.group, 1);
#pragma unroll
      for (u32 i = 0; i < N; i++) {
#pragma unroll
        for (int j = 0; j < V; j++) p[i].at[j] = Element<T>::store(Element<T>::load(p[i].at[j]) + Element<T>::load(q[i].at[j]));
        if (mine && t.part + i * t.group < packs) ((P*)(sum + row))[t.part + i * t.group] = p[i];
      }
    }
#pragma unroll
    for (u32 i = 0; i < N; i++)
#pragma unroll
      for (int j = 0; j < V; j++) x[i * V + j] = mine && t.part + i * t.group < packs ? Element<T>::load(p[i].at[j]) : (C)0;
    if (LAYER) mean = together<Plus<C>>(sum_of(x), t, parts) / (C)g.cols;
#pragma unroll
    for (u32 i = 0; i < N * V; i++) {
      const C d = x[i] - mean;
      x[i] = mine && t.part + i / V * t.group < packs ? d : (C)0;
      squares[i] = x[i] * x[i];
    }
    const C scale = (C)1 / sqrt(together<Plus<C>>(sum_of(squares), t, parts) / (C)g.cols + (C)g.eps);
    P* y = (P*)(out + r * g.cols);
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 c = t.part + i * t.group;
      if (!mine || c >= packs) continue;
      const P a = ((const P*)alpha)[c], b = LAYER ? ((const P*)beta)[c] : a;
#pragma unroll
      for (int j = 0; j < V; j++) {
        C z = x[i * V + j] * scale * Element<T>::load(a.at[j]);
        if (LAYER) z += Element<T>::load(b.at[j]);
        p[i].at[j] = Element<T>::store(z);
      }
      y[c] = p[i];
    }
  }
}

// Rows of any length and layout.
template <class T, bool LAYER>
DEV void norm_looped(const T* in, const T* alpha, const T* beta, T* out, const Layout1& l, const Norm& g, Careful<Compute<T>> (&parts)[BLOCK]) {
  typedef Compute<T> C;
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
    const C scale = (C)1 / sqrt(together<Total<C>>(squares, t, parts).sum / (C)g.cols + (C)g.eps);
    for (u64 c0 = t.part; c0 < end; c0 += FETCH * t.group) {
      if (!kept) fetch(e, x, c0, end, t.group, g.step);
#pragma unroll
      for (u32 j = 0; j < FETCH; j++) {
        const u64 c = c0 + j * t.group;
        if (c >= end) continue;
        C y = (Element<T>::load(e[j]) - mean) * scale * Element<T>::load(alpha[(i64)c * g.alpha_step]);
        if (LAYER) y += Element<T>::load(beta[(i64)c * g.beta_step]);
        out[r * g.cols + c] = Element<T>::store(y);
      }
    }
  }
}

template <class T, bool LAYER> DEV void norm(const T* in, const T* alpha, const T* beta, T* out, const Layout1& l, const Norm& g) {
  SHARED Careful<Compute<T>> parts[BLOCK];
  const int V = RowPack<T>::V;
  const bool vectors = g.alpha_step == 1 && aligned<V>(alpha) && (!LAYER || (g.beta_step == 1 && aligned<V>(beta)));
  if (vectors && g.step == 1 && packed_rows<V>(l, g.cols) && aligned<V>(in) && aligned<V>(out) && g.cols <= BLOCK * V * Held<T, 1>::PACKS)
    norm_held<T, LAYER, 1>(in, alpha, beta, out, l, g, (Compute<T>(&)[BLOCK])parts);
  else
    norm_looped<T, LAYER>(in, alpha, beta, out, l, g, parts);
}

// Rows of 2·half elements. Row r is at position r / per_position % positions of batch r / per_batch. Pairs are adjacent if interleaved, else half a
// row apart. In place, out is in.
struct Rope {
  i64 rows, half, per_position, positions, per_batch, batch_step, interleaved, in_place;
};
// The strides of the elements of in, and of the angles between batches, positions and pairs.
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
    const i64 at = offsets(l, r).of[0];
    const T* row = in + at;
    const C x = Element<T>::load(row[(i64)a * s.step]), y = Element<T>::load(row[(i64)b * s.step]);
    const C c = Element<T>::load(cos[batch * s.cos[0] + position * s.cos[1] + (i64)i * s.cos[2]]);
    const C d = Element<T>::load(sin[batch * s.sin[0] + position * s.sin[1] + (i64)i * s.sin[2]]);
    T* to = g.in_place ? out + at : out + r * 2 * half;
    const i64 step = g.in_place ? s.step : 1;
    to[(i64)a * step] = Element<T>::store(x * c - y * d);
    to[(i64)b * step] = Element<T>::store(x * d + y * c);
  }
}

#define RMS_NORM(T) \
  KERNEL rms_norm_##T(const T* in, const T* alpha, T* out, Layout1 l, Norm g) { norm<T, false>(in, alpha, (const T*)0, out, l, g); }
#define RMS_NORM_X(T, X) \
  KERNEL rms_norm_x##X##_##T(const T* in, const T* alpha, T* out, Layout1 l, Norm g) { \
    SHARED Compute<T> parts[BLOCK]; \
    norm_held<T, false, X>(in, alpha, (const T*)0, out, l, g, parts); \
  }
#define ADD_RMS_NORM_X(T, X) ADD_RMS_NORM_OF(T, X, add_rms_norm_x##X##_##T)
#define ADD_RMS_NORM(T) ADD_RMS_NORM_OF(T, 1, add_rms_norm_##T)
#define ADD_RMS_NORM_OF(T, X, NAME) \
  KERNEL NAME(const T* in, const T* plus, const T* alpha, T* sum, T* out, Layout1 l, Norm g) { \
    SHARED Compute<T> parts[BLOCK]; \
    norm_held<T, false, X, true>(in, alpha, (const T*)0, out, l, g, parts, plus, sum); \
  }
#define LAYER_NORM(T) \
  KERNEL layer_norm_##T(const T* in, const T* alpha, const T* beta, T* out, Layout1 l, Norm g) { norm<T, true>(in, alpha, beta, out, l, g); }
#define LAYER_NORM_X(T, X) \
  KERNEL layer_norm_x##X##_##T(const T* in, const T* alpha, const T* beta, T* out, Layout1 l, Norm g) { \
    SHARED Compute<T> parts[BLOCK]; \
    norm_held<T, true, X>(in, alpha, beta, out, l, g, parts); \
  }
#define ROPE(T) \
  KERNEL rope_##T(const T* in, const T* cos, const T* sin, T* out, Layout1 l, Angles s, Rope g) { rope(in, cos, sin, out, l, s, g); }
