// Running sums of long rows in one pass: what comes before a tile of a row, which other blocks have.
//
// Blocks take tiles in the order of tickets, and first of all show the sum of their tile, for which they wait for nobody. So whoever waits, waits for
// blocks that run ("decoupled look-back": Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). There a tile adds up the
// sums before it until it meets a tile that has shown all before its end; where that is depends on timing, and with it the rounding. Here 32 tiles
// are a batch and 32 batches a span, and what is shown has one way to be computed each:
//
//   sum of a tile                      its elements'                                               by its block
//   sum of a batch                     those of its tiles                                          by the block of its last tile
//   running sum to the end of a span   (that to the last span's end, and the batches of this one)  by the block of its last tile
//                                      + the tiles of the last batch
//
// What comes before a tile is added up in the same way: the span before and the batches before, and the tiles before, each by 32 threads as a tree
// over all 32 with zeros for those that are not before. The sums of the five batches just before may be about to be shown: threads that would wait add
// up their tiles in the same way. Every sum is thus a fixed expression of the elements, and has the same bits in every run. A tile waits for the sums
// of at most 191 tiles and 26 batches and one running sum, and only spans, of a thousand tiles, wait in a chain.
//
// The state is zeros before a kernel. A word has 32 bits of a number and says by its low half that they are there, so that no word needs to be seen
// before or after another one.

template <class S> struct Shown {
  static const u32 WORDS = (sizeof(S) + 3) / 4;
  MEMBER void put(u64* at, S x) {
    union { u32 words[WORDS]; S value; } u;
    for (u32 i = 0; i < WORDS; i++) u.words[i] = 0;
    u.value = x;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++) show_all(at + i, (u64)u.words[i] << 32 | 1);
  }
  MEMBER S get(const u64* at) {  // when it is there
    union { u32 words[WORDS]; S value; } u;
    for (;;) {
      bool there = true;
#pragma unroll
      for (u32 i = 0; i < WORDS; i++) {
        const u64 word = seen_by_all(at + i);
        u.words[i] = (u32)(word >> 32);
        there = there && (u32)word != 0;
      }
      if (there) return u.value;
      rest();
    }
  }
};

// The state of a row's tiles; kernels.ScanState has its size.
template <class S> struct RowState {
  u32* tickets;
  u64 *tiles, *batches, *spans;
  DEV RowState(u64* state, u64 row, u64 count) {
    const u64 b = (count + LANES - 1) / LANES, s = (b + LANES - 1) / LANES, W = Shown<S>::WORDS;
    state += row * (1 + (count + b + s) * W);
    tickets = (u32*)state;
    tiles = state + 1;
    batches = tiles + count * W;
    spans = batches + b * W;
  }
  DEV void show(u64 tile, S sum) const {
    if (tid() == 0) Shown<S>::put(tiles + tile * Shown<S>::WORDS, sum);
  }
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
  for (u32 mask = LANES / 2; mask > 0; mask /= 2) x = add(x, across(x, mask));
  return x;
}

// The sum of a batch whose tiles are all shown, as its last tile shows it. Our 32 threads call it.
template <class S> DEV S batch_sum(const RowState<S>& row, u64 batch) {
  const S tile = Shown<S>::get(row.tiles + (batch * LANES + lane()) * Shown<S>::WORDS);
  return add(sum_lanes(lane() < LANES - 1 ? tile : (S)0), of_lane(tile, LANES - 1));
}

// Where the groups of 32 threads of a block leave what they found of tiles before.
template <class S> struct Before { S batches, tiles, near[BLOCK / LANES]; };

// What comes before tile `tile` of a row, given its sum, which was shown. All threads of a block call it. The sums of the batches just before may not be
// shown yet: five groups of threads add up their tiles themselves.
template <class S> DEV S look_back(const RowState<S>& row, u64 tile, S sum, Before<S>& before) {
  const u32 W = Shown<S>::WORDS, own = (u32)(tile % LANES), batch = (u32)(tile / LANES % LANES), NEAR = BLOCK / LANES - 3, group = tid() / LANES;
  const u64 first = tile - own, b = tile / LANES, span = b / LANES;
  S x = 0;
  if (group == 0) {
    if (tid() < own) x = Shown<S>::get(row.tiles + (first + tid()) * W);
    x = sum_lanes(x);
    if (tid() == 0) {
      if (own == LANES - 1) Shown<S>::put(row.batches + b * W, add(x, sum));
      before.tiles = x;
    }
  } else if (group == 2) {
    if (lane() + NEAR < batch) x = Shown<S>::get(row.batches + (b - batch + lane()) * W);
    if (lane() == LANES - 1 && span > 0) x = Shown<S>::get(row.spans + (span - 1) * W);
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
  const S all = add(before.batches, before.tiles);
  if (tid() == 0 && own == LANES - 1 && batch == LANES - 1) Shown<S>::put(row.spans + span * W, add(all, sum));
  return all;
}
