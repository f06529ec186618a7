// softmax_T, logsoftmax_T(in, out, u64 rows, u64 cols): over each dense row,
//   out[c] = exp(in[c] - m) / Σ exp(in[j] - m)      logsoftmax: (in[c] - m) - log Σ exp(in[j] - m)      with m = max in[j]
//
// A block of 256 threads takes 256/G rows, G threads to each; trees in shared memory combine maxima and sums. Everything is in the
// compute type: f32 for f16 and bf16. A row with a NaN or with +Inf gives NaN. out may be in.

template <class C> DEV C total(C x, bool greatest, u32 group, C* parts) {  // of the threads of a row, the same in each
  u32 part = tid() % group;
  parts[tid()] = x;
  for (u32 half = group / 2; half > 0; half /= 2) {
    sync();
    if (part < half) {
      C y = parts[tid() + half];
      x = greatest ? maximum(x, y) : x + y;
      parts[tid()] = x;
    }
  }
  sync();
  x = parts[tid() - part];
  sync();  // parts are free
  return x;
}

template <class T, bool LOG> DEV void softmax(const T* in, T* out, u64 rows, u64 cols) {
  typedef Compute<T> C;
  SHARED C parts[BLOCK];
  u32 group = 1;
  while (group < BLOCK && group < cols) group *= 2;
  const u32 per_block = BLOCK / group, part = tid() % group;
  for (u64 r0 = (u64)bid() * per_block; r0 < rows; r0 += (u64)blocks() * per_block) {
    u64 r = r0 + tid() / group, end = r < rows ? cols : 0;
    const T* x = in + r * cols;
    C m = -Float<C>::inf(), sum = 0;
    for (u64 c = part; c < end; c += group) m = maximum(m, Element<T>::load(x[c]));
    m = total(m, true, group, parts);
    for (u64 c = part; c < end; c += group) sum += exp(Element<T>::load(x[c]) - m);
    sum = total(sum, false, group, parts);
    C last = LOG ? log(sum) : (C)1 / sum;
    for (u64 c = part; c < end; c += group) {
      C d = Element<T>::load(x[c]) - m;
      out[r * cols + c] = Element<T>::store(LOG ? d - last : exp(d) * last);
    }
  }
}

#define SOFTMAX(T) KERNEL softmax_##T(const T* in, T* out, u64 rows, u64 cols) { softmax<T, false>(in, out, rows, cols); }
#define LOGSOFTMAX(T) KERNEL logsoftmax_##T(const T* in, T* out, u64 rows, u64 cols) { softmax<T, true>(in, out, rows, cols); }
