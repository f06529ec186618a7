// attention_64_T, attention_128_T(q, k, v, mask, out, Attention): out = softmax(q·kᵀ·scale)·v, for rows of up to 64 or 128 elements of q, k and v.
// Grid: x tiles of queries, y batches times heads; a smaller grid loops. f16 and bf16 are multiplied by matrix cores if available (attention_cores.h,
// and attention_groups.h for Hopper), otherwise, and in f32, as in matmul: 256 threads have 4×4 of 64×64 scores each, which pass through shared
// memory to the second product.
//
// attention_parts_N_T, attention_strided_N_T(q, k, v, mask, out, f32 *sums, f32 *tops, u32 *counters, Attention): for few queries and many keys,
// which are divided among blocks (attention_parts.h): each takes `part` keys and up to N of the rows that are all queries of all heads of a group.
// Grid: x parts, y batches times groups, z rows by N. With one part the results go to out; else each block stores its state in sums [row part
// element] and tops [row part 2] (m, and the sum of exp(score - m)), and the last one of a row combines them. A row, or N of them, have a counter.
// attention_parts_N_T is for rows of q, k and v that can be loaded eight elements at a time.

// ---- tiles

template <class T, int D> DEV void attention_tiles(const T* q, const T* k, const T* v, const void* mask, T* out, const Attention& g) {
  const int SIDE = 64, CHUNKS = D / 64;
  const f32 factor = factor_of(g);
  SHARED f32 as[DEPTH][SIDE + PAD], bs[DEPTH][SIDE + PAD];
  alignas(16) SHARED f32 weights[SIDE][SIDE + PAD];
  const i64 tiles = (g.queries + SIDE - 1) / SIDE;
  for (i64 z = bid_y(); z < g.batch * g.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid());
      const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
      const i64 batch = z / g.heads, head = z % g.heads, group = head / (g.heads / g.groups);
      const i64 query0 = (tiles - 1 - tile) * SIDE;
      const i64 beyond = query0 + SIDE < g.queries ? query0 + SIDE : g.queries;
      const i64 begin = Sight(g, query0).first / SIDE * SIDE, end = Sight(g, beyond - 1).end;
      const T *qs = q + batch * g.q[0] + head * g.q[1], *ks = k + batch * g.k[0] + group * g.k[1], *vs = v + batch * g.v[0] + group * g.v[1];
      f32 sum[CHUNKS][4][4] = {}, m[4], total[4];
#pragma unroll
      for (int i = 0; i < 4; i++) m[i] = minus_infinity(), total[i] = 0;
      for (i64 key0 = begin; key0 < end; key0 += SIDE) {
        f32 s[4][4] = {};
        Panel<T, SIDE> pa(t, qs, g.q[3] != 1, query0, g.queries, g.q[2], g.q[3]);
        Panel<T, SIDE> pb(t, ks, g.k[3] != 1, key0, end, g.k[2], g.k[3]);
        pa.fetch(g.size);
        pb.fetch(g.size);
        for (i64 d0 = 0; d0 < g.size; d0 += DEPTH) {
          pa.put(as);
          pb.put(bs);
          sync();
          pa.fetch(g.size - d0 - DEPTH);
          pb.fetch(g.size - d0 - DEPTH);
#pragma unroll 4
          for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
              for (int j = 0; j < 4; j++) s[i][j] = fma(as[d][ty + i], bs[d][tx + j], s[i][j]);
          sync();
        }
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
        // The second product, for DEPTH keys and 64 elements at a time.
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
          Panel<T, SIDE> pv(t, vs + key0 * g.v[2], g.v[3] == 1, c * SIDE, g.value_size, g.v[3], g.v[2]);
          pv.fetch(end - key0);
          for (i32 key = 0; key < SIDE; key += DEPTH) {
            pv.put(bs);
            sync();
            pv.fetch(end - key0 - key - DEPTH);
#pragma unroll 4
            for (int d = 0; d < DEPTH; d++)
#pragma unroll
              for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[c][i][j] = fma(weights[ty + i][key + d], bs[d][tx + j], sum[c][i][j]);
            sync();
          }
        }
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        for (u32 mask = 1; mask < 16; mask *= 2) total[i] += across(total[i], mask);
        const i64 query = query0 + ty + i;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const i64 at = c * SIDE + tx + j;
            if (query < g.queries && at < g.value_size)
              out[batch * g.out[0] + head * g.out[1] + query * g.out[2] + at * g.out[3]] = Element<T>::store(sum[c][i][j] / total[i]);
          }
      }
    }
}

template <class T, int D> DEV void attention(const T* q, const T* k, const T* v, const void* mask, T* out, const Attention& given) {
  const Attention g = known(given, mask);
#if MATRIX_CORES
  if constexpr (sizeof(T) == 2)
#if WARPGROUPS
    attention_groups<T, D>(q, k, v, mask, out, g);
#else
    attention_cores<T, D>(q, k, v, mask, out, g);
#endif
  else
#endif
    attention_tiles<T, D>(q, k, v, mask, out, g);
}

#define ATTENTION(T, D, KERNEL) \
  KERNEL attention_##D##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, Attention g) { \
    attention<T, D>(q, k, v, mask, out, g); \
  }
#if WARPGROUPS
#define ATTENTION_CORES(T, D, KERNEL) \
  LAUNCH_ATTRIBUTES(attention_##D##_##T, (Ring<T, D>::BYTES), (GROUPS + 1) * GROUP - BLOCK) \
  ATTENTION(T, D, extern "C" __global__ void __launch_bounds__((GROUPS + 1) * GROUP, BLOCKS<D>))
#else
#define ATTENTION_CORES ATTENTION
#endif
#define ATTENTION_PARTS(NAME, T, N, PACKED) \
  KERNEL2 attention_##NAME##_##N##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, f32* sums, f32* tops, u32* counters, Attention g) { \
    attention_parts<T, N, PACKED>(q, k, v, mask, out, sums, tops, counters, g); \
  }
