// Products of a matrix and one row, with what a decoder computes before and after them: h is x, or its rms_norm, and out is W·h, or W·h + plus, or, gated,
// silu(W₀·h) · (W₁·h) for the upper half W₀ of W and the lower one, W₁.
//
// A block first makes h, in shared memory, and then takes rows of W in pairs, which a group of threads reads together: two neighbours or, gated, one of
// each half. Grids are smaller than the rows are many, so that h is made seldom. While the kernel before still runs, a block asks for its first rows.

struct Linear {
  u64 rows, cols;  // of the result; of W
  u64 type;        // of the elements of x, alpha, plus and out: 0 f32, 1 f16, 2 bf16
  u64 gated;
  f64 eps;         // of the norm
};

const u32 LONGEST = 16384;  // elements of a row

// What a norm multiplies x with, beside alpha; the same bits on every grid.
DEV f32 norm_factor(const void* x, const Linear& g) {
  SHARED f32 sums[BLOCK / LANES];
  f32 squares = 0;
  for (u32 i = tid(); i < g.cols; i += BLOCK) {
    const f32 e = get(x, i, g.type);
    squares = fma(e, e, squares);
  }
  for (u32 mask = LANES / 2; mask > 0; mask /= 2) squares += across(squares, mask);
  if (lane() == 0) sums[tid() / LANES] = squares;
  sync();
  f32 sum = 0;
#pragma unroll
  for (u32 i = 0; i < BLOCK / LANES; i++) sum += sums[i];
  return 1.0f / sqrt(sum / (f32)g.cols + (f32)g.eps);
}

// Element i of h, rounded to the type of x.
DEV f32 input_of(const void* x, const void* alpha, f32 factor, u64 i, const Linear& g) {
  const f32 e = get(x, i, g.type);
  return alpha ? rounded(e * factor * get(alpha, i, g.type), g.type) : e;
}

// The pair of results that begins with row r.
DEV void put_pair(const f32 (&sum)[2], const void* plus, void* out, u64 pair, const Linear& g) {
  if (g.gated) {
    put(out, pair, logistic(sum[0], sum[0], 0.0f) * sum[1], g.type);
    return;
  }
#pragma unroll
  for (u32 i = 0; i < 2; i++) {
    const u64 row = 2 * pair + i;
    if (row < g.rows) put(out, row, plus ? sum[i] + get(plus, row, g.type) : sum[i], g.type);
  }
}
DEV u64 pairs_of(const Linear& g) { return g.gated ? g.rows : (g.rows + 1) / 2; }
// The rows of W of a pair; one that does not exist is replaced by its neighbour.
DEV u64 first_of(u64 pair, const Linear& g) { return g.gated ? pair : 2 * pair; }
DEV u64 second_of(u64 pair, const Linear& g) { return g.gated ? pair + g.rows : 2 * pair + 1 < g.rows ? 2 * pair + 1 : 2 * pair; }
