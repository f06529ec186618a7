// attention_D_T(q, k, v, mask, out, f32 *state, Attention): out = softmax(q·kᵀ·scale)·v, for rows of up to D elements of q, k and v: 64, 128 or 256.
// State is null or, for a backward pass, takes two numbers for each query (keep_state). Grid: x tiles of queries, y batches times heads; a smaller grid
// loops. Matrix cores multiply if available (attention_cores.h, and attention_groups.h for f16 and bf16 on Hopper), f32 where they can (CORES). Otherwise
// it is as in matmul: 256 threads have 4×4 of 64×64 scores each, which pass through shared memory to the second product (attention_tiles.h).
//
// attention_parts_N_T, attention_strided_N_T(q, k, v, mask, out, f32 *sums, f32 *tops, u32 *counters, Attention): for few queries and many keys,
// which are divided among blocks (attention_parts.h): each takes `part` keys and up to N of the rows that are all queries of all heads of a group.
// Grid: x parts, y batches times groups, z rows by N. With one part the results go to out; else each block stores its state in sums [row part
// element] and tops [row part 2] (m, and the sum of exp(score - m)), and the last one of a row combines them. A row, or N of them, have a counter.
// attention_parts_N_T is for rows of q, k and v that can be loaded eight elements at a time.

// ---- tiles

template <class T, int D> DEV void attention_tiles(const T* q, const T* k, const T* v, const void* mask, T* out, f32* state, const Attention& g) {
  const int CHUNKS = D / TILE;
  const f32 factor = factor_of(g);
  alignas(16) SHARED TilePanel as, bs;
  alignas(16) SHARED TileWeights weights;
  const i64 tiles = (g.queries + TILE - 1) / TILE;
  for (i64 z = bid_y(); z < g.batch * g.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid());
      const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
      const i64 batch = z / g.heads, head = z % g.heads, group = head / (g.heads / g.groups);
      const i64 query0 = (tiles - 1 - tile) * TILE;
      const i64 beyond = query0 + TILE < g.queries ? query0 + TILE : g.queries;
      const i64 begin = Sight(g, query0).first / TILE * TILE, end = Sight(g, beyond - 1).end;
      const T *qs = q + batch * g.q[0] + head * g.q[1], *ks = k + batch * g.k[0] + group * g.k[1], *vs = v + batch * g.v[0] + group * g.v[1];
      f32 sum[CHUNKS][4][4] = {}, m[4], total[4];
#pragma unroll
      for (int i = 0; i < 4; i++) m[i] = minus_infinity(), total[i] = 0;
      for (i64 key0 = begin; key0 < end; key0 += TILE) {
        f32 s[4][4] = {};
        add_products(s, as, bs, t, qs, g.q, query0, g.queries, ks, g.k, key0, end, g.size);
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const i64 query = query0 + ty + i;
          const Sight sees(g, query);
          f32 most = minus_infinity();
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const i64 key = key0 + tx + j;
            if (query >= g.queries || key < sees.first || key >= sees.end)
              s[i][j] = minus_infinity();
            else if (!plain(g))
              s[i][j] = masked(g, mask_of(g, mask, batch, head, query), key, score(g, s[i][j]));
            most = greater(most, s[i][j]);
          }
#pragma unroll
          for (u32 mask = 1; mask < 16; mask *= 2) most = greater(most, across(most, mask));
          most = greater(m[i], most * factor);
          const f32 base = base_of(most), scale = quick_exp2(m[i] - base);
          m[i] = most;
          total[i] *= scale;
          Pack<f32, 4> w;
#pragma unroll
          for (int j = 0; j < 4; j++) {
            w.at[j] = quick_exp2(fma(s[i][j], factor, -base));
            total[i] += w.at[j];
          }
          *(Pack<f32, 4>*)&weights[ty + i][tx] = w;
#pragma unroll
          for (int c = 0; c < CHUNKS; c++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[c][i][j] *= scale;
        }
        add_weighted<true>(sum, weights, bs, t, vs, g.v, key0, end, g.value_size);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        for (u32 mask = 1; mask < 16; mask *= 2) total[i] += across(total[i], mask);
        if (tx == 0) keep_state(g, state, z, query0 + ty + i, m[i], total[i]);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
#pragma unroll
          for (int j = 0; j < 4; j++) sum[c][i][j] /= total[i];
      }
      store_tile(sum, out + batch * g.out[0] + head * g.out[1], g.out, t, query0, g.queries, g.value_size);
    }
}

template <class T, int D> DEV void attention(const T* q, const T* k, const T* v, const void* mask, T* out, f32* state, const Attention& given) {
  const Attention g = known(given, mask);
#if MATRIX_CORES
#if WARPGROUPS
  if constexpr (sizeof(T) == 2)
    attention_groups<T, D>(q, k, v, mask, out, state, g);
  else
#endif
  if constexpr (CORES<T, D>)
    attention_cores<T, D>(q, k, v, mask, out, state, g);
  else
#endif
    attention_tiles<T, D>(q, k, v, mask, out, state, g);
}

#define ATTENTION(T, D, KERNEL) \
  KERNEL attention_##D##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, f32* state, Attention g) { \
    attention<T, D>(q, k, v, mask, out, state, g); \
  }
#if WARPGROUPS
#define ATTENTION_CORES(T, D, KERNEL) \
  LAUNCH_ATTRIBUTES(attention_##D##_##T, (Ring<T, D>::BYTES), (GROUPS + 1) * GROUP - BLOCK) \
  ATTENTION(T, D, extern "C" __global__ void __launch_bounds__((GROUPS + 1) * GROUP, BLOCKS<D>))
#else
#define ATTENTION_CORES ATTENTION
#endif
#if AMD
#define KERNEL_F32 KERNEL2
#else
#define KERNEL_F32 KERNEL  // half of the registers are too few, with matrix cores: that is a quarter slower
#endif
#define ATTENTION_PARTS(NAME, T, N, PACKED) \
  KERNEL2 attention_##NAME##_##N##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, f32* sums, f32* tops, u32* counters, Attention g) { \
    attention_parts<T, N, PACKED>(q, k, v, mask, out, sums, tops, counters, g); \
  }
