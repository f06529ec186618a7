// Norms of dense rows, and rotary embeddings:
//   rms_norm_T(in, alpha, out, u64 rows, u64 cols, f64 eps)           out = in / √(mean in² + eps) · alpha
//   layer_norm_T(in, alpha, beta, out, u64 rows, u64 cols, f64 eps)   out = (in - mean) / √(mean (in - mean)² + eps) · alpha + beta
//   rope_T(in, cos, sin, out, Rope)                                   every pair (x, y) becomes (x·cos - y·sin, x·sin + y·cos)
//
// Norms: a block of 256 threads takes 256/G rows, G threads to each. The mean is known before squares are summed (two passes), so
// that a large mean costs no digits. Everything is in the compute type: f32 for f16, bf16 and f8e4m3. Any grid is correct.

template <class C> DEV C row_sum(C x, u32 group, C* parts) {  // over the threads of a row, the same in each
  for (u32 mask = (group < LANES ? group : LANES) / 2; mask > 0; mask /= 2) x += across(x, mask);
  if (group > LANES) {
    if (tid() % LANES == 0) parts[tid() / LANES] = x;
    sync();
    const C* p = parts + tid() / group * (group / LANES);
    x = p[0];
    for (u32 j = 1; j < group / LANES; j++) x += p[j];
    sync();  // parts are free
  }
  return x;
}

template <bool LAYER, class T> DEV void norm(const T* in, const T* alpha, const T* beta, T* out, u64 rows, u64 cols, f64 eps) {
  typedef Compute<T> C;
  SHARED C parts[BLOCK / LANES];
  u32 group = 1;
  while (group < BLOCK && group < cols) group *= 2;
  const u32 per_block = BLOCK / group, part = tid() % group;
  for (u64 r0 = (u64)bid() * per_block; r0 < rows; r0 += (u64)blocks() * per_block) {
    const u64 r = r0 + tid() / group, end = r < rows ? cols : 0;
    const T* x = in + r * cols;
    C mean = 0, squares = 0;
    if (LAYER) {
      for (u64 c = part; c < end; c += group) mean += Element<T>::load(x[c]);
      mean = row_sum(mean, group, parts) / (C)cols;
    }
    for (u64 c = part; c < end; c += group) {
      const C d = Element<T>::load(x[c]) - mean;
      squares += d * d;
    }
    const C root = sqrt(row_sum(squares, group, parts) / (C)cols + (C)eps);
    for (u64 c = part; c < end; c += group) {
      C y = (Element<T>::load(x[c]) - mean) / root * Element<T>::load(alpha[c]);
      if (LAYER) y += Element<T>::load(beta[c]);
      out[r * cols + c] = Element<T>::store(y);
    }
  }
}

// Rows of 2·half elements. Row r is at position r / per_position % positions of batch r / per_batch; angles of batches are
// batch_step apart. Pairs are neighbours if interleaved, else half a row apart.
struct Rope {
  i64 rows, half, per_position, positions, per_batch, batch_step, interleaved;
};

template <class T> DEV void rope(const T* in, const T* cos, const T* sin, T* out, const Rope& g) {
  typedef Compute<T> C;
  const u64 half = (u64)g.half;
  for (u64 f = first(); f < (u64)g.rows * half; f += stride()) {
    const u64 r = f / half, i = f - r * half;
    const u64 angle = r / (u64)g.per_batch * (u64)g.batch_step + r / (u64)g.per_position % (u64)g.positions * half + i;
    const u64 a = r * 2 * half + (g.interleaved ? 2 * i : i), b = a + (g.interleaved ? 1 : half);
    const C x = Element<T>::load(in[a]), y = Element<T>::load(in[b]);
    const C c = Element<T>::load(cos[angle]), s = Element<T>::load(sin[angle]);
    out[a] = Element<T>::store(x * c - y * s);
    out[b] = Element<T>::store(x * s + y * c);
  }
}

#define RMS_NORM(T) \
  KERNEL rms_norm_##T(const T* in, const T* alpha, T* out, u64 rows, u64 cols, f64 eps) { \
    norm<false>(in, alpha, (const T*)0, out, rows, cols, eps); \
  }
#define LAYER_NORM(T) \
  KERNEL layer_norm_##T(const T* in, const T* alpha, const T* beta, T* out, u64 rows, u64 cols, f64 eps) { \
    norm<true>(in, alpha, beta, out, rows, cols, eps); \
  }
#define ROPE(T) KERNEL rope_##T(const T* in, const T* cos, const T* sin, T* out, Rope g) { rope(in, cos, sin, out, g); }
