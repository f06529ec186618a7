// Cross entropy of rows of logits with the numbers of their classes, in the compute type: f32 for f16, bf16 and f8e4m3.
//
// cross_entropy_T(in, targets, C* weights, C* losses, State* states, CrossEntropy, u64* fault)
//   losses[r] = (1-ε) w[y] (lse - x[y]) + ε/n Σ w[c] (lse - x[c])    with lse = log Σ exp(x[c]), y = targets[r], n classes
//   and states[r] has what the gradient needs. Rows whose target is `ignored` have loss 0. A target outside 0…n-1 stores 1 + its position in *fault.
// cross_entropy_total_T(C* losses, State* states, T* out, C* scale, u64 rows, u64 mean)
//   *out = Σ losses[r], and *scale = 1; with mean both are divided by the sum of the w[y] of the rows that are not ignored. One block.
// cross_entropy_gradient_T(in, targets, C* weights, State* states, T* grad, C* scale, out, CrossEntropy, u64 grad_step)
//   out[r][c] = g (((1-ε) w[y] + ε/n Σ w) exp(x[c] - lse) - (1-ε) w[y] [c = y] - ε/n w[c])    with g = grad[r grad_step] · *scale, or no scale
//
// Rows are dense, `step` apart; targets are u8, u32 or i64 of target_size bytes. Without weights, which is null, they are 1. A team of threads
// processes a row (rows.h): one pass computes maximum and sum, scaling the sum whenever the maximum grows. Each kernel reads the logits once. For
// types of 16 bits and less, exp is exp2 of the hardware, whose error is far below their rounding.

struct CrossEntropy {
  u64 rows, classes;
  i64 step, target_step;
  i64 ignored;
  f64 smoothing;
  i32 target_size, ignores;
};

template <class C> struct State {
  C top, inverse;  // the maximum, and 1 / Σ exp(x - top); 0 for a row that is ignored
  C weight, mass;  // w[y], and the factor of the probabilities in the gradient
};

DEV f64 power_of(f64, f64 x) { return exp(x); }
DEV f32 power_of(f32, f32 x) { return exp(x); }
template <class T> DEV f32 power_of(T, f32 x) { return quick_exp2(x * 0x1.715476p+0f); }

DEV i64 target_at(const void* targets, i32 size, i64 i) {
  return size == 1 ? (i64)((const u8*)targets)[i] : size == 4 ? (i64)((const u32*)targets)[i] : ((const i64*)targets)[i];
}

// What the threads of a row add up: exp(x - top), and for smoothing w x and w.
template <class C> struct RowSums {
  C top;
  Careful<C> sum, weighted, weights;
};
template <class C> struct MergeRows {
  MEMBER void merge(RowSums<C>& x, const RowSums<C>& y) {
    const C top = maximum(x.top, y.top), zero = top == -Float<C>::inf() ? (C)0 : top;
    const C a = exp(x.top - zero), b = exp(y.top - zero);
    x.sum.sum *= a;
    x.sum.lost *= a;
    const Careful<C> other = {y.sum.sum * b, y.sum.lost * b};
    Total<C>::merge(x.sum, other);
    Total<C>::merge(x.weighted, y.weighted);
    Total<C>::merge(x.weights, y.weights);
    x.top = top;
  }
};

// How many packs a thread loads at a time: more of single elements, as odd numbers of classes have.
template <int V> struct Loads { static const u32 N = V == 1 ? 2 * FETCH : FETCH; };

// Adds N packs that begin at pack c.
template <class T, int V, u32 N, class C>
DEV void add_packs(RowSums<C>& s, const Pack<T, V> (&p)[N], const C* weights, u64 c, u64 end, u32 every, bool smooth) {
  C e[N * V], top = s.top;
#pragma unroll
  for (u32 i = 0; i < N; i++)
#pragma unroll
    for (int j = 0; j < V; j++) {
      e[i * V + j] = c + i * every < end ? Element<T>::load(p[i].at[j]) : -Float<C>::inf();
      top = maximum(top, e[i * V + j]);
    }
  if (smooth) {
#pragma unroll
    for (u32 i = 0; i < N; i++)
      if (c + i * every < end)
        for (int j = 0; j < V; j++) {
          const C w = weights ? weights[(c + i * every) * V + j] : (C)1;
          s.weighted.add(w * Element<T>::load(p[i].at[j]));
          s.weights.add(w);
        }
  }
  const C zero = top == -Float<C>::inf() ? (C)0 : top;  // nothing but -Inf until now: sums are 0
  if (!(top == s.top)) {
    const C smaller = exp(s.top - zero);
    s.sum.sum *= smaller;
    s.sum.lost *= smaller;
    s.top = top;
  }
#pragma unroll
  for (u32 i = 0; i < N * V; i++) e[i] = power_of(T(), e[i] - zero);
  s.sum.add(sum_of(e));
}

template <class T, int V, class C>
DEV void cross_entropy_rows(const T* in, const void* targets, const C* weights, C* losses, State<C>* states, const CrossEntropy& g, u64* fault,
                            RowSums<C> (&parts)[BLOCK]) {
  const u64 packs = g.classes / V;
  const C even = (C)(g.smoothing / (f64)g.classes), rest = (C)(1 - g.smoothing);
  const bool smooth = g.smoothing != 0;
  const Team t = team_of(false, g.rows, packs);
  for (u64 r0 = (u64)bid() * t.rows; r0 < g.rows; r0 += (u64)blocks() * t.rows) {
    const bool mine = r0 + t.row < g.rows;
    const u64 r = mine ? r0 + t.row : r0, end = mine ? packs : 0;
    const T* row = in + (i64)r * g.step;
    const i64 y = target_at(targets, g.target_size, (i64)r * g.target_step);
    const bool ignored = g.ignores && y == g.ignored, wrong = !ignored && (u64)y >= g.classes;
    const u64 at = ignored || wrong ? 0 : (u64)y;
    const C of_target = Element<T>::load(row[at]);
    RowSums<C> s = {-Float<C>::inf(), {0, 0}, {0, 0}, {0, 0}};
    for (u64 c = t.part; c < end; c += Loads<V>::N * t.group) {
      Pack<T, V> p[Loads<V>::N];
      fetch(p, (const Pack<T, V>*)row, c, end, t.group, 1);
      add_packs(s, p, weights, c, end, t.group, smooth);
    }
    s = together<MergeRows<C>>(s, t, parts);
    if (!mine || t.part != 0) continue;
    State<C> state = {s.top, (C)1 / s.sum.sum, weights ? weights[at] : (C)1, 0};
    const C last = log(s.sum.sum);
    state.mass = rest * state.weight;
    C loss = state.mass * (s.top - of_target + last);
    if (smooth) {
      state.mass += even * s.weights.sum;
      loss += even * (s.weights.sum * (s.top + last) - s.weighted.sum);
    }
    if (ignored || wrong) {
      loss = 0;
      state = {0, 0, 0, 0};
    }
    losses[r] = loss;
    states[r] = state;
    if (wrong) report(fault, r);
  }
}

template <class T, class C>
DEV void cross_entropy(const T* in, const void* targets, const C* weights, C* losses, State<C>* states, const CrossEntropy& g, u64* fault) {
  SHARED RowSums<C> parts[BLOCK];
  const int V = RowPack<T>::V;
  if (g.classes % V == 0 && g.step % V == 0 && aligned<V>(in))
    cross_entropy_rows<T, V>(in, targets, weights, losses, states, g, fault, parts);
  else
    cross_entropy_rows<T, 1>(in, targets, weights, losses, states, g, fault, parts);
}

struct LossTotal { f64 loss, weight; };
struct AddLosses {
  MEMBER void merge(LossTotal& x, const LossTotal& y) {
    x.loss += y.loss;
    x.weight += y.weight;
  }
};

template <class T, class C> DEV void cross_entropy_total(const C* losses, const State<C>* states, T* out, C* scale, u64 rows, u64 mean) {
  SHARED LossTotal parts[BLOCK];
  const Team t = team_of(false, 1, BLOCK);
  LossTotal s = {0, 0};
  for (u64 r = t.part; r < rows; r += BLOCK) {
    s.loss += (f64)losses[r];
    s.weight += (f64)states[r].weight;
  }
  s = together<AddLosses>(s, t, parts);
  if (bid() != 0 || tid() != 0) return;
  *out = Element<T>::round(mean ? s.loss / s.weight : s.loss);
  *scale = (C)(mean ? 1 / s.weight : 1);
}

template <class T, int V, class C>
DEV void cross_entropy_slopes(const T* in, const void* targets, const C* weights, const State<C>* states, const T* grad, const C* scale, T* out,
                              const CrossEntropy& g, u64 grad_step) {
  const u64 packs = g.classes / V;
  const C rest = (C)(1 - g.smoothing);
  const bool smooth = g.smoothing != 0;
  const Team t = team_of(false, g.rows, packs);
  for (u64 r = (u64)bid() * t.rows + t.row; r < g.rows; r += (u64)blocks() * t.rows) {
    typedef Pack<T, V> P;
    const State<C> s = states[r];
    const C k = Element<T>::load(grad[r * grad_step]) * (scale ? *scale : (C)1);
    const C mass = k * s.mass * s.inverse, share = k * rest * s.weight, even = k * (C)(g.smoothing / (f64)g.classes);
    const u64 y = (u64)target_at(targets, g.target_size, (i64)r * g.target_step);
    const P* row = (const P*)(in + (i64)r * g.step);
    P* to = (P*)(out + r * g.classes);
    for (u64 c = t.part; c < packs; c += FETCH * t.group) {
      P p[FETCH];
      fetch(p, row, c, packs, t.group, 1);
#pragma unroll
      for (u32 i = 0; i < FETCH; i++) {
        const u64 pack = c + i * t.group;
        if (pack >= packs) continue;
#pragma unroll
        for (int j = 0; j < V; j++) {
          C d = power_of(T(), Element<T>::load(p[i].at[j]) - s.top) * mass;
          if (smooth) d -= even * (weights ? weights[pack * V + j] : (C)1);
          if (pack * V + j == y) d -= share;
          p[i].at[j] = Element<T>::store(s.inverse == 0 ? (C)0 : d);
        }
        to[pack] = p[i];
      }
    }
  }
}

template <class T, class C>
DEV void cross_entropy_gradient(const T* in, const void* targets, const C* weights, const State<C>* states, const T* grad, const C* scale, T* out,
                                const CrossEntropy& g, u64 grad_step) {
  const int V = RowPack<T>::V;
  if (g.classes % V == 0 && g.step % V == 0 && aligned<V>(in) && aligned<V>(out))
    cross_entropy_slopes<T, V>(in, targets, weights, states, grad, scale, out, g, grad_step);
  else
    cross_entropy_slopes<T, 1>(in, targets, weights, states, grad, scale, out, g, grad_step);
}

#define CROSS_ENTROPY(T) \
  KERNEL cross_entropy_##T(const T* in, const void* targets, const Compute<T>* weights, Compute<T>* losses, State<Compute<T>>* states, CrossEntropy g, \
                           u64* fault) { \
    cross_entropy(in, targets, weights, losses, states, g, fault); \
  }
#define CROSS_ENTROPY_TOTAL(T) \
  KERNEL cross_entropy_total_##T(const Compute<T>* losses, const State<Compute<T>>* states, T* out, Compute<T>* scale, u64 rows, u64 mean) { \
    cross_entropy_total(losses, states, out, scale, rows, mean); \
  }
#define CROSS_ENTROPY_GRADIENT(T) \
  KERNEL cross_entropy_gradient_##T(const T* in, const void* targets, const Compute<T>* weights, const State<Compute<T>>* states, const T* grad, \
                                    const Compute<T>* scale, T* out, CrossEntropy g, u64 grad_step) { \
    cross_entropy_gradient(in, targets, weights, states, grad, scale, out, g, grad_step); \
  }
