// Products of tiles of 64 × 64 results without matrix cores, for attention and its backward pass: 256 threads have 4×4 results each, from row
// t/16·4 and column t%16·4 on. Operands are rows of a head; `strides` are those of an operand of rank 4, of which the last two are of rows and elements.

const int TILE = 64;
typedef f32 TilePanel[DEPTH][TILE + PAD];
typedef f32 TileWeights[TILE][TILE + PAD];

// s += a·bᵀ, for 64 rows of a from a0 and of b from b0, below their ends. It begins and ends with panels that no thread reads.
template <class T>
DEV void add_products(f32 (&s)[4][4], TilePanel& as, TilePanel& bs, u32 t, const T* a, const i64* a_strides, i64 a0, i64 a_end, const T* b, const i64* b_strides, i64 b0, i64 b_end,
                      i64 size) {
  const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
  Panel<T, TILE> pa(t, a, a_strides[3] != 1, a0, a_end, a_strides[2], a_strides[3]);
  Panel<T, TILE> pb(t, b, b_strides[3] != 1, b0, b_end, b_strides[2], b_strides[3]);
  pa.fetch(size);
  pb.fetch(size);
  for (i64 d0 = 0; d0 < size; d0 += DEPTH) {
    pa.put(as);
    pb.put(bs);
    sync();
    pa.fetch(size - d0 - DEPTH);
    pb.fetch(size - d0 - DEPTH);
#pragma unroll 4
    for (int d = 0; d < DEPTH; d++) {
      f32 x[4], y[4];
      four_at(&as[d][ty], x);
      four_at(&bs[d][tx], y);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][j] = fma(x[i], y[j], s[i][j]);
    }
    sync();
  }
}

// sum += w·x, or wᵀ·x unless BY_ROWS, for 64 rows of x from x0, below x_end; sum has 64 columns in each chunk. The weights may be written until it
// begins, and again after it.
template <bool BY_ROWS, class T, int CHUNKS>
DEV void add_weighted(f32 (&sum)[CHUNKS][4][4], const TileWeights& w, TilePanel& bs, u32 t, const T* x, const i64* strides, i64 x0, i64 x_end, i64 size) {
  const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
#pragma unroll
  for (int c = 0; c < CHUNKS; c++) {
    if (c * TILE >= size) break;
    Panel<T, TILE> px(t, x + x0 * strides[2], strides[3] == 1, c * TILE, size, strides[3], strides[2]);
    px.fetch(x_end - x0);
    for (i32 row = 0; row < TILE; row += DEPTH) {
      px.put(bs);
      sync();
      px.fetch(x_end - x0 - row - DEPTH);
#pragma unroll 1
      for (int d = 0; d < DEPTH; d += 4) {
        f32 x[4][4];  // of rows of the weights, or of columns
#pragma unroll
        for (int e = 0; e < 4; e++) four_at(BY_ROWS ? &w[ty + e][row + d] : &w[row + d + e][ty], x[e]);
#pragma unroll
        for (int e = 0; e < 4; e++) {
          f32 y[4];
          four_at(&bs[d + e][tx], y);
#pragma unroll
          for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[c][i][j] = fma(BY_ROWS ? x[i][e] : x[e][i], y[j], sum[c][i][j]);
        }
      }
      sync();
    }
  }
}

// Stores 64 rows from row0 on, those that exist, of `size` elements.
template <class T, int CHUNKS> DEV void store_tile(const f32 (&sum)[CHUNKS][4][4], T* out, const i64* strides, u32 t, i64 row0, i64 rows, i64 size) {
  const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const i64 row = row0 + ty + i, at = c * TILE + tx + j;
        if (row < rows && at < size) out[row * strides[2] + at * strides[3]] = Element<T>::store(sum[c][i][j]);
      }
}
