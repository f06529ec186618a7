// Products of a matrix and one row, with what a decoder computes before and after them: h is x, or its rms_norm, and out is W·h, or W·h + plus, or, gated,
// silu(W₀·h) · (W₁·h) for the upper half W₀ of W and the lower one, W₁.
//
// A block of threads first makes h, in shared memory, and then takes rows of W in pairs, two neighbours or, gated, one of each half, which groups of
// threads read. Grids are smaller than the pairs are many, so that h is made seldom.

struct Linear {
  u64 rows, cols;  // of the result; of W
  u64 type;        // of the elements of x, alpha, plus and out: 0 f32, 1 f16, 2 bf16
  u64 gated;       // 1 or 0
  f64 eps;         // of the norm
};

const u32 LONGEST = 16384;  // elements of a row: kernels.LinearLongest

const u32 TURN = 2;  // eights of a thread that are loaded together

// A thread's eights of a turn; what is beyond the end is the first of the row.
template <class X> DEV void eights_of(Pack<X, 8> (&e)[TURN], const X* p, u32 i0, u32 eights) {
#pragma unroll
  for (u32 k = 0; k < TURN; k++) {
    const u32 i = i0 + k * BLOCK + tid();
    e[k] = ((const Pack<X, 8>*)p)[i < eights ? i : 0];
  }
}

// The factor of a norm, 1/√(mean x² + eps); the same bits on every grid.
template <class X> DEV f32 norm_factor(const X* x, const Linear& g) {
  SHARED f32 sums[BLOCK / LANES];
  const u32 eights = (u32)g.cols / 8;
  f32 squares = 0;
  for (u32 i0 = 0; i0 < eights; i0 += TURN * BLOCK) {
    Pack<X, 8> e[TURN];
    eights_of(e, x, i0, eights);
#pragma unroll
    for (u32 k = 0; k < TURN; k++)
#pragma unroll
      for (u32 j = 0; j < 8; j++) {
        const f32 y = i0 + k * BLOCK + tid() < eights ? (f32)Element<X>::load(e[k].at[j]) : 0;
        squares = fma(y, y, squares);
      }
  }
  for (u32 mask = LANES / 2; mask > 0; mask /= 2) squares += across(squares, mask);
  if (lane() == 0) sums[tid() / LANES] = squares;
  sync();
  f32 sum = 0;
#pragma unroll
  for (u32 i = 0; i < BLOCK / LANES; i++) sum += sums[i];
  return 1.0f / sqrt(sum / (f32)g.cols + (f32)g.eps);
}

// Makes h, eight elements at a time, and gives them to put(eight elements, their number, whether they exist). The whole block takes part in each turn.
template <class X, class Put> DEV void make_row(const X* x, const X* alpha, const Linear& g, const Put& put) {
  const u32 eights = (u32)g.cols / 8;
  const f32 factor = alpha ? norm_factor(x, g) : 1;
  for (u32 i0 = 0; i0 < eights; i0 += TURN * BLOCK) {
    Pack<X, 8> e[TURN], a[TURN];
    eights_of(e, x, i0, eights);
    if (alpha) eights_of(a, alpha, i0, eights);
#pragma unroll
    for (u32 k = 0; k < TURN; k++) {
      const u32 i = i0 + k * BLOCK + tid();
      if (i0 + k * BLOCK >= eights) continue;
      if (alpha)
#pragma unroll
        for (u32 j = 0; j < 8; j++) e[k].at[j] = Element<X>::store(Element<X>::load(e[k].at[j]) * factor * Element<X>::load(a[k].at[j]));
      put(e[k], i, i < eights);
    }
  }
  sync();
}

// A pair of results.
template <class X> DEV void put_pair(const f32 (&sum)[2], const X* plus, X* out, u64 pair, const Linear& g) {
  if (g.gated) {
    out[pair] = Element<X>::store(logistic(sum[0], sum[0], 0.0f) * sum[1]);
    return;
  }
#pragma unroll
  for (u32 i = 0; i < 2; i++) {
    const u64 row = 2 * pair + i;
    if (row < g.rows) out[row] = Element<X>::store(plus ? sum[i] + (f32)Element<X>::load(plus[row]) : sum[i]);
  }
}
DEV u64 pairs_of(const Linear& g) { return g.gated ? g.rows : (g.rows + 1) / 2; }
// The rows of W of a pair; one that does not exist is replaced by its neighbour.
DEV u64 first_of(u64 pair, const Linear& g) { return g.gated ? pair : 2 * pair; }
DEV u64 second_of(u64 pair, const Linear& g) { return g.gated ? pair + g.rows : 2 * pair + 1 < g.rows ? 2 * pair + 1 : 2 * pair; }

// Has memory read into the L2 cache of NVIDIA's GPUs that can be asked for that: whole stretches of 16 bytes, by one thread of a block.
DEV void ask_for(const u8* p, u64 bytes) {
#if !AMD && __CUDA_ARCH__ >= 900
  const u64 from = ((u64)p + 15) & ~15ull, to = ((u64)p + bytes) & ~15ull;
  if (tid() == 0 && to > from) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(from), "r"((u32)(to - from)) : "memory");
#else
  (void)p, (void)bytes;
#endif
}
// Asks for the rows of `count` pairs, `bytes` each.
DEV void ask_for_pairs(const void* w, u64 pair, u64 count, u64 bytes, const Linear& g) {
  const u8* p = (const u8*)w;
  if (g.gated) {
    ask_for(p + pair * bytes, count * bytes);
    ask_for(p + (pair + g.rows) * bytes, count * bytes);
  } else {
    const u64 row = 2 * pair, rows = row + 2 * count < g.rows ? 2 * count : g.rows - row;
    ask_for(p + row * bytes, rows * bytes);
  }
}
