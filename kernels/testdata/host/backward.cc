// Runs the kernels of the backward pass of attention on the host, and compares gradients with those in f64. It is compiled after device.h and the kernels:
// those of f32 if FLOATS is 1, else those of f16.
using namespace gr;
#if FLOATS
typedef f32 Number;
const double MOST = 1e-5;  // errors
f32 number(f32 x) { return x; }
f32 widen(f32 x) { return x; }
#else
typedef f16 Number;
const double MOST = 1.5e-3;
f16 number(f32 x) { return narrow_f16(x); }
#endif

// A case: heads share keys in groups; the size of queries and keys, and that of values.
struct Case {
  const char* name;
  int batch, heads, groups, queries, keys, size, value_size;
  bool causal;
  int window;
  f32 softcap;
  int step;  // of elements of a row
  bool masked;
};
const Case cases[] = {
    {"all keys", 1, 1, 1, 70, 90, 64, 64, false, 0, 0, 1, false},
    {"causal, heads of a group", 1, 2, 1, 150, 150, 64, 64, true, 0, 0, 1, false},
    {"wide", 1, 4, 2, 130, 140, 128, 128, true, 0, 0, 1, false},
    {"a window, more queries than keys", 1, 2, 1, 300, 290, 64, 40, true, 70, 0, 1, false},
    {"a cap", 1, 2, 2, 140, 200, 104, 128, true, 30, 3, 1, false},
    {"strides and odd sizes", 2, 2, 1, 65, 70, 61, 33, true, 0, 0, 2, false},
    {"heads of 256", 1, 2, 1, 100, 130, 256, 256, true, 0, 0, 1, false},
    {"long rows of odd sizes, a window and a cap", 1, 2, 2, 70, 90, 136, 250, true, 20, 3, 1, false},
    {"a mask and a cap, many keys", 1, 1, 1, 40, 300, 64, 64, false, 0, 2, 1, true},
};

// A tensor [batch heads rows size], as numbers of the kernels in memory and in f64.
struct Tensor {
  std::vector<Number> memory;
  std::vector<double> values;
  i64 strides[4];
  int size;
  Tensor(const Case& c, int heads, int rows, int size_, int step) : memory((size_t)c.batch * heads * rows * size_ * step, number(NAN)), values(memory.size() / step), size(size_) {
    const i64 all[4] = {(i64)heads * rows * size * step, (i64)rows * size * step, size * step, step};
    memcpy(strides, all, sizeof all);
  }
  void fill(std::mt19937& random) {
    std::normal_distribution<f32> normal(0, 1);
    for (size_t i = 0; i < values.size(); i++) {
      const Number x = number(normal(random));
      memory[i * strides[3]] = x;
      values[i] = widen(x);
    }
  }
  double* row(size_t i) { return &values[i * size]; }
  double error() const {  // NaN if an element is
    double most = 0;
    for (size_t i = 0; i < values.size(); i++) {
      const double d = fabs(widen(memory[i]) - values[i]) / (1 + fabs(values[i]));
      if (!(d <= most)) most = d;
    }
    return most;
  }
};

double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
void add(double* to, double factor, const double* x, int n) {
  for (int i = 0; i < n; i++) to[i] += factor * x[i];
}

template <class Kernel> void launch(u32 threads, u32 x, u32 y, Kernel kernel) {
  grid[0] = x, grid[1] = y;
  for (block[1] = 0; block[1] < y; block[1]++)
    for (block[0] = 0; block[0] < x; block[0]++) {
      whole.reset(new Meeting(threads));
      for (u32 i = 0; i < threads / 32; i++) warps[i].reset(new Meeting(32));
      for (auto& g : groups) g.reset(new Meeting(GROUP));
      barriers.clear();
      memset(shared, 0x7e, sizeof shared);  // NaN
      std::vector<std::thread> all;
      for (u32 t = 0; t < threads; t++) all.emplace_back([=] { thread = t, kernel(); });
      for (auto& t : all) t.join();
    }
}

struct Run {
  const Case& c;
  Tensor q, k, v, dout, dq, dk, dv;
  std::vector<u8> mask;
  std::vector<f32> state;
  AttentionBackward g = {};

  Run(const Case& c_)
      : c(c_), q(c, c.heads, c.queries, c.size, c.step), k(c, c.groups, c.keys, c.size, c.step), v(c, c.groups, c.keys, c.value_size, c.step), dout(c, c.heads, c.queries, c.value_size, c.step), dq(c, c.heads, c.queries, c.size, 1), dk(c, c.groups, c.keys, c.size, 1), dv(c, c.groups, c.keys, c.value_size, 1), mask((size_t)c.queries * c.keys), state(3 * rows()) {
    std::mt19937 random(7);
    for (Tensor* t : {&q, &k, &v, &dout}) t->fill(random);
    Attention& a = g.of;
    a.batch = c.batch, a.heads = c.heads, a.groups = c.groups, a.queries = c.queries, a.keys = c.keys, a.size = c.size, a.value_size = c.value_size;
    a.causal = c.causal, a.window = c.window, a.scale = 1 / sqrtf(c.size), a.softcap = c.softcap;
    if (c.softcap) a.bend = 2 * a.scale / c.softcap * LOG2E;
    if (c.masked) {
      a.masked = 1, a.mask[2] = c.keys, a.mask[3] = 1;
      for (u8& m : mask) m = random() % 3 == 0;
    }
    memcpy(a.q, q.strides, sizeof a.q), memcpy(a.k, k.strides, sizeof a.k), memcpy(a.v, v.strides, sizeof a.v);
    memcpy(g.dout, dout.strides, sizeof a.q), memcpy(g.dq, dq.strides, sizeof a.q), memcpy(g.dk, dk.strides, sizeof a.k), memcpy(g.dv, dv.strides, sizeof a.v);
  }
  size_t rows() const { return (size_t)c.batch * c.heads * c.queries; }

  // The gradients in f64, and the state that the forward pass leaves.
  void reference() {
    std::vector<double> p(c.keys), slope(c.keys), dp(c.keys);
    for (size_t row = 0; row < rows(); row++) {
      const int query = row % c.queries, own = c.keys - c.queries + query;
      const size_t head = row / c.queries, first = (head / c.heads * c.groups + head % c.heads / (c.heads / c.groups)) * c.keys;
      double most = -INFINITY, total = 0, sum = 0;
      for (int j = 0; j < c.keys; j++) {
        double s = dot(q.row(row), k.row(first + j), c.size) * g.of.scale;
        slope[j] = 1;
        if (c.softcap) {
          const double t = tanh(s / c.softcap);
          s = c.softcap * t, slope[j] = 1 - t * t;
        }
        if ((c.causal && (j > own || (c.window && j <= own - c.window))) || mask[query * c.keys + j]) s = -INFINITY;
        p[j] = s, most = fmax(most, s);
      }
      if (most == -INFINITY) continue;  // the query sees no key: its state is 0
      for (double& x : p) x = exp(x - most), total += x;
      for (int j = 0; j < c.keys; j++) p[j] /= total, dp[j] = dot(dout.row(row), v.row(first + j), c.value_size), sum += p[j] * dp[j];
      state[row] = most * 1.4426950408889634, state[rows() + row] = 1 / total, state[2 * rows() + row] = sum;
      for (int j = 0; j < c.keys; j++) {
        const double ds = p[j] * (dp[j] - sum) * slope[j] * g.of.scale;
        add(dv.row(first + j), p[j], dout.row(row), c.value_size);
        add(dq.row(row), ds, k.row(first + j), c.size);
        add(dk.row(first + j), ds, q.row(row), c.size);
      }
    }
  }

  // The same by kernels, for scores that are plain or for all. The grid has fewer blocks than tiles if few is 1.
  bool kernels(bool general, int few) {
    const int size = c.size > c.value_size ? c.size : c.value_size, at = size <= 64 ? 0 : size <= 128 ? 1 : 2;
#if FLOATS
    const auto keys = attention_keys_64_f32;
    const auto queries = attention_queries_64_f32;
#else
    const decltype(&attention_keys_64_f16) all_keys[2][3] = {{attention_keys_64_f16, attention_keys_128_f16, attention_keys_256_f16},
                                                             {attention_general_keys_64_f16, attention_general_keys_128_f16, attention_general_keys_256_f16}};
    const decltype(&attention_queries_64_f16) all_queries[2][3] = {{attention_queries_64_f16, attention_queries_128_f16, attention_queries_256_f16},
                                                                   {attention_general_queries_64_f16, attention_general_queries_128_f16, attention_general_queries_256_f16}};
    const auto keys = all_keys[general][at];
    const auto queries = all_queries[general][at];
#endif
    const u32 threads = WARPGROUPS ? (GROUPS + 1) * GROUP : BLOCK;
    launch(threads, few ? 1 : (c.keys + 127) / 128, c.batch * c.groups,
           [&] { keys(q.memory.data(), k.memory.data(), v.memory.data(), mask.data(), dout.memory.data(), state.data(), dk.memory.data(), dv.memory.data(), g); });
    launch(threads, few ? 1 : (c.queries + 127) / 128, c.batch * c.heads,
           [&] { queries(q.memory.data(), k.memory.data(), v.memory.data(), mask.data(), dout.memory.data(), state.data(), dq.memory.data(), g); });
    const double errors[] = {dq.error(), dk.error(), dv.error()};
    bool right = true;
    for (double e : errors) right = right && e < MOST;
    printf("%s, %s%s: errors %.2g, %.2g and %.2g: %s\n", c.name, general ? "general" : "plain", few ? ", few blocks" : "", errors[0], errors[1], errors[2], right ? "ok" : "FAILED");
    fflush(stdout);
    return right;
  }
};

int main() {
  bool right = true;
  for (const Case& c : cases) {
    if (FLOATS && (c.size > 64 || c.value_size > 64)) continue;
    if (!WARPGROUPS && (c.queries > 140 || c.size > 128)) continue;  // matrices are multiplied by warps, which takes longer here
    Run run(c);
    run.reference();
    right = run.kernels(!plain(run.g.of), 0) && right;
    if (plain(run.g.of) && WARPGROUPS) right = run.kernels(true, 1) && right;
  }
  return right ? 0 : 1;
}
