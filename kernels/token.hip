// A token through all layers of a decoder in one launch, of blocks that run at the same time.
//   token_T(Token)      matrices of T, f16 or bf16
//   token_F_T(Token)    matrices of a block format (quant.h), of q6k or of T, all else of T
//
// The kernel goes through a list of stages (token.h): products of a matrix and a row, as in linear.h, and attention of one query. Each stage is done by all blocks.
// A row that a stage leaves may be written again as soon as some later stage begins to write, since nobody can compute a part of a stage before all of
// the stage before it is done: each part of a stage needs the whole row of x (of attention, the heads it reads, and what follows it needs all of attention).
// A block that has no part of a stage does not look at its row.
//
// On NVIDIA's GPUs of compute capability 9.0 other groups of threads copy weights to shared memory ahead of their use, also while a block waits for a row.

template <class T> DEV f32 widened(u16 bits) {
  T x;
  x.bits = bits;
  return Element<T>::load(x);
}

struct Eights {  // eight elements of x, or of the launch's row
  Awaited words;
  Words e;
  DEV void ask(const TokenStage& s, const void* row, u32 i) {
    if (!s.x) e = ((const Words*)row)[i];
    else words.ask(s.x, i);
  }
  DEV Words get(const TokenStage& s, u32 tag) { return s.x ? words.get(tag) : e; }
};

// The row h of a stage, by the whole block: thread t stores the eight elements i where i % THREADS is t.
DEV void make_row(const TokenStage& s, const void* row, u32 tag, Words* h) {
  const u32 eights = (u32)s.cols / 8, TURN = 2;
  for (u32 i0 = 0; i0 < eights; i0 += TURN * THREADS) {
    Eights r[TURN];
#pragma unroll
    for (u32 k = 0; k < TURN; k++) {
      const u32 i = i0 + k * THREADS + tid();
      if (i < eights) r[k].ask(s, row, i);
    }
#pragma unroll
    for (u32 k = 0; k < TURN; k++) {
      const u32 i = i0 + k * THREADS + tid();
      if (i < eights) h[i] = r[k].get(s, tag);
    }
  }
}
// The same of a row that has a norm, of at most NORMED elements.
const u32 NORMED = 8192;  // kernels.TokenNormed
template <class T> DEV void make_normed(const TokenStage& s, const void* row, u32 stage, u32 tag, Words* h) {
  SHARED f32 sums_of[2][WARPS];
  f32 (&sums)[WARPS] = sums_of[stage % 2];
  const u32 eights = (u32)s.cols / 8, EACH = (NORMED / 8 + THREADS - 1) / THREADS;
  Words e[EACH], a[EACH];
  f32 squares = 0;
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    const u32 i = k * THREADS + tid();
    if (k * THREADS < eights) a[k] = ((const Words*)s.alpha)[i < eights ? i : 0];
  }
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    const u32 i = k * THREADS + tid();
    if (i >= eights) continue;
    Eights r;
    r.ask(s, row, i);
    e[k] = r.get(s, tag);
#pragma unroll
    for (u32 j = 0; j < 8; j++) squares = fma(element<T>(e[k], j), element<T>(e[k], j), squares);
  }
  for (u32 mask = LANES / 2; mask > 0; mask /= 2) squares += across(squares, mask);
  if (lane() == 0) sums[tid() / LANES] = squares;
  sync_workers();
  f32 sum = 0;
#pragma unroll
  for (u32 i = 0; i < WARPS; i++) sum += sums[i];
  const f32 factor = 1.0f / sqrt(sum / (f32)s.cols + (f32)s.eps);
#pragma unroll
  for (u32 k = 0; k < EACH; k++) {
    const u32 i = k * THREADS + tid();
    if (i >= eights) continue;
#pragma unroll
    for (u32 j = 0; j < 4; j++)
      e[k].at[j] = narrow_two(T(), element<T>(e[k], 2 * j) * factor * element<T>(a[k], 2 * j), element<T>(e[k], 2 * j + 1) * factor * element<T>(a[k], 2 * j + 1));
    h[i] = e[k];
  }
}
template <class T, class Matrices> DEV void make_h(const TokenStage& s, const void* row, u32 stage, u32 tag, u8* room) {
  if (s.alpha) make_normed<T>(s, row, stage, tag, (Words*)room);
  else make_row(s, row, tag, (Words*)room);
  Matrices::finish(s, room);
  sync_workers();
}

// Sums of all lanes: of a in the lower half of them, of b in the upper.
DEV f32 sum_of_half(f32 a, f32 b) {
  const bool upper = lane() >= LANES / 2;
  f32 x = (upper ? b : a) + across(upper ? a : b, LANES / 2);
  for (u32 mask = LANES / 4; mask > 0; mask /= 2) x += across(x, mask);
  return x;
}

// Sums of products of pieces of two rows of f16 or bf16 and h, from byte `from` on.
[[maybe_unused]] const u32 DENSE_PIECE = 1024;  // kernels.TokenDensePiece
template <class T> struct DenseSums {
#if WARPGROUPS
  // Lanes have eight elements of each row and of h. As matrices of sixteen rows (eight lanes of one row, eight of the other) and of eight columns (those of h) their
  // product has what is needed in its two diagonals.
  enum { TOGETHER = 1 };
  f32 c[4], d[4];
  DEV DenseSums() : c{}, d{} {}
  MEMBER void add(DenseSums (&pair)[1], const u8* const (&a)[1], const u8* const (&b)[1], u32 bytes, const T* h, u32 from) { pair[0].add(a[0], b[0], bytes, h, from); }
  MEMBER void multiply(f16, f32 (&c)[4], u32 a0, u32 b0, u32 a1, u32 b1, u32 h0, u32 h1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(b0), "r"(a1), "r"(b1), "r"(h0), "r"(h1));
  }
  MEMBER void multiply(bf16, f32 (&c)[4], u32 a0, u32 b0, u32 a1, u32 b1, u32 h0, u32 h1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(b0), "r"(a1), "r"(b1), "r"(h0), "r"(h1));
  }
  DEV void add(const u8* a, const u8* b, u32 bytes, const T* h, u32 from) {
    const Words *pa = (const Words*)a, *pb = (const Words*)b, *ph = (const Words*)((const u8*)h + from);
#pragma unroll
    for (u32 k = 0; k < DENSE_PIECE / 512; k++) {
      const u32 i = k * LANES + lane();
      Words x = {}, y = {}, z = {};
      if (i * 16 < bytes) x = pa[i], y = pb[i], z = ph[i];
      multiply(T(), c, x.at[0], y.at[0], x.at[1], y.at[1], z.at[0], z.at[1]);
      multiply(T(), d, x.at[2], y.at[2], x.at[3], y.at[3], z.at[2], z.at[3]);
    }
  }
  DEV f32 finish() const {
    const u32 row = lane() / 4, i = row % 2;
    const bool mine = lane() % 4 == row / 2;
    return sum_of_half(mine ? (i ? c[1] + d[1] : c[0] + d[0]) : 0, mine ? (i ? c[3] + d[3] : c[2] + d[2]) : 0);
  }
#else
  enum { TOGETHER = 1 };
  f32 sums[2];
  DEV DenseSums() : sums{} {}
  MEMBER void add(DenseSums (&pair)[1], const u8* const (&a)[1], const u8* const (&b)[1], u32 bytes, const T* h, u32 from) { pair[0].add(a[0], b[0], bytes, h, from); }
  DEV void add(const u8* a, const u8* b, u32 bytes, const T* h, u32 from) {
    const u32 AHEAD = 2, packs = bytes / 16;
    const Words *pa = (const Words*)a, *pb = (const Words*)b, *ph = (const Words*)((const u8*)h + from);
    for (u32 p0 = lane(); p0 < packs; p0 += AHEAD * LANES) {
      Words x[AHEAD], y[AHEAD];
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * LANES < packs ? p0 + j * LANES : p0;
        x[j] = pa[p], y[j] = pb[p];
      }
#pragma unroll
      for (u32 j = 0; j < AHEAD; j++) {
        const u32 p = p0 + j * LANES;
        if (p >= packs) continue;
        const Words z = ph[p];
#pragma unroll
        for (u32 e = 0; e < 8; e++) {
          sums[0] = fma(element<T>(x[j], e), element<T>(z, e), sums[0]);
          sums[1] = fma(element<T>(y[j], e), element<T>(z, e), sums[1]);
        }
      }
    }
  }
  DEV f32 finish() const { return sum_of_half(sums[0], sums[1]); }
#endif
};

// Codes in shared memory. The four words more let lanes that have two parts each load from different banks.
struct TwoParts {
  Part part[2];
  u32 unused[4];
};
DEV Part* part_of(TwoParts* all, u32 p) { return &all[p / 2].part[p % 2]; }
DEV const Part* part_of(const TwoParts* all, u32 p) { return &all[p / 2].part[p % 2]; }

// The same of blocks of a format; h is in codes. Lanes have two neighbouring parts where a block has several: their codes and scales are in the same words.
template <class F> struct PackedSums {
  enum { TOGETHER = 2 };
  f32 sums[2];
  DEV PackedSums() : sums{} {}
  // The pieces of N pairs of rows, which have h in common.
  template <u32 N> MEMBER void add(PackedSums (&pairs)[N], const u8* const (&a)[N], const u8* const (&b)[N], u32 bytes, const TwoParts* h, u32 from) {
    const u32 EACH = F::PARTS % 2 == 0 ? 2 : 1, parts = bytes / F::BYTES * F::PARTS;
    const u32 before = from / F::BYTES * F::PARTS;
    for (u32 p0 = lane(); p0 * EACH < parts; p0 += LANES)
#pragma unroll
      for (u32 e = 0; e < EACH; e++) {
        const u32 p = p0 * EACH + e;
        const Part z = *part_of(h, before + p);
#pragma unroll
        for (u32 i = 0; i < N; i++) {
          const Codes<F> x(a[i], p), y(b[i], p);
          pairs[i].sums[0] = fma(z.d, dot<F>(x, z), pairs[i].sums[0]);
          pairs[i].sums[1] = fma(z.d, dot<F>(y, z), pairs[i].sums[1]);
        }
      }
  }
  DEV f32 finish() const { return sum_of_half(sums[0], sums[1]); }
};

// The two results of a pair are in the halves of the lanes: see sum_of_half.
DEV u32 half_of_lanes() { return lane() >= LANES / 2 ? 1 : 0; }

// What is added to a result, asked for while the pair is computed.
template <class T> struct Addend {
  u32 word;
  T e;
  DEV void ask(const TokenStage& s, u32 pair, const void* row) {
    const u64 at = 2 * (u64)pair + half_of_lanes();
    if (s.plus_is == PLUS_WORDS) word = (u32)(seen_by_all((const u64*)s.plus + pair) >> half_of_lanes() * 32);
    else if (s.plus_is != PLUS_NONE) e = ((const T*)(s.plus_is == PLUS_ROW ? row : s.plus))[at < s.rows ? at : 0];
  }
  DEV f32 get(const TokenStage& s) const {
    if (s.plus_is == PLUS_WORDS) return widened<T>((u16)word);
    return s.plus_is == PLUS_NONE ? 0 : (f32)Element<T>::load(e);
  }
};

// A pair of results, of which each half of the lanes has one.
template <class T> DEV void put_pair(const TokenStage& s, f32 sum, const Addend<T>& plus, u32 pair, u32 tag, void* logits) {
  if (s.kind == GATED) {
    const f32 up = across(sum, LANES / 2);
    const T y = Element<T>::store(logistic(sum, sum, 0.0f) * up);
    if (lane() == 0) show_all((u32*)s.out + pair, word_of_element(y.bits, tag));
    return;
  }
  const u64 at = 2 * (u64)pair + half_of_lanes();
  if (lane() % (LANES / 2) != 0 || at >= s.rows) return;
  const T e = Element<T>::store(sum + plus.get(s));
  if (s.out) show_all((u32*)s.out + at, word_of_element(e.bits, tag));
  else ((T*)logits)[at] = e;
}

// N pairs of a group of threads, from its n-th one on. h is in the block's room.
template <u32 N, class T, class Sums, class H, class From> DEV void multiply_pairs(const TokenStage& s, const Share& share, u32 n, const H* h, u32 tag, const void* row, void* logits, From& pieces) {
  u32 pair[N];
  Addend<T> plus[N];
  Sums sums[N];
#pragma unroll
  for (u32 i = 0; i < N; i++) {
    pair[i] = share.pair(n + i * WARPS);
    plus[i].ask(s, pair[i], row);
  }
#if WARPGROUPS
  extern SHARED __align__(1024) u8 shared[];
  for (u32 at = 0; at < (u32)s.row; at += (u32)s.piece) {
    const u32 bytes = (u32)s.row - at < (u32)s.piece ? (u32)s.row - at : (u32)s.piece;
    const u8 *a[N], *b[N];
    u32 slots[N];
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      slots[i] = pieces.take();
      a[i] = shared + (pieces.at(slots[i]) - shared_address(shared)), b[i] = a[i] + pieces.slot / 2;
    }
    Sums::add(sums, a, b, bytes, h, at);
    pieces.done(slots);
  }
#else
  (void)pieces;
  const u8 *a[N], *b[N];
#pragma unroll
  for (u32 i = 0; i < N; i++) a[i] = s.w + first_of(s, pair[i]) * s.row, b[i] = s.w + second_of(s, pair[i]) * s.row;
  Sums::add(sums, a, b, (u32)s.row, h, 0);
#endif
#pragma unroll
  for (u32 i = 0; i < N; i++) put_pair<T>(s, sums[i].finish(), plus[i], pair[i], tag, logits);
}
// All of them; several at once, where these have h in common and the pieces of one are whole rows.
template <class T, class Sums, class H, class From> DEV void multiply_all(const TokenStage& s, const Share& share, u32 before, const H* h, u32 tag, const void* row, void* logits, From& pieces) {
  u32 n = share.mine(before);
#if WARPGROUPS
  if (Sums::TOGETHER > 1 && s.row <= s.piece)
    for (; n + (Sums::TOGETHER - 1) * WARPS < share.count; n += Sums::TOGETHER * WARPS) multiply_pairs<Sums::TOGETHER, T, Sums>(s, share, n, h, tag, row, logits, pieces);
#endif
  for (; n < share.count; n += WARPS) multiply_pairs<1, T, Sums>(s, share, n, h, tag, row, logits, pieces);
}

// ---- attention of one query

const f32 NOTHING = -3.0e38f;  // a top before any key

// The element of 16 bits of a word of a row, of which there are two in a u64.
DEV const u64* pair_of(const u32* p) { return (const u64*)((u64)p & ~7ull); }
DEV u16 bits_of(const u32* p, u64 x) { return (u16)((u64)p & 4 ? x >> 32 : x); }

// What a block attends to at once: a head of queries, and a part of the keys of its group.
struct Attended {
  u32 head, group;
  u32 part, parts, from, to;  // of keys
};

// A head of the token, by a group of threads: normed with alpha, if there is one, and turned, or as it is. It goes to shared memory as f32, and to the cache.
template <class T> DEV void take_head(const TokenStage& s, const Token& g, u32 tag, u32 position, u32 of, const T* alpha, bool turned, f32* to, T* cache) {
  const u32 MOST = 4, half = (u32)g.half, size = 2 * half;  // pairs of a thread: kernels.TokenSize
  const u32* words = (const u32*)s.x + of * size;
  f32 c[MOST], d[MOST], x[MOST], y[MOST], squares = 0;
  u32 at[MOST], other[MOST];
#pragma unroll
  for (u32 i = 0; i < MOST; i++) {
    const u32 k = i * LANES + lane();
    at[i] = g.interleaved ? 2 * k : k, other[i] = g.interleaved ? 2 * k + 1 : k + half;
    if (k >= half || !turned) continue;
    c[i] = Element<T>::load(((const T*)g.cos)[(u64)position * half + k]);
    d[i] = Element<T>::load(((const T*)g.sin)[(u64)position * half + k]);
  }
#pragma unroll
  for (u32 i = 0; i < MOST; i++) {
    if (i * LANES + lane() >= half) continue;
    const u32 *p = words + at[i], *q = words + other[i];
    u64 a = seen_by_all(pair_of(p)), b = seen_by_all(pair_of(q));
    while (!tagged(a, tag) || !tagged(b, tag)) a = seen_by_all(pair_of(p)), b = seen_by_all(pair_of(q));
    x[i] = widened<T>(bits_of(p, a)), y[i] = widened<T>(bits_of(q, b));
    squares = fma(x[i], x[i], fma(y[i], y[i], squares));
  }
  if (alpha) {
    for (u32 mask = LANES / 2; mask > 0; mask /= 2) squares += across(squares, mask);
    const f32 factor = 1.0f / sqrt(squares / (f32)size + (f32)s.eps);
#pragma unroll
    for (u32 i = 0; i < MOST; i++) {
      if (i * LANES + lane() >= half) continue;
      x[i] = Element<T>::load(Element<T>::store(x[i] * factor * Element<T>::load(alpha[at[i]])));
      y[i] = Element<T>::load(Element<T>::store(y[i] * factor * Element<T>::load(alpha[other[i]])));
    }
  }
#pragma unroll
  for (u32 i = 0; i < MOST; i++) {
    if (i * LANES + lane() >= half) continue;
    const T p = Element<T>::store(turned ? x[i] * c[i] - y[i] * d[i] : x[i]), q = Element<T>::store(turned ? x[i] * d[i] + y[i] * c[i] : y[i]);
    to[at[i]] = Element<T>::load(p), to[other[i]] = Element<T>::load(q);
    if (cache) cache[at[i]] = p, cache[other[i]] = q;
  }
}

// Two keys and values of a team of threads, of which each has 8 elements; those of the token itself are in shared memory, as f32: nobody has seen them in the cache.
template <class T> struct TwoKeys {
  Words k[2], v[2];
  DEV void fetch(const T* ks, const T* vs, u32 j, u32 teams, u32 size, u32 to) {
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
      const u64 at = (u64)(j + i * teams < to ? j + i * teams : to - 1) * size;
      k[i] = *(const Words*)(ks + at), v[i] = *(const Words*)(vs + at);
    }
  }
  DEV void own(const f32* key, const f32* value, u32 j, u32 teams, u32 position) {
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
      if (j + i * teams != position) continue;
#pragma unroll
      for (u32 e = 0; e < 4; e++) k[i].at[e] = narrow_two(T(), key[2 * e], key[2 * e + 1]), v[i].at[e] = narrow_two(T(), value[2 * e], value[2 * e + 1]);
    }
  }
};

// The state of attention of a query and the keys that a team has seen.
struct Seen {
  f32 x[8], sum[8], top, total;

  // here says which of the keys are there.
  template <class T> DEV void see(const TwoKeys<T>& two, const bool (&here)[2], u32 team_size) {
    f32 s[2] = {0, 0}, weight[2], higher = top;
#pragma unroll
    for (u32 e = 0; e < 8; e++)
#pragma unroll
      for (u32 i = 0; i < 2; i++) s[i] = fma(x[e], element<T>(two.k[i], e), s[i]);
    for (u32 mask = 1; mask < team_size; mask *= 2) s[0] += across(s[0], mask), s[1] += across(s[1], mask);
#pragma unroll
    for (u32 i = 0; i < 2; i++)
      if (here[i] && (s[i] > higher || s[i] != s[i])) higher = s[i];
    const f32 before = quick_exp2(top - higher);
    top = higher;
    total *= before;
#pragma unroll
    for (u32 i = 0; i < 2; i++) total += weight[i] = here[i] ? quick_exp2(s[i] - higher) : 0;
#pragma unroll
    for (u32 e = 0; e < 8; e++) {
      sum[e] *= before;
#pragma unroll
      for (u32 i = 0; i < 2; i++) sum[e] += here[i] ? weight[i] * element<T>(two.v[i], e) : 0;
    }
  }
  // Adds the state of the threads `mask` away.
  DEV void join(u32 mask) {
    const f32 other = across(top, mask), more = across(total, mask);
    const f32 higher = other > top || other != other ? other : top;
    const f32 mine = quick_exp2(top - higher), theirs = quick_exp2(other - higher);
    top = higher;
    total = total * mine + more * theirs;
#pragma unroll
    for (u32 e = 0; e < 8; e++) sum[e] = sum[e] * mine + across(sum[e], mask) * theirs;
  }
};

// An element of a head from the states of all groups of threads of a block; to the row, or to those of the other parts. turn is the tag in 32 bits: states
// are not written in every launch, and one with the same 16 bits may be an old one.
template <class T> DEV void put_head(const TokenStage& s, const Token& g, const Attended& a, const f32* states, u32 tag, u32 turn) {
  const u32 size = 2 * (u32)g.half, row = size + 2, head = a.head;
  for (u32 e = tid(); e < size; e += THREADS) {
    f32 top = NOTHING, sum = 0, total = 0;
#pragma unroll
    for (u32 i = 0; i < WARPS; i++) {
      const f32 other = states[i * row + size];
      if (other > top || other != other) top = other;
    }
#pragma unroll
    for (u32 i = 0; i < WARPS; i++) {
      const f32 factor = quick_exp2(states[i * row + size] - top);
      sum = fma(states[i * row + e], factor, sum);
      total = fma(states[i * row + size + 1], factor, total);
    }
    if (a.parts == 1) {
      const T y = Element<T>::store(sum / total);
      show_all((u32*)s.out + head * size + e, word_of_element(y.bits, tag));
      continue;
    }
    u64* to = g.parts + ((u64)head * g.most + a.part) * row;
    show_f32(to + e, sum, turn);
    if (e == 0) show_f32(to + size, top, turn), show_f32(to + size + 1, total, turn);
  }
}

template <class T> DEV void attend_part(const TokenStage& s, const Token& g, const Attended& a, u32 tag_x, u32 tag, u32 turn, u32 position, f32* room) {
  const u32 size = 2 * (u32)g.half, row = size + 2, warp = tid() / LANES;
  f32 *heads = room, *states = room + 3 * size;  // of the query, the key and the value
  u32 shift = 0;
  while (8u << shift < size) shift++;
  const u32 team_size = 1u << shift, team = tid() >> shift, member = tid() & (team_size - 1), teams = THREADS >> shift;
  const bool mine = member * 8 < size;
  const u32 element = mine ? member * 8 : 0;
  T* keys = (T*)s.w + (u64)a.group * s.cols * size;
  T* values = (T*)s.w + ((u64)g.groups + a.group) * s.cols * size;
  TwoKeys<T> two;
  if (a.from < a.to) two.fetch(keys + element, values + element, a.from + team, teams, size, a.to);  // while the row is waited for
  if (warp < 3) {
    const u32 of = warp == 0 ? a.head : (u32)g.queries + (warp - 1) * (u32)g.groups + a.group;
    T* cache = warp == 0 || a.part < a.parts - 1 ? nullptr : (warp == 1 ? keys : values) + (u64)position * size;
    take_head<T>(s, g, tag_x, position, of, (const T*)(warp == 0 ? s.alpha : warp == 1 ? s.plus : nullptr), warp < 2, heads + warp * size, cache);
  }
  sync_workers();
  Seen r;
  r.top = NOTHING, r.total = 0;
#pragma unroll
  for (u32 e = 0; e < 8; e++) r.x[e] = mine ? heads[element + e] * ((f32)g.scale * 1.44269504f) : 0, r.sum[e] = 0;
  // All teams take part in each turn, so that lanes can exchange words.
  for (u32 j0 = a.from; j0 < a.to; j0 += 2 * teams) {
    TwoKeys<T> next = two;
    if (j0 + 2 * teams < a.to) next.fetch(keys + element, values + element, j0 + 2 * teams + team, teams, size, a.to);
    two.own(heads + size + element, heads + 2 * size + element, j0 + team, teams, position);
    r.see(two, {j0 + team < a.to, j0 + teams + team < a.to}, team_size);
    two = next;
  }
  for (u32 mask = team_size; mask < LANES; mask *= 2) r.join(mask);
  f32* state = states + warp * row;
  if (lane() < team_size && mine) {
#pragma unroll
    for (u32 e = 0; e < 8; e++) state[element + e] = r.sum[e];
  }
  if (lane() == 0) state[size] = r.top, state[size + 1] = r.total;
  sync_workers();
  put_head<T>(s, g, a, states, tag, turn);
}

// The heads of a block from the states of their parts.
template <class T> DEV void join_parts(const TokenStage& s, const Token& g, u32 tag, u32 turn, u32 parts) {
  const u32 size = 2 * (u32)g.half, row = size + 2;
  for (u32 head = bid(); head < (u32)g.queries; head += blocks())
    for (u32 e = tid(); e < size; e += THREADS) {
      const u64* from = g.parts + (u64)head * g.most * row;
      f32 top = NOTHING, sum = 0, total = 0;
      for (u32 i = 0; i < parts; i++, from += row) {
        const f32 other = await_f32(from + size, turn), more = await_f32(from + size + 1, turn), x = await_f32(from + e, turn);
        const f32 higher = other > top || other != other ? other : top;
        const f32 before = quick_exp2(top - higher), factor = quick_exp2(other - higher);
        sum = sum * before + x * factor;
        total = total * before + more * factor;
        top = higher;
      }
      const T y = Element<T>::store(sum / total);
      show_all((u32*)s.out + head * size + e, word_of_element(y.bits, tag));
    }
}

DEV u32 keys_of(const Token& g, u32 position) { return g.window != 0 && position + 1 > (u32)g.window ? (u32)g.window : position + 1; }

template <class T> DEV void attend(const TokenStage& s, const Token& g, u32 tag_x, u32 tag, u32 turn, u32 position, f32* room) {
  const u32 LEAST = 512;  // keys of a part
  const u32 count = keys_of(g, position), shared_by = (u32)(g.queries / g.groups);
  u32 parts = (count + LEAST - 1) / LEAST;
  if (parts > (u32)g.most) parts = (u32)g.most;
  const u32 each = (count + parts - 1) / parts, begin = position + 1 - count;
  const u32 units = (u32)g.queries * parts;
  for (u32 unit = bid(); unit < units; unit += blocks()) {
    Attended a;
    a.head = unit / parts, a.group = a.head / shared_by;
    a.part = unit % parts, a.parts = parts;
    a.from = begin + a.part * each;
    a.to = a.from + each < position + 1 ? a.from + each : position + 1;
    attend_part<T>(s, g, a, tag_x, tag, turn, position, room);
    if (unit + blocks() < units) sync_workers();  // the room is free
  }
  if (bid() >= units) sync_workers();
  if (parts > 1) join_parts<T>(s, g, tag, turn, parts);
}

// ---- the kernel

[[maybe_unused]] const u32 TOKEN_ROOM = 61440;  // bytes of shared memory for a row, at most: of kernels.LinearLongest elements, and their codes

// The largest number of GROUP neighbouring threads.
template <u32 GROUP> DEV u32 largest_of(u32 x) {
#if WARPGROUPS
  if (GROUP == LANES) return max_word(x);
#endif
  for (u32 mask = 1; mask < GROUP; mask *= 2) {
    const u32 other = across(x, mask);
    if (other > x) x = other;
  }
  return x;
}

// quantize_eight of elements of 16 bits. Magnitudes are in the order of their bits, so that one number tells the largest, its place and its sign.
template <u32 GROUP, class T> DEV void quantize_words(const Words& e, TwoParts* out, u32 i, bool here) {
  const u32 last = 255 - tid() % GROUP * 8;
  u32 key = 0;
  f32 x[8];
#pragma unroll
  for (u32 j = 0; j < 8; j++) {
    const u32 bits = (e.at[j / 2] >> j % 2 * 16) & 0xffff, k = (bits & 0x7fff) << 17 | (last - j) << 1 | bits >> 15;
    if (k > key) key = k;
    x[j] = element<T>(e, j);
  }
  key = largest_of<GROUP>(key);
  put_codes<GROUP>(x, widened<T>((u16)(key >> 17 | (key & 1) << 15)), part_of(out, i / 4), i % 4, here);
}

// What a kernel does with matrices: those of T, or of the formats F and G. The row of a stage comes to the room as elements; finish replaces those that a thread
// has stored by codes, behind all elements, where the matrix needs them. Rounding is one loop for rows with a norm and without one: as code that is written out for
// eight elements at a time, and executed once a stage, it did not stay in the instruction caches, and a stage took 2 µs longer.
template <class T> struct DenseMatrices {
  MEMBER void finish(const TokenStage&, u8*) {}
  template <class From> MEMBER void multiply(const TokenStage& s, const Share& share, u32 before, u8* room, u32 tag, const void* row, void* logits, From& pieces) {
    multiply_all<T, DenseSums<T>>(s, share, before, (const T*)room, tag, row, logits, pieces);
  }
};
template <class T, class F, class G> struct PackedMatrices {  // where s.other is 0 and 1; those of T where it is 2
  MEMBER TwoParts* codes(const TokenStage& s, u8* room) { return (TwoParts*)(room + s.cols * sizeof(T)); }
  MEMBER void finish(const TokenStage& s, u8* room) {
    if (s.other == 2) return;
    const u32 eights = (u32)s.cols / 8;
#pragma unroll 1
    for (u32 i0 = 0; i0 < eights; i0 += THREADS) {
      const u32 i = i0 + tid();
      const bool here = i < eights;
      Words e = {};
      if (here) e = ((const Words*)room)[i];
      // As ggml: blocks of 256 with others of 256.
      if ((s.other == 1 ? (u32)G::PARTS : (u32)F::PARTS) == 1) quantize_words<4, T>(e, codes(s, room), i, here);
      else quantize_words<32, T>(e, codes(s, room), i, here);
    }
  }
  template <class From> MEMBER void multiply(const TokenStage& s, const Share& share, u32 before, u8* room, u32 tag, const void* row, void* logits, From& pieces) {
    if (s.other == 2) DenseMatrices<T>::multiply(s, share, before, room, tag, row, logits, pieces);
    else if (s.other == 1) multiply_all<T, PackedSums<G>>(s, share, before, (const TwoParts*)codes(s, room), tag, row, logits, pieces);
    else multiply_all<T, PackedSums<F>>(s, share, before, (const TwoParts*)codes(s, room), tag, row, logits, pieces);
  }
};
DEV void take_stage(TokenStage& to, const Token& g, u32 i) {
  if (i < (u32)g.count && tid() < sizeof(TokenStage) / 8) ((u64*)&to)[tid()] = ((const u64*)(g.stages + i))[tid()];
}

// What a stage reads beside weights and rows is asked for before it begins.
template <class T> DEV void ask_for_stage(const TokenStage& s, const Token& g, u32 position) {
  if (s.kind != ATTENTION) {
    if (s.alpha) ask_for_lines(s.alpha, s.cols * sizeof(T), 1, 0);
    return;
  }
  const u32 count = keys_of(g, position);
  const u64 row = 2 * g.half * sizeof(T);
  ask_for_lines(s.w + (position + 1 - count) * row, count * row, 2 * (u32)g.groups, s.cols * row);
}

#if WARPGROUPS
const u32 ROOMS = 2;  // of rows: one is made while slower groups of threads still use the one before
#else
const u32 ROOMS = 1;
#endif
template <class T, class Matrices, class From> DEV void stages(const Token& g, u8* rooms, From& pieces) {
  const u32 position = (u32)g.position;
  const T* row = (const T*)g.rows + *g.id * g.dim;
  const u32 AHEAD = 5;  // stages in shared memory: the one before this, this one, and the next ones
  SHARED TokenStage ahead[AHEAD];
  for (u32 i = 0; i < AHEAD - 2; i++) take_stage(ahead[i], g, i);
  sync_workers();
  u32 before = 0;  // pairs of this block
  for (u32 i = 0; i < (u32)g.count; i++) {
    // Each stage has a sync: no group of threads is behind the stage before this one, or, where there is one room, behind this.
    if (ROOMS == 1) sync_workers();
    const TokenStage& s = ahead[i % AHEAD];
    take_stage(ahead[(i + AHEAD - 2) % AHEAD], g, i + AHEAD - 2);
    if (i + AHEAD - 3 < (u32)g.count) ask_for_stage<T>(ahead[(i + AHEAD - 3) % AHEAD], g, position);
    const u32 tag = (u32)(g.tag + s.tag) & 0xffff, tag_x = (u32)(g.tag + s.tag_x) & 0xffff;
    u8* room = rooms + i % ROOMS * (u32)g.room;
    if (s.kind == ATTENTION) {
      attend<T>(s, g, tag_x, tag, (u32)(g.tag + s.tag), position, (f32*)room);
      continue;
    }
    const Share share(pairs_of(s), (u32)s.turn);
    if (share.count > 0) {
      make_h<T, Matrices>(s, row, i, tag_x, room);
      Matrices::multiply(s, share, before, room, tag, row, g.logits, pieces);
    }
    else sync_workers();
    before += share.count;
  }
}

#if WARPGROUPS
const u32 HELPERS = WARPS;  // groups of threads that copy
template <class T, class Matrices> DEV void token(const Token& g) {
  extern SHARED __align__(1024) u8 shared[];
  alignas(8) SHARED u64 barriers[WARPS * 2 * MOST_SLOTS];
  const u32 group = tid() / LANES % WARPS;
  Pieces pieces(shared_address(shared) + ROOMS * (u32)g.room, shared_address(barriers), group, g);
  if (tid() < THREADS && lane() == 0) pieces.begin();
  show_warpgroups();
  sync();
  if (tid() >= THREADS) {
    fewer_registers<40>();
    if (lane() == 0) pieces.copy_all(g);
  } else {
    more_registers<216>();
    stages<T, Matrices>(g, shared, pieces);
  }
}
#define TOKEN_KERNEL(NAME, ...) \
  extern "C" { __device__ u8 gr_shared_##NAME[224]; __device__ u8 gr_helpers_##NAME[HELPERS]; } \
  extern "C" __global__ void __launch_bounds__(THREADS + 32 * HELPERS, 1) NAME(Token g) { token<__VA_ARGS__>(g); }
#else
template <class T, class Matrices> DEV void token(const Token& g) {
  alignas(16) SHARED u8 rooms[TOKEN_ROOM];
  const u32 none = 0;
  stages<T, Matrices>(g, rooms, none);
}
#define TOKEN_KERNEL(NAME, ...) KERNEL NAME(Token g) { token<__VA_ARGS__>(g); }
#endif
#define TOKEN(T) TOKEN_KERNEL(token_##T, T, DenseMatrices<T>)
#define TOKEN_PACKED(F, G, T) TOKEN_KERNEL(token_##F##_##T, T, PackedMatrices<T, F, G>)
