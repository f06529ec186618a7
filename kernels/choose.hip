// Sampling: which token comes next, for several rows of logits at once.
//
// penalize(f32 *logits, u32 *which, f32 *by, u64 n, u64 cols): in entry i of n, element which[2 i + 1] of row which[2 i] is divided by by[2 i] if it is
// positive and else multiplied by it, and then reduced by by[2 i + 1]. No element is in two entries.
//
// choose(f32 *logits, f32 *top, u32 *ids, f64 *rules, u32 *out, u64 rows, u64 cols, u64 k): draws an element of each row by the softmax of the logits
// over a temperature. Rules are five numbers a row: a random number from 0 to 1, the temperature, MinP, TopK and TopP (tensor/nn/sampler.go), with 0
// for each that does not hold. top and ids are the k greatest elements of each row, in order; without TopK and TopP none is read. out has two numbers a
// row: the element and 0, or what is wrong (Wrong). Everything is computed in f64, and added in the order of nn.Sampler's, but for sums of parts of rows.
// Grid: a block for each row; a smaller grid loops.

enum Wrong { NOTHING, NOT_FINITE, NO_TOKEN, TOO_FEW };  // NOT_FINITE: NaN or infinity; TOO_FEW: TopP wants more than k elements

DEV void penalize_elements(f32* logits, const u32* which, const f32* by, u64 n, u64 cols) {
  for (u64 i = first(); i < n; i += stride()) {
    f32* x = logits + which[2 * i] * cols + which[2 * i + 1];
    const f32 repeat = by[2 * i], y = *x > 0 ? *x / repeat : *x * repeat;
    *x = y - by[2 * i + 1];
  }
}

struct Rules {
  f64 random, temperature, min_p, top_k, top_p;
};

// What threads have of a row.
struct Chosen {
  f64 sums[BLOCK], weights[BLOCK], target;
  f32 most[BLOCK];
  u32 at[BLOCK], bad[BLOCK], part;
};

// A row's elements: weights are relative to that of the maximum.
struct Row {
  const f32* x;
  Rules by;
  f32 most;
  DEV f64 weight(f32 logit) const {
    const f64 w = exp(((f64)logit - (f64)most) / by.temperature);
    return w < by.min_p ? 0 : w;
  }
};

// The maximum of the row, where it is first, and the first element that is not a number below infinity.
DEV void look(Chosen& s, const f32* x, u64 begin, u64 end) {
  const u32 t = tid();
  f32 most = bitcast<f32>(0xff800000u);
  u32 at = (u32)begin, bad = ~0u;
  for (u64 i = begin; i < end; i++) {
    if (!(x[i] < bitcast<f32>(0x7f800000u)) && bad == ~0u) bad = (u32)i;
    if (x[i] > most) most = x[i], at = (u32)i;
  }
  s.most[t] = most;
  s.at[t] = at;
  s.bad[t] = bad;
  for (u32 n = BLOCK / 2; n > 0; n /= 2) {
    sync();
    if (t >= n) continue;
    if (s.bad[t + n] < s.bad[t]) s.bad[t] = s.bad[t + n];
    if (s.most[t + n] > s.most[t] || (s.most[t + n] == s.most[t] && s.at[t + n] < s.at[t])) s.most[t] = s.most[t + n], s.at[t] = s.at[t + n];
  }
  sync();
}

// The number, among the first n weights in shared memory, at which their sum exceeds the target, else the last one that is not 0. The target is
// reduced by those before.
DEV u32 exceeding(const f64* weights, u32 n, f64& target, bool& found) {
  u32 last = 0;
  found = false;
  for (u32 i = 0; i < n; i++) {
    if (target < weights[i]) {
      found = true;
      return i;
    }
    target -= weights[i];
    if (weights[i] > 0) last = i;
  }
  return last;
}

// By one thread, from the n greatest weights of k: the number of the chosen one, or k if TopP wants more of them. `all` is the sum of the row's.
DEV u32 choose_top(const Chosen& s, const Row& r, u32 n, u32 k, bool complete, f64 all) {
  f64 sum = all;
  if (r.by.top_k > 0) {
    sum = 0;
    for (u32 i = 0; i < n; i++) sum += s.weights[i];
  }
  if (r.by.top_p > 0) {
    const f64 limit = r.by.top_p * sum;
    f64 kept = 0;
    u32 i = 0;
    while (i < n && kept < limit) kept += s.weights[i++];
    if (kept < limit && !complete) return k;
    n = i;
    sum = kept;
  }
  f64 target = r.by.random * sum;
  bool found;
  return exceeding(s.weights, n, target, found);
}

DEV void choose_rows(const f32* logits, const f32* top, const u32* ids, const f64* rules, u32* out, u64 rows, u64 cols, u64 k) {
  SHARED Chosen s;
  const u64 each = (cols + BLOCK - 1) / BLOCK;
  const u32 t = tid();
  for (u64 n = bid(); n < rows; n += blocks()) {
    Row r;
    r.x = logits + n * cols;
    r.by = ((const Rules*)rules)[n];
    const u64 begin = t * each < cols ? t * each : cols, end = begin + each < cols ? begin + each : cols;
    look(s, r.x, begin, end);
    r.most = s.most[0];
    const u32 wrong = s.bad[0] != ~0u ? NOT_FINITE : r.most == bitcast<f32>(0xff800000u) ? NO_TOKEN : NOTHING;
    u32 id = wrong == NOT_FINITE ? s.bad[0] : s.at[0];
    if (wrong || r.by.temperature == 0) {
      if (t == 0) out[2 * n] = id, out[2 * n + 1] = wrong;
      sync();
      continue;
    }
    f64 sum = 0;
    if (!(r.by.top_k > 0))
      for (u64 i = begin; i < end; i++) sum += r.weight(r.x[i]);
    s.sums[t] = sum;
    if (r.by.top_k > 0 || r.by.top_p > 0) {
      const u32 have = r.by.top_k > 0 && r.by.top_k < k ? (u32)r.by.top_k : (u32)k;
      s.weights[t] = t < have ? r.weight(top[n * k + t]) : 0;
      sync();
      if (t == 0) {
        f64 all = 0;
        for (u32 i = 0; i < BLOCK; i++) all += s.sums[i];
        const bool complete = r.by.top_k > 0 || k == cols || s.weights[have - 1] == 0;
        const u32 i = choose_top(s, r, have, (u32)k, complete, all);
        out[2 * n] = i < k ? ids[n * k + i] : 0;
        out[2 * n + 1] = i < k ? NOTHING : TOO_FEW;
      }
      sync();
      continue;
    }
    sync();
    if (t == 0) {
      f64 all = 0;
      for (u32 i = 0; i < BLOCK; i++) all += s.sums[i];
      s.target = r.by.random * all;
      bool found;
      s.part = exceeding(s.sums, BLOCK, s.target, found);
      if (!found) s.target = s.sums[s.part];  // rounding: the sum of all was a little larger
    }
    sync();
    // The elements of that part, BLOCK at a time.
    const u64 from = s.part * each, to = from + each < cols ? from + each : cols;
    id = (u32)from;
    bool found = false;
    for (u64 i = from; i < to; i += BLOCK) {
      s.weights[t] = i + t < to ? r.weight(r.x[i + t]) : 0;
      sync();
      if (t == 0 && !found) {
        const u32 at = exceeding(s.weights, BLOCK, s.target, found);
        if (s.weights[at] > 0) id = (u32)i + at;
      }
      sync();
    }
    if (t == 0) out[2 * n] = id, out[2 * n + 1] = NOTHING;
    sync();
  }
}

#define PENALIZE() KERNEL penalize(f32* logits, const u32* which, const f32* by, u64 n, u64 cols) { penalize_elements(logits, which, by, n, cols); }
#define CHOOSE() \
  KERNEL choose(const f32* logits, const f32* top, const u32* ids, const f64* rules, u32* out, u64 rows, u64 cols, u64 k) { \
    choose_rows(logits, top, ids, rules, out, rows, cols, k); \
  }
