// softmax_T, logsoftmax_T(in, out, Layout2, u64 rows, u64 cols, i64 in_step, i64 out_step): over each row,
//   out[c] = exp(in[c] - m) / Σ exp(in[j] - m)      logsoftmax: (in[c] - m) - log Σ exp(in[j] - m)      with m = max in[j]
// softmax_x2_T, softmax_x4_T and those of logsoftmax are for dense rows of more elements, as many as Held says (rows.h).
//
// The layout is that of the first elements of the rows, whose strides are in_step and out_step: rows, columns, and anything else. A team of threads
// processes a row (rows.h). Dense rows that fit into the registers of a team are read once. For others, one pass computes maximum and sum, scaling
// the sum whenever the maximum grows, and a second pass the results. Everything is in the compute type: f32 for f16, bf16 and f8e4m3. A row with a
// NaN or with +Inf gives NaN. out may be in.

template <class T, bool LOG, int X>
DEV void softmax_held(const T* in, T* out, const Layout2& l, u64 rows, u32 cols, Compute<T> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  const int V = RowPack<T>::V;
  const u32 N = Held<T, X>::PACKS, packs = cols / V;
  typedef Pack<T, V> P;
  const Team t = team_of(false, rows, (packs + N - 1) / N);
  for (u64 r0 = (u64)bid() * t.rows; r0 < rows; r0 += (u64)blocks() * t.rows) {
    const bool mine = r0 + t.row < rows && t.part < packs;
    const Offsets<2> o = offsets(l, r0 + t.row < rows ? r0 + t.row : r0);
    P p[N];
    C x[N * V], m = -Float<C>::inf();
    fetch(p, (const P*)(in + o.of[0]), mine ? t.part : 0, packs, t.group, 1);
#pragma unroll
    for (u32 i = 0; i < N; i++)
#pragma unroll
      for (int j = 0; j < V; j++) {
        x[i * V + j] = mine && t.part + i * t.group < packs ? Element<T>::load(p[i].at[j]) : -Float<C>::inf();
        m = maximum(m, x[i * V + j]);
      }
    m = together<Maximum<C>>(m, t, parts);
    C e[N * V];
#pragma unroll
    for (u32 i = 0; i < N * V; i++) {
      x[i] -= m;
      e[i] = exp(x[i]);
    }
    const C total = together<Plus<C>>(sum_of(e), t, parts), last = LOG ? log(total) : (C)1 / total;
    P* y = (P*)(out + o.of[1]);
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      if (!mine || t.part + i * t.group >= packs) continue;
#pragma unroll
      for (int j = 0; j < V; j++) p[i].at[j] = Element<T>::store(LOG ? x[i * V + j] - last : e[i * V + j] * last);
      y[t.part + i * t.group] = p[i];
    }
  }
}

// Rows of any length; strides are those of packs.
template <class T, bool LOG, int V>
DEV void softmax_read_twice(const T* in, T* out, const Layout2& l, u64 rows, u64 packs, i64 in_step, i64 out_step, bool across, Careful<Compute<T>> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const Team t = team_of(across, rows, packs);
  for (u64 r0 = (u64)bid() * t.rows; r0 < rows; r0 += (u64)blocks() * t.rows) {
    const bool mine = r0 + t.row < rows;
    const u64 end = mine ? packs : 0;
    const Offsets<2> o = offsets(l, mine ? r0 + t.row : r0);
    const P* x = (const P*)(in + o.of[0]);
    P* y = (P*)(out + o.of[1]);
    P p[FETCH];
    C m = -Float<C>::inf();
    Careful<C> sum = {0, 0};
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      C e[FETCH * V], top = m;
      fetch(p, x, c, end, t.group, in_step);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++)
#pragma unroll
        for (int j = 0; j < V; j++) {
          e[i * V + j] = c + i * t.group < end ? Element<T>::load(p[i].at[j]) : -Float<C>::inf();
          top = maximum(top, e[i * V + j]);
        }
      const C zero = top == -Float<C>::inf() ? (C)0 : top;  // nothing but -Inf until now: sums are 0
      if (!(top == m)) {
        const C smaller = exp(m - zero);
        sum.sum *= smaller;
        sum.lost *= smaller;
        m = top;
      }
#pragma unroll
      for (u32 i = 0; i < FETCH * V; i++) e[i] = exp(e[i] - zero);
      sum.add(sum_of(e));
    }
    const C top = together<Maximum<C>>(m, t, (C(&)[BLOCK])parts), smaller = m == -Float<C>::inf() ? (C)0 : exp(m - top);
    sum.sum *= smaller;
    sum.lost *= smaller;
    const C total = together<Total<C>>(sum, t, parts).sum, last = LOG ? log(total) : (C)1 / total;
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      fetch(p, x, c, end, t.group, in_step);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++) {
        if (c + i * t.group >= end) continue;
#pragma unroll
        for (int j = 0; j < V; j++) {
          const C d = Element<T>::load(p[i].at[j]) - top;
          p[i].at[j] = Element<T>::store(LOG ? d - last : exp(d) * last);
        }
        y[(i64)(c + i * t.group) * out_step] = p[i];
      }
    }
  }
}

template <class T, bool LOG>
DEV void softmax(const T* in, T* out, const Layout2& l, u64 rows, u64 cols, i64 in_step, i64 out_step) {
  SHARED Careful<Compute<T>> parts[BLOCK];
  const int V = RowPack<T>::V;
  const bool packed = in_step == 1 && out_step == 1 && packed_rows<V>(l, cols) && aligned<V>(in) && aligned<V>(out);
  if (packed && cols <= BLOCK * V * Held<T, 1>::PACKS)
    softmax_held<T, LOG, 1>(in, out, l, rows, (u32)cols, (Compute<T>(&)[BLOCK])parts);
  else if (packed)
    softmax_read_twice<T, LOG, V>(in, out, l, rows, cols / V, 1, 1, false, parts);
  else
    softmax_read_twice<T, LOG, 1>(in, out, l, rows, cols, in_step, out_step, side_by_side(l, 0, in_step), parts);
}

#define SOFTMAX_ANY(NAME, T, LOG) \
  KERNEL NAME##_##T(const T* in, T* out, Layout2 l, u64 rows, u64 cols, i64 in_step, i64 out_step) { \
    softmax<T, LOG>(in, out, l, rows, cols, in_step, out_step); \
  }
#define SOFTMAX_HELD(NAME, T, LOG, X) \
  KERNEL NAME##_x##X##_##T(const T* in, T* out, Layout2 l, u64 rows, u64 cols, i64, i64) { \
    SHARED Compute<T> parts[BLOCK]; \
    softmax_held<T, LOG, X>(in, out, l, rows, (u32)cols, parts); \
  }
#define SOFTMAX(T) SOFTMAX_ANY(softmax, T, false)
#define SOFTMAX_X(T, X) SOFTMAX_HELD(softmax, T, false, X)
#define LOGSOFTMAX(T) SOFTMAX_ANY(logsoftmax, T, true)
#define LOGSOFTMAX_X(T, X) SOFTMAX_HELD(logsoftmax, T, true, X)
