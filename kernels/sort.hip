// A stable sort of rows, together with the positions of the elements. NaN comes last in both directions, and 0 equals -0. The layout is that of the
// first elements of the rows of in, whose stride is `step`; results are dense:
//   sort_tiles_T(in, values, u32* ids, Layout1, i64 step, u64 rows, u64 cols, u64 run, u64 keep, u64 descending)
//       rows of up to run elements, a power of two up to 1024, of which the first `keep` are wanted. Short rows share a tile of 1024 elements in shared
//       memory, which is sorted with a bitonic network; elements with equal keys are told apart by their positions, which makes it stable
//   sort_rows_xN_T(in, values, u32* ids, Layout1, i64 step, u64 rows, u64 cols, u64 descending)
//       rows of up to 256 · N elements, which a block holds in registers and sorts by one digit of eight bits after the other
//   radix_count_T, radix_scan_T, radix_scatter_T(in, values, u32* ids, Layout1, i64 step, u64 rows, u64 cols, what Radix has)
//       one pass over rows of any length, by one digit: how often each digit comes in each tile; where each tile's elements with each digit go;
//       their going there. The first count also finds the digits that differ within a row: passes by the others do nothing. Of those that do
//       something, the first one reads `in`, the last one writes values and ids, and the others keys and positions
//
// Each of the 8 groups of 32 threads has a contiguous part of a tile and takes 32 adjacent elements at a time. Ballots show a thread which of them
// have its digit, so positions do not depend on timing: same input, same result.

// ---- short rows

const u32 TILE = 1024;

template <class T>
DEV void sort_tiles(const T* in, T* values, u32* ids, const Layout1& l, i64 step, u64 rows, u64 cols, u32 run, u64 keep, bool descending) {
  typedef Bits<T> U;
  SHARED Item<U> tile[TILE];
  const u64 per_tile = TILE / run;
  for (u64 t = bid(); t * per_tile < rows; t += blocks()) {
    for (u32 i = tid(); i < TILE; i += BLOCK) {
      const u64 row = t * per_tile + i / run, col = i % run;
      Item<U> x = no_item<U>();
      if (row < rows && col < cols) x = item_of(key_of(in[offsets(l, row).of[0] + (i64)col * step], descending), (u32)col);
      tile[i] = x;
    }
    sync();
    sort_items(tile, TILE, run);
    for (u32 i = tid(); i < TILE; i += BLOCK) {
      const u64 row = t * per_tile + i / run, col = i % run;
      if (row < rows && col < keep) {
        const u32 at = place_of(tile[i]);
        ids[row * keep + col] = at;
        values[row * keep + col] = in[offsets(l, row).of[0] + (i64)at * step];
      }
    }
    sync();
  }
}

// ---- digits

const u32 DIGITS = 256, GROUPS = BLOCK / LANES;

// Two numbers below 2^16 in each word, one for each of N elements.
template <int N> struct Halves {
  u32 words[(N + 1) / 2];
  DEV void set(int i, u32 x) { words[i / 2] = i % 2 ? words[i / 2] | x << 16 : x; }  // even ones first
  DEV u32 get(int i) const { return i % 2 ? words[i / 2] >> 16 : words[i / 2] & 0xffffu; }
};

struct Counts {
  u32 of[GROUPS][DIGITS], sums[GROUPS];
};

template <class U> DEV u32 digit_of(U key, u32 shift) { return (u32)(key >> shift) & (DIGITS - 1); }

// The positions of a tile's elements when it is sorted by a digit. Returns the start of the elements whose digit is the number of the thread.
template <int N, class U> DEV u32 places(const U (&key)[N], u32 shift, Halves<N>& place, Counts& counts) {
  u32* mine = counts.of[tid() / LANES];
#pragma unroll
  for (u32 i = 0; i < DIGITS / LANES; i++) mine[i * LANES + lane()] = 0;
  sync_lanes();
#pragma unroll
  for (int i = 0; i < N; i++) {
    const u32 digit = digit_of(key[i], shift);
    u32 same = ~0u;  // those of the 32 that have the digit
#pragma unroll
    for (u32 b = 0; b < 8; b++) {
      const bool set = digit & 1u << b;
      const u32 those = ballot(set);
      same &= set ? those : ~those;
    }
    const u32 earlier = ones(same & ((1u << lane()) - 1)), count = mine[digit];
    place.set(i, count + earlier);
    sync_lanes();
    if (earlier == 0) mine[digit] = count + ones(same);
    sync_lanes();
  }
  sync();
  u32 total = 0;
#pragma unroll
  for (u32 g = 0; g < GROUPS; g++) total += counts.of[g][tid()];
  const u32 start = sum_before(total, counts.sums);
  u32 next = start;
#pragma unroll
  for (u32 g = 0; g < GROUPS; g++) {
    const u32 count = counts.of[g][tid()];
    counts.of[g][tid()] = next;
    next += count;
  }
  sync();
#pragma unroll
  for (int i = 0; i < N; i += 2) {
    const u32 low = place.get(i) + mine[digit_of(key[i], shift)], high = place.get(i + 1) + mine[digit_of(key[i + 1], shift)];
    place.set(i, low);
    place.set(i + 1, high);
  }
  return start;
}

// The position in a tile of the thread's i-th element.
template <int N> DEV u32 ours(int i) { return tid() / LANES * (LANES * N) + i * LANES + lane(); }

// The N elements of a tile that `at` selects, from `begin` of a row; beyond its `count` elements the first one is loaded instead, so that no load
// waits for a condition.
template <class E, int N, class At> DEV void load(E (&e)[N], const E* row, u64 begin, u32 count, i64 step, const At& at) {
#pragma unroll
  for (int i = 0; i < N; i++) e[i] = row[(i64)(begin + (at(i) < count ? at(i) : 0)) * step];
}

// The keys of elements of a tile, or `none` beyond its end.
template <class T, int N, class At>
DEV void load_keys(Bits<T> (&key)[N], const T* row, i64 step, const Bits<T>* from, u64 begin, u32 count, bool descending, Bits<T> none, const At& at) {
  if (from) {
    load(key, from, begin, count, 1, at);
#pragma unroll
    for (int i = 0; i < N; i++) key[i] = at(i) < count ? key[i] : none;
  } else {
    T e[N];
    load(e, row, begin, count, step, at);
#pragma unroll
    for (int i = 0; i < N; i++) {
      const Bits<T> k = key_of(e[i], descending);
      key[i] = at(i) < count ? k : none;
    }
  }
}
template <int N> struct Ours { DEV u32 operator()(int i) const { return ours<N>(i); } };
struct Striped { DEV u32 operator()(int i) const { return i * BLOCK + tid(); } };

// ---- rows that fit a block

template <class T, int N>
DEV void sort_rows(const T* in, T* values, u32* ids, const Layout1& l, i64 step, u64 rows, u32 cols, bool descending) {
  typedef Bits<T> U;
  SHARED Counts counts;
  SHARED union { U key[BLOCK * N]; u16 at[BLOCK * N]; } exchange;
  for (u64 row = bid(); row < rows; row += blocks()) {
    const T* x = in + offsets(l, row).of[0];
    U key[N];
    Halves<N> at, place;
    load_keys(key, x, step, (const U*)0, 0, cols, descending, (U)~(U)0, Ours<N>());  // beyond the end: after NaN, being later
#pragma unroll
    for (int i = 0; i < N; i++) at.set(i, ours<N>(i));
#pragma unroll 1
    for (u32 shift = 0; shift < sizeof(U) * 8; shift += 8) {
      places(key, shift, place, counts);
#pragma unroll
      for (int i = 0; i < N; i++) exchange.key[place.get(i)] = key[i];
      sync();
#pragma unroll
      for (int i = 0; i < N; i++) key[i] = exchange.key[ours<N>(i)];
      sync();
#pragma unroll
      for (int i = 0; i < N; i++) exchange.at[place.get(i)] = (u16)at.get(i);
      sync();
#pragma unroll
      for (int i = 0; i < N; i++) at.set(i, exchange.at[ours<N>(i)]);
      sync();
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
      const u32 c = ours<N>(i);
      if (c >= cols) continue;
      bool lost;
      T value = element_of<T>(key[i], descending, lost);
      if (lost) value = x[(i64)at.get(i) * step];
      values[row * cols + c] = value;
      ids[row * cols + c] = at.get(i);
    }
  }
}

// ---- long rows

// A pass by a digit of eight bits, of so many, the lowest first. Passes write to values and ids, and to more memory for keys and positions, by turns.
struct Radix {
  void* keys;
  u32* places;
  u32* counts;   // of each tile of each row
  u32* totals;   // of each row
  u64* differs;  // a word for each digit, 0 where all elements of each row have the same; the first count sets it
  u64 pass, passes, descending;
};

// Which memory a pass uses.
struct Turn {
  bool skipped;  // the order stays as it is
  u32 before, after;  // the passes that are not skipped
};

DEV Turn turn_of(const Radix& g) {
  u32 mask = 0;
  for (u32 p = 0; p < g.passes; p++) mask |= (u32)(g.differs[p] != 0) << p;
  if (!mask) mask = 1;
  const Turn turn = {(mask >> g.pass & 1) == 0, ones(mask & ((1u << g.pass) - 1)), ones(mask >> g.pass >> 1)};
  return turn;
}

// Memory that a pass writes, which so many passes follow, or 0 for the results.
template <class T> DEV Bits<T>* keys_of(T* values, const Radix& g, u32 after) {
  return after == 0 ? 0 : after % 2 ? (Bits<T>*)g.keys : (Bits<T>*)values;
}
DEV u32* places_of(u32* ids, const Radix& g, u32 after) { return after % 2 ? g.places : ids; }

template <class T> struct Long { static const int N = sizeof(T) == 8 ? 16 : 32, TILE = BLOCK * N; };


// Marks the digits in which keys differ from the first one of their row. All threads call it.
template <class U> DEV void mark_differing(u64* differs, U bits) {
#pragma unroll
  for (u32 p = 0; p < sizeof(U); p++) {
    const bool any = ballot(digit_of(bits, p * 8) != 0) != 0;
    if (any && lane() == 0 && !seen_by_all(&differs[p])) show_all(&differs[p], 1);
  }
}

template <class T>
DEV void radix_count(const T* in, T* values, u32*, const Layout1& l, i64 step, u64 rows, u64 cols, const Radix& g) {
  typedef Bits<T> U;
  SHARED u32 counts[DIGITS];
  const u64 tiles = (cols + Long<T>::TILE - 1) / Long<T>::TILE;
  Turn turn = {false, 0, 0};
  if (g.pass > 0) turn = turn_of(g);
  if (turn.skipped) return;
  const U* keys = turn.before == 0 ? (const U*)0 : keys_of(values, g, turn.after + 1);
  for (u64 u = bid(); u < rows * tiles; u += blocks()) {
    const u64 row = u / tiles, begin = (u - row * tiles) * Long<T>::TILE;
    const u32 count = cols - begin < Long<T>::TILE ? (u32)(cols - begin) : Long<T>::TILE;
    const T* x = in + offsets(l, row).of[0];
    U key[Long<T>::N];
    load_keys(key, x, step, keys ? keys + row * cols : keys, begin, count, g.descending != 0, (U)0, Striped());
    counts[tid()] = 0;
    sync();
#pragma unroll
    for (int i = 0; i < Long<T>::N; i++)
      if (i * BLOCK + tid() < count) add_shared(&counts[digit_of(key[i], (u32)g.pass * 8)], 1);
    sync();
    g.counts[u * DIGITS + tid()] = counts[tid()];
    if (g.pass == 0 && g.passes > 1) {
      const U first = key_of(x[0], g.descending != 0);
      U bits = 0;
#pragma unroll
      for (int i = 0; i < Long<T>::N; i++)
        if (i * BLOCK + tid() < count) bits |= key[i] ^ first;
      mark_differing(g.differs, bits);
    }
    sync();
  }
}

const u32 AT_ONCE = 16;  // loads that do not wait for one another

DEV void load_counts(u32 (&n)[AT_ONCE], const u32* counts, u64 t, u64 end) {
#pragma unroll
  for (u32 i = 0; i < AT_ONCE; i++) n[i] = counts[(t + i < end ? t + i : t) * DIGITS];
#pragma unroll
  for (u32 i = 0; i < AT_ONCE; i++) n[i] = t + i < end ? n[i] : 0;
}

// For each tile, how many elements of the tiles before it have a digit. A block takes 8 digits of a row, and 32 threads share the tiles.
template <class T> DEV void radix_scan(const T*, T*, u32*, const Layout1&, i64, u64 rows, u64 cols, const Radix& g) {
  if (turn_of(g).skipped) return;
  const u64 tiles = (cols + Long<T>::TILE - 1) / Long<T>::TILE;
  const u32 SOME = 8, SHARES = BLOCK / SOME;
  SHARED u32 sums[SHARES][SOME];
  const u32 some = tid() % SOME, share = tid() / SOME;
  const u64 length = (tiles + SHARES - 1) / SHARES;
  for (u64 u = bid(); u < rows * (DIGITS / SOME); u += blocks()) {
    const u64 row = u / (DIGITS / SOME), digit = u % (DIGITS / SOME) * SOME + some;
    u32* counts = g.counts + row * tiles * DIGITS + digit;
    const u64 begin = share * length < tiles ? share * length : tiles, end = begin + length < tiles ? begin + length : tiles;
    u32 sum = 0, some_counts[AT_ONCE];
    for (u64 t = begin; t < end; t += AT_ONCE) {
      load_counts(some_counts, counts, t, end);
#pragma unroll
      for (u32 i = 0; i < AT_ONCE; i++) sum += some_counts[i];
    }
    sums[share][some] = sum;
    sync();
    u32 before = 0, all = 0;
#pragma unroll 8
    for (u32 s = 0; s < SHARES; s++) {
      if (s < share) before += sums[s][some];
      all += sums[s][some];
    }
    if (share == 0) g.totals[row * DIGITS + digit] = all;
    for (u64 t = begin; t < end; t += AT_ONCE) {
      load_counts(some_counts, counts, t, end);
#pragma unroll
      for (u32 i = 0; i < AT_ONCE; i++) {
        if (t + i < end) counts[(t + i) * DIGITS] = before;
        before += some_counts[i];
      }
    }
    sync();
  }
}

template <class T>
DEV void radix_scatter(const T* in, T* values, u32* ids, const Layout1& l, i64 step, u64 rows, u64 cols, const Radix& g) {
  typedef Bits<T> U;
  const int N = Long<T>::N;
  SHARED Counts counts;
  SHARED u32 offset[DIGITS];  // from places in the sorted tile to places in the row
  SHARED union { U key[BLOCK * N]; u32 at[BLOCK * N]; } exchange;
  const u64 tiles = (cols + BLOCK * N - 1) / (BLOCK * N);
  const u32 shift = (u32)g.pass * 8;
  const Turn turn = turn_of(g);
  if (turn.skipped) return;
  const U* keys = turn.before == 0 ? (const U*)0 : keys_of(values, g, turn.after + 1);
  const u32* places_before = places_of(ids, g, turn.after + 1);
  U* to_keys = keys_of(values, g, turn.after);
  u32* to_ids = places_of(ids, g, turn.after);
  const bool descending = g.descending != 0, last = !to_keys;
  for (u64 u = bid(); u < rows * tiles; u += blocks()) {
    const u64 row = u / tiles, begin = (u - row * tiles) * (BLOCK * N);
    const u32 count = cols - begin < BLOCK * N ? (u32)(cols - begin) : BLOCK * N;
    const T* x = in + offsets(l, row).of[0];
    U key[N];
    Halves<N> place;
    load_keys(key, x, step, keys ? keys + row * cols : keys, begin, count, descending, (U)~(U)0, Ours<N>());  // beyond the end: after all others in the tile
    const u32 start = sum_before(g.totals[row * DIGITS + tid()], counts.sums) + g.counts[u * DIGITS + tid()];
    sync();
    offset[tid()] = start - places(key, shift, place, counts);
#pragma unroll
    for (int i = 0; i < N; i++) exchange.key[place.get(i)] = key[i];
    sync();
    u32 digits[N / 4], lost = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
      const U k = exchange.key[i * BLOCK + tid()];
      const u32 digit = digit_of(k, shift), to = i * BLOCK + tid() + offset[digit];
      digits[i / 4] = i % 4 ? digits[i / 4] | digit << i % 4 * 8 : digit;
      if (i * BLOCK + tid() >= count) continue;
      if (last) {
        bool several;
        values[row * cols + to] = element_of<T>(k, descending, several);
        lost |= (u32)several << i;
      } else {
        to_keys[row * cols + to] = k;
      }
    }
    u32 from_at[N];
    if (keys) {
      load(from_at, places_before + row * cols, begin, count, 1, Ours<N>());
    } else {
#pragma unroll
      for (int i = 0; i < N; i++) from_at[i] = (u32)begin + ours<N>(i);
    }
    sync();
#pragma unroll
    for (int i = 0; i < N; i++) exchange.at[place.get(i)] = from_at[i];
    sync();
#pragma unroll
    for (int i = 0; i < N; i++) {
      if (i * BLOCK + tid() >= count) continue;
      const u32 at = exchange.at[i * BLOCK + tid()], to = i * BLOCK + tid() + offset[digits[i / 4] >> i % 4 * 8 & 255];
      to_ids[row * cols + to] = at;
      if (lost >> i & 1) values[row * cols + to] = x[(i64)at * step];
    }
    sync();
  }
}

#define SORT_TILES(T) \
  KERNEL sort_tiles_##T(const T* in, T* values, u32* ids, Layout1 l, i64 step, u64 rows, u64 cols, u64 run, u64 keep, u64 descending) { \
    sort_tiles(in, values, ids, l, step, rows, cols, (u32)run, keep, descending != 0); \
  }
#define SORT_ROWS(T, N) \
  KERNEL_FOR(2) sort_rows_x##N##_##T(const T* in, T* values, u32* ids, Layout1 l, i64 step, u64 rows, u64 cols, u64 descending) { \
    sort_rows<T, N>(in, values, ids, l, step, rows, (u32)cols, descending != 0); \
  }
#define RADIX_KERNEL(WHICH, NAME, T) \
  WHICH NAME##_##T(const T* in, T* values, u32* ids, Layout1 l, i64 step, u64 rows, u64 cols, void* keys, u32* places, u32* counts, \
                   u32* totals, u64* differs, u64 pass, u64 passes, u64 descending) { \
    const Radix g = {keys, places, counts, totals, differs, pass, passes, descending}; \
    NAME(in, values, ids, l, step, rows, cols, g); \
  }
#define RADIX_COUNT(T) RADIX_KERNEL(KERNEL, radix_count, T)
#define RADIX_SCAN(T) RADIX_KERNEL(KERNEL, radix_scan, T)
#define RADIX_SCATTER(T) RADIX_KERNEL(KERNEL_FOR(2), radix_scatter, T)
