// Attention with matrix cores: each wave of a block has 16 queries, whose scores and sums stay in its registers, and all waves share keys and values
// in shared memory (attention_stage.h). Warpgroups consist of such waves, but multiply differently (attention_groups.h). Queries and results of f32 do
// not pass through shared memory, which has no room for them. Of rows longer than 128 elements two waves of 32 share the queries: each has half of the
// elements, and the sums of both halves' products are scores.

#if MATRIX_CORES
// A wave's state of its queries, for rows of up to D elements, of which it has OWN.
template <class T, int D> struct Wave {
  static const int SIDE = KEYS<T, D>, MATRICES = SIDE / 16, OWN = D / SHARERS<T, D>, DEEP = OWN / 16, DEEP_K = OWN / MATRIX_K;
  static const int OUT_ROW = AMD && D > 128 && WAVE == 64 ? OWN : OWN + PER<T>;  // elements from row to row of results in shared memory
  typedef Parts<SHARERS<T, D>, MATRICES> Products;
  const Attention& g;
  const void* mask;
  i64 batch, head, mine, end;  // mine: the first query; end: of the keys of the block
  u32 lane, first;             // first: of its elements
  f32 factor;
  Sight first_sees, last_sees;  // the other queries' sights are between
  Staying<T> x[DEEP_K];
  Results sum[DEEP];
  f32 m[SLOTS], total[SLOTS];

  DEV Wave(const Attention& g_, const void* mask_, i64 batch_, i64 head_, i64 mine_, i64 end_, u32 lane_, u32 first_ = 0)
      : g(g_), mask(mask_), batch(batch_), head(head_), mine(mine_), end(end_), lane(lane_), first(first_), factor(factor_of(g_)), first_sees(g_, mine_), last_sees(g_, mine_ + 15) {
#pragma unroll
    for (int d = 0; d < DEEP; d++) sum[d] = Results();
#pragma unroll
    for (int c = 0; c < SLOTS; c++) m[c] = minus_infinity(), total[c] = 0;
  }

  // Converts products with keys to weights; the sums so far may need scaling. Weights are powers of two of scores minus m, a running maximum that is
  // updated only when a score exceeds it by more than 8: f16 can represent the weights, and scaling is rare.
  DEV void weigh(Results (&s)[MATRICES], i64 key0, f32 (&scale)[SLOTS]) {
    if (!plain(g)) {
#pragma unroll
      for (int i = 0; i < MATRICES; i++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) s[i][e] = score(g, s[i][e]);
    }
    if (g.masked) {
      const void* row[SLOTS];
#pragma unroll
      for (int c = 0; c < SLOTS; c++) {
        const i64 query = mine + query_of(lane, c);
        row[c] = mask_of(g, mask, batch, head, query < g.queries ? query : g.queries - 1);
      }
#pragma unroll
      for (int i = 0; i < MATRICES; i++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) {
          const i64 key = key0 + opaque(i * 16 + passing_of(lane, e));
          if (key < end) s[i][e] = masked(g, row[slot_of(e)], key, s[i][e]);
        }
    }
    if (key0 + SIDE > first_sees.end || key0 < last_sees.first) {
      i32 first[SLOTS], last[SLOTS];  // of these keys
#pragma unroll
      for (int c = 0; c < SLOTS; c++) {
        const Sight sees(g, mine + query_of(lane, c));
        first[c] = within(sees.first - key0);
        last[c] = within(sees.end - key0);
      }
#pragma unroll
      for (int i = 0; i < MATRICES; i++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) {
          const i32 key = (i32)(i * 16 + passing_of(lane, e));
          if (key < first[slot_of(e)] || key >= last[slot_of(e)]) s[i][e] = minus_infinity();
        }
    }

    f32 base[SLOTS];
#pragma unroll
    for (int c = 0; c < SLOTS; c++) {
      f32 most = minus_infinity();
#pragma unroll
      for (int i = 0; i < MATRICES; i++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++)
          if (slot_of(e) == c) most = greater(most, s[i][e]);
      most = max_of(most) * factor;
      most = most > m[c] + 8 ? most : m[c];
      base[c] = base_of(most);
      scale[c] = quick_exp2(m[c] - base[c]);
      m[c] = most;
      total[c] *= scale[c];
    }
#pragma unroll
    for (int i = 0; i < MATRICES; i++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e++) {
        s[i][e] = quick_exp2(fma(s[i][e], factor, -base[slot_of(e)]));
        total[slot_of(e)] += s[i][e];
      }
  }
  MEMBER i32 within(i64 key) { return key < 0 ? 0 : key < SIDE ? (i32)key : SIDE; }

  DEV void rescale(const f32 (&scale)[SLOTS]) {
#pragma unroll
    for (int d = 0; d < DEEP; d++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e++) sum[d][e] *= scale[slot_of(e)];
  }

  // The products of the queries with the keys of a step, by this wave's elements.
  DEV void multiply_keys(Results (&s)[MATRICES], const T* keys) const {
#pragma unroll
    for (int d = 0; d < DEEP_K; d++)
#pragma unroll
      for (int i = 0; i < MATRICES; i++) s[i] = chain<T>(key_at<T, D>(keys, i * 16, first + d * MATRIX_K, lane), x[d], s[i]);
  }

  DEV void attend(Stage<T, D>& stage, Products* products, u32 wave, i64 begin, i64 from, i64 to) {
    for (i64 key0 = begin; key0 < end; key0 += SIDE) {
      stage.step();
      stage.fetch();
      const bool sees = key0 < to && key0 + SIDE > from;
      if (SHARERS<T, D> == 1 && !sees) continue;
      Results s[MATRICES] = {};
      f32 scale[SLOTS];
      if (sees) multiply_keys(s, stage.keys);
      if constexpr (SHARERS<T, D> > 1) {
        products->put(s, wave, lane);
        sync();
        if (!sees) continue;
        products->add(s, wave, lane);
      }
      weigh(s, key0, scale);
      if (WAVE == 64 || ballot(scale[0] != 1 || scale[SLOTS - 1] != 1)) rescale(scale);  // a branch takes registers that CDNA lacks
#pragma unroll
      for (int i = 0; i < MATRICES; i += MATRIX_K / 16) {
        const Staying<T> p = staying_of<T>(s + i, lane);
#pragma unroll
        for (int d = 0; d < DEEP; d++) sum[d] = chain<T>(value_at<T, D>(stage.values, i * 16, first + d * 16, lane), p, sum[d]);
      }
    }
  }

  // Stores the results by rows, those of f16 and bf16 through 16 rows of shared memory.
  DEV void store(T* rows, T* out, f32* state) {
#pragma unroll
    for (int c = 0; c < SLOTS; c++) {
      const f32 all = sum_of(total[c]);
      keep_state(g, state, batch * g.heads + head, mine + query_of(lane, c), m[c], all);  // by all lanes that share a query
      total[c] = 1 / all;
    }
    if constexpr (sizeof(T) == 4) {
#pragma unroll
      for (int d = 0; d < DEEP; d++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) {
          const i64 query = mine + query_of(lane, slot_of(e)), at = first + d * 16 + passing_of(lane, e);
          if (query < g.queries && at < g.value_size) out[query * g.out[2] + at * g.out[3]] = sum[d][e] * total[slot_of(e)];
        }
    } else {
      store_halves(rows, out);
    }
  }
  DEV void store_halves(T* rows, T* out) const {
#pragma unroll
    for (int d = 0; d < DEEP; d++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e++)
        rows[query_of(lane, slot_of(e)) * OUT_ROW + d * 16 + passing_of(lane, e)] = Element<T>::store(sum[d][e] * total[slot_of(e)]);
#if WARPGROUPS
    sync_lanes();  // others are not here yet
#else
    sync();
#endif
    const bool packed = g.out[3] == 1 && g.out[2] % 8 == 0 && g.value_size % 8 == 0 && aligned<8>(out);
    for (u32 i = lane; i < 16 * OWN / 8; i += WAVE) {
      const u32 row = i / (OWN / 8), at = first + i % (OWN / 8) * 8;
      const i64 query = mine + row;
      const T* from = rows + row * OUT_ROW + at - first;
      if (query >= g.queries) break;
      if (!packed) {
        for (u32 e = 0; e < 8 && at + e < g.value_size; e++) out[query * g.out[2] + (at + e) * g.out[3]] = from[e];
      } else if (at < g.value_size) {
        *(Pack<u32, 4>*)(out + query * g.out[2] + at) = *(const Pack<u32, 4>*)from;
      }
    }
  }
};

template <class T, int D> DEV void attention_cores(const T* q, const T* k, const T* v, const void* mask, T* out, f32* state, const Attention& g) {
  const int WAVES = BLOCK / WAVE, QUERIES = WAVES / SHARERS<T, D> * 16, SIDE = KEYS<T, D>;
  const bool HALVES = sizeof(T) == 2;
  const int PRODUCTS = SHARERS<T, D> > 1 ? sizeof(typename Wave<T, D>::Products) / sizeof(T) : 0;
  const int FIRST = HALVES ? QUERIES * QUERY_ROW<T, D> : 0, THEN = Stage<T, D>::ELEMENTS + PRODUCTS, LAST = HALVES ? WAVES * 16 * Wave<T, D>::OUT_ROW : 0;
  alignas(1024) SHARED T memory[FIRST > THEN ? FIRST > LAST ? FIRST : LAST : THEN > LAST ? THEN : LAST];  // queries, then keys and values, then results
  const i64 tiles = (g.queries + QUERIES - 1) / QUERIES;
  for (i64 z = bid_y(); z < g.batch * g.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid()), lane = t % WAVE, wave = of_wave(t / WAVE), row = wave / SHARERS<T, D> * 16;
      const i64 heads = inside(g.heads), batch = z / heads, head = z % heads, group = head / (heads / inside(g.groups));
      const i64 query0 = (tiles - 1 - tile) * QUERIES;  // those that see most keys come first
      const i64 beyond = query0 + QUERIES < g.queries ? query0 + QUERIES : g.queries;
      const i64 begin = Sight(g, query0).first / SIDE * SIDE, end = Sight(g, beyond - 1).end;
      const T* qs = q + batch * g.q[0] + head * g.q[1];
      if constexpr (HALVES) {
        put_rows<T, D, QUERIES>(memory, t, qs, query0, g.queries, g.q, g.size);
        sync();
      }
      Wave<T, D> w(g, mask, batch, head, query0 + row, end, lane, wave % SHARERS<T, D> * Wave<T, D>::OWN);
#pragma unroll
      for (int d = 0; d < w.DEEP_K; d++) {
        if constexpr (HALVES)
          w.x[d] = query_at<T, D, QUERIES>(memory, row, w.first + d * MATRIX_K, lane);
        else
          w.x[d] = staying_at(qs, g.q, w.mine, g.queries, w.first + d * MATRIX_K, g.size, lane);
      }
      Stage<T, D> stage(memory, t, k + batch * g.k[0] + group * g.k[1], v + batch * g.v[0] + group * g.v[1], begin, end, g);
      const i64 ours = query0 + row;
      const i64 to = ours < g.queries ? Sight(g, ours + 15).end : 0;
      w.attend(stage, (typename Wave<T, D>::Products*)(memory + Stage<T, D>::ELEMENTS), wave, begin, Sight(g, ours).first, to < end ? to : end);
      sync();
      w.lane = opaque(tid()) % WAVE;  // again, for a register less before
      w.store(memory + wave * 16 * w.OUT_ROW, out + batch * g.out[0] + head * g.out[1], state);
      sync();
    }
}
#endif
