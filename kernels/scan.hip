// cumsum_T(in, out, Layout1, u64 rows, u64 cols): cumulative sums of rows, the last cols elements of the dims of `in`; out is dense. S is the wider
// type in which sums of T are computed: f64 for f32, f32 for the smaller floats.
//
// A block processes a row chunk by chunk. In each chunk a group of 32 threads takes some hundred elements: a thread has packs of adjacent elements, a
// scan over the threads gives the prefix of each pack, and the sums of the groups are combined through shared memory. Short rows are processed by
// single groups, the shortest by single threads. The order of the sums depends on layout, rows and cols alone.
//
// cumsum_tiles_T(in, out, Layout1, u64 rows, u64 cols, u64* turn, u64* state): the same for few long rows in one pass, which reads memory once.
// Blocks take the tiles of the rows in turns, and exchange prefixes through `state` (lookback.h). Grid: a block for each tile; a smaller grid loops.

template <class T> DEV T narrow(typename Sum<T>::Type x) { return Element<T>::store((Compute<T>)x); }

const u32 SHORT = 64, GROUPS = BLOCK / LANES;

// The exclusive prefix sum over our 32 threads, and their total.
template <class S> DEV S scan_lanes(S x, S& all) {
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const S y = of_lane(x, (lane() - d) % LANES);
    if (lane() >= d) x = add(y, x);
  }
  all = of_lane(x, LANES - 1);
  const S left = of_lane(x, (lane() - 1) % LANES);
  return lane() > 0 ? left : (S)0;
}

// The exclusive prefixes of the packs of a group of 32 threads, N per thread, from their sums: pack i of a thread is the group's pack i·32 + lane. A
// thread takes N adjacent sums from shared memory, so one scan over the threads suffices. Returns the sum of the group.
template <int N, class S> struct Neighbours {
  static const u32 ROOM = LANES * N + LANES * N * sizeof(S) / 128;  // with a place left free after every 128 bytes, each bank has as much to do
  MEMBER u32 at(u32 pack) { return pack + pack * sizeof(S) / 128; }
  MEMBER S scan(S (&left)[N], S* shared) {
    S x[N], run = 0, all;
#pragma unroll
    for (u32 i = 0; i < N; i++) shared[at(i * LANES + lane())] = left[i];
    sync_lanes();
#pragma unroll
    for (u32 i = 0; i < N; i++) run = add(run, x[i] = shared[at(lane() * N + i)]);
    run = scan_lanes(run, all);
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      shared[at(lane() * N + i)] = run;
      run = add(run, x[i]);
    }
    sync_lanes();
#pragma unroll
    for (u32 i = 0; i < N; i++) left[i] = shared[at(i * LANES + lane())];
    return all;
  }
};

// The same pack, opaque to the compiler: converting its elements again costs less than keeping the converted ones.
template <class T, int V> DEV Pack<T, V> anew(const Pack<T, V>& x) {
  union { Pack<T, V> pack; u32 words[sizeof(T) * V / 4]; } u;
  u.pack = x;
  for (u32 i = 0; i < sizeof(T) * V / 4; i++) u.words[i] = opaque(u.words[i]);
  return u.pack;
}

// A thread's part of a chunk: N packs, and the sum of each, later its exclusive prefix in the group.
template <class T, class S, int N> struct Stretch {
  static const u32 V = RowPack<T>::V, GROUP = LANES * V * N, ALL = BLOCK * V * N;  // elements that a group has, and a block
  typedef Pack<T, V> P;
  P p[N];
  S left[N];

  // The chunk begins at `in` and has count elements; those of our group begin at c.
  template <bool PACKED> DEV void fetch(const T* in, i64 step, u32 c, u32 count) {
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 at = c + i * LANES * V;
      if (PACKED) {
        p[i] = *(const P*)(in + (at < count ? at : 0));
      } else {
#pragma unroll
        for (u32 j = 0; j < V; j++) p[i].at[j] = in[(i64)(at + j < count ? at + j : 0) * step];
      }
    }
  }
  // The sums of the packs, and of all of them.
  template <bool PACKED> DEV S sum(u32 c, u32 count) {
    S run = 0;
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 at = opaque(c) + i * LANES * V;  // else its conditions are kept since elsewhere
      S x = 0;
#pragma unroll
      for (u32 j = 0; j < V; j++) {
        const S e = (S)Element<T>::load(p[i].at[j]);
        x = add(x, at + (PACKED ? 0 : j) < count ? e : (S)0);
      }
      left[i] = x;
      run = add(run, x);
    }
    return run;
  }
  // The exclusive prefix of each; returns the sum of the group.
  DEV S scan(S* shared) { return Neighbours<N, S>::scan(left, shared + tid() / LANES * Neighbours<N, S>::ROOM); }
  // The inclusive sums, given the prefix of the group.
  template <bool PACKED> DEV void put(T* out, u32 c, u32 count, S before) {
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 at = opaque(c) + i * LANES * V;
      S x = add(before, left[i]);
      p[i] = anew(p[i]);
#pragma unroll
      for (u32 j = 0; j < V; j++) {
        x = add(x, (S)Element<T>::load(p[i].at[j]));
        p[i].at[j] = narrow<T>(x);
      }
      if (PACKED) {
        if (at < count) put_whole(out + at, p[i]);
      } else {
#pragma unroll
        for (u32 j = 0; j < V; j++)
          if (at + j < count) out[at + j] = p[i].at[j];
      }
    }
  }
};

// The sums of the groups: those before ours, and the total.
template <class S> DEV S add_groups(S run, S& all, S (&sums)[GROUPS]) {
  if (lane() == 0) sums[tid() / LANES] = run;
  sync();
  S before = 0;
  all = 0;
#pragma unroll
  for (u32 g = 0; g < GROUPS; g++) {
    if (g < tid() / LANES) before = add(before, sums[g]);
    all = add(all, sums[g]);
  }
  return before;
}

// The cumulative sums of a row. All threads of a block share the work if `wide`, else the 32 of a group.
template <class T, class S, bool PACKED>
DEV void cumsum_row(const T* in, i64 step, T* out, u64 cols, bool wide, S (&sums)[GROUPS], S* shared) {
  Stretch<T, S, PACKED ? 4 : 2> s;
  S carry = 0;
#pragma unroll 1
  for (u64 c0 = 0; c0 < cols; c0 += wide ? s.ALL : s.GROUP) {
    const u32 c = (wide ? tid() / LANES * s.GROUP : 0) + lane() * s.V;
    const u32 count = cols - c0 < s.ALL ? (u32)(cols - c0) : s.ALL;
    s.template fetch<PACKED>(in + (i64)c0 * step, step, c, count);
    s.template sum<PACKED>(c, count);
    const S run = s.scan(shared);
    S all = run, before = carry;
    if (wide) {
      before = add(carry, add_groups(run, all, sums));
      sync();  // sums are free
    }
    carry = add(carry, all);
    s.template put<PACKED>(out + c0, c, count, before);
  }
}

template <class T, class S, bool PACKED>
DEV void cumsum_rows(const T* in, T* out, const Layout1& l, u64 rows, u64 cols, S (&sums)[GROUPS], S* shared) {
  const bool wide = cols > LANES * 32;
  const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
  const u64 every = (u64)blocks() * (wide ? 1 : GROUPS);
#pragma unroll 1
  for (u64 r = wide ? bid() : (u64)bid() * GROUPS + tid() / LANES; r < rows; r += every) {
    const T* row = in + offsets(l, r * cols).of[0];  // whole rows are in the last dim of the layout, which may have several
    cumsum_row<T, S, PACKED>(row, step, out + r * cols, cols, wide, sums, shared);
  }
}

template <class T, class S> DEV void cumsum(const T* in, T* out, const Layout1& l, u64 rows, u64 cols) {
  SHARED S sums[GROUPS], shared[GROUPS * Neighbours<4, S>::ROOM];
  const int V = RowPack<T>::V;
  if (cols <= SHORT) {
    const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
    for (u64 r = first(); r < rows; r += stride()) {
      const T* row = in + offsets(l, r * cols).of[0];
      S x = 0;
      for (u64 c = 0; c < cols; c++) {
        x = add(x, (S)Element<T>::load(row[(i64)c * step]));
        out[r * cols + c] = narrow<T>(x);
      }
    }
  } else if (l.flags & CONTIGUOUS && cols % V == 0 && aligned<V>(in) && aligned<V>(out)) {
    cumsum_rows<T, S, true>(in, out, l, rows, cols, sums, shared);
  } else {
    cumsum_rows<T, S, false>(in, out, l, rows, cols, sums, shared);
  }
}

// ---- tiles

// The same as kernels.ScanTile.
template <class T> struct Tile { static const u32 PACKS = 4, ELEMENTS = BLOCK * RowPack<T>::V * PACKS; };

// The sum of a tile is published as soon as it is known, before its block processes its elements further.
template <class T, class S>
DEV void cumsum_tile(const T* in, i64 step, T* out, u64 cols, u32 tile, const RowState<S>& row, S (&sums)[GROUPS], Before<S>& before, S* shared) {
  typedef Stretch<T, S, Tile<T>::PACKS> Elements;
  const u64 begin = (u64)tile * Elements::ALL;
  const u32 count = cols - begin < Elements::ALL ? (u32)(cols - begin) : Elements::ALL;
  const u32 c = tid() / LANES * Elements::GROUP + lane() * Elements::V;
  in += (i64)begin * step;
  out += begin;
  const bool packed = step == 1 && count % Elements::V == 0 && aligned<(int)Elements::V>(in) && aligned<(int)Elements::V>(out);
  Elements s;
  if (packed)
    s.template fetch<true>(in, step, c, count);
  else
    s.template fetch<false>(in, step, c, count), apart();
  S all;
  const S left = add_groups(sum_lanes(s.template sum<false>(c, count)), all, sums);
  if (tid() == 0) row.put(row.tiles, tile, all);
  s.scan(shared);
  const S ahead = add(look_back(row, tile, all, before), left);
  if (packed)
    s.template put<true>(out, c, count, ahead);
  else
    s.template put<false>(out, c, count, ahead);
}

template <class T, class S> DEV void cumsum_tiles(const T* in, T* out, const Layout1& l, u64 rows, u64 cols, u64* turn, u64* state) {
  SHARED Before<S> before;
  SHARED S sums[GROUPS], shared[GROUPS * Neighbours<Tile<T>::PACKS, S>::ROOM];
  SHARED u64 taken;
  const u64 tiles = (cols + Tile<T>::ELEMENTS - 1) / Tile<T>::ELEMENTS;
  const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
  for (u64 i = bid(); i < rows * tiles; i += blocks()) {
    const Turn mine(turn, (u32)(rows * tiles), taken);
    const u32 r = rows == 1 ? 0 : mine.tile / (u32)tiles;
    const RowState<S> row(state, r, tiles, mine.mark);
    cumsum_tile(in + offsets(l, r * cols).of[0], step, out + r * cols, cols, mine.tile - r * (u32)tiles, row, sums, before, shared);
  }
}

#define CUMSUM(T) \
  KERNEL_FOR(3) cumsum_##T(const T* in, T* out, Layout1 l, u64 rows, u64 cols) { \
    cumsum<T, Sum<T>::Type>(in, out, l, rows, cols); \
  }
#define CUMSUM_TILES(T) \
  KERNEL_FOR(4) cumsum_tiles_##T(const T* in, T* out, Layout1 l, u64 rows, u64 cols, u64* turn, u64* state) { \
    cumsum_tiles<T, Sum<T>::Type>(in, out, l, rows, cols, turn, state); \
  }
