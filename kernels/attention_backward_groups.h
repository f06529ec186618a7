// The backward pass on GPUs with warpgroups (warpgroup.h). As in attention_groups.h, two groups of a block multiply, with 64 own rows each, and the last
// one copies the rows that pass to buffers in shared memory that both read. Own rows stay in shared memory, too.

#if WARPGROUPS
const int PLACES = 2;  // buffers
// Registers of the groups that multiply, and of the one that copies.
template <int D> const int BACKWARD_REGISTERS = D > 128 ? 224 : D > 64 ? 232 : 216;
template <int D> const int BACKWARD_FEW = D > 128 ? 56 : D > 64 ? 40 : 72;
enum Event { ROWS_THERE, ROWS_READ };
template <class T, int D> struct BackwardRing {
  static const int SIDE = STEP<T, D>, ONE = SIDE * D, OWN = 2 * 64 * D;  // OWN: of a group: a and b, then results
  static const int ELEMENTS = GROUPS * OWN + 2 * PLACES * ONE, ABOUT = 3 * SIDE;
  static const int BYTES = ELEMENTS * 2 + PLACES * ABOUT * 4 + 2 * PLACES * 8;
  T* memory;
  u32 barriers;

  DEV BackwardRing(T* memory_) : memory(memory_), barriers(shared_address((u8*)memory_ + BYTES - 2 * PLACES * 8)) {}
  DEV T* a(u32 group) const { return memory + group * OWN; }
  DEV T* b(u32 group) const { return a(group) + 64 * D; }
  DEV T* x(u32 n) const { return memory + GROUPS * OWN + n % PLACES * 2 * ONE; }
  DEV T* y(u32 n) const { return x(n) + ONE; }
  DEV f32* about(u32 n) const { return (f32*)(memory + ELEMENTS) + n % PLACES * ABOUT; }
  DEV u32 barrier(Event e, u32 n) const { return barriers + (e * PLACES + n % PLACES) * 8; }
  DEV void begin() const {  // by one thread
#pragma unroll
    for (u32 i = 0; i < PLACES; i++) {
      barrier_begin(barrier(ROWS_THERE, i), GROUP);
      barrier_begin(barrier(ROWS_READ, i), GROUPS * GROUP / 32);
    }
  }
  DEV void end() const {
#pragma unroll
    for (u32 i = 0; i < PLACES; i++) {
      barrier_end(barrier(ROWS_THERE, i));
      barrier_end(barrier(ROWS_READ, i));
    }
  }
  DEV void wait(Event e, u32 n) const { barrier_wait(barrier(e, n), n / PLACES & 1); }
  DEV void read(u32 n) const {  // by each warp
    sync_lanes();  // none waits any more: one that came late would find the next rows' parity
    if (lane() == 0) barrier_arrive(barrier(ROWS_READ, n));
  }
};

// A block's own rows, and those that they see. Blocks begin with some heads, whose other sides fit the GPU's L2 cache, and with tiles that see most.
template <class T, int D, Wanted WANTED> struct BackwardTile {
  static const bool OWN_KEYS = WANTED != QUERIES_ONLY;
  static const int OWN = GROUPS * 64, SOME = 2048 / D, SIDE = STEP<T, D>;
  i64 batch, own, own0, begin, end, heads_from, heads_to;
  DEV BackwardTile(const Attention& g, i64 rows, i64 i) {
    const i64 all = OWN_KEYS ? g.groups : g.heads, share = g.heads / g.groups;
    const i64 tiles = (rows + OWN - 1) / OWN, first = i / (tiles * SOME) * SOME, left = g.batch * all - first;
    const i64 heads = left < SOME ? left : SOME, at = i - first * tiles, z = first + at % heads, tile = at / heads;
    batch = z / all;
    own = z % all;
    own0 = (OWN_KEYS ? tile : tiles - 1 - tile) * OWN;
    heads_from = OWN_KEYS ? own * share : own;
    heads_to = OWN_KEYS ? heads_from + share : own + 1;
    const i64 last = own0 + OWN < rows ? own0 + OWN - 1 : rows - 1;
    const Sight sees = BackwardWave<T, D, WANTED, true>::seen_by(g, own0, last);
    begin = sees.first / SIDE * SIDE;
    end = sees.end;
  }
  MEMBER i64 count(const Attention& g, i64 rows) { return (rows + OWN - 1) / OWN * g.batch * (OWN_KEYS ? g.groups : g.heads); }
};

// The operands of a block.
template <class T> struct BackwardOperands {
  const T *q, *k, *v, *dout;
  const void* mask;
  const f32* state;
  T *da, *db;
  const AttentionBackward& g;
  i64 rows;  // own rows
  DEV const T* head_of(const T* p, const i64* strides, i64 batch, i64 head) const { return p + element_at(strides, batch, head, 0); }
};

DEV void copy_word_async(u32 to, const f32* from, u32 bytes) {  // four of them, or zeros
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" : : "r"(to), "l"(from), "r"(bytes) : "memory");
}

// The group that copies.
template <class T, int D, Wanted WANTED> DEV void copy_passing(const BackwardRing<T, D>& ring, u32 t, const BackwardOperands<T>& o, const BackwardTile<T, D, WANTED>& at) {
  typedef BackwardTile<T, D, WANTED> Tile;
  const bool KEYS = Tile::OWN_KEYS;
  const int SIDE = Tile::SIDE;
  const Attention& of = o.g.of;
  const i64 group = KEYS ? at.own : at.own / (of.heads / of.groups);
  u32 n = 0;
  for (i64 head = at.heads_from; head < at.heads_to; head++) {
    const T *x = KEYS ? o.head_of(o.q, of.q, at.batch, head) : o.head_of(o.k, of.k, at.batch, group);
    const T *y = KEYS ? o.head_of(o.dout, o.g.dout, at.batch, head) : o.head_of(o.v, of.v, at.batch, group);
    Stretches<T, D, SIDE, false, GROUP> nextx(t, x, at.begin, at.end, KEYS ? of.q : of.k, of.size), nexty(t, y, at.begin, at.end, KEYS ? o.g.dout : of.v, of.value_size);
    const f32* known = o.state + (at.batch * of.heads + head) * of.queries;
#pragma unroll 1
    for (i64 row0 = at.begin; row0 < at.end; row0 += SIDE, n++) {
      if (n >= PLACES) ring.wait(ROWS_READ, n - PLACES);
      nextx.copy(ring.x(n));
      nexty.copy(ring.y(n));
      if (KEYS && t < SIDE) {
        const u32 to = shared_address(ring.about(n) + t), there = row0 + t < of.queries ? 4 : 0;
        const f32* from = known + (there ? row0 + t : 0);
#pragma unroll
        for (int i = 0; i < 3; i++)
          copy_word_async(to + i * SIDE * 4, from + i * of.batch * of.heads * of.queries, there);
      }
      if (nextx.packed && nexty.packed) {
        barrier_arrive_copied(ring.barrier(ROWS_THERE, n));
      } else {
        copies_wait();
        barrier_arrive(ring.barrier(ROWS_THERE, n));
      }
    }
  }
}

// One that multiplies.
template <class T, int D, Wanted WANTED, bool PLAIN> struct BackwardGroup : BackwardWave<T, D, WANTED, PLAIN> {
  typedef BackwardWave<T, D, WANTED, PLAIN> W;
  static const int SIDE = STEP<T, D>, MATRICES = SIDE / 16;
  const BackwardRing<T, D>& ring;
  u32 group;

  DEV BackwardGroup(const BackwardRing<T, D>& ring_, u32 group_, u32 t, const BackwardOperands<T>& o, const BackwardTile<T, D, WANTED>& at)
      : W(o.g.of, o.mask, at.batch, at.own0 + group_ * 64 + of_wave(t / 32) % 4 * 16, t % 32), ring(ring_), group(group_) {}

  // From begin to wait, the operands' registers and memory belong to the matrix cores.
  DEV void begin_products(Results (&s)[MATRICES], const T* own, const T* rows) {
    const u32 a = panels(own, 16), x = panels(rows, 16);
    products_begin();
#pragma unroll
    for (int d = 0; d < D / 16; d++) multiply_shared(T(), s, a + (d / 4 * 64 * 128 + d % 4 * 32) / 16, x + (d / 4 * SIDE * 128 + d % 4 * 32) / 16, d > 0);
    products_end();
  }
  DEV void begin_sums(Results (&sum)[D / 16], const Staying<T> (&p)[MATRICES], const T* rows) {
    const u32 x = panels(rows, SIDE * 128);
    products_begin();
#pragma unroll
    for (int i = 0; i < MATRICES; i++) multiply_transposed(sum, p[i], x + i * 16 * 128 / 16, 1);
    products_end();
  }

  // The rows from row0 on, which are those of step n.
  DEV void add(u32 n, i64 head, i64 row0) {
    Results s[MATRICES], dp[MATRICES];
    Staying<T> p[MATRICES], ds[MATRICES];
    const typename W::Seen seen = W::seen_from(row0);
    const f32* about = ring.about(n);
    ring.wait(ROWS_THERE, n);
    show_warpgroups();
    begin_products(s, ring.a(group), ring.x(n));
    if (W::SUM_A) begin_products(dp, ring.b(group), ring.y(n));
    wait_products<W::SUM_A ? 1 : 0>(s);
#pragma unroll
    for (int i = 0; i < MATRICES; i++) W::weigh_early(s[i], i * 16, about);
    if (W::SUM_A) wait_products<0>(dp);
#pragma unroll
    for (int i = 0; i < MATRICES; i++) {
      W::weigh_both(s[i], dp[i], i * 16, about, seen, head, row0);
      if (W::SUM_B) p[i] = staying_of<T>(s + i, W::lane);
      if (W::SUM_A) ds[i] = staying_of<T>(dp + i, W::lane);
    }
    if (W::SUM_B) begin_sums(W::sumb, p, ring.y(n));
    if (W::SUM_A) begin_sums(W::suma, ds, ring.x(n));
    if (W::SUM_A) wait_products<0>(W::suma);
    if (W::SUM_B) wait_products<0>(W::sumb);
    ring.read(n);
  }
};

template <class T, int D, Wanted WANTED, bool PLAIN>
DEV void multiply_passing(const BackwardRing<T, D>& ring, u32 group, u32 t, const BackwardOperands<T>& o, const BackwardTile<T, D, WANTED>& at) {
  typedef BackwardGroup<T, D, WANTED, PLAIN> W;
  const bool KEYS = W::OWN_KEYS;
  const Attention& of = o.g.of;
  const i64 first = at.own0 + group * 64, shared = KEYS ? at.own : at.own / (of.heads / of.groups);
  const T *a = KEYS ? o.head_of(o.k, of.k, at.batch, shared) : o.head_of(o.q, of.q, at.batch, at.own);
  const T *b = KEYS ? o.head_of(o.v, of.v, at.batch, shared) : o.head_of(o.dout, o.g.dout, at.batch, at.own);
  Stretches<T, D, 64, false, GROUP>(t % GROUP, a, first, o.rows, KEYS ? of.k : of.q, of.size).copy(ring.a(group));
  Stretches<T, D, 64, false, GROUP>(t % GROUP, b, first, o.rows, KEYS ? of.v : o.g.dout, of.value_size).copy(ring.b(group));
  copies_wait();
  show_warpgroups();
  group_sync(group);
  W w(ring, group, t, o, at);
  const Sight ours = W::seen_by(of, first, first + 63);
  u32 n = 0;
  for (i64 head = at.heads_from; head < at.heads_to; head++) {
    if (!KEYS) {
#pragma unroll
      for (int c = 0; c < SLOTS; c++) w.about[c] = Known(of, o.state, at.batch * of.heads + head, w.mine + query_of(w.lane, c));
    }
    for (i64 row0 = at.begin; row0 < at.end; row0 += W::SIDE, n++) {
      if (first < o.rows && row0 < ours.end && row0 + W::SIDE > ours.first) {
        w.add(n, head, row0);
      } else {  // rows that none of the group sees
        ring.wait(ROWS_THERE, n);
        ring.read(n);
      }
    }
  }
  group_sync(group);
  T* through = ring.a(group) + t / 32 % 4 * 16 * (D + PER<T>);
  const i64* strides = KEYS ? o.g.dk : o.g.dq;
  if (W::SUM_A) w.store(w.suma, of.scale, through, o.da + element_at(strides, at.batch, at.own, 0), strides, o.rows, of.size);
  if (W::SUM_B) w.store(w.sumb, 1, through, o.db + element_at(o.g.dv, at.batch, at.own, 0), o.g.dv, o.rows, of.value_size);
}

// What groups do for a tile: the one that copies, and one that multiplies.
template <class T, int D, Wanted WANTED> DEV void copy_tile(const BackwardRing<T, D>& ring, u32 t, const BackwardOperands<T>& o, i64 i) {
  if (t == GROUPS * GROUP) ring.begin();
  sync();
  copy_passing<T, D, WANTED>(ring, t % GROUP, o, BackwardTile<T, D, WANTED>(o.g.of, o.rows, i));
  sync();
  if (t == GROUPS * GROUP) ring.end();
}
template <class T, int D, Wanted WANTED, bool PLAIN> DEV void multiply_tile(const BackwardRing<T, D>& ring, u32 group, u32 t, const BackwardOperands<T>& o, i64 i) {
  sync();
  multiply_passing<T, D, WANTED, PLAIN>(ring, group, t, o, BackwardTile<T, D, WANTED>(o.g.of, o.rows, i));
  sync();
}

// The tiles of one pass, and then those of another one if there are two.
template <class T, int D, bool PLAIN, Wanted FIRST, Wanted SECOND = FIRST> DEV void attention_backward_groups(const BackwardOperands<T>& o) {
  extern SHARED __align__(1024) u8 shared[];
  const u32 t = tid(), group = of_wave(t / GROUP);
  const i64 first = (i64)bid_y() * blocks() + bid(), stride = (i64)blocks() * blocks_y(), count = BackwardTile<T, D, FIRST>::count(o.g.of, o.rows);
  const i64 all = FIRST == SECOND ? count : 2 * count;
  const BackwardRing<T, D> ring((T*)shared);
  if (group == GROUPS) {
    fewer_registers<BACKWARD_FEW<D>>();
#pragma unroll 1
    for (i64 i = first; i < all; i += stride) {
      if (FIRST == SECOND || i < count)
        copy_tile<T, D, FIRST>(ring, t, o, i);
      else
        copy_tile<T, D, SECOND>(ring, t, o, i - count);
    }
  } else {
    more_registers<BACKWARD_REGISTERS<D>>();
#pragma unroll 1
    for (i64 i = first; i < all; i += stride) {
      if (FIRST == SECOND || i < count)
        multiply_tile<T, D, FIRST, PLAIN>(ring, group, t, o, i);
      else
        multiply_tile<T, D, SECOND, PLAIN>(ring, group, t, o, i - count);
    }
  }
}
#endif
