// cumsum_T(in, out, Layout1, u64 rows, u64 cols): cumulative sums of rows, the last cols elements of the dims of `in`; out is dense. S is the wider
// type in which sums of T are computed: f64 for f32, f32 for the smaller floats.
//
// A block processes a row chunk by chunk. In each chunk a group of 32 threads takes some hundred elements: a thread has packs of adjacent elements, a
// scan over the threads gives the prefix of each pack, and the sums of the groups are combined through shared memory. Short rows are processed by
// single groups, the shortest by single threads. The order of the sums depends on layout, rows and cols alone.
//
// cumsum_tiles_T(in, out, Layout1, u64 rows, u64 cols, u64* turn, u64* state): the same for few long rows in one pass, which reads memory once.
// Blocks take the tiles of the rows in turns, and exchange prefixes through `state` (lookback.h). Grid: a block for each tile; a smaller grid loops.

// Other states than sums have kernels of the same form: cumprod, logcumsumexp; cummax and cummin, whose results are the indices (u32) of the last of the
// greatest or least elements so far, a NaN before all others.

// What a scan makes of element x at index `at` of its row, and of the state up to it. The state of sums is a number.
template <class T, class S> struct Scan {
  typedef T Out;
  MEMBER S of(T x, u64) { return (S)Element<T>::load(x); }
  MEMBER T result(const S& x) { return Element<T>::store((Compute<T>)x); }
};

// How many packs a thread holds: few where joining takes much code.
template <class S> struct Packs { static const u32 DENSE = 4, STRIDED = 2, TILE = 4; };

template <class C> struct Product { C of; };
template <class C> struct Join<Product<C>> {
  MEMBER Product<C> start() { return {1}; }
  MEMBER Product<C> of(Product<C> a, Product<C> b) { return {mul(a.of, b.of)}; }
};
template <class T, class C> struct Scan<T, Product<C>> {
  typedef T Out;
  MEMBER Product<C> of(T x, u64) { return {(C)Element<T>::load(x)}; }
  MEMBER T result(const Product<C>& x) { return Element<T>::store((Compute<T>)x.of); }
};

// The sum of the exponentials of elements: exp(top)·(1 + others), where the 1 is that of one greatest element. So no power overflows, and what the
// others add to the logarithm is not lost beside 1.
template <class C> struct Powers { C top, others; };
template <class C> struct Packs<Powers<C>> { static const u32 DENSE = 1, STRIDED = 1, TILE = 1; };
template <class C> struct Join<Powers<C>> {
  MEMBER Powers<C> start() { return {sizeof(C) == 8 ? (C)bitcast<f64>(0xfff0000000000000ull) : (C)bitcast<f32>(0xff800000u), -1}; }
  MEMBER Powers<C> of(Powers<C> a, Powers<C> b) {
    if (a.top == b.top) return {a.top, a.others + b.others + 1};
    return a.top != a.top || b.top < a.top ? above(a, b) : above(b, a);
  }
  MEMBER Powers<C> above(Powers<C> a, Powers<C> b) { return {a.top, a.others + (b.others + 1) * exp(b.top - a.top)}; }
};
template <class T, class C> struct Scan<T, Powers<C>> {
  typedef T Out;
  MEMBER Powers<C> of(T x, u64) { return {(C)Element<T>::load(x), 0}; }
  MEMBER T result(const Powers<C>& x) { return Element<T>::store((Compute<T>)(x.top + log1p(x.others))); }
};

// The greatest key so far (keys.h) and its index; of equal keys the last. LEAST reverses the order of all but NaN.
template <class T, bool LEAST, bool = sizeof(T) == 8> struct Extreme { u64 word; };
template <class T, bool LEAST> struct Extreme<T, LEAST, true> { u64 key, at; };
template <class T> using Greatest = Extreme<T, false>;
template <class T> using Least = Extreme<T, true>;
template <class T, bool LEAST> struct Join<Extreme<T, LEAST, false>> {
  typedef Extreme<T, LEAST, false> S;
  MEMBER S start() { return {0}; }
  MEMBER S of(S a, S b) { return a.word > b.word ? a : b; }
};
template <class T, bool LEAST> struct Join<Extreme<T, LEAST, true>> {
  typedef Extreme<T, LEAST, true> S;
  MEMBER S start() { return {0, 0}; }
  MEMBER S of(S a, S b) { return a.key > b.key || (a.key == b.key && a.at > b.at) ? a : b; }
};
template <class T, bool LEAST> struct Scan<T, Extreme<T, LEAST, false>> {
  typedef u32 Out;
  MEMBER Extreme<T, LEAST, false> of(T x, u64 at) { return {(u64)key_of(x, LEAST) << 32 | (u32)at}; }
  MEMBER u32 result(const Extreme<T, LEAST, false>& x) { return (u32)x.word; }
};
template <class T, bool LEAST> struct Scan<T, Extreme<T, LEAST, true>> {
  typedef u32 Out;
  MEMBER Extreme<T, LEAST, true> of(T x, u64 at) { return {key_of(x, LEAST), at}; }
  MEMBER u32 result(const Extreme<T, LEAST, true>& x) { return (u32)x.at; }
};

const u32 SHORT = 64, GROUPS = BLOCK / LANES;

// The exclusive prefix sum over our 32 threads, and their total.
template <class S> DEV S scan_lanes(S x, S& all) {
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const S y = of_lane(x, (lane() - d) % LANES);
    if (lane() >= d) x = join(y, x);
  }
  all = of_lane(x, LANES - 1);
  const S left = of_lane(x, (lane() - 1) % LANES);
  return lane() > 0 ? left : nothing<S>();
}

// The exclusive prefixes of the packs of a group of 32 threads, N per thread, from their sums: pack i of a thread is the group's pack i·32 + lane. A
// thread takes N adjacent sums from shared memory, so one scan over the threads suffices. Returns the sum of the group.
template <int N, class S> struct Neighbours {
  static const u32 ROOM = LANES * N + LANES * N * sizeof(S) / 128;  // with a place left free after every 128 bytes, each bank has as much to do
  MEMBER u32 at(u32 pack) { return pack + pack * sizeof(S) / 128; }
  MEMBER S scan(S (&left)[N], S* shared) {
    S x[N], run = nothing<S>(), all;
#pragma unroll
    for (u32 i = 0; i < N; i++) shared[at(i * LANES + lane())] = left[i];
    sync_lanes();
#pragma unroll
    for (u32 i = 0; i < N; i++) run = join(run, x[i] = shared[at(lane() * N + i)]);
    run = scan_lanes(run, all);
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      shared[at(lane() * N + i)] = run;
      run = join(run, x[i]);
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
  typedef typename Scan<T, S>::Out Out;
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
  // The sums of the packs, and of all of them. The chunk begins at index `begin` of its row.
  template <bool PACKED> DEV S sum(u64 begin, u32 c, u32 count) {
    S run = nothing<S>();
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 at = opaque(c) + i * LANES * V;  // else its conditions are kept since elsewhere
      S x = nothing<S>();
#pragma unroll
      for (u32 j = 0; j < V; j++) {
        const S e = Scan<T, S>::of(p[i].at[j], begin + at + j);
        x = join(x, at + (PACKED ? 0 : j) < count ? e : nothing<S>());
      }
      left[i] = x;
      run = join(run, x);
    }
    return run;
  }
  // The exclusive prefix of each; returns the sum of the group.
  DEV S scan(S* shared) { return Neighbours<N, S>::scan(left, shared + tid() / LANES * Neighbours<N, S>::ROOM); }
  // The inclusive sums, given the prefix of the group.
  template <bool PACKED> DEV void put(Out* out, u64 begin, u32 c, u32 count, S before) {
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const u32 at = opaque(c) + i * LANES * V;
      S x = join(before, left[i]);
      p[i] = anew(p[i]);
      Pack<Out, V> y;
#pragma unroll
      for (u32 j = 0; j < V; j++) {
        x = join(x, Scan<T, S>::of(p[i].at[j], begin + at + j));
        y.at[j] = Scan<T, S>::result(x);
      }
      if (PACKED) {
        if (at < count) put_whole(out + at, y);
      } else {
#pragma unroll
        for (u32 j = 0; j < V; j++)
          if (at + j < count) out[at + j] = y.at[j];
      }
    }
  }
};

// The sums of the groups: those before ours, and the total.
template <class S> DEV S add_groups(S run, S& all, S (&sums)[GROUPS]) {
  if (lane() == 0) sums[tid() / LANES] = run;
  sync();
  S before = nothing<S>();
  all = before;
#pragma unroll
  for (u32 g = 0; g < GROUPS; g++) {
    if (g < tid() / LANES) before = join(before, sums[g]);
    all = join(all, sums[g]);
  }
  return before;
}

// The cumulative sums of a row. All threads of a block share the work if `wide`, else the 32 of a group.
template <class T, class S, bool PACKED>
DEV void scan_row(const T* in, i64 step, typename Scan<T, S>::Out* out, u64 cols, bool wide, S (&sums)[GROUPS], S* shared) {
  Stretch<T, S, PACKED ? Packs<S>::DENSE : Packs<S>::STRIDED> s;
  S carry = nothing<S>();
#pragma unroll 1
  for (u64 c0 = 0; c0 < cols; c0 += wide ? s.ALL : s.GROUP) {
    const u32 c = (wide ? tid() / LANES * s.GROUP : 0) + lane() * s.V;
    const u32 count = cols - c0 < s.ALL ? (u32)(cols - c0) : s.ALL;
    s.template fetch<PACKED>(in + (i64)c0 * step, step, c, count);
    s.template sum<PACKED>(c0, c, count);
    const S run = s.scan(shared);
    S all = run, before = carry;
    if (wide) {
      before = join(carry, add_groups(run, all, sums));
      sync();  // sums are free
    }
    carry = join(carry, all);
    s.template put<PACKED>(out + c0, c0, c, count, before);
  }
}

template <class T, class S, bool PACKED>
DEV void scan_rows(const T* in, typename Scan<T, S>::Out* out, const Layout1& l, u64 rows, u64 cols, S (&sums)[GROUPS], S* shared) {
  const bool wide = cols > LANES * 32;
  const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
  const u64 every = (u64)blocks() * (wide ? 1 : GROUPS);
#pragma unroll 1
  for (u64 r = wide ? bid() : (u64)bid() * GROUPS + tid() / LANES; r < rows; r += every) {
    const T* row = in + offsets(l, r * cols).of[0];  // whole rows are in the last dim of the layout, which may have several
    scan_row<T, S, PACKED>(row, step, out + r * cols, cols, wide, sums, shared);
  }
}

template <class T, class S> DEV void scan(const T* in, typename Scan<T, S>::Out* out, const Layout1& l, u64 rows, u64 cols) {
  SHARED S sums[GROUPS], shared[GROUPS * Neighbours<Packs<S>::DENSE, S>::ROOM];
  const int V = RowPack<T>::V;
  if (cols <= SHORT) {
    const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
    for (u64 r = first(); r < rows; r += stride()) {
      const T* row = in + offsets(l, r * cols).of[0];
      S x = nothing<S>();
      for (u64 c = 0; c < cols; c++) {
        x = join(x, Scan<T, S>::of(row[(i64)c * step], c));
        out[r * cols + c] = Scan<T, S>::result(x);
      }
    }
  } else if (l.flags & CONTIGUOUS && cols % V == 0 && aligned<V>(in) && aligned<V>(out)) {
    scan_rows<T, S, true>(in, out, l, rows, cols, sums, shared);
  } else {
    scan_rows<T, S, false>(in, out, l, rows, cols, sums, shared);
  }
}

// ---- tiles

// The same as kernels.ScanOp.Tile.
template <class T, class S> struct Tile { static const u32 PACKS = Packs<S>::TILE, ELEMENTS = BLOCK * RowPack<T>::V * PACKS; };

// The sum of a tile is published as soon as it is known, before its block processes its elements further.
template <class T, class S>
DEV void scan_tile(const T* in, i64 step, typename Scan<T, S>::Out* out, u64 cols, u32 tile, const RowState<S>& row, S (&sums)[GROUPS], Before<S>& before, S* shared) {
  typedef Stretch<T, S, Tile<T, S>::PACKS> Elements;
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
  const S left = add_groups(sum_lanes(s.template sum<false>(begin, c, count)), all, sums);
  if (tid() == 0) row.put(row.tiles, tile, all);
  s.scan(shared);
  const S ahead = join(look_back(row, tile, all, before), left);
  if (packed)
    s.template put<true>(out, begin, c, count, ahead);
  else
    s.template put<false>(out, begin, c, count, ahead);
}

template <class T, class S>
DEV void scan_tiles(const T* in, typename Scan<T, S>::Out* out, const Layout1& l, u64 rows, u64 cols, u64* turn, u64* state) {
  SHARED Before<S> before;
  SHARED S sums[GROUPS], shared[GROUPS * Neighbours<Tile<T, S>::PACKS, S>::ROOM];
  SHARED u64 taken;
  const u64 tiles = (cols + Tile<T, S>::ELEMENTS - 1) / Tile<T, S>::ELEMENTS;
  const i64 step = l.flags & CONTIGUOUS || l.rank == 0 ? 1 : l.strides[0][l.rank - 1];
  for (u64 i = bid(); i < rows * tiles; i += blocks()) {
    const Turn mine(turn, (u32)(rows * tiles), taken);
    const u32 r = rows == 1 ? 0 : mine.tile / (u32)tiles;
    const RowState<S> row(state, r, tiles, mine.mark);
    scan_tile<T, S>(in + offsets(l, r * cols).of[0], step, out + r * cols, cols, mine.tile - r * (u32)tiles, row, sums, before, shared);
  }
}

#define SCAN(LAUNCH, NAME, T, STATE) \
  LAUNCH NAME##_##T(const T* in, Scan<T, STATE>::Out* out, Layout1 l, u64 rows, u64 cols) { scan<T, STATE>(in, out, l, rows, cols); }
#define SCAN_TILES(LAUNCH, NAME, T, STATE) \
  LAUNCH NAME##_tiles_##T(const T* in, Scan<T, STATE>::Out* out, Layout1 l, u64 rows, u64 cols, u64* turn, u64* state) { \
    scan_tiles<T, STATE>(in, out, l, rows, cols, turn, state); \
  }
#define CUMSUM(T) SCAN(KERNEL_FOR(3), cumsum, T, Sum<T>::Type)
#define CUMSUM_TILES(T) SCAN_TILES(KERNEL_FOR(4), cumsum, T, Sum<T>::Type)
#define CUMPROD(T) SCAN(KERNEL_FOR(3), cumprod, T, Product<Sum<T>::Type>)
#define CUMPROD_TILES(T) SCAN_TILES(KERNEL_FOR(4), cumprod, T, Product<Sum<T>::Type>)
#define LOGCUMSUMEXP(T) SCAN(KERNEL2, logcumsumexp, T, Powers<Sum<T>::Type>)
#define LOGCUMSUMEXP_TILES(T) SCAN_TILES(KERNEL2, logcumsumexp, T, Powers<Sum<T>::Type>)
#define CUMMAX(T) SCAN(KERNEL2, cummax, T, Greatest<T>)
#define CUMMAX_TILES(T) SCAN_TILES(KERNEL2, cummax, T, Greatest<T>)
#define CUMMIN(T) SCAN(KERNEL2, cummin, T, Least<T>)
#define CUMMIN_TILES(T) SCAN_TILES(KERNEL2, cummin, T, Least<T>)
