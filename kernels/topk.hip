// topk_T(in, values, u32* ids, const u32* from, Layout1, i64 step, u64 rows, u64 cols, u64 each, u64 keep, u64 descending):
//   the first `keep` elements, at most 256, of each part of each row, in the order of sort.hip, and their positions. The layout is that of the
//   first elements of the rows, whose stride is `step`. A part is `each` elements of a row, the last one the remainder, and has at least `keep`.
//   Results are dense: rows, parts, elements. A position is the index in the row, or, unless `from` is null, the value of from (rows × cols) there: the original positions
//   of the elements of parts. Grid: x a block for each part, y rows; a smaller grid loops.
//
// A block processes its part tile by tile, and keeps the best elements so far in shared memory, sorted. Elements after the last of them are skipped,
// as nearly all are after the first tile. In the first tile, the best elements of the threads give the limit. The others are added to the kept
// elements and sorted with them; those that do not fit are examined again with the new limit. Positions are unique, so they order equal elements.

const u32 GROUPS = BLOCK / LANES;
const u32 ROOM = 1024;       // items in shared memory
const int N = 16;            // elements of a thread
const u32 TILE = BLOCK * N;  // kernels.TopTile is not less

template <class U> struct Best {
  Item<U> items[ROOM], limits[GROUPS];
  u32 sums[GROUPS], all;
};

// The position of the thread's element i in the tile.
DEV u32 ours(int i) { return i * BLOCK + tid(); }

// At least `keep` elements are not after the limit, given the best element of each thread: each group of 32 threads has a part of them.
template <class U> DEV Item<U> first_limit(const Item<U>& x, u32 keep, Best<U>& best) {
  const u32 share = (keep + GROUPS - 1) / GROUPS, group = tid() / LANES;
  best.items[tid()] = x;
  if (lane() == 0) best.limits[group] = no_item<U>();
  sync_lanes();
  u32 rank = 0;
#pragma unroll 8
  for (u32 i = 0; i < LANES; i++) rank += before(best.items[group * LANES + i], x);
  if (rank == share - 1) best.limits[group] = x;
  sync();
  Item<U> limit = best.limits[0];
#pragma unroll
  for (u32 g = 1; g < GROUPS; g++)
    if (before(limit, best.limits[g])) limit = best.limits[g];
  return limit;
}

// Sorts items, of which only the first `keep` are needed. A few items are ranked by counting, which needs fewer barriers.
template <class U> DEV void sort_first(Item<U>* items, u32 count, u32 keep) {
  if (count <= BLOCK) {
    Item<U> x = no_item<U>();
    u32 rank = 0;
    if (tid() < count) {
      x = items[tid()];
#pragma unroll 8
      for (u32 i = 0; i < count; i++) rank += before(items[i], x);
    }
    sync();
    if (tid() < count && rank < keep) items[rank] = x;
    sync();
    return;
  }
  u32 run = 2 * BLOCK;
  while (run < count) run *= 2;
  for (u32 i = count + tid(); i < run; i += BLOCK) items[i] = no_item<U>();
  sync();
  sort_items(items, run, run);
}

// Adds the thread's elements selected by `mine` to the `have` kept items, and sorts. Returns the new number of kept items.
template <class U> DEV u32 join(const U (&key)[N], u32 begin, u32 mine, u32 have, u32 keep, Item<U>& limit, Best<U>& best) {
  for (;;) {
    const u32 count = ones(mine), start = have + sum_before(count, best.sums);
    if (tid() == BLOCK - 1) best.all = start + count;
    u32 place = start;
#pragma unroll
    for (int i = 0; i < N; i++) {
      if (!(mine >> i & 1) || place >= ROOM) continue;
      best.items[place++] = item_of(key[i], begin + ours(i));
      mine &= ~(1u << i);
    }
    sync();
    const u32 all = best.all, there = all < ROOM ? all : ROOM;
    if (all == have) return have;
    sort_first(best.items, there, keep);
    have = there < keep ? there : keep;
    if (have == keep) limit = best.items[keep - 1];
    if (all <= ROOM) return have;
#pragma unroll
    for (int i = 0; i < N; i++)
      if (before(limit, item_of(key[i], begin + ours(i)))) mine &= ~(1u << i);
    sync();
  }
}

template <class T>
DEV void top_of_part(const T* x, i64 step, u32 begin, u32 end, u32 keep, bool descending, Best<Bits<T>>& best) {
  typedef Bits<T> U;
  Item<U> limit = no_item<U>();
  u32 have = 0;
#pragma unroll 1
  for (u32 c = begin; c < end; c += end - c < TILE ? end - c : TILE) {
    const u32 count = end - c < TILE ? end - c : TILE;
    T e[N];
#pragma unroll
    for (int i = 0; i < N; i++) e[i] = x[(i64)(c + (ours(i) < count ? ours(i) : 0)) * step];
    U key[N];
#pragma unroll
    for (int i = 0; i < N; i++) key[i] = key_of(e[i], descending);
    if (c == begin) {
      Item<U> first = no_item<U>();
#pragma unroll
      for (int i = 0; i < N; i++) {
        const Item<U> item = item_of(key[i], c + ours(i));
        if (ours(i) < count && before(item, first)) first = item;
      }
      limit = first_limit(first, keep, best);
    }
    u32 mine = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
      if (ours(i) < count && !before(limit, item_of(key[i], c + ours(i)))) mine |= 1u << i;
    have = join(key, c, mine, have, keep, limit, best);
  }
}

template <class T>
DEV void topk(const T* in, T* values, u32* ids, const u32* from, const Layout1& l, i64 step, u64 rows, u64 cols, u32 each, u32 keep, bool descending) {
  SHARED Best<Bits<T>> best;
  const u32 parts = ((u32)cols + each - 1) / each;
  for (u64 row = bid_y(); row < rows; row += blocks_y())
    for (u32 part = bid(); part < parts; part += blocks()) {
      const T* x = in + offsets(l, row).of[0];
      const u32 begin = part * each;
      top_of_part(x, step, begin, part + 1 < parts ? begin + each : (u32)cols, keep, descending, best);
      if (tid() < keep) {
        const u32 at = place_of(best.items[tid()]);
        const u64 to = (row * parts + part) * keep + tid();
        values[to] = x[(i64)at * step];
        ids[to] = from ? from[row * cols + at] : at;
      }
      sync();
    }
}

#define TOPK(T) \
  KERNEL topk_##T(const T* in, T* values, u32* ids, const u32* from, Layout1 l, i64 step, u64 rows, u64 cols, u64 each, u64 keep, u64 descending) { \
    topk(in, values, ids, from, l, step, rows, cols, (u32)each, (u32)keep, descending != 0); \
  }
