// Gradients of operations on rows, each from one reading of its operands. All rows are dense; sums are in the compute type.
//
// rms_norm_gradient_E_V_T(in, grad, alpha, out, C* parts, RowGradient), layer_norm_gradient_E_V_T(the same)
//   out = (d - h mean(d h) - m) / σ with d = grad alpha, h = (in - mean in) / σ, σ = √(mean (in - mean in)² + eps) and m = mean(d);
//   for rms_norm the means of in and of d are replaced by 0. parts [count, 1 or 2, cols] has sums over some of the rows of grad h, which is the
//   gradient of alpha, and for layer_norm of grad, which is that of beta. out or parts may be null. A team of threads holds a row in registers, and
//   the sums of its columns from row to row: up to 256 E elements, E of each thread, in whole packs of RowPack<T>, or of 1.
// norm_parameters_T(C* parts, alpha, beta, u64 count, u64 cols)
//   the sums of the parts, in their order; beta may be null: then parts have one row.
// softmax_gradient_T(y, grad, out, RowGradient), logsoftmax_gradient_T(the same)
//   out = y (grad - Σ grad y)      logsoftmax: grad - exp(y) Σ grad
// select_gradient_I_T(ids, u32* from, grad, out, u64 count, u64 size, u64 cols)
//   out[ids[k]] = Σ grad[from[k]] over equal ids, which are sorted, in the order of from; rows of out without an id stay as they are. Ids beyond
//   size are skipped: the selection has reported them. I is u8, u32 or i64.
// silu_mul_gradient_T(x, y, grad, of_x, of_y, u64 n)
//   of_x = grad y silu'(x), of_y = grad silu(x); either may be null
//
// The parts are `count`, a number that depends on the shape alone, so that sums are rounded in the same way on every grid.

struct RowGradient {
  u64 rows, cols, count;
  f64 eps;
};

template <class C> struct Two { C a, b; };
template <class C> struct AddTwo {
  MEMBER void merge(Two<C>& x, const Two<C>& y) {
    x.a += y.a;
    x.b += y.b;
  }
};

template <class C> struct RowRoom {
  Two<C> parts[BLOCK];
  C sums[4][BLOCK];
};

// Stores the sums of the rows of a block, one for each of a team's columns, in a part. s are those of a thread.
template <int V, int N, class C> DEV void store_part(C* part, const C (&s)[N * V], const Team& t, u32 packs, C (&sums)[4][BLOCK]) {
#pragma unroll
  for (int i = 0; i < N * V; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; k++) sums[k][tid()] = s[i + k];
    sync();
    if (t.row == 0)
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const u32 pack = t.part + (i + k) / V * t.group;
        if (pack >= packs) continue;
        C sum = sums[k][t.part];
        for (u32 r = 1; r < t.rows; r++) sum += sums[k][r * t.group + t.part];
        part[pack * V + (i + k) % V] = sum;
      }
    sync();
  }
}

// E elements of a row in each thread, in packs of V. The next row is loaded while one is computed, where there are registers for both.
template <class T, bool LAYER, int E, int V>
DEV void norm_gradient(const T* in, const T* grad, const T* alpha, T* out, Compute<T>* parts, const RowGradient& g) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  SHARED RowRoom<C> room;
  C(&single)[BLOCK] = (C(&)[BLOCK])room.parts;
  const bool AHEAD = E * sizeof(C) <= 64;
  const u32 N = E / V, packs = (u32)g.cols / V;
  const Team t = team_of(false, g.rows, (packs + N - 1) / N);
  const u32 first_pack = t.part < packs ? t.part : 0;
  P a[N];
  fetch(a, (const P*)alpha, first_pack, packs, t.group, 1);
  for (u64 part = bid(); part < g.count; part += blocks()) {
    C of_alpha[E] = {}, of_beta[E] = {};
    P p[N], q[N];
    u64 r = part * t.rows + t.row, row = (r < g.rows ? r : g.rows - 1) * g.cols;
    if (AHEAD) {
      fetch(p, (const P*)(in + row), first_pack, packs, t.group, 1);
      fetch(q, (const P*)(grad + row), first_pack, packs, t.group, 1);
    }
    for (u64 r0 = part * t.rows; r0 < g.rows; r0 += g.count * t.rows) {
      const bool mine = r < g.rows && t.part < packs;
      if (!AHEAD) {
        fetch(p, (const P*)(in + row), first_pack, packs, t.group, 1);
        fetch(q, (const P*)(grad + row), first_pack, packs, t.group, 1);
      }
      C h[E], d[E], e[E], mean = 0;
#pragma unroll
      for (u32 i = 0; i < E; i++) {
        const bool here = mine && t.part + i / V * t.group < packs;
        h[i] = here ? Element<T>::load(p[i / V].at[i % V]) : (C)0;
        d[i] = here ? Element<T>::load(q[i / V].at[i % V]) : (C)0;
      }
      const u64 at = row;
      r += g.count * t.rows;
      row = (r < g.rows ? r : g.rows - 1) * g.cols;
      if (AHEAD) {
        fetch(p, (const P*)(in + row), first_pack, packs, t.group, 1);
        fetch(q, (const P*)(grad + row), first_pack, packs, t.group, 1);
      }
      if (LAYER) mean = together<Plus<C>>(sum_of(h), t, single) / (C)g.cols;
#pragma unroll
      for (u32 i = 0; i < E; i++) {
        h[i] = mine && t.part + i / V * t.group < packs ? h[i] - mean : (C)0;
        e[i] = h[i] * h[i];
      }
      const C scale = (C)1 / sqrt(together<Plus<C>>(sum_of(e), t, single) / (C)g.cols + (C)g.eps);
#pragma unroll
      for (u32 i = 0; i < E; i++) {
        h[i] = mine && t.part + i / V * t.group < packs ? h[i] * scale : (C)0;  // scale may be infinite
        of_alpha[i] += d[i] * h[i];
        of_beta[i] += d[i];
        d[i] *= Element<T>::load(a[i / V].at[i % V]);
        e[i] = d[i] * h[i];
      }
      if (!out) continue;
      Two<C> s = {sum_of(e), LAYER ? sum_of(d) : (C)0};
      s = together<AddTwo<C>>(s, t, room.parts);
      const C slope = s.a / (C)g.cols, shift = LAYER ? s.b / (C)g.cols : (C)0;
#pragma unroll
      for (u32 i = 0; i < N; i++) {
        if (!mine || t.part + i * t.group >= packs) continue;
        P y;
#pragma unroll
        for (int j = 0; j < V; j++) {
          C z = d[i * V + j] - h[i * V + j] * slope;
          if (LAYER) z -= shift;
          y.at[j] = Element<T>::store(z * scale);
        }
        ((P*)(out + at))[t.part + i * t.group] = y;
      }
    }
    if (!parts) continue;
    C* to = parts + part * (LAYER ? 2 : 1) * g.cols;
    store_part<V, N>(to, of_alpha, t, packs, room.sums);
    if (LAYER) store_part<V, N>(to + g.cols, of_beta, t, packs, room.sums);
  }
}

// Eight adjacent columns and 32 parts at a time.
template <class T, class C> DEV void norm_parameters(const C* parts, T* alpha, T* beta, u64 count, u64 cols) {
  const u32 COLUMNS = 8, DEEP = BLOCK / COLUMNS;
  SHARED Careful<C> sums[BLOCK];
  const u64 n = beta ? 2 * cols : cols;
  for (u64 c0 = (u64)bid() * COLUMNS; c0 < n; c0 += (u64)blocks() * COLUMNS) {
    const u64 c = c0 + tid() % COLUMNS;
    Careful<C> s = {0, 0};
    if (c < n)
      for (u64 k = tid() / COLUMNS; k < count; k += FETCH * DEEP) {
        C e[FETCH];
        fetch(e, parts + c, k, count, DEEP, (i64)n);
#pragma unroll
        for (u32 j = 0; j < FETCH; j++)
          if (k + j * DEEP < count) s.add(e[j]);
      }
    sums[tid()] = s;
    sync();
    if (tid() < COLUMNS && c < n) {
      for (u32 k = 1; k < DEEP; k++) Total<C>::merge(s, sums[k * COLUMNS + tid()]);
      T* to = c < cols ? alpha : beta;
      to[c < cols ? c : c - cols] = Element<T>::store(s.sum);
    }
    sync();
  }
}

template <class T, bool LOG, int V>
DEV void softmax_gradient(const T* y, const T* grad, T* out, const RowGradient& g, Careful<Compute<T>> (&parts)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u64 packs = g.cols / V;
  const Team t = team_of(false, g.rows, packs);
  const bool kept = packs <= FETCH * t.group;  // threads have all of their elements in registers
  for (u64 r0 = (u64)bid() * t.rows; r0 < g.rows; r0 += (u64)blocks() * t.rows) {
    const bool mine = r0 + t.row < g.rows;
    const u64 row = (mine ? r0 + t.row : r0) * g.cols, end = mine ? packs : 0;
    P p[FETCH], q[FETCH];
    Careful<C> sum = {0, 0};
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      C e[FETCH * V];
      if (!LOG || kept) fetch(p, (const P*)(y + row), c, end, t.group, 1);
      fetch(q, (const P*)(grad + row), c, end, t.group, 1);
#pragma unroll
      for (u32 i = 0; i < FETCH * V; i++) {
        const C d = Element<T>::load(q[i / V].at[i % V]);
        e[i] = c + i / V * t.group >= end ? (C)0 : LOG ? d : d * Element<T>::load(p[i / V].at[i % V]);
      }
      sum.add(sum_of(e));
    }
    const C total = together<Total<C>>(sum, t, parts).sum;
    for (u64 c = t.part; c < end; c += FETCH * t.group) {
      if (!kept) {
        fetch(p, (const P*)(y + row), c, end, t.group, 1);
        fetch(q, (const P*)(grad + row), c, end, t.group, 1);
      }
#pragma unroll
      for (u32 i = 0; i < FETCH; i++) {
        if (c + i * t.group >= end) continue;
#pragma unroll
        for (int j = 0; j < V; j++) {
          const C u = Element<T>::load(p[i].at[j]), d = Element<T>::load(q[i].at[j]);
          p[i].at[j] = Element<T>::store(LOG ? d - exp(u) * total : u * (d - total));
        }
        ((P*)(out + row))[c + i * t.group] = p[i];
      }
    }
  }
}

template <class T, bool LOG> DEV void softmax_gradient_any(const T* y, const T* grad, T* out, const RowGradient& g) {
  SHARED Careful<Compute<T>> parts[BLOCK];
  const int V = RowPack<T>::V;
  if (g.cols % V == 0 && aligned<V>(y) && aligned<V>(grad) && aligned<V>(out))
    softmax_gradient<T, LOG, V>(y, grad, out, g, parts);
  else
    softmax_gradient<T, LOG, 1>(y, grad, out, g, parts);
}

// A team takes the rows of one id, FETCH at a time.
template <class I, class T, int V>
DEV void select_gradient(const I* ids, const u32* from, const T* grad, T* out, u64 count, u64 size, u64 cols) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u64 packs = cols / V;
  const Team t = team_of(false, count, packs);
  for (u64 k = (u64)bid() * t.rows + t.row; k < count; k += (u64)blocks() * t.rows) {
    const I id = ids[k];
    if ((u64)id >= size || (k > 0 && ids[k - 1] == id)) continue;
    u64 end = k + 1;
    while (end < count && ids[end] == id) end++;
    for (u64 c = t.part; c < packs; c += t.group) {
      C sum[V] = {};
      for (u64 j = k; j < end; j += FETCH) {
        P p[FETCH];
#pragma unroll
        for (u32 i = 0; i < FETCH; i++) p[i] = ((const P*)(grad + from[j + i < end ? j + i : j] * cols))[c];
#pragma unroll
        for (u32 i = 0; i < FETCH; i++)
          if (j + i < end)
#pragma unroll
            for (int v = 0; v < V; v++) sum[v] += Element<T>::load(p[i].at[v]);
      }
      P q;
#pragma unroll
      for (int v = 0; v < V; v++) q.at[v] = Element<T>::store(sum[v]);
      ((P*)(out + (u64)id * cols))[c] = q;
    }
  }
}

template <class I, class T>
DEV void select_gradient_any(const I* ids, const u32* from, const T* grad, T* out, u64 count, u64 size, u64 cols) {
  const int V = RowPack<T>::V;
  if (cols % V == 0 && aligned<V>(grad) && aligned<V>(out))
    select_gradient<I, T, V>(ids, from, grad, out, count, size, cols);
  else
    select_gradient<I, T, 1>(ids, from, grad, out, count, size, cols);
}

template <class T, int V> DEV void silu_mul_gradient(const T* x, const T* y, const T* grad, T* of_x, T* of_y, u64 packs) {
  typedef Compute<T> C;
  for (u64 i = first(); i < packs; i += stride()) {
    const Pack<T, V> p = pack_at<V>(x, i), q = pack_at<V>(y, i), g = pack_at<V>(grad, i);
    Pack<T, V> dx, dy;
#pragma unroll
    for (int j = 0; j < V; j++) {
      const C a = Element<T>::load(p.at[j]), d = Element<T>::load(g.at[j]), s = logistic((C)1, a, (C)0), silu = logistic(a, a, (C)0);
      dx.at[j] = Element<T>::store(d * Element<T>::load(q.at[j]) * (s + silu * ((C)1 - s)));
      dy.at[j] = Element<T>::store(d * silu);
    }
    if (of_x) put_pack<V>(of_x, i, dx);
    if (of_y) put_pack<V>(of_y, i, dy);
  }
}

template <class T> DEV void silu_mul_gradient_any(const T* x, const T* y, const T* grad, T* of_x, T* of_y, u64 n) {
  const int V = RowPack<T>::V;
  if (n % V == 0 && aligned<V>(x) && aligned<V>(y) && aligned<V>(grad) && aligned<V>(of_x) && aligned<V>(of_y))
    silu_mul_gradient<T, V>(x, y, grad, of_x, of_y, n / V);
  else
    silu_mul_gradient<T, 1>(x, y, grad, of_x, of_y, n);
}

#define RMS_NORM_GRADIENT(T, E, V) \
  KERNEL rms_norm_gradient_##E##_##V##_##T(const T* in, const T* grad, const T* alpha, T* out, Compute<T>* parts, RowGradient g) { \
    norm_gradient<T, false, E, V>(in, grad, alpha, out, parts, g); \
  }
#define LAYER_NORM_GRADIENT(T, E, V) \
  KERNEL layer_norm_gradient_##E##_##V##_##T(const T* in, const T* grad, const T* alpha, T* out, Compute<T>* parts, RowGradient g) { \
    norm_gradient<T, true, E, V>(in, grad, alpha, out, parts, g); \
  }
#define NORM_PARAMETERS(T) \
  KERNEL norm_parameters_##T(const Compute<T>* parts, T* alpha, T* beta, u64 count, u64 cols) { norm_parameters(parts, alpha, beta, count, cols); }
#define SOFTMAX_GRADIENT(T) \
  KERNEL softmax_gradient_##T(const T* y, const T* grad, T* out, RowGradient g) { softmax_gradient_any<T, false>(y, grad, out, g); }
#define LOGSOFTMAX_GRADIENT(T) \
  KERNEL logsoftmax_gradient_##T(const T* y, const T* grad, T* out, RowGradient g) { softmax_gradient_any<T, true>(y, grad, out, g); }
#define SELECT_GRADIENT(I, T) \
  KERNEL select_gradient_##I##_##T(const I* ids, const u32* from, const T* grad, T* out, u64 count, u64 size, u64 cols) { \
    select_gradient_any(ids, from, grad, out, count, size, cols); \
  }
#define SILU_MUL_GRADIENT(T) \
  KERNEL silu_mul_gradient_##T(const T* x, const T* y, const T* grad, T* of_x, T* of_y, u64 n) { silu_mul_gradient_any(x, y, grad, of_x, of_y, n); }
