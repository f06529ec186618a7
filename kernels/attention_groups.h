// Attention on GPUs with warpgroups (warpgroup.h). A block has three: two have 64 queries each and multiply, and the last one copies keys and values
// to buffers in shared memory that both read. Each continues as soon as its inputs are ready: one computes weights while the matrix cores multiply
// for the other.

#if WARPGROUPS
// Blocks per multiprocessor. Two overlap by themselves; with one, the groups take turns.
template <int D> const int BLOCKS = D > 64 ? 1 : 2;
template <int D> const bool TURNS = BLOCKS<D> == 1;
// Registers of the groups that multiply, and of the one that copies: their sum is the block's allocation.
template <int D> const int REGISTERS = D > 64 ? 232 : 104;
template <int D> const int FEW_REGISTERS = D > 64 ? 40 : 32;

// Queries of a head, and the keys that they see, from a multiple of KEYS. Tile i of a launch, in the order of blocks: some heads at a time, whose
// keys and values fit the GPU's L2 cache, and tiles with most keys first, so that all blocks end at about the same time.
template <int D> struct Tile {
  static const int QUERIES = GROUPS * 64, SOME = 2048 / D;
  i64 batch, head, group, query0, begin, end;
  DEV Tile(const Attention& g, i64 i) {
    const i64 tiles = (g.queries + QUERIES - 1) / QUERIES, first = i / (tiles * SOME) * SOME, left = g.batch * g.heads - first;
    const i64 heads = left < SOME ? left : SOME, at = i - first * tiles, z = first + at % heads;
    batch = z / g.heads;
    head = z % g.heads;
    group = head / (g.heads / g.groups);
    query0 = (tiles - 1 - at / heads) * QUERIES;
    const i64 beyond = query0 + QUERIES < g.queries ? query0 + QUERIES : g.queries;
    begin = Sight(g, query0).first / KEYS<f16, D> * KEYS<f16, D>;  // bf16 has as many
    end = Sight(g, beyond - 1).end;
  }
  MEMBER i64 count(const Attention& g) { return (g.queries + QUERIES - 1) / QUERIES * g.batch * g.heads; }
};

// The groups' shared memory. Barriers of each buffer signal when it is filled, and when all groups have read it.
const int PLACES = 2;
enum Event { KEYS_THERE, VALUES_THERE, KEYS_READ, VALUES_READ };
template <class T, int D> struct Ring {
  static const int SIDE = KEYS<T, D>, PLACE = SIDE * D, OWN = 64 * (D + PER<T>);  // OWN: of a group: its queries, then its results
  static const int ELEMENTS = GROUPS * OWN + 2 * PLACES * PLACE, BYTES = ELEMENTS * 2 + 4 * PLACES * 8;
  T* memory;
  u32 barriers, steps;

  DEV Ring(T* memory_, i64 begin, i64 end) : memory(memory_), barriers(shared_address(memory_ + ELEMENTS)), steps(begin < end ? (u32)((end - begin + SIDE - 1) / SIDE) : 0) {}
  DEV T* own(u32 group) const { return memory + group * OWN; }
  DEV T* keys(u32 n) const { return memory + GROUPS * OWN + n % PLACES * PLACE; }
  DEV T* values(u32 n) const { return keys(n) + PLACES * PLACE; }
  DEV u32 barrier(Event e, u32 n) const { return barriers + (e * PLACES + n % PLACES) * 8; }
  DEV void begin() const {  // by one thread
#pragma unroll
    for (int i = 0; i < 4 * PLACES; i++) barrier_begin(barriers + i * 8, i < 2 * PLACES ? GROUP : GROUPS * GROUP / 32);
  }
  DEV void end() const {
#pragma unroll
    for (int i = 0; i < 4 * PLACES; i++) barrier_end(barriers + i * 8);
  }
  DEV void wait(Event e, u32 n) const { barrier_wait(barrier(e, n), n / PLACES & 1); }
  DEV void read(Event e, u32 n) const {  // by each warp
    sync_lanes();  // none waits any more: one that came late would find the next rows' parity
    if (lane() == 0) barrier_arrive(barrier(e, n));
  }
};

// The group that copies.
template <class T, int D> DEV void put(const Ring<T, D>& ring, Stretches<T, D, KEYS<T, D>, false, GROUP>& next, T* to, Event there, Event read, u32 n) {
  if (n >= PLACES) ring.wait(read, n - PLACES);
  next.copy(to);
  if (next.packed)
    barrier_arrive_copied(ring.barrier(there, n));
  else
    barrier_arrive(ring.barrier(there, n));
}
template <class T, int D> DEV void copy_tile(const Ring<T, D>& ring, u32 t, const T* k, const T* v, const Tile<D>& at, const Attention& g) {
  Stretches<T, D, KEYS<T, D>, false, GROUP> nextk(t, k + at.batch * g.k[0] + at.group * g.k[1], at.begin, at.end, g.k, g.size);
  Stretches<T, D, KEYS<T, D>, false, GROUP> nextv(t, v + at.batch * g.v[0] + at.group * g.v[1], at.begin, at.end, g.v, g.value_size);
#pragma unroll 1
  for (u32 n = 0; n < ring.steps; n++) {
    put(ring, nextk, ring.keys(n), KEYS_THERE, KEYS_READ, n);
    put(ring, nextv, ring.values(n), VALUES_THERE, VALUES_READ, n);
  }
}

// One that multiplies.
template <class T, int D> struct Group : Wave<T, D> {
  typedef Wave<T, D> W;
  static const int SIDE = KEYS<T, D>, MATRICES = SIDE / 16;
  const Ring<T, D>& ring;
  u32 group;

  DEV Group(const Ring<T, D>& ring_, u32 group_, u32 t, const void* mask, const Tile<D>& at, const Attention& g)
      : W(g, mask, at.batch, at.head, at.query0 + group_ * 64 + of_wave(t / 32) % 4 * 16, at.end, t % 32), ring(ring_), group(group_) {}

  // Products are issued in turns: a group's are executed together, then it computes weights while those of the next group are executed.
  DEV void take_turn() {
    if (TURNS<D>) turn_wait(group);
  }
  DEV void give_turn() {
    if (TURNS<D>) turn_pass((group + 1) % GROUPS);
  }

  // From begin to wait, the operands' registers and memory belong to the matrix cores.
  DEV void begin_scores(Results (&s)[MATRICES], u32 n) {
    const u32 queries = panels(ring.own(group), 16), keys = panels(ring.keys(n), 16);
    products_begin();
#pragma unroll
    for (int d = 0; d < D / 16; d++) multiply_shared(T(), s, queries + (d / 4 * 64 * 128 + d % 4 * 32) / 16, keys + (d / 4 * SIDE * 128 + d % 4 * 32) / 16, d > 0);
    products_end();
  }
  DEV void begin_sums(const Staying<T> (&p)[MATRICES], u32 n) {
    const u32 values = panels(ring.values(n), SIDE * 128);
    products_begin();
#pragma unroll
    for (int i = 0; i < MATRICES; i++) multiply_transposed(W::sum, p[i], values + i * 16 * 128 / 16, 1);
    products_end();
  }
  DEV void pass(u32 n) {  // keys that none of the group sees
    take_turn();
    give_turn();
    ring.wait(KEYS_THERE, n);
    ring.read(KEYS_READ, n);
    ring.wait(VALUES_THERE, n);
    ring.read(VALUES_READ, n);
  }

  DEV void attend(i64 begin, i64 from, i64 to) {
    const bool any = from < to;
    const u32 first = any ? (u32)((from - begin) / SIDE) : ring.steps, last = any ? (u32)((to - begin + SIDE - 1) / SIDE) : ring.steps;
    if (group == GROUPS - 1) give_turn();
    for (u32 n = 0; n < first; n++) pass(n);
    if (!any) {
      take_turn();
      give_turn();
    } else if constexpr (TURNS<D>) {
      attend_in_turns(begin, first, last);
    } else {
      attend_steps(begin, first, last);
    }
    for (u32 n = last; n < ring.steps; n++) pass(n);
    if (group == 0) take_turn();  // the last one gave one before the first
  }
  // The steps in sequence.
  DEV void attend_steps(i64 begin, u32 n, u32 last) {
    Results s[MATRICES];
    Staying<T> p[MATRICES];
    f32 scale[SLOTS];
    for (; n < last; n++) {
      ring.wait(KEYS_THERE, n);
      show_warpgroups();
      begin_scores(s, n);
      wait_products<0>(s);
      ring.read(KEYS_READ, n);
      W::weigh(s, begin + (i64)n * SIDE, scale);
      if (ballot(scale[0] != 1 || scale[1] != 1)) W::rescale(scale);
#pragma unroll
      for (int i = 0; i < MATRICES; i++) p[i] = staying_of<T>(s + i, W::lane);
      ring.wait(VALUES_THERE, n);
      show_warpgroups();
      begin_sums(p, n);
      wait_products<0>(W::sum);
      ring.read(VALUES_READ, n);
    }
  }
  // The values of a step are added while the weights of the next one are computed. The loop has one iteration more than steps.
  DEV void attend_in_turns(i64 begin, u32 n, u32 last) {
    Results s[MATRICES];
    Staying<T> p[MATRICES];
    f32 scale[SLOTS];
    const u32 first = n;
    ring.wait(KEYS_THERE, n);
    show_warpgroups();
    take_turn();
    begin_scores(s, n);
    give_turn();
    wait_products<0>(s);
    ring.read(KEYS_READ, n);
    for (;;) {
      W::weigh(s, begin + (i64)n * SIDE, scale);
      // The sums of weights are read, although they cannot be below 0; otherwise the assembler would wait before it computes weights.
      if (ballot(!(scale[0] == 1 && scale[1] == 1 && W::total[0] + W::total[1] >= 0))) {
        wait_products<0>(W::sum);
        W::rescale(scale);
      } else {
        wait_products<0>(W::sum);
      }
      if (n > first) ring.read(VALUES_READ, n - 1);
#pragma unroll
      for (int i = 0; i < MATRICES; i++) p[i] = staying_of<T>(s + i, W::lane);
      if (++n >= last) break;
      ring.wait(KEYS_THERE, n);
      ring.wait(VALUES_THERE, n - 1);
      show_warpgroups();
      take_turn();
      begin_scores(s, n);
      begin_sums(p, n - 1);
      give_turn();
      wait_products<1>(s);
      ring.read(KEYS_READ, n);
    }
    ring.wait(VALUES_THERE, n - 1);
    show_warpgroups();
    take_turn();
    begin_sums(p, n - 1);
    give_turn();
    wait_products<0>(W::sum);
    ring.read(VALUES_READ, n - 1);
  }
};

template <class T, int D> DEV void multiply_tile(const Ring<T, D>& ring, u32 group, u32 t, const T* q, const void* mask, T* out, f32* state, const Tile<D>& at, const Attention& g) {
  const i64 ours = at.query0 + group * 64;
  Stretches<T, D, 64, false, GROUP>(t % GROUP, q + at.batch * g.q[0] + at.head * g.q[1], ours, g.queries, g.q, g.size).copy(ring.own(group));
  copies_wait();
  show_warpgroups();
  group_sync(group);
  Group<T, D> w(ring, group, t, mask, at, g);
  const i64 to = ours < g.queries ? Sight(g, ours + 63).end : 0;
  w.attend(at.begin, Sight(g, ours).first, to < at.end ? to : at.end);
  group_sync(group);
  w.store(ring.own(group) + t / 32 % 4 * 16 * (D + PER<T>), out + at.batch * g.out[0] + at.head * g.out[1], state);
}

template <class T, int D> DEV void attention_groups(const T* q, const T* k, const T* v, const void* mask, T* out, f32* state, const Attention& g) {
  extern SHARED __align__(1024) u8 shared[];
  const u32 t = tid(), group = of_wave(t / GROUP);
  const i64 first = (i64)bid_y() * blocks() + bid(), stride = (i64)blocks() * blocks_y(), count = Tile<D>::count(g);
  if (group == GROUPS) {
    fewer_registers<FEW_REGISTERS<D>>();
    for (i64 i = first; i < count; i += stride) {
      const Tile<D> at(g, i);
      const Ring<T, D> ring((T*)shared, at.begin, at.end);
      if (t == GROUPS * GROUP) ring.begin();
      sync();
      copy_tile(ring, t % GROUP, k, v, at, g);
      sync();
      if (t == GROUPS * GROUP) ring.end();
    }
  } else {
    more_registers<REGISTERS<D>>();
    for (i64 i = first; i < count; i += stride) {
      const Tile<D> at(g, i);
      const Ring<T, D> ring((T*)shared, at.begin, at.end);
      sync();
      multiply_tile(ring, group, t, q, mask, out, state, at, g);
      sync();
    }
  }
}
#endif
