// softmax_T, logsoftmax_T(in, out, u64 rows, u64 cols): over each dense row,
//   out[c] = exp(in[c] - m) / Σ exp(in[j] - m)      logsoftmax: (in[c] - m) - log Σ exp(in[j] - m)      with m = max in[j]
//
// A block of 256 threads takes 256/G rows, G threads to each; maxima and sums are combined between the lanes of a wave, then
// in shared memory. Everything is in the compute type: f32 for f16, bf16 and f8e4m3. A row with a NaN or with +Inf gives NaN. out may be in.

template <class C> DEV C combine(C x, C y, bool greatest) { return greatest ? maximum(x, y) : x + y; }

template <class C> DEV C total(C x, bool greatest, u32 group, C* parts) {  // of the threads of a row, the same in each
  for (u32 mask = (group < LANES ? group : LANES) / 2; mask > 0; mask /= 2) x = combine(x, across(x, mask), greatest);
  if (group > LANES) {
    if (tid() % LANES == 0) parts[tid() / LANES] = x;
    sync();
    const C* p = parts + tid() / group * (group / LANES);
    x = p[0];
    for (u32 j = 1; j < group / LANES; j++) x = combine(x, p[j], greatest);
    sync();  // parts are free
  }
  return x;
}

template <class T, bool LOG, int V> DEV void softmax_rows(const T* in, T* out, u64 rows, u64 cols, Compute<T>* parts) {
  typedef Compute<T> C;
  const u64 packs = cols / V;
  u32 group = 1;
  while (group < BLOCK && group < packs) group *= 2;
  const u32 per_block = BLOCK / group, part = tid() % group;
  for (u64 r0 = (u64)bid() * per_block; r0 < rows; r0 += (u64)blocks() * per_block) {
    const u64 r = r0 + tid() / group, end = r < rows ? packs : 0;
    const T* x = in + r * cols;
    C m = -Float<C>::inf(), sum = 0;
    for (u64 c = part; c < end; c += group) {
      Pack<T, V> p = pack_at<V>(x, c);
#pragma unroll
      for (int j = 0; j < V; j++) m = maximum(m, Element<T>::load(p.at[j]));
    }
    m = total(m, true, group, parts);
    for (u64 c = part; c < end; c += group) {
      Pack<T, V> p = pack_at<V>(x, c);
#pragma unroll
      for (int j = 0; j < V; j++) sum += exp(Element<T>::load(p.at[j]) - m);
    }
    sum = total(sum, false, group, parts);
    const C last = LOG ? log(sum) : (C)1 / sum;
    for (u64 c = part; c < end; c += group) {
      Pack<T, V> p = pack_at<V>(x, c);
#pragma unroll
      for (int j = 0; j < V; j++) {
        C d = Element<T>::load(p.at[j]) - m;
        p.at[j] = Element<T>::store(LOG ? d - last : exp(d) * last);
      }
      put_pack(out + r * cols, c, p);
    }
  }
}

template <class T, bool LOG> DEV void softmax(const T* in, T* out, u64 rows, u64 cols) {
  SHARED Compute<T> parts[BLOCK / LANES];
  const int V = sizeof(T) < 4 ? 4 : 16 / sizeof(T);
  if (cols % V == 0 && aligned<V>(in) && aligned<V>(out))
    softmax_rows<T, LOG, V>(in, out, rows, cols, parts);
  else
    softmax_rows<T, LOG, 1>(in, out, rows, cols, parts);
}

#define SOFTMAX(T) KERNEL softmax_##T(const T* in, T* out, u64 rows, u64 cols) { softmax<T, false>(in, out, rows, cols); }
#define LOGSOFTMAX(T) KERNEL logsoftmax_##T(const T* in, T* out, u64 rows, u64 cols) { softmax<T, true>(in, out, rows, cols); }
