// Steps of optimizers, and the norm and the scaling of gradients, for many tensors in one launch.
//
// A launch has a table of up to TENSORS tensors among its arguments. Every row has the addresses of a variable w, of its gradient g, of up to three
// tensors of state and of the variable in f32 (master), 0 where there is none. All are dense and have sizes[row] elements; state and master have the type
// in which the arithmetic is done. Blocks take chunks of CHUNK elements of any tensor, so that many small tensors keep a GPU as busy as a large one:
// ends[row] counts the chunks of the rows up to that one. Rows are CHUNK elements long but for their ends, so a pack lies in one chunk.
//
// control is 0, or has what is known on the device alone (grad_control): a factor, whether the step is skipped, and the corrections of adamw.
// live is 0, or has the numbers that follow it among the arguments, in the order of Live: those of a captured launch change from replay to replay.
//
// adamw_T, adam_T, nadam_T, lion_T, sgd_T, asgd_T, rmsprop_T, adagrad_T, adadelta_T, rprop_T(Tensors, f64* control, f64* live, f64 factor, f64 limit, …): gradients are multiplied by the factors and clamped to ±limit. Elements are
//   read and written once. An element of w that is not the rounded one of master was set meanwhile: master takes it over.
// grad_scale_T(Tensors, f64* control, f64 factor, f64 limit): w = g · factors, clamped.
// grad_norm_T(Tensors, f64* parts): the sum of squares, and the number of elements that are not finite, of the elements of each block. The grid decides
//   which those are.
// grad_control(f64* parts, u64 count, f64* control, f64* live, f64 factor, f64 limit, u64 skip, f64 beta1, f64 beta2, u64 steps): one block.

const u32 TENSORS = 64;
const u64 CHUNK = 16384;
enum Column { W, G, A, B, C, MASTER };

struct Tensors {  // package optim writes the same
  u64 count;
  u64 sizes[TENSORS];
  u64 at[6][TENSORS];
  u32 ends[TENSORS];
};

enum Control { FACTOR, SKIP, OF_MEAN, OF_SQUARE, NORM, SKIPPED };

// BY and LIMIT of every rule, then what the rule has, then what grad_control needs beside.
enum Live { BY, LIMIT, LR, DECAY, RULE1, RULE2, RULE3, RULE4, RULE5, MOST_NORM, BETA1, BETA2, STEPS };

// A number of a launch, or what stands for it.
DEV f64 now(const f64* live, int which, f64 number) { return live ? live[which] : number; }

#if AMD
template <class T> DEV T* memory(u64 address) { return (T*)(__attribute__((address_space(1))) T*)address; }
#else
template <class T> DEV T* memory(u64 address) { return (T*)address; }
#endif

// The part of a tensor that a chunk is.
struct Part {
  u32 row;
  u64 begin, end;
  DEV Part(const Tensors& t, u64 chunk) : row(0) {
    for (u32 last = (u32)t.count - 1; row < last;) {
      const u32 middle = (row + last) / 2;
      if (t.ends[middle] > chunk)
        last = middle;
      else
        row = middle + 1;
    }
    begin = (chunk - (row ? t.ends[row - 1] : 0)) * CHUNK;
    end = begin + CHUNK < t.sizes[row] ? begin + CHUNK : t.sizes[row];
  }
};

// Up to V elements from p[i] on, and back: all in one access where they are `whole`.
template <int V, class T> DEV void get(Compute<T> (&x)[V], const T* p, u64 i, u32 n, bool whole) {
  if (whole) {
    const Pack<T, V> pack = *(const Pack<T, V>*)(p + i);
#pragma unroll
    for (int j = 0; j < V; j++) x[j] = Element<T>::load(pack.at[j]);
    return;
  }
#pragma unroll
  for (u32 j = 0; j < V; j++) x[j] = j < n ? Element<T>::load(p[i + j]) : (Compute<T>)0;
}
template <int V, class T> DEV void put(T* p, u64 i, const Compute<T> (&x)[V], u32 n, bool whole) {
  if (whole) {
    Pack<T, V> pack;
#pragma unroll
    for (int j = 0; j < V; j++) pack.at[j] = Element<T>::store(x[j]);
    *(Pack<T, V>*)(p + i) = pack;
    return;
  }
#pragma unroll
  for (u32 j = 0; j < V; j++)
    if (j < n) p[i + j] = Element<T>::store(x[j]);
}

// What a gradient is multiplied by, and the range that it is clamped to.
template <class R> struct Before {
  R factor, limit;
  DEV Before(const f64* control, f64 by, f64 most) : factor((R)(control ? control[FACTOR] * by : by)), limit((R)most) {}
  DEV R of(R g) const {
    g = g * factor;
    return g > limit ? limit : g < -limit ? -limit : g;
  }
};

DEV bool skipped(const f64* control) { return control && control[SKIP] != 0; }

template <class T, class Rule> DEV void update(const Tensors& t, const f64* control, f64 by, f64 most, const Rule& rule) {
  typedef Compute<T> R;
  const int V = 16 / sizeof(R);
  if (skipped(control)) return;
  const Before<R> before(control, by, most);
  for (u64 chunk = bid(); chunk < t.ends[t.count - 1]; chunk += blocks()) {
    const Part part(t, chunk);
    T *w = memory<T>(t.at[W][part.row]), *g = memory<T>(t.at[G][part.row]);
    R *a = memory<R>(t.at[A][part.row]), *b = memory<R>(t.at[B][part.row]), *c = memory<R>(t.at[C][part.row]);
    R* master = memory<R>(t.at[MASTER][part.row]);
    const bool packs = aligned<V>(w) && aligned<V>(g) && aligned<V>(a) && aligned<V>(b) && aligned<V>(c) && aligned<V>(master);
    for (u64 i = part.begin + tid() * V; i < part.end; i += BLOCK * V) {
      const u32 n = part.end - i < V ? (u32)(part.end - i) : V;
      const bool whole = packs && n == V;
      R x[V], d[V], state[3][V] = {}, wide[V];
      get<V>(x, w, i, n, whole);
      get<V>(d, g, i, n, whole);
      if (a) get<V>(state[0], a, i, n, whole);
      if (b) get<V>(state[1], b, i, n, whole);
      if (c) get<V>(state[2], c, i, n, whole);
      if (master) get<V>(wide, master, i, n, whole);
#pragma unroll
      for (int j = 0; j < V; j++) {
        if (master && Element<T>::load(Element<T>::store(wide[j])) == x[j]) x[j] = wide[j];
        rule.step(x[j], before.of(d[j]), state[0][j], state[1][j], state[2][j], a != 0, b != 0, c != 0);
      }
      put<V>(w, i, x, n, whole);
      if (a) put<V>(a, i, state[0], n, whole);
      if (b) put<V>(b, i, state[1], n, whole);
      if (c) put<V>(c, i, state[2], n, whole);
      if (master) put<V>(master, i, x, n, whole);
    }
  }
}

// w ← w · decay - lr · mean · of_mean / (√(square · of_square) + eps); a and b are the running means of g and g², with g + share · w for g. If there is c, it
// is the largest b so far, and takes its place.
template <class R> struct AdamW {
  R lr, decay, beta1, rest1, beta2, rest2, eps, of_mean, of_square, share;
  DEV void step(R& w, R g, R& a, R& b, R& c, bool, bool, bool largest) const {
    if (share != 0) g = g + w * share;
    a = a * beta1 + g * rest1;
    b = b * beta2 + g * g * rest2;
    R square = b;
    if (largest) square = c = c > b ? c : b;
    w = w * decay - a * of_mean / (sqrt(square * of_square) + eps) * lr;
  }
};

// w ← w · decay - lr · the sign of a · beta1 + g · (1 - beta1); a is the running mean of g, which is updated after that.
template <class R> struct Lion {
  R lr, decay, beta1, rest1, beta2, rest2;
  DEV void step(R& w, R g, R& a, R&, R&, bool, bool, bool) const {
    const R along = a * beta1 + g * rest1;
    a = a * beta2 + g * rest2;
    w = w * decay - (along > 0 ? lr : along < 0 ? -lr : along);
  }
};

// a, if there is one, is the running sum of gradients.
template <class R> struct Descent {
  R lr, decay, momentum;
  bool nesterov;
  DEV void step(R& w, R g, R& a, R&, R&, bool moving, bool, bool) const {
    if (decay != 0) g = g + w * decay;
    R along = g;
    if (moving) {
      a = a * momentum + g;
      along = nesterov ? g + a * momentum : a;
    }
    w = w - along * lr;
  }
};

// a is the running mean of g², b that of g if it is centred, c the running sum of steps if there is momentum.
template <class R> struct RMSprop {
  R lr, decay, alpha, rest, eps, momentum;
  DEV void step(R& w, R g, R& a, R& b, R& c, bool, bool centred, bool moving) const {
    if (decay != 0) g = g + w * decay;
    a = a * alpha + g * g * rest;
    R spread = a;
    if (centred) {
      b = b * alpha + g * rest;
      spread = a - b * b;
    }
    R along = g / (sqrt(spread) + eps);
    if (moving) along = c = c * momentum + along;
    w = w - along * lr;
  }
};

// a is the sum of g².
template <class R> struct Adagrad {
  R lr, decay, eps;
  DEV void step(R& w, R g, R& a, R&, R&, bool, bool, bool) const {
    if (decay != 0) g = g + w * decay;
    a = a + g * g;
    w = w - g / (sqrt(a) + eps) * lr;
  }
};

// NAdam and RAdam: w ← w · decay - (g · of_g + mean · of_mean) / (√(square · of_square) + eps); a and b are the running means of g and g². Numbers of the
// step are in the factors. coupled: decay is the share of w that is added to g instead.
template <class R> struct NAdam {
  R of_g, decay, beta1, rest1, beta2, rest2, eps, of_mean, of_square;
  bool coupled;
  DEV void step(R& w, R g, R& a, R& b, R&, bool, bool, bool) const {
    if (coupled) g = g + w * decay;
    else w = w * decay;
    a = a * beta1 + g * rest1;
    b = b * beta2 + g * g * rest2;
    w = w - (g * of_g + a * of_mean) / (sqrt(b * of_square) + eps);
  }
};

// a is the running mean of g², b that of the squares of steps.
template <class R> struct Adadelta {
  R lr, decay, rho, rest, eps;
  DEV void step(R& w, R g, R& a, R& b, R&, bool, bool, bool) const {
    if (decay != 0) g = g + w * decay;
    a = a * rho + g * g * rest;
    const R along = sqrt(b + eps) / sqrt(a + eps) * g;
    b = b * rho + along * along * rest;
    w = w - along * lr;
  }
};

// a is the mean of w.
template <class R> struct Averaged {
  R lr, decay, keep, share;
  DEV void step(R& w, R g, R& a, R&, R&, bool, bool, bool) const {
    if (decay != 0) g = g + w * decay;
    w = w * keep - g * lr;
    a = share == 1 ? w : a + (w - a) * share;
  }
};

// a is the gradient of the step before, 0 if that turned back, b the size of steps.
template <class R> struct Rprop {
  R down, up, least, most;
  DEV void step(R& w, R g, R& a, R& b, R&, bool, bool, bool) const {
    const R turn = g * a;
    if (turn < 0) g = 0;
    R size = b * (turn > 0 ? up : turn < 0 ? down : turn == 0 ? (R)1 : turn);
    size = size < least ? least : size > most ? most : size;
    w = w - (g > 0 ? (R)1 : g < 0 ? (R)-1 : g) * size;
    a = g;
    b = size;
  }
};

template <class T> DEV void scale(const Tensors& t, const f64* control, f64 by, f64 most) {
  typedef Compute<T> R;
  const int V = 16 / sizeof(R);
  const Before<R> before(control, by, most);
  for (u64 chunk = bid(); chunk < t.ends[t.count - 1]; chunk += blocks()) {
    const Part part(t, chunk);
    T *w = memory<T>(t.at[W][part.row]), *g = memory<T>(t.at[G][part.row]);
    const bool packs = aligned<V>(w) && aligned<V>(g);
    for (u64 i = part.begin + tid() * V; i < part.end; i += BLOCK * V) {
      const u32 n = part.end - i < V ? (u32)(part.end - i) : V;
      R d[V];
      get<V>(d, g, i, n, packs && n == V);
#pragma unroll
      for (int j = 0; j < V; j++) d[j] = before.of(d[j]);
      put<V>(w, i, d, n, packs && n == V);
    }
  }
}

// The sum over the threads of a block, in thread 0.
DEV f64 block_sum(f64 x, f64 (&parts)[BLOCK]) {
  parts[tid()] = x;
  sync();
  for (u32 half = BLOCK / 2; half > 0; half /= 2) {
    if (tid() < half) parts[tid()] = parts[tid()] + parts[tid() + half];
    sync();
  }
  x = parts[0];
  sync();  // parts are free again
  return x;
}

template <class T> DEV void norm(const Tensors& t, f64* out) {
  const int V = 16 / sizeof(Compute<T>);
  f64 sum = 0, faults = 0;
  for (u64 chunk = bid(); chunk < t.ends[t.count - 1]; chunk += blocks()) {
    const Part part(t, chunk);
    const T* g = memory<T>(t.at[G][part.row]);
    const bool packs = aligned<V>(g);
    for (u64 i = part.begin + tid() * V; i < part.end; i += BLOCK * V) {
      const u32 n = part.end - i < V ? (u32)(part.end - i) : V;
      Compute<T> d[V];
      get<V>(d, g, i, n, packs && n == V);
#pragma unroll
      for (int j = 0; j < V; j++) {
        sum = fma((f64)d[j], (f64)d[j], sum);
        if (d[j] - d[j] != 0) faults = faults + 1;
      }
    }
  }
  SHARED f64 parts[BLOCK];
  sum = block_sum(sum, parts);
  faults = block_sum(faults, parts);
  if (tid() == 0) {
    out[2 * (u64)bid()] = sum;
    out[2 * (u64)bid() + 1] = faults;
  }
}

// 1 / (1 - betaⁿ)
DEV f64 correction(f64 beta, u64 n) {
  f64 power = 1;
  for (; n; n /= 2) {
    if (n & 1) power = power * beta;
    beta = beta * beta;
  }
  return 1 / (1 - power);
}

DEV void control_step(const f64* parts, u64 count, f64* control, f64 factor, f64 limit, u64 skip, f64 beta1, f64 beta2, u64 steps) {
  f64 sum = 0, faults = 0;
  for (u64 i = tid(); i < count; i += BLOCK) {
    sum = sum + parts[2 * i];
    faults = faults + parts[2 * i + 1];
  }
  SHARED f64 shared[BLOCK];
  sum = block_sum(sum, shared);
  faults = block_sum(faults, shared);
  if (tid() != 0) return;
  const f64 norm = sqrt(sum) * abs(factor);
  const bool leave = skip && faults != 0;
  control[FACTOR] = norm > limit ? limit / (norm + 1e-6) : 1;
  control[SKIP] = leave;
  control[NORM] = norm;
  if (leave) control[SKIPPED] = control[SKIPPED] + 1;
  const u64 taken = steps - (u64)control[SKIPPED];
  control[OF_MEAN] = correction(beta1, taken);
  control[OF_SQUARE] = correction(beta2, taken);
}

#define ADAM(T, NAME, DECAY_, SHARE) \
  KERNEL NAME##_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 beta1, f64 beta2, f64 eps, \
                   f64 of_mean, f64 of_square) { \
    typedef Compute<T> R; \
    beta1 = now(live, RULE1, beta1), beta2 = now(live, RULE2, beta2), decay = now(live, DECAY, decay); \
    const AdamW<R> rule = {(R)now(live, LR, lr), (R)(DECAY_), (R)beta1, (R)(1 - beta1), (R)beta2, (R)(1 - beta2), \
                           (R)now(live, RULE3, eps), (R)(control ? control[OF_MEAN] : now(live, RULE4, of_mean)), \
                           (R)(control ? control[OF_SQUARE] : now(live, RULE5, of_square)), (R)(SHARE)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define ADAMW(T) ADAM(T, adamw, decay, 0)
#define ADAM_L2(T) ADAM(T, adam, 1, decay)
#define LION(T) \
  KERNEL lion_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 beta1, f64 beta2) { \
    typedef Compute<T> R; \
    beta1 = now(live, RULE1, beta1), beta2 = now(live, RULE2, beta2); \
    const Lion<R> rule = {(R)now(live, LR, lr), (R)now(live, DECAY, decay), (R)beta1, (R)(1 - beta1), (R)beta2, (R)(1 - beta2)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define SGD(T) \
  KERNEL sgd_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 momentum, u64 nesterov) { \
    typedef Compute<T> R; \
    const Descent<R> rule = {(R)now(live, LR, lr), (R)now(live, DECAY, decay), (R)now(live, RULE1, momentum), nesterov != 0}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define RMSPROP(T) \
  KERNEL rmsprop_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 alpha, f64 eps, f64 momentum) { \
    typedef Compute<T> R; \
    alpha = now(live, RULE1, alpha); \
    const RMSprop<R> rule = {(R)now(live, LR, lr), (R)now(live, DECAY, decay), (R)alpha, (R)(1 - alpha), (R)now(live, RULE2, eps), \
                             (R)now(live, RULE3, momentum)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define ADAGRAD(T) \
  KERNEL adagrad_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 lr_decay, f64 eps, f64 steps) { \
    typedef Compute<T> R; \
    const f64 before = now(live, RULE3, steps) - 1 - (control ? control[SKIPPED] : 0); \
    const Adagrad<R> rule = {(R)(now(live, LR, lr) / (1 + before * now(live, RULE1, lr_decay))), (R)now(live, DECAY, decay), (R)now(live, RULE2, eps)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define NADAM(T) \
  KERNEL nadam_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 of_g, f64 decay, f64 beta1, f64 beta2, f64 eps, \
                   f64 of_mean, f64 of_square, u64 coupled) { \
    typedef Compute<T> R; \
    beta1 = now(live, RULE1, beta1), beta2 = now(live, RULE2, beta2); \
    const NAdam<R> rule = {(R)now(live, LR, of_g), (R)now(live, DECAY, decay), (R)beta1, (R)(1 - beta1), (R)beta2, (R)(1 - beta2), \
                           (R)now(live, RULE3, eps), (R)now(live, RULE4, of_mean), (R)now(live, RULE5, of_square), coupled != 0}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define ADADELTA(T) \
  KERNEL adadelta_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 rho, f64 eps) { \
    typedef Compute<T> R; \
    rho = now(live, RULE1, rho); \
    const Adadelta<R> rule = {(R)now(live, LR, lr), (R)now(live, DECAY, decay), (R)rho, (R)(1 - rho), (R)now(live, RULE2, eps)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define ASGD(T) \
  KERNEL asgd_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 lr, f64 decay, f64 keep, f64 share) { \
    typedef Compute<T> R; \
    const Averaged<R> rule = {(R)now(live, LR, lr), (R)now(live, DECAY, decay), (R)now(live, RULE1, keep), (R)now(live, RULE2, share)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define RPROP(T) \
  KERNEL rprop_##T(const Tensors t, const f64* control, const f64* live, f64 factor, f64 limit, f64 down, f64 up, f64 least, f64 most) { \
    typedef Compute<T> R; \
    const Rprop<R> rule = {(R)now(live, LR, down), (R)now(live, DECAY, up), (R)now(live, RULE1, least), (R)now(live, RULE2, most)}; \
    update<T>(t, control, now(live, BY, factor), now(live, LIMIT, limit), rule); \
  }
#define GRAD_SCALE(T) \
  KERNEL grad_scale_##T(const Tensors t, const f64* control, f64 factor, f64 limit) { scale<T>(t, control, factor, limit); }
#define GRAD_NORM(T) \
  KERNEL grad_norm_##T(const Tensors t, f64* parts) { norm<T>(t, parts); }
#define GRAD_CONTROL() \
  KERNEL grad_control(const f64* parts, u64 count, f64* control, const f64* live, f64 factor, f64 limit, u64 skip, f64 beta1, f64 beta2, u64 steps) { \
    control_step(parts, count, control, now(live, BY, factor), now(live, MOST_NORM, limit), skip, now(live, BETA1, beta1), now(live, BETA2, beta2), \
                 live ? (u64)live[STEPS] : steps); \
  }
