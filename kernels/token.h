// What stages of one launch leave to one another, and how weights come ahead of their use: see token.hip.

const u32 THREADS = BLOCK;  // more would have too few registers: what does not fit is in memory that weights stream past
const u32 WARPS = THREADS / LANES;

// A row that a stage leaves is one of words: an element of 16 bits, and a tag in the upper half, another one each time that the row is written. Whoever needs
// elements loads their words until all have the tag, so that nothing else has to order the blocks. There are two words in each u64.
DEV u64 two_words(u32 low, u32 high) { return (u64)low | (u64)high << 32; }
DEV bool tagged(u64 words, u32 tag) { return (words & 0xffff0000ffff0000ull) == two_words(tag << 16, tag << 16); }
DEV u32 word_of_element(u16 bits, u32 tag) { return (u32)bits | tag << 16; }

#if AMD
DEV void show_all(u32* p, u32 x) { __hip_atomic_store(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
DEV void seen_two(const u64* p, u64 (&x)[2]) { x[0] = seen_by_all(p), x[1] = seen_by_all(p + 1); }
#elif __CUDA_ARCH__ >= 700
DEV void show_all(u32* p, u32 x) { asm volatile("st.relaxed.gpu.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory"); }
DEV void seen_two(const u64* p, u64 (&x)[2]) { asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(x[0]), "=l"(x[1]) : "l"(p) : "memory"); }
#else
DEV void show_all(u32* p, u32 x) { *(volatile u32*)p = x; }
DEV void seen_two(const u64* p, u64 (&x)[2]) { x[0] = seen_by_all(p), x[1] = seen_by_all(p + 1); }
#endif

// Eight elements of 16 bits, as in memory: NVRTC would split the words of a Pack<f16, 8> as soon as they are loaded, into eight registers, and wait for the load.
typedef Pack<u32, 4> Words;
template <class T> DEV f32 element(const Words& w, u32 e) {
  T x;
  x.bits = (u16)(w.at[e / 2] >> e % 2 * 16);
  return Element<T>::load(x);
}

// Eight elements of a row of words. They are asked for when this is made, and waited for by get.
struct Awaited {
  const u64* p;
  u64 x[4];
  DEV void ask(const void* row, u32 i) {
    p = (const u64*)row + 4 * (u64)i;
    load(0), load(2);
  }
  DEV void load(u32 j) {
    u64 two[2];
    seen_two(p + j, two);
    x[j] = two[0], x[j + 1] = two[1];
  }
  DEV Words get(u32 tag) {
    while (!tagged(x[0], tag) || !tagged(x[1], tag)) load(0);
    while (!tagged(x[2], tag) || !tagged(x[3], tag)) load(2);
    Words w;
#pragma unroll
    for (u32 j = 0; j < 4; j++) w.at[j] = ((u32)x[j] & 0xffff) | ((u32)(x[j] >> 32) << 16);
    return w;
  }
};
// An f32 with a tag, in a u64.
DEV void show_f32(u64* p, f32 x, u32 tag) { show_all(p, (u64)bitcast<u32>(x) | (u64)tag << 32); }
DEV f32 await_f32(const u64* p, u32 tag) {
  u64 x = seen_by_all(p);
  while ((u32)(x >> 32) != tag) x = seen_by_all(p);
  return bitcast<f32>((u32)x);
}

// Has a line of memory read into the L2 cache.
DEV void ask_for_line(const void* p) {
#if WARPGROUPS
  asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
#else
  (void)p;
#endif
}
// Has stretches of bytes read into the L2 cache, `count` of them `apart` bytes apart; each block does a part of it.
DEV void ask_for_lines(const void* p, u64 bytes, u32 count, u64 apart) {
  const u32 LINE = 128;
  for (u32 i = 0; i < count; i++)
    for (u64 at = ((u64)bid() * THREADS + tid()) * LINE; at < bytes; at += (u64)blocks() * THREADS * LINE) ask_for_line((const u8*)p + i * apart + at);
}

// A stage, as package decode has it. A product has pairs of rows of w, each of `row` bytes, two neighbours or, gated, one of each half.
struct TokenStage {
  u64 kind, other;    // PRODUCT, GATED or ATTENTION; which of the kernel's formats w has
  const u8* w;        // of attention: the cache
  const void* alpha;  // of the norm, or null; of attention: of the norm of queries
  const void* x;      // words; null: the row that the launch begins with, of elements
  const void* plus;   // what is added, as plus_is says; of attention: alpha of the norm of keys
  void* out;          // words; null: the logits
  u64 rows, cols;     // of w; of attention's cache the positions, in cols
  u64 row, piece;     // bytes: of a row, and of those parts of it that come at once
  u64 turn;           // the pairs of all stages before, modulo the blocks
  u64 tag, tag_x;     // of out and of x, beside the launch's
  u64 next;           // the next product, or how many stages there are
  u64 plus_is;        // PLUS_…: nothing, a row of words or of elements, or the row that the launch begins with
  f64 eps;
};
[[maybe_unused]] const u64 PRODUCT = 0, GATED = 1, ATTENTION = 2;  // kinds
[[maybe_unused]] const u64 PLUS_NONE = 0, PLUS_WORDS = 1, PLUS_ELEMENTS = 2, PLUS_ROW = 3;

struct Token {
  const TokenStage* stages;
  const void* rows;  // of elements, one for each token that there is: what the first stage begins with
  void* logits;
  u64* parts;  // states of attention in at most `most` parts, [queries most 2·half+2]
  const void *cos, *sin;
  u64 count, tag;         // stages; what the launch adds to their tags
  u64 room, slots, slot;  // bytes of a row's room in shared memory; slots of pieces, and their bytes
  const u32* id;          // of the token
  u64 position;
  u64 dim;                // elements of a row of rows
  u64 queries, groups, half, interleaved, window, most;
  f64 scale;
};

DEV u32 pairs_of(const TokenStage& s) { return s.kind == ATTENTION ? 0 : (u32)(s.kind == GATED ? s.rows / 2 : (s.rows + 1) / 2); }
// The rows of a pair; one that does not exist is replaced by its neighbour.
DEV u64 first_of(const TokenStage& s, u32 pair) { return s.kind == GATED ? pair : 2 * (u64)pair; }
DEV u64 second_of(const TokenStage& s, u32 pair) {
  if (s.kind == GATED) return pair + s.rows / 2;
  return 2 * (u64)pair + 1 < s.rows ? 2 * (u64)pair + 1 : 2 * (u64)pair;
}
// The pairs of a block: every blocks()-th one, on from stage to stage. Its groups of threads have them in turn, on from stage to stage as well: `before` is how
// many the block has had.
struct Share {
  u32 first, count;
  DEV Share(u32 pairs, u32 turn) {
    first = bid() >= turn ? bid() - turn : bid() + blocks() - turn;
    count = pairs > first ? (pairs - first - 1) / blocks() + 1 : 0;
  }
  DEV u32 pair(u32 n) const { return first + n * blocks(); }
  DEV u32 mine(u32 before) const { return (tid() / LANES - before) % WARPS; }  // the first n of a group
};

#if WARPGROUPS
// The weights of a group of threads, in shared memory: pieces of two rows, ordered as they are used, which another group of threads copies as soon as there is
// room, across stages. There are `count` slots of `slot` bytes. No more than FLIGHT are on their way, since words that a block waits for would come behind them: with
// twelve, a token of docs/performance.md takes 4 % longer, and without a group that copies, 11 %.
const u32 MOST_SLOTS = 12;  // kernels.TokenRing
struct Pieces {
  enum { FLIGHT = 3 };
  const u32 slots, there, read;  // addresses in shared memory: of the slots, and of two barriers for each: the pieces are there, and have been read
  const u32 count, slot;
  u32 n, odd;  // the slot, and whether its round is odd

  // Of group `group` of WARPS.
  DEV Pieces(u32 memory, u32 barriers, u32 group, const Token& g)
      : slots(memory + group * (u32)(g.slots * g.slot)), there(barriers + group * MOST_SLOTS * 16), read(there + MOST_SLOTS * 8), count((u32)g.slots), slot((u32)g.slot), n(0), odd(0) {}
  DEV void begin() {  // by one thread
    for (u32 i = 0; i < 2 * MOST_SLOTS; i++) barrier_begin(there + 8 * i, 1);
  }
  // The slot of the next pieces, when they are there; and when they have been read.
  DEV u32 take() {
    const u32 i = n;
    barrier_wait(there + 8 * i, odd);
    next();
    return i;
  }
  DEV u32 at(u32 i) const { return slots + i * slot; }
  template <u32 N> DEV void done(const u32 (&list)[N]) {
    sync_lanes();
    if (lane() == 0)
      for (u32 i = 0; i < N; i++) barrier_arrive(read + 8 * list[i]);
  }
  DEV void next() {
    n = n + 1 == count ? 0 : n + 1;
    odd ^= n == 0;
  }
  // Copies all pieces of a group of threads, by one thread.
  DEV void copy_all(const Token& g) {
    u32 before = 0;
    for (u32 i = 0; i < (u32)g.count; i = (u32)g.stages[i].next) {
      const TokenStage& s = g.stages[i];
      const Share share(pairs_of(s), (u32)s.turn);
      const bool gated = s.kind == GATED;
      const u32 row = (u32)s.row, piece = (u32)s.piece, odd_pair = !gated && s.rows % 2 == 1 ? pairs_of(s) - 1 : ~0u;
      const u64 apart = (gated ? s.rows / 2 : 1) * (u64)row, step = (u64)(gated ? 1 : 2) * row * WARPS * blocks();
      u32 k = share.mine(before);
      const u8* w = s.w + (u64)share.pair(k) * (gated ? 1 : 2) * row;
      for (; k < share.count; k += WARPS, w += step) {
        const u8 *a = w, *b = w + (share.pair(k) == odd_pair ? 0 : apart);  // the last row of an odd number is its own neighbour
        for (u32 left = row; left > 0;) {
          const u32 bytes = left < piece ? left : piece, to = slots + n * slot;
          // In the first round nothing is waited for: a new barrier is as after an odd round.
          barrier_wait(read + 8 * n, odd ^ 1);
          barrier_wait(there + 8 * (n < FLIGHT ? n + count - FLIGHT : n - FLIGHT), n < FLIGHT ? odd ^ 1 : odd);
          asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(there + 8 * n), "r"(2 * bytes) : "memory");
          copy(to, a, bytes);
          copy(to + slot / 2, b, bytes);
          a += bytes, b += bytes, left -= bytes;
          next();
        }
      }
      before += share.count;
    }
  }
  DEV void copy(u32 to, const u8* from, u32 bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" : : "r"(to), "l"(from), "r"(bytes), "r"(there + 8 * n) : "memory");
  }
};
// Waits for all threads but those that copy.
DEV void sync_workers() { asm volatile("bar.sync 1, %0;" : : "n"(THREADS) : "memory"); }
#else
DEV void sync_workers() { sync(); }
#endif
