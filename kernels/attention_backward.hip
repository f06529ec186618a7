// The backward pass of attention: see attention_backward.h. Grids may be smaller; blocks loop.
//
// attention_dot_T(out, dout, f32 *state, AttentionBackward): completes the state of queries, f32 [3 batch heads queries], by Σ dout·out.
//
// attention_keys_D_T(q, k, v, mask, dout, state, dk, dv, AttentionBackward), attention_queries_D_T(q, k, v, mask, dout, state, dq, AttentionBackward):
// the gradients, for rows of up to D elements of q, k and v: 64, 128 or 256. For f16 and bf16 these are kernels for scores that are
// products times a positive scale, without a mask of elements, and attention_general_keys_D_T and attention_general_queries_D_T those for all scores. Grid: x tiles of keys or of queries, y batches times groups or heads.

// A power of two of threads, up to LANES, has a query, each of them V elements at a time.
template <class T, int V> DEV void attention_dot(const T* out, const T* dout, f32* state, const AttentionBackward& g) {
  const i64 rows = g.of.batch * g.of.heads * g.of.queries, size = g.of.value_size, so = V == 1 ? g.of.out[3] : 1, sd = V == 1 ? g.dout[3] : 1;
  u32 group = 1;
  while (group < LANES && (i64)group * V < size) group *= 2;
  const u32 each = BLOCK / group, part = tid() % group;
  for (i64 row0 = (i64)bid() * each; row0 < rows; row0 += (i64)blocks() * each) {
    const bool mine = row0 + tid() / group < rows;
    const i64 row = mine ? row0 + tid() / group : row0;
    const i64 query = row % g.of.queries, head = row / g.of.queries % g.of.heads, batch = row / g.of.queries / g.of.heads;
    const T *x = out + element_at(g.of.out, batch, head, query), *y = dout + element_at(g.dout, batch, head, query);
    f32 sum = 0;
    for (i64 i = (i64)part * V; i < size; i += (i64)group * V) {
      const Pack<T, V> a = *(const Pack<T, V>*)(x + i * so), b = *(const Pack<T, V>*)(y + i * sd);
#pragma unroll
      for (int j = 0; j < V; j++) sum = fma((f32)Element<T>::load(a.at[j]), (f32)Element<T>::load(b.at[j]), sum);
    }
    for (u32 mask = group / 2; mask > 0; mask /= 2) sum += across(sum, mask);
    if (mine && part == 0) state[2 * rows + row] = state[rows + row] == 0 ? 0 : sum;  // without a key, out is NaN
  }
}

template <class T> DEV void attention_dot_any(const T* out, const T* dout, f32* state, const AttentionBackward& g) {
  const int V = 16 / sizeof(T);
  bool packed = g.of.out[3] == 1 && g.dout[3] == 1 && g.of.value_size % V == 0 && aligned<V>(out) && aligned<V>(dout);
  for (int d = 0; d < 3; d++) packed = packed && g.of.out[d] % V == 0 && g.dout[d] % V == 0;
  if (packed)
    attention_dot<T, V>(out, dout, state, g);
  else
    attention_dot<T, 1>(out, dout, state, g);
}

// ---- tiles

// The products of a tile of queries with one of keys as weights, s, and as their gradients, dp.
template <class T>
DEV void weigh_tile(f32 (&s)[4][4], f32 (&dp)[4][4], TilePanel& as, TilePanel& bs, u32 t, const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state,
                    i64 batch, i64 head, i64 query0, i64 key0, const AttentionBackward& g) {
  const Attention& of = g.of;
  const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
  const i64 group = head / (of.heads / of.groups);
  const f32 factor = factor_of(of);
  add_products(s, as, bs, t, q + element_at(of.q, batch, head, 0), of.q, query0, of.queries, k + element_at(of.k, batch, group, 0), of.k, key0, of.keys, of.size);
  add_products(dp, as, bs, t, dout + element_at(g.dout, batch, head, 0), g.dout, query0, of.queries, v + element_at(of.v, batch, group, 0), of.v, key0, of.keys, of.value_size);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const i64 query = query0 + ty + i;
    const Sight sees(of, query);
    const Known about(of, state, batch * of.heads + head, query);
    const void* row = mask_of(of, mask, batch, head, query);
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const i64 key = key0 + tx + j;
      if (query >= of.queries || key < sees.first || key >= sees.end)
        s[i][j] = dp[i][j] = 0;
      else
        weigh(of, factor, about, row, key, s[i][j], dp[i][j]);
    }
  }
}

DEV void put_weights(TileWeights& weights, u32 t, const f32 (&w)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
    Pack<f32, 4> x;
#pragma unroll
    for (int j = 0; j < 4; j++) x.at[j] = w[i][j];
    *(Pack<f32, 4>*)&weights[t / 16 * 4 + i][t % 16 * 4] = x;
  }
}

template <int CHUNKS> DEV void scale_tile(f32 (&sum)[CHUNKS][4][4], f32 scale) {
#pragma unroll
  for (int c = 0; c < CHUNKS; c++)
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
      for (int j = 0; j < 4; j++) sum[c][i][j] *= scale;
}

template <class T, int D>
DEV void attention_keys_tiles(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dk, T* dv, const AttentionBackward& g, i64 keys) {
  alignas(16) SHARED TilePanel as, bs;
  alignas(16) SHARED TileWeights weights;
  const Attention& of = g.of;
  for (i64 z = bid_y(); z < of.batch * of.groups; z += blocks_y())
    for (i64 key0 = (i64)bid() * TILE; key0 < keys; key0 += (i64)blocks() * TILE) {
      const u32 t = opaque(tid());
      const i64 batch = z / of.groups, group = z % of.groups, share = of.heads / of.groups;
      const Audience sees(of, key0, key0 + TILE - 1);
      f32 sumk[D / TILE][4][4] = {}, sumv[D / TILE][4][4] = {};
      for (i64 head = group * share; head < (group + 1) * share; head++)
        for (i64 query0 = sees.first / TILE * TILE; query0 < sees.end; query0 += TILE) {
          f32 s[4][4] = {}, dp[4][4] = {};
          weigh_tile(s, dp, as, bs, t, q, k, v, mask, dout, state, batch, head, query0, key0, g);
          put_weights(weights, t, s);
          add_weighted<false>(sumv, weights, bs, t, dout + element_at(g.dout, batch, head, 0), g.dout, query0, of.queries, of.value_size);
          put_weights(weights, t, dp);
          add_weighted<false>(sumk, weights, bs, t, q + element_at(of.q, batch, head, 0), of.q, query0, of.queries, of.size);
        }
      scale_tile(sumk, of.scale);
      store_tile(sumk, dk + element_at(g.dk, batch, group, 0), g.dk, t, key0, keys, of.size);
      store_tile(sumv, dv + element_at(g.dv, batch, group, 0), g.dv, t, key0, keys, of.value_size);
    }
}

template <class T, int D>
DEV void attention_queries_tiles(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dq, const AttentionBackward& g) {
  alignas(16) SHARED TilePanel as, bs;
  alignas(16) SHARED TileWeights weights;
  const Attention& of = g.of;
  const i64 tiles = (of.queries + TILE - 1) / TILE;
  for (i64 z = bid_y(); z < of.batch * of.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid());
      const i64 batch = z / of.heads, head = z % of.heads, group = head / (of.heads / of.groups);
      const i64 query0 = (tiles - 1 - tile) * TILE, beyond = query0 + TILE < of.queries ? query0 + TILE : of.queries;  // those that see most keys come first
      const i64 begin = Sight(of, query0).first / TILE * TILE, end = Sight(of, beyond - 1).end;
      f32 sum[D / TILE][4][4] = {};
      for (i64 key0 = begin; key0 < end; key0 += TILE) {
        f32 s[4][4] = {}, dp[4][4] = {};
        weigh_tile(s, dp, as, bs, t, q, k, v, mask, dout, state, batch, head, query0, key0, g);
        put_weights(weights, t, dp);
        add_weighted<true>(sum, weights, bs, t, k + element_at(of.k, batch, group, 0), of.k, key0, of.keys, of.size);
      }
      scale_tile(sum, of.scale);
      store_tile(sum, dq + element_at(g.dq, batch, head, 0), g.dq, t, query0, of.queries, of.size);
    }
}

#define ATTENTION_DOT(T) \
  KERNEL attention_dot_##T(const T* out, const T* dout, f32* state, AttentionBackward g) { attention_dot_any(out, dout, state, g); }
template <class T, int D, bool PLAIN>
DEV void attention_keys(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dk, T* dv, const AttentionBackward& given) {
  const AttentionBackward g = known(given, mask);
#if MATRIX_CORES
#if WARPGROUPS
  if constexpr (sizeof(T) == 2) {
    const BackwardOperands<T> o = {q, k, v, dout, mask, state, dk, dv, g, given.of.keys};
    if constexpr (TOGETHER<D>)
      attention_backward_groups<T, D, PLAIN, KEYS_AND_VALUES>(o);
    else
      attention_backward_groups<T, D, PLAIN, VALUES_ONLY, KEYS_ONLY>(o);
  } else
#endif
  if constexpr (BACKWARD_CORES<T, D>) {
    if constexpr (TOGETHER<D>) {
      SHARED Room<T, D, KEYS_AND_VALUES> room;
      attention_backward_cores<T, D, KEYS_AND_VALUES, PLAIN>(q, k, v, mask, dout, state, dk, dv, g, given.of.keys, room);
    } else {
      SHARED union {
        Room<T, D, VALUES_ONLY> values;
        Room<T, D, KEYS_ONLY> keys;
      } room;
      attention_backward_cores<T, D, VALUES_ONLY, PLAIN>(q, k, v, mask, dout, state, dk, dv, g, given.of.keys, room.values);
      attention_backward_cores<T, D, KEYS_ONLY, PLAIN>(q, k, v, mask, dout, state, dk, dv, g, given.of.keys, room.keys);
    }
  } else
#endif
    attention_keys_tiles<T, D>(q, k, v, mask, dout, state, dk, dv, g, given.of.keys);
}

template <class T, int D, bool PLAIN>
DEV void attention_queries(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dq, const AttentionBackward& given) {
  const AttentionBackward g = known(given, mask);
#if MATRIX_CORES
#if WARPGROUPS
  if constexpr (sizeof(T) == 2) {
    attention_backward_groups<T, D, PLAIN, QUERIES_ONLY>({q, k, v, dout, mask, state, dq, dq, g, g.of.queries});
  } else
#endif
  if constexpr (BACKWARD_CORES<T, D>) {
    SHARED Room<T, D, QUERIES_ONLY> room;
    attention_backward_cores<T, D, QUERIES_ONLY, PLAIN>(q, k, v, mask, dout, state, dq, dq, g, g.of.queries, room);
  } else
#endif
    attention_queries_tiles<T, D>(q, k, v, mask, dout, state, dq, g);
}

#define ATTENTION_KEYS(NAME, T, D, PLAIN, KERNEL) \
  KERNEL NAME##_##D##_##T(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dk, T* dv, AttentionBackward g) { \
    attention_keys<T, D, PLAIN>(q, k, v, mask, dout, state, dk, dv, g); \
  }
#define ATTENTION_QUERIES(NAME, T, D, PLAIN, KERNEL) \
  KERNEL NAME##_##D##_##T(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* dq, AttentionBackward g) { \
    attention_queries<T, D, PLAIN>(q, k, v, mask, dout, state, dq, g); \
  }
#if WARPGROUPS
#define BACKWARD_GROUPS extern "C" __global__ void __launch_bounds__((GROUPS + 1) * GROUP, 1)
#define BACKWARD_ATTRIBUTES(NAME, T, D) LAUNCH_ATTRIBUTES(NAME##_##D##_##T, (BackwardRing<T, D>::BYTES), (GROUPS + 1) * GROUP - BLOCK)
#define ATTENTION_KEYS_CORES(NAME, T, D, PLAIN) BACKWARD_ATTRIBUTES(NAME, T, D) ATTENTION_KEYS(NAME, T, D, PLAIN, BACKWARD_GROUPS)
#define ATTENTION_QUERIES_CORES(NAME, T, D, PLAIN) BACKWARD_ATTRIBUTES(NAME, T, D) ATTENTION_QUERIES(NAME, T, D, PLAIN, BACKWARD_GROUPS)
#else
#define ATTENTION_KEYS_CORES(NAME, T, D, PLAIN) ATTENTION_KEYS(NAME, T, D, PLAIN, KERNEL)
#define ATTENTION_QUERIES_CORES(NAME, T, D, PLAIN) ATTENTION_QUERIES(NAME, T, D, PLAIN, KERNEL)
#endif
