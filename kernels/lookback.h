// Prefix sums of long rows in one pass: a tile obtains the sum of all earlier tiles of its row from other blocks.
//
// Blocks take tiles in the order of a turn counter and first publish the sum of their tile, without waiting. So a block waits only for blocks that
// already run ("decoupled look-back": Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). There a tile adds the
// sums of earlier tiles until it finds one that has published its inclusive prefix; which one depends on timing, and so does the rounding. Here 32
// tiles form a batch and 32 batches a span, and each published value is computed in a fixed way:
//
//   sum of a tile                      its elements'                                               by its block
//   sum of a batch                     those of its tiles                                          by the block of its last tile
//   running sum to the end of a span   (that to the last span's end, and the batches of this one)  by the block of its last tile
//                                      + the tiles of the last batch
//
// The exclusive prefix of a tile is computed in the same way: the previous span, the previous batches and the previous tiles, each by 32 threads as a
// tree over all 32 with zeros for later ones. The sums of the last five batches may not be published yet: threads that would wait add their tiles in
// the same way. Every sum is thus a fixed expression of the elements, and has the same bits in every run. A tile waits for the sums of at most 191
// tiles and 26 batches and one running sum, and only spans, of a thousand tiles, wait in a chain.
//
// A word of the state holds 32 bits of a number and, in its low half, the mark of this kernel, which signals that they are valid, so words need no
// ordering among themselves. Successive kernels on the same state have different marks, so the state need not be cleared between them; no kernel has
// mark 0. (Marks repeat after 2³² kernels.)

// The text says sums; any states with an identity and a join that is associative and commutative can be scanned. Numbers are added.
template <class S> struct Join {
  MEMBER S start() { return 0; }
  MEMBER S of(S a, S b) { return add(a, b); }
};
template <class S> DEV S join(S a, S b) { return Join<S>::of(a, b); }
template <class S> DEV S nothing() { return Join<S>::start(); }

// The next tile, of all rows. `turn` counts tiles in its low half and kernels in its high half; the block that takes the last tile increments the
// kernel count and resets the low half to 0. All threads of a block call it.
struct Turn {
  u32 tile, mark;
  DEV Turn(u64* turn, u32 tiles, u64& shared) {  // a block syncs between two turns, too
    if (tid() == 0) {
      shared = next_number(turn);
      const u32 kernel = (u32)(shared >> 32);
      if ((u32)shared == tiles - 1) show_all(turn, kernel == ~0u - 1 ? 0 : (u64)(kernel + 1) << 32);
    }
    sync();
    tile = (u32)shared;
    mark = (u32)(shared >> 32) + 1;
  }
};

template <class S> struct Shown {
  static const u32 WORDS = (sizeof(S) + 3) / 4;
  MEMBER void put(u64* at, S x, u32 mark) {
    union { u32 words[WORDS]; S value; } u;
    for (u32 i = 0; i < WORDS; i++) u.words[i] = 0;
    u.value = x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) show_all(at + i, (u64)u.words[i] << 32 | mark);
  }
  MEMBER S get(const u64* at, u32 mark) {  // when it is there
    union { u32 words[WORDS]; S value; } u;
    for (;;) {
      bool there = true;
#pragma unroll
      for (u32 i = 0; i < WORDS; i++) {
        const u64 word = seen_by_all(at + i);
        u.words[i] = (u32)(word >> 32);
        there = there && (u32)word == mark;
      }
      if (there) return u.value;
      rest();
    }
  }
};

// The state of a row's tiles; kernels.ScanState has its size.
template <class S> struct RowState {
  static const u32 W = Shown<S>::WORDS;
  u64 *tiles, *batches, *spans;
  u32 mark;
  DEV RowState(u64* state, u64 row, u64 count, u32 mark) : mark(mark) {
    const u64 b = (count + LANES - 1) / LANES, s = (b + LANES - 1) / LANES;
    tiles = state + row * (count + b + s) * W;
    batches = tiles + count * W;
    spans = batches + b * W;
  }
  DEV S get(const u64* of, u64 at) const { return Shown<S>::get(of + at * W, mark); }
  DEV void put(u64* of, u64 at, S sum) const { Shown<S>::put(of + at * W, sum, mark); }
};

// What another of our 32 threads has.
template <class S> DEV S of_lane(const S& x, u32 lane) {
  const int WORDS = (sizeof(S) + 3) / 4;
  union { u32 words[WORDS]; S value; } u;
  for (int i = 0; i < WORDS; i++) u.words[i] = 0;
  u.value = x;
  for (int i = 0; i < WORDS; i++) u.words[i] = word_of(u.words[i], lane);
  return u.value;
}

// The sum of what our 32 threads have, in each of them.
template <class S> DEV S sum_lanes(S x) {
#pragma unroll
  for (u32 mask = LANES / 2; mask > 0; mask /= 2) x = join(x, across(x, mask));
  return x;
}

// The sum of a batch whose tiles are all shown, as its last tile shows it. Our 32 threads call it.
template <class S> DEV S batch_sum(const RowState<S>& row, u64 batch) {
  const S tile = row.get(row.tiles, batch * LANES + lane());
  return join(sum_lanes(lane() < LANES - 1 ? tile : nothing<S>()), of_lane(tile, LANES - 1));
}

// Where the groups of 32 threads of a block leave what they found of tiles before.
template <class S> struct Before { S batches, tiles, near[BLOCK / LANES]; };

// What comes before tile `tile` of a row, given its sum, which was shown. All threads of a block call it. The sums of the batches just before may not be
// shown yet: five groups of threads add up their tiles themselves.
template <class S> DEV S look_back(const RowState<S>& row, u64 tile, S sum, Before<S>& before) {
  const u32 own = (u32)(tile % LANES), batch = (u32)(tile / LANES % LANES), NEAR = BLOCK / LANES - 3, group = tid() / LANES;
  const u64 first = tile - own, b = tile / LANES, span = b / LANES;
  S x = nothing<S>();
  if (group == 0) {
    if (tid() < own) x = row.get(row.tiles, first + tid());
    x = sum_lanes(x);
    if (tid() == 0) {
      if (own == LANES - 1) row.put(row.batches, b, join(x, sum));
      before.tiles = x;
    }
  } else if (group == 2) {
    if (lane() + NEAR < batch) x = row.get(row.batches, b - batch + lane());
    if (lane() == LANES - 1 && span > 0) x = row.get(row.spans, span - 1);
  } else if (group > 2 && group - 2 <= batch) {
    x = batch_sum(row, b - (group - 2));
    if (lane() == 0) before.near[group - 2] = x;
  }
  sync();
  if (group == 2) {
    if (lane() < batch && lane() + NEAR >= batch) x = before.near[batch - lane()];
    x = sum_lanes(x);
    if (lane() == 0) before.batches = x;
  }
  sync();
  const S all = join(before.batches, before.tiles);
  if (tid() == 0 && own == LANES - 1 && batch == LANES - 1) row.put(row.spans, span, join(all, sum));
  return all;
}
