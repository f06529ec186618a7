// The backward pass with matrix cores (attention_backward.h). Each wave of a block has 16 rows of its own, with their gradients in its registers; rows
// of the other side pass, through shared memory that all waves read. Own rows are queries, a of q and b of dout, and those that pass are keys, x of k and
// y of v; or the other way around. Either way x·a are scores, y·b their gradients dp, and the gradients are sums of ds·x and, for values, p·y.

#if MATRIX_CORES
// Rows that these kernels take: of f32, 128 elements have no room in registers and shared memory; nor have more of f16 on NVIDIA's GPUs that have no
// warpgroups.
template <class T, int D> const bool BACKWARD_CORES = sizeof(T) == 2 ? D <= 128 || AMD : FLOAT_CORES && D <= 64;
// What a pass computes. Registers of some GPUs have no room for the gradients of both keys and values.
enum Wanted { QUERIES_ONLY, KEYS_ONLY, VALUES_ONLY, KEYS_AND_VALUES };
template <int D> const bool TOGETHER = WARPGROUPS ? D <= 128 : D <= 64 || WAVE == 64;
// How many waves share own rows, for the same reason: as in attention_stage.h.
template <int D> const int OWNERS = AMD && WAVE == 32 ? D / 64 : 1;
// Rows that pass together.
template <class T, int D> const int STEP = sizeof(T) == 4 ? (WAVE == 64 ? MATRIX_K : 32) : OWNERS<D> > 1 ? MATRIX_K : D > 128 ? (WARPGROUPS ? 32 : MATRIX_K) : D > 64 && !WARPGROUPS ? 32 : 64;

template <class T, int D, Wanted WANTED> struct Pass {
  static const int SIDE = STEP<T, D>, WAVES = BLOCK / WAVE, OWN = WAVES / OWNERS<D> * 16;
  static const bool OWN_KEYS = WANTED != QUERIES_ONLY, SUM_A = WANTED != VALUES_ONLY, SUM_B = WANTED >= VALUES_ONLY;
};

// The rows that pass: x, and y where the pass needs it, by rows (xr, yr) and by columns (xt, yt), and what is known of them if they are queries.
template <class T, int D, Wanted WANTED> struct Passage {
  typedef Pass<T, D, WANTED> P;
  static const int SIDE = P::SIDE;
  const Attention& g;
  const f32* state;
  i64 head, query;  // head: in all batches; query: of the next step
  u32 t;
#if AMD
  static const int BY_ROWS = SIDE * ROW<T, D>, BY_COLUMNS = D * (SIDE + PER<T>);
  static const int ELEMENTS = BY_ROWS * (P::SUM_A ? 2 : 1) + BY_COLUMNS * (P::SUM_A && P::SUM_B ? 2 : 1), ABOUT = 3 * SIDE;
  T *xr, *yr, *xt, *yt;
  f32* about;
  Stretches<T, D, SIDE, true> nextx, nexty;
  Known next;

  DEV Passage(T* memory, f32* about_, u32 t_, const f32* state_, i64 head_, const T* x, const i64* xs, const T* y, const i64* ys, i64 begin, i64 end, i64 sizex, i64 sizey,
              const Attention& g_)
      : g(g_), state(state_), head(head_), query(begin), t(t_), xr(memory), yr(xr + BY_ROWS), xt(P::SUM_A ? yr + BY_ROWS : yr), yt(P::SUM_A ? xt + BY_COLUMNS : xt), about(about_),
        nextx(t_, x, begin, end, xs, sizex), nexty(t_, y, begin, end, ys, sizey) {
    fetch();
  }
  DEV void step() {
    sync();  // nobody reads what is there
    nextx.put(xr);
    if (P::SUM_A) nextx.put_transposed(xt), nexty.put(yr);
    if (P::SUM_B) nexty.put_transposed(yt);
    if (P::OWN_KEYS && t < SIDE) about[t] = next.m, about[SIDE + t] = next.inverse, about[2 * SIDE + t] = next.dot;
    sync();
  }
  DEV void fetch() {
    nextx.fetch();
    nexty.fetch();
    if (P::OWN_KEYS && t < SIDE) next = Known(g, state, head, query + t);
    query += SIDE;
  }
#else
  // Two buffers of each, so that a step waits only for the loads issued a step ago.
  static const int ONE = SIDE * D, ELEMENTS = 4 * ONE, ABOUT = 6 * SIDE;
  T *memory, *xr, *yr, *xt, *yt;
  f32 *all, *about;
  u32 half;
  Stretches<T, D, SIDE> nextx, nexty;

  DEV Passage(T* memory_, f32* about_, u32 t_, const f32* state_, i64 head_, const T* x, const i64* xs, const T* y, const i64* ys, i64 begin, i64 end, i64 sizex, i64 sizey,
              const Attention& g_)
      : g(g_), state(state_), head(head_), query(begin), t(t_), memory(memory_), all(about_), half(0), nextx(t_, x, begin, end, xs, sizex), nexty(t_, y, begin, end, ys, sizey) {
    sync();  // nobody reads what is there
    fetch();
  }
  DEV void step() {
    copies_wait();
    sync();
    half ^= 1;
    xr = xt = memory + (half ^ 1) * ONE;
    yr = yt = xr + 2 * ONE;
    about = all + (half ^ 1) * 3 * SIDE;
  }
  DEV void fetch() {
    nextx.copy(memory + half * ONE);
    nexty.copy(memory + (half + 2) * ONE);
    if (P::OWN_KEYS && t < SIDE) {
      const Known next(g, state, head, query + t);
      f32* to = all + half * 3 * SIDE + t;
      to[0] = next.m, to[SIDE] = next.inverse, to[2 * SIDE] = next.dot;
    }
    query += SIDE;
  }
#endif
};

// A wave's own rows, from `mine`, with its part of their elements if waves share rows. PLAIN says that plain(g) is true: kernels that know it need fewer registers.
template <class T, int D, Wanted WANTED, bool PLAIN> struct BackwardWave {
  typedef Pass<T, D, WANTED> P;
  static const int SIDE = P::SIDE, PART = D / OWNERS<D>, DEEP = PART / 16, DEEP_K = PART / MATRIX_K, EACH = MATRIX_K / 16;  // EACH: matrices at a time
  static const int OUT_ROW = AMD && D > 128 && WAVE == 64 ? PART : PART + PER<T>;  // elements from row to row of results in shared memory
  typedef Parts<OWNERS<D>, EACH> Products;
  static const bool OWN_KEYS = P::OWN_KEYS, SUM_A = P::SUM_A, SUM_B = P::SUM_B;
  const Attention& g;
  const void* mask;
  i64 batch, mine;
  u32 lane, first;  // first: of its elements
  f32 factor;
  i64 whole_from, whole_to;  // rows that all own rows see
  Staying<T> a[DEEP_K], b[DEEP_K];
  Results suma[DEEP], sumb[DEEP];
  Known about[SLOTS];  // of own queries

  // The rows that the own rows first to last see, some of them, apart from the mask.
  MEMBER Sight seen_by(const Attention& g, i64 first, i64 last) {
    Sight s(g, OWN_KEYS ? 0 : first);
    if (OWN_KEYS) {
      const Audience a(g, first, last);
      s.first = a.first, s.end = a.end;
    } else {
      s.end = Sight(g, last).end;
    }
    return s;
  }

  DEV BackwardWave(const Attention& g_, const void* mask_, i64 batch_, i64 mine_, u32 lane_, u32 first_ = 0)
      : g(g_), mask(mask_), batch(batch_), mine(mine_), lane(lane_), first(first_), factor(factor_of(g_)) {
#pragma unroll
    for (int d = 0; d < DEEP; d++) suma[d] = sumb[d] = Results();
    whole_from = seen_by(g, mine + 15, mine + 15).first;
    whole_to = OWN_KEYS && mine + 15 >= g.keys ? 0 : seen_by(g, mine, mine).end;
  }

  // The rows from row0 on, first to last of a step, that own rows see.
  struct Seen { i32 first[SLOTS], last[SLOTS]; };
  DEV Seen seen_from(i64 row0) const {
    const bool edge = row0 < whole_from || row0 + SIDE > whole_to;
    Seen seen;
#pragma unroll
    for (int c = 0; c < SLOTS; c++) {
      seen.first[c] = 0, seen.last[c] = SIDE;
      if (edge) {
        const i64 own = mine + query_of(lane, c);
        const Sight sees = seen_by(g, own, own);
        seen.first[c] = within(sees.first - row0);
        seen.last[c] = within(sees.end - row0);
      }
    }
    return seen;
  }
  MEMBER i32 within(i64 row) { return row < 0 ? 0 : row < SIDE ? (i32)row : SIDE; }

  DEV Known known_of(const f32* passing, u32 slot, i32 at) const {
    Known query = about[slot];
    if (OWN_KEYS) query.m = passing[at], query.inverse = passing[SIDE + at], query.dot = passing[2 * SIDE + at];
    return query;
  }

  // Converts the products s and dp of the matrix from `row` of a step on to weights, where that takes no dp, and then to weights and their gradients.
  DEV void weigh_early(Results& s, int row, const f32* passing) const {
    if (!PLAIN) return;
#pragma unroll
    for (int e = 0; e < LANE_ROWS; e++) {
      const Known query = known_of(passing, slot_of(e), (i32)(row + passing_of(lane, e)));
      s[e] = quick_exp2(fma(s[e], factor, -query.m)) * query.inverse;
    }
  }
  DEV void weigh_both(Results& s, Results& dp, int row, const f32* passing, const Seen& seen, i64 head, i64 row0) const {
#pragma unroll
    for (int e = 0; e < LANE_ROWS; e++) {
      const u32 c = slot_of(e);
      const i32 at = (i32)(row + passing_of(lane, e));
      const Known query = known_of(passing, c, at);
      f32 p = s[e], ds = dp[e];
      if (PLAIN) {
        ds = p * (ds - query.dot);
      } else {  // queries and keys that do not exist take the mask of the last ones; their results are not used
        const i64 own = mine + query_of(lane, c), other = row0 + at;
        i64 i = OWN_KEYS ? other : own, j = OWN_KEYS ? own : other;
        if (i >= g.queries) i = g.queries - 1;
        if (j >= g.keys) j = g.keys - 1;
        weigh(g, factor, query, mask_of(g, mask, batch, head, i), j, p, ds);
      }
      const bool sees = at >= seen.first[c] && at < seen.last[c];
      s[e] = sees ? p : 0;
      dp[e] = sees ? ds : 0;
    }
  }

  // Adds what the rows from row0 on, which are in shared memory, give to the gradients, if own rows see some of them. Waves that share rows add their
  // parts of the products through shared memory.
  DEV void add(const Passage<T, D, WANTED>& passing, Products* products, u32 wave, i64 head, i64 row0, bool sees) {
    if constexpr (OWNERS<D> > 1) {
      static_assert(SIDE == EACH * 16, "products of a step are shared once");
      Results s[EACH] = {}, dp[EACH] = {};
      if (sees) multiply_rows(s, dp, passing, 0);
      products[0].put(s, wave, lane);
      if (SUM_A) products[1].put(dp, wave, lane);
      sync();
      if (!sees) return;
      products[0].add(s, wave, lane);
      if (SUM_A) products[1].add(dp, wave, lane);
      sum_rows(s, dp, passing, seen_from(row0), head, row0, 0);
    } else {
      if (!sees) return;
      const Seen seen = seen_from(row0);
#pragma unroll 1  // for the registers of some GPUs
      for (int i = 0; i < SIDE / 16; i += EACH) {
        Results s[EACH] = {}, dp[EACH] = {};
        multiply_rows(s, dp, passing, i);
        sum_rows(s, dp, passing, seen, head, row0, i);
      }
    }
  }
  // The products of own rows with matrix i, and the next ones, of those that pass.
  DEV void multiply_rows(Results (&s)[EACH], Results (&dp)[EACH], const Passage<T, D, WANTED>& passing, int i) const {
#pragma unroll
    for (int d = 0; d < DEEP_K; d++)
#pragma unroll
      for (int j = 0; j < EACH; j++) s[j] = chain<T>(key_at<T, D, SIDE>(passing.xr, (i + j) * 16, first + d * MATRIX_K, lane), a[d], s[j]);
    if (!SUM_A) return;
#pragma unroll
    for (int d = 0; d < DEEP_K; d++)
#pragma unroll
      for (int j = 0; j < EACH; j++) dp[j] = chain<T>(key_at<T, D, SIDE>(passing.yr, (i + j) * 16, first + d * MATRIX_K, lane), b[d], dp[j]);
  }
  // What they give to the gradients.
  DEV void sum_rows(Results (&s)[EACH], Results (&dp)[EACH], const Passage<T, D, WANTED>& passing, const Seen& seen, i64 head, i64 row0, int i) {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      weigh_early(s[j], (i + j) * 16, passing.about);
      weigh_both(s[j], dp[j], (i + j) * 16, passing.about, seen, head, row0);
    }
    if (SUM_B) {
      const Staying<T> p = staying_of<T>(s, lane);
#pragma unroll
      for (int d = 0; d < DEEP; d++) sumb[d] = chain<T>(value_at<T, D, SIDE>(passing.yt, i * 16, first + d * 16, lane), p, sumb[d]);
    }
    if (SUM_A) {
      const Staying<T> ds = staying_of<T>(dp, lane);
#pragma unroll
      for (int d = 0; d < DEEP; d++) suma[d] = chain<T>(value_at<T, D, SIDE>(passing.xt, i * 16, first + d * 16, lane), ds, suma[d]);
    }
  }

  // Stores a gradient by rows, of f16 or bf16 through 16 rows of shared memory.
  DEV void store(const Results (&sum)[DEEP], f32 scale, T* rows, T* out, const i64* strides, i64 end, i64 size) {
    if constexpr (sizeof(T) == 4) {
#pragma unroll
      for (int d = 0; d < DEEP; d++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) {
          const i64 own = mine + query_of(lane, slot_of(e)), at = first + d * 16 + passing_of(lane, e);
          if (own < end && at < size) out[own * strides[2] + at * strides[3]] = sum[d][e] * scale;
        }
    } else {
      store_halves(sum, scale, rows, out, strides, end, size);
    }
  }
  DEV void store_halves(const Results (&sum)[DEEP], f32 scale, T* rows, T* out, const i64* strides, i64 end, i64 size) const {
#pragma unroll
    for (int d = 0; d < DEEP; d++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e++) rows[query_of(lane, slot_of(e)) * OUT_ROW + d * 16 + passing_of(lane, e)] = Element<T>::store(sum[d][e] * scale);
    sync_lanes();
    const bool packed = strides[3] == 1 && strides[2] % 8 == 0 && size % 8 == 0 && aligned<8>(out);
    for (u32 i = lane; i < 16 * PART / 8; i += WAVE) {
      const u32 row = i / (PART / 8), at = first + i % (PART / 8) * 8;
      const i64 own = mine + row;
      const T* from = rows + row * OUT_ROW + at - first;
      if (own >= end) break;
      if (!packed) {
        for (u32 e = 0; e < 8 && at + e < size; e++) out[own * strides[2] + (at + e) * strides[3]] = from[e];
      } else if (at < size) {
        *(Pack<u32, 4>*)(out + own * strides[2] + at) = *(const Pack<u32, 4>*)from;
      }
    }
    sync_lanes();  // the rows are free
  }
};

// The shared memory of a block: own rows, then those that pass, then results.
template <class T, int D, Wanted WANTED> struct Room {
  typedef Pass<T, D, WANTED> P;
  static const bool HALVES = sizeof(T) == 2;
  typedef BackwardWave<T, D, WANTED, true> Wave;
  static const int PRODUCTS = Passage<T, D, WANTED>::ELEMENTS;  // where they are
  static const int SHARED_PRODUCTS = OWNERS<D> > 1 ? (P::SUM_A ? 2 : 1) * sizeof(typename Wave::Products) / sizeof(T) : 0;
  static const int FIRST = HALVES ? P::OWN * QUERY_ROW<T, D> : 0, LAST = HALVES ? P::WAVES * 16 * Wave::OUT_ROW : 0;
  static const int THEN = PRODUCTS + SHARED_PRODUCTS, MOST = THEN > LAST ? THEN : LAST;
  alignas(1024) T memory[MOST > FIRST ? MOST : FIRST];
  f32 about[Passage<T, D, WANTED>::ABOUT];
};

// The gradients da and, for values, db, of own rows; `rows` of them have gradients, though some may be unseen.
template <class T, int D, Wanted WANTED, bool PLAIN>
DEV void attention_backward_cores(const T* q, const T* k, const T* v, const void* mask, const T* dout, const f32* state, T* da, T* db, const AttentionBackward& g, i64 rows,
                                  Room<T, D, WANTED>& room) {
  typedef Pass<T, D, WANTED> P;
  typedef Passage<T, D, WANTED> Rest;
  typedef BackwardWave<T, D, WANTED, PLAIN> Wave;
  const int OWN = P::OWN, SIDE = P::SIDE;
  const bool KEYS_OWN = P::OWN_KEYS;
  T* memory = room.memory;
  const Attention& of = g.of;
  const i64 tiles = (rows + OWN - 1) / OWN, heads = KEYS_OWN ? of.groups : of.heads, share = of.heads / of.groups;
  for (i64 z = bid_y(); z < of.batch * heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid()), lane = t % WAVE, wave = of_wave(t / WAVE), row = wave / OWNERS<D> * 16;
      const i64 batch = z / heads, own = z % heads, group = KEYS_OWN ? own : own / share;
      const i64 own0 = (KEYS_OWN ? tile : tiles - 1 - tile) * OWN;  // those that see most come first
      const T *ks = k + element_at(of.k, batch, group, 0), *vs = v + element_at(of.v, batch, group, 0);
      const T *qs = q + element_at(of.q, batch, own, 0), *gs = dout + element_at(g.dout, batch, own, 0);
      Wave w(of, mask, batch, own0 + row, lane, wave % OWNERS<D> * Wave::PART);
      sync();
      const T *as = KEYS_OWN ? ks : qs, *bs = KEYS_OWN ? vs : gs;
      const i64 *a_strides = KEYS_OWN ? of.k : of.q, *b_strides = KEYS_OWN ? of.v : g.dout;
      if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int d = 0; d < w.DEEP_K; d++) {
          w.a[d] = staying_at(as, a_strides, w.mine, rows, w.first + d * MATRIX_K, of.size, lane);
          if (P::SUM_A) w.b[d] = staying_at(bs, b_strides, w.mine, rows, w.first + d * MATRIX_K, of.value_size, lane);
        }
      } else {
        put_rows<T, D, OWN>(memory, t, as, own0, rows, a_strides, of.size);
        sync();
#pragma unroll
        for (int d = 0; d < w.DEEP_K; d++) w.a[d] = query_at<T, D, OWN>(memory, row, w.first + d * MATRIX_K, lane);
        if (P::SUM_A) {
          sync();
          put_rows<T, D, OWN>(memory, t, bs, own0, rows, b_strides, of.value_size);
          sync();
#pragma unroll
          for (int d = 0; d < w.DEEP_K; d++) w.b[d] = query_at<T, D, OWN>(memory, row, w.first + d * MATRIX_K, lane);
        }
      }
      const i64 last = own0 + OWN < rows ? own0 + OWN - 1 : rows - 1;
      const Sight sees = Wave::seen_by(of, own0, last);
      const Sight ours = Wave::seen_by(of, w.mine, w.mine + 15);
      for (i64 head = KEYS_OWN ? group * share : own; head < (KEYS_OWN ? (group + 1) * share : own + 1); head++) {
        const T *qh = q + element_at(of.q, batch, head, 0), *gh = dout + element_at(g.dout, batch, head, 0);
        const i64 begin = sees.first / SIDE * SIDE, end = sees.end;
        Rest rest(memory, room.about, t, state, batch * of.heads + head, KEYS_OWN ? qh : ks, KEYS_OWN ? of.q : of.k, KEYS_OWN ? gh : vs, KEYS_OWN ? g.dout : of.v, begin, end,
                  of.size, of.value_size, of);
        if (!KEYS_OWN) {
#pragma unroll
          for (int c = 0; c < SLOTS; c++) w.about[c] = Known(of, state, batch * of.heads + head, w.mine + query_of(lane, c));
        }
        for (i64 row0 = begin; row0 < end; row0 += SIDE) {
          rest.step();
          rest.fetch();
          w.add(rest, (typename Wave::Products*)(memory + Room<T, D, WANTED>::PRODUCTS), wave, head, row0,
                row0 < ours.end && row0 + SIDE > ours.first);
        }
      }
      sync();
      T* through = memory + wave * 16 * Wave::OUT_ROW;
      if (P::SUM_A) w.store(w.suma, of.scale, through, da + element_at(KEYS_OWN ? g.dk : g.dq, batch, own, 0), KEYS_OWN ? g.dk : g.dq, rows, of.size);
      if (P::SUM_B) w.store(w.sumb, 1, through, db + element_at(g.dv, batch, own, 0), g.dv, rows, of.value_size);
    }
}
#endif
