// softmax_T, logsoftmax_T(in, out, Layout2, u64 rows, u64 cols, i64 in_step, i64 out_step): over each row,
//   out[c] = exp(in[c] - m) / Σ exp(in[j] - m)      logsoftmax: (in[c] - m) - log Σ exp(in[j] - m)      with m = max in[j]
//
// The layout is that of the first elements of the rows, whose elements are in_step and out_step apart: rows, columns, and anything
// else. Teams of threads take a row (rows.h); dense rows are read and written in packs. Everything is in the compute type: f32 for
// f16, bf16 and f8e4m3. A row with a NaN or with +Inf gives NaN. out may be in.

template <class T, bool LOG, int V>
DEV void softmax_rows(const T* in, T* out, const Layout2& l, u64 rows, u64 cols, i64 in_step, i64 out_step, Careful<Compute<T>> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u64 packs = cols / V;
  const i64 from_step = V == 1 ? in_step : 1, to_step = V == 1 ? out_step : 1;  // of packs
  const Team t = team_of(V == 1 && side_by_side(l, 0, in_step), rows, packs);
  const bool kept = packs <= FETCH * t.group;  // threads have all of their elements in registers
  for (u64 r0 = (u64)bid() * t.rows; r0 < rows; r0 += (u64)blocks() * t.rows) {
    const bool mine = r0 + t.row < rows;
    const u64 end = mine ? packs : 0;
    const Offsets<2> o = offsets(l, mine ? r0 + t.row : 0);
    const P* x = (const P*)(in + o.of[0]);
    P* y = (P*)(out + o.of[1]);
    P e[FETCH];
    C m = -Float<C>::inf();
    Careful<C> sum = {0, 0};
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      fetch(e, x, c, end, t.group, from_step);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++)
#pragma unroll
        for (int j = 0; j < V; j++) m = maximum(m, Element<T>::load(e[i].at[j]));  // elements that come twice do no harm
    }
    m = together<Greatest<C>>(m, t, (C(&)[BLOCK])parts);
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      if (!kept) fetch(e, x, c, end, t.group, from_step);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++)
        if (c + i * t.group < end)
#pragma unroll
          for (int j = 0; j < V; j++) sum.add(exp(Element<T>::load(e[i].at[j]) - m));
    }
    const C total = together<Total<C>>(sum, t, parts).sum, last = LOG ? log(total) : (C)1 / total;
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      if (!kept) fetch(e, x, c, end, t.group, from_step);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++) {
        if (c + i * t.group >= end) continue;
#pragma unroll
        for (int j = 0; j < V; j++) {
          const C d = Element<T>::load(e[i].at[j]) - m;
          e[i].at[j] = Element<T>::store(LOG ? d - last : exp(d) * last);
        }
        y[(i64)(c + i * t.group) * to_step] = e[i];
      }
    }
  }
}

template <class T, bool LOG>
DEV void softmax(const T* in, T* out, const Layout2& l, u64 rows, u64 cols, i64 in_step, i64 out_step) {
  SHARED Careful<Compute<T>> parts[BLOCK];
  const int V = sizeof(T) < 4 ? 4 : 16 / sizeof(T);
  bool packed = in_step == 1 && out_step == 1 && cols % V == 0 && aligned<V>(in) && aligned<V>(out);
  for (i32 d = 0; d < l.rank; d++) packed = packed && l.strides[0][d] % V == 0 && l.strides[1][d] % V == 0;
  if (packed)
    softmax_rows<T, LOG, V>(in, out, l, rows, cols, 1, 1, parts);
  else
    softmax_rows<T, LOG, 1>(in, out, l, rows, cols, in_step, out_step, parts);
}

#define SOFTMAX(T) \
  KERNEL softmax_##T(const T* in, T* out, Layout2 l, u64 rows, u64 cols, i64 in_step, i64 out_step) { \
    softmax<T, false>(in, out, l, rows, cols, in_step, out_step); \
  }
#define LOGSOFTMAX(T) \
  KERNEL logsoftmax_##T(const T* in, T* out, Layout2 l, u64 rows, u64 cols, i64 in_step, i64 out_step) { \
    softmax<T, true>(in, out, l, rows, cols, in_step, out_step); \
  }
