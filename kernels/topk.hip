// topk_T(in, values, u32* ids, const u32* from, Layout1, i64 step, u64 rows, u64 cols, u64 parts, u64 keep, u64 descending):
//   the first `keep` elements, at most 256, of each part of each row, in the order in which sort.hip sorts, and where they were. The layout is that of the
//   first elements of the rows, whose elements are `step` apart. A row is cut into parts of at least `keep` elements; results are dense: rows, parts, elements.
//   A place is that in the row, or, unless `from` is null, what from (rows × cols) has there: where the elements of parts were before.
//
// A block takes a part, a tile after the other, and keeps the best elements so far in shared memory, sorted. An element that is after the last of
// them is passed over, as nearly all are once the first tile is done. There, the limit is found among the best elements of the 256 threads: `keep` of
// them are not after the `keep`-th. What is not passed over comes to the elements that are kept and is sorted with them; where there is no room for all
// of it, the rest is looked at again with the new limit. Two elements never stand at one place, so that equal ones are told apart by their positions.

const u32 GROUPS = BLOCK / LANES;
const u32 ROOM = 1024;                     // items in shared memory
const int N = 16;                          // elements of a thread
const u32 TILE = BLOCK * N;                // kernels.TopTile says the same

template <class U> struct Best {
  Item<U> items[ROOM], limit;
  u32 sums[GROUPS], all;
};

// What no more than `keep` - 1 of the tile's elements can be known to be before: the keep-th of the threads' best.
template <class U> DEV Item<U> first_limit(const Item<U>& ours, u32 keep, Best<U>& best) {
  best.items[tid()] = ours;
  sync();
  u32 rank = 0;
#pragma unroll 8
  for (u32 i = 0; i < BLOCK; i++) rank += before(best.items[i], ours);
  if (rank == keep - 1) best.limit = ours;
  sync();
  return best.limit;
}

// Brings those of our elements that `mine` has a bit for to the `have` items that are kept, and sorts. Returns how many are kept now.
template <class U> DEV u32 join(const U (&key)[N], u32 begin, u32 mine, u32 have, u32 keep, Item<U>& limit, Best<U>& best) {
  for (;;) {
    const u32 count = ones(mine), start = have + sum_before(count, best.sums);
    if (tid() == BLOCK - 1) best.all = start + count;
    u32 place = start;
#pragma unroll
    for (int i = 0; i < N; i++) {
      if (!(mine >> i & 1) || place >= ROOM) continue;
      best.items[place++] = {key[i], begin + i * BLOCK + tid()};
      mine &= ~(1u << i);
    }
    sync();
    const u32 all = best.all, there = all < ROOM ? all : ROOM;
    if (all == have) return have;
    u32 run = 2;
    while (run < there) run *= 2;
    for (u32 i = there + tid(); i < run; i += BLOCK) best.items[i] = no_item<U>();
    sync();
    sort_items(best.items, run, run);
    have = there < keep ? there : keep;
    if (have == keep) limit = best.items[keep - 1];
    if (all <= ROOM) return have;
#pragma unroll
    for (int i = 0; i < N; i++) {
      const Item<U> x = {key[i], begin + i * BLOCK + tid()};
      if (before(limit, x)) mine &= ~(1u << i);
    }
    sync();
  }
}

template <class T>
DEV void topk(const T* in, T* values, u32* ids, const u32* from, const Layout1& l, i64 step, u64 rows, u64 cols, u64 parts, u32 keep, bool descending) {
  typedef Bits<T> U;
  SHARED Best<U> best;
  for (u64 u = bid(); u < rows * parts; u += blocks()) {
    const u64 row = u / parts, part = u - row * parts;
    const u32 begin = (u32)(part * cols / parts), end = (u32)((part + 1) * cols / parts);
    const T* x = in + offsets(l, row).of[0];
    Item<U> limit = no_item<U>();
    u32 have = 0;
#pragma unroll 1
    for (u32 c = begin; c < end; c += end - c < TILE ? end - c : TILE) {
      const u32 count = end - c < TILE ? end - c : TILE;
      T e[N];
#pragma unroll
      for (int i = 0; i < N; i++) e[i] = x[(i64)(c + (i * BLOCK + tid() < count ? i * BLOCK + tid() : 0)) * step];
      U key[N];
      Item<U> ours = no_item<U>();
#pragma unroll
      for (int i = 0; i < N; i++) {
        key[i] = key_of(e[i], descending);
        const Item<U> item = {key[i], c + i * BLOCK + tid()};
        if (i * BLOCK + tid() < count && before(item, ours)) ours = item;
      }
      if (c == begin) limit = first_limit(ours, keep, best);
      u32 mine = 0;
#pragma unroll
      for (int i = 0; i < N; i++) {
        const Item<U> item = {key[i], c + i * BLOCK + tid()};
        if (i * BLOCK + tid() < count && !before(limit, item)) mine |= 1u << i;
      }
      have = join(key, c, mine, have, keep, limit, best);
    }
    if (tid() < keep) {
      const u32 at = best.items[tid()].at;
      const u64 to = u * keep + tid();
      values[to] = x[(i64)at * step];
      ids[to] = from ? from[row * cols + at] : at;
    }
    sync();
  }
}

#define TOPK(T) \
  KERNEL topk_##T(const T* in, T* values, u32* ids, const u32* from, Layout1 l, i64 step, u64 rows, u64 cols, u64 parts, u64 keep, u64 descending) { \
    topk(in, values, ids, from, l, step, rows, cols, parts, (u32)keep, descending != 0); \
  }
