// Reductions: out[r] = OP(in[r][0], …, in[r][cols-1]); any grid, one block per row is enough. If part is below cols, rows are split into parts of
// that many elements, so that few long rows keep a whole GPU busy. Blocks store the states of the parts, and the last block of a row, or of adjacent
// rows in one block, combines them to the result (finish.h).
//
// A team of threads reduces a row, or a part (rows.h). Threads of a row take every G-th element (or pack of elements, in dense rows), and a tree
// combines their states. Of adjacent rows, such as the columns of a matrix, a thread takes as many as a pack has elements, and the threads of a block
// up to a cache line of them. The order depends on shape, layout and alignment alone, so the same sum is rounded in the same way in every run, on
// every grid. The layout has the dims of the rows before those of their elements.
//
// Elements come from memory or from a fused chain of operations (fuse.h); the result is bit-identical. Both provide packs of V elements, numbered
// from the first element; fetching and computing are separate, so that loads overlap with computation.

// The layout of rows, if it is known at compile time.
enum Rows { ANY_ROWS, DENSE_ROWS, PACKED_ROWS, ANY_COLUMNS, COLUMNS, PACKED_COLUMNS };

template <class S, Rows HOW> struct InMemory {
  typedef S T;
  static const Rows ROWS = HOW;
  static const u32 UNDER_WAY = 8;  // packs that a thread fetches before it needs the first
  template <int V> using Fetched = Pack<T, V>;
  const T* p;
  DEV InMemory from(i64 i) const {
    const InMemory moved = {p + i};
    return moved;
  }
  template <int V> DEV Pack<T, V> fetch(i64 i) const { return ((const Pack<T, V>*)p)[i]; }
  template <int V> DEV Pack<T, V> value(const Pack<T, V>& x) const { return x; }
  template <int V> DEV bool in_packs() const { return aligned<V>(p); }
};

// The states that blocks store for parts of rows, and the block counters. Hosts rely on states of at most 16 bytes.
template <class R> struct Parts {
  typename R::State* of;
  u32* counters;
};

// The results of `count` rows from `row` on, combined from the stored states; count is a power of two and may exceed the last row.
template <class R> DEV void finish_columns(typename R::Out* out, const Parts<R>& made, u64 row, u32 count, u64 rows, u64 cols, u32 per_row, typename R::State* parts) {
  typedef typename R::State State;
  const u32 wide = count < BLOCK ? count : BLOCK, deep = tid() / wide, every = BLOCK / wide;
  for (u64 r = row + tid() % wide; r - tid() % wide < row + count; r += wide) {
    State x = R::start();
    if (r < rows)
#pragma unroll 8
      for (u32 p = deep; p < per_row; p += every) R::merge(x, made.of[p * rows + r]);
    parts[tid()] = x;
    sync();
    if (deep == 0 && r < rows) {
      for (u32 j = 1; j < every; j++) R::merge(x, parts[j * wide + tid()]);
      out[r] = R::result(x, cols);
    }
    sync();  // parts are free
  }
}

// The result of a row, combined from the stored states.
template <class R> DEV void finish_row(typename R::Out* out, const typename R::State* made, u64 cols, u32 per_row, typename R::State (&parts)[BLOCK]) {
  typename R::State x = R::start();
  for (u32 p = tid(); p < per_row; p += BLOCK) R::merge(x, made[p]);
  x = together<R>(x, team_of(false, 1, BLOCK), parts);
  if (tid() == 0) *out = R::result(x, cols);
}

// Processes elements c, c + every, … before end of V adjacent rows, N at a time, and leaves c at the first remaining one.
template <class R, u32 N, int V, class In>
DEV void take_columns(typename R::State (&x)[V], const In& row, u64& c, u64 end, u32 every, i64 step) {
#pragma unroll 1
  for (; c + (N - 1) * every < end; c += N * every) {
    typename In::template Fetched<V> e[N];
#pragma unroll
    for (u32 j = 0; j < N; j++) e[j] = row.template fetch<V>((i64)(c + j * every) * step);
#pragma unroll
    for (u32 j = 0; j < N; j++) {
      const Pack<typename R::T, V> y = row.template value<V>(e[j]);
#pragma unroll
      for (int k = 0; k < V; k++) R::take(x[k], Element<typename R::T>::load(y.at[k]), c + j * every);
    }
  }
}

// Adjacent rows: each of `lanes` threads takes V of them, and BLOCK / lanes threads share them. If rows are many or short, threads do not share rows.
template <class R, int V, class In>
DEV void reduce_columns(const In& in, typename R::Out* out, const Parts<R>& made, const Layout1& l, u64 rows, u64 cols, u64 part, typename R::State* parts) {
  typedef typename R::T T;
  typedef typename R::State State;
  const i32 last = l.rank - 1;
  const u64 per_row = (cols + part - 1) / part, packs = rows / V;
  const bool alone = part < 16 || packs * per_row >= BLOCK * BUSY;
  u32 lanes = alone ? BLOCK : V == 1 ? LANES : sizeof(T) == 1 ? 8 : 128 / (V * sizeof(T));  // a cache line
  while (!alone && lanes > 1 && lanes * V > (u64)l.dims[last - 1]) lanes /= 2;
  const u32 lane = tid() % lanes, deep = tid() / lanes, every = BLOCK / lanes;
  const u64 across = (packs + lanes - 1) / lanes;
  const i64 step = l.strides[0][last] / V;
  for (u64 b = bid(); b < across * per_row; b += blocks()) {
    const u64 which = b / across, first = (b - which * across) * lanes;
    const u64 begin = which * part, end = begin + part < cols ? begin + part : cols;
    State x[V];
#pragma unroll
    for (int k = 0; k < V; k++) x[k] = R::start();
    if (first + lane < packs) {
      const In row = in.from(offsets(l, (first + lane) * V * cols).of[0]);
      const u32 N = In::UNDER_WAY;
      u64 c = begin + deep;
      take_columns<R, N, V>(x, row, c, end, every, step);
      if (N > 4) take_columns<R, 4, V>(x, row, c, end, every, step);
      if (N > 1) take_columns<R, 1, V>(x, row, c, end, every, step);
    }
    if (alone) {
#pragma unroll
      for (int k = 0; k < V; k++) {
        const u64 row = (first + lane) * V + k;
        if (first + lane < packs && per_row == 1) out[row] = R::result(x[k], cols);
        if (first + lane < packs && per_row > 1) made.of[which * rows + row] = x[k];
      }
    } else {
      for (u32 mask = LANES / 2; mask >= lanes; mask /= 2)
#pragma unroll
        for (int k = 0; k < V; k++) R::merge(x[k], gr::across(x[k], mask));
      if (tid() % LANES < lanes)
#pragma unroll
        for (int k = 0; k < V; k++) parts[(tid() / LANES * lanes + lane) * V + k] = x[k];
      sync();
      const u64 row = first * V + tid();
      if (tid() < lanes * V && row < rows) {
        State sum = parts[tid()];
        for (u32 j = 1; j < BLOCK / LANES; j++) R::merge(sum, parts[j * lanes * V + tid()]);
        if (per_row == 1)
          out[row] = R::result(sum, cols);
        else
          made.of[which * rows + row] = sum;
      }
      sync();  // parts are free
    }
    if (per_row > 1 && last_of(made.counters + (b - which * across), per_row)) finish_columns<R>(out, made, first * V, lanes * V, rows, cols, per_row, parts);
  }
}

// Processes packs c, c + every, … before end, N at a time, and leaves c at the first remaining one.
template <class R, u32 N, int V, class In> DEV void take_packs(typename R::State& x, const In& row, u64& c, u64 end, u32 every, i64 step = 1) {
#pragma unroll 1
  for (; c + (N - 1) * every < end; c += N * every) {
    typename In::template Fetched<V> e[N];
#pragma unroll
    for (u32 i = 0; i < N; i++) e[i] = row.template fetch<V>((i64)(c + i * every) * step);
#pragma unroll
    for (u32 i = 0; i < N; i++) {
      const Pack<typename R::T, V> y = row.template value<V>(e[i]);
#pragma unroll
      for (int j = 0; j < V; j++) R::take(x, Element<typename R::T>::load(y.at[j]), (c + i * every) * V + j);
    }
  }
}

template <class R, class In>
DEV void reduce_rows(const In& in, typename R::Out* out, const Parts<R>& made, const Layout1& l, u64 rows, u64 cols, u64 part,
                     typename R::State (&parts)[BLOCK]) {
  typedef typename R::T T;
  typedef typename R::State State;
  const int V = RowPack<T>::V;
  const u32 N = In::UNDER_WAY;
  const i32 last = l.rank - 1;
  const bool known = In::ROWS != ANY_ROWS;
  const bool dense = known || l.flags & CONTIGUOUS;
  const bool simple = dense || (last >= 0 && (u64)l.dims[last] == cols);  // elements of a row are `step` apart
  const i64 step = dense || last < 0 ? 1 : l.strides[0][last];
  const bool packed = known ? In::ROWS == PACKED_ROWS : dense && cols % V == 0 && part % V == 0 && in.template in_packs<V>();
  const u64 per_row = part < cols ? (cols + part - 1) / part : 1;
  const Team t = team_of(false, rows, per_row > 1 ? BLOCK : packed ? (part / V + 1) / 2 : part);
  for (u64 u0 = (u64)bid() * t.rows; u0 < rows * per_row; u0 += (u64)blocks() * t.rows) {
    const u64 u = u0 + t.row;
    const u64 r = per_row == 1 ? u : u / per_row, begin = (u - r * per_row) * part;
    State x = R::start();
    if (u < rows * per_row) {
      const u64 end = begin + part < cols ? begin + part : cols;
      if (packed) {
        const In row = in.from(r * cols);
        u64 c = begin / V + t.part;
        take_packs<R, N, V>(x, row, c, end / V, t.group);
        if (N > 2) take_packs<R, 2, V>(x, row, c, end / V, t.group);
        if (N > 1) take_packs<R, 1, V>(x, row, c, end / V, t.group);
      } else if (simple) {
        const In row = in.from(dense ? r * cols : offsets(l, r * cols).of[0]);
        u64 c = begin + t.part;
        take_packs<R, N, 1>(x, row, c, end, t.group, step);
        if (N > 1) take_packs<R, 1, 1>(x, row, c, end, t.group, step);
      } else {
        for (u64 c = begin + t.part; c < end; c += t.group) {
          const In at = in.from(offsets(l, r * cols + c).of[0]);
          R::take(x, Element<T>::load(at.template value<1>(at.template fetch<1>(0)).at[0]), c);
        }
      }
    }
    x = together<R>(x, t, parts);
    if (per_row == 1) {
      if (t.part == 0 && u < rows) out[u] = R::result(x, cols);
      continue;
    }
    if (tid() == 0) made.of[u] = x;
    if (last_of(made.counters + r, per_row)) finish_row<R>(out + r, made.of + r * per_row, cols, per_row, parts);
  }
}

// Whether V adjacent rows form one pack everywhere.
template <int V> DEV bool packed_columns(const Layout1& l) {
  const i32 last = l.rank - 1;
  if (l.dims[last - 1] % V != 0) return false;
  for (i32 d = 0; d <= last; d++)
    if (d != last - 1 && l.strides[0][d] % V != 0) return false;
  return true;
}

template <class R, class In>
DEV void reduce(const In& in, typename R::Out* out, const Parts<R>& made, const Layout1& l, u64 rows, u64 cols, u64 part) {
  const int V = RowPack<typename R::T>::V;
  if constexpr (In::ROWS >= ANY_COLUMNS) {
    SHARED typename R::State parts[BLOCK * (V > 4 ? 2 : 1)];
    if (In::ROWS == ANY_COLUMNS ? in.template in_packs<V>() && packed_columns<V>(l) : In::ROWS == PACKED_COLUMNS)
      reduce_columns<R, V>(in, out, made, l, rows, cols, part, parts);
    else
      reduce_columns<R, 1>(in, out, made, l, rows, cols, part, parts);
  } else {
    SHARED typename R::State parts[BLOCK];
    reduce_rows<R>(in, out, made, l, rows, cols, part, parts);
  }
}

// The summation of elements of T.
template <class T> struct Adding {
  typedef typename Sum<T>::Type State;
  MEMBER State start() { return 0; }
  MEMBER void take(State& x, Compute<T> e) { x = add(x, (State)e); }
  MEMBER void merge(State& x, State y) { x = add(x, y); }
  MEMBER State value(State x) { return x; }
};

// No type is wider than f64: a sum of those carries its rounding error (Knuth's two-sum), which is added at the end. It is as accurate as a sum that
// rounds once, unless the terms cancel to 2^-50 of their magnitude.
struct Twofold { f64 sum, lost; };
template <> struct Adding<f64> {
  typedef Twofold State;
  MEMBER State start() { return State{0, 0}; }
  MEMBER void take(State& x, f64 e) {
    const f64 next = x.sum + e, back = next - x.sum;
    x.lost += (x.sum - (next - back)) + (e - back);
    x.sum = next;
  }
  MEMBER void merge(State& x, State y) {
    take(x, y.sum);
    x.lost += y.lost;
  }
  MEMBER f64 value(State x) { return x.lost - x.lost == 0 ? x.sum + x.lost : x.sum; }  // of an infinity nothing is lost
};

#define REDUCE_sum(NAME, ELEMENT, OUT, RESULT) \
  struct NAME##_##ELEMENT##_op : Adding<ELEMENT> { \
    typedef ELEMENT T; \
    typedef OUT Out; \
    using Adding<ELEMENT>::State; \
    MEMBER void take(State& x, Compute<T> e, u64) { Adding<T>::take(x, e); } \
    MEMBER Out result(State s, u64 n) { \
      const auto x = Adding<T>::value(s); \
      return Element<Out>::store((Compute<Out>)(RESULT)); \
    } \
  };

#define REDUCE_product(NAME, ELEMENT, OUT) \
  struct NAME##_##ELEMENT##_op { \
    typedef ELEMENT T; \
    typedef OUT Out; \
    typedef Sum<ELEMENT>::Type State; \
    MEMBER State start() { return 1; } \
    MEMBER void take(State& x, Compute<T> e, u64) { x = mul(x, (State)e); } \
    MEMBER void merge(State& x, State y) { x = mul(x, y); } \
    MEMBER Out result(State x, u64) { return Element<Out>::store((Compute<Out>)x); } \
  };

template <class C> DEV bool precedes(C a, C b, bool greater) {  // b is beaten by a; a NaN beats everything else
  if (greater) return !(a <= b) && b == b;
  return !(a >= b) && b == b;
}

// The identity: no element is worse.
template <class C> DEV C worst(bool greater) {
  if constexpr ((C)0.5 != (C)0) {
    const C inf = sizeof(C) == 8 ? (C)bitcast<f64>(0x7ff0000000000000ull) : (C)bitcast<f32>(0x7f800000u);
    return greater ? -inf : inf;
  } else {
    const C low = (C)-1 < (C)0 ? (C)((u64)1 << (sizeof(C) * 8 - 1)) : (C)0;
    return greater ? low : (C)~low;
  }
}

#define REDUCE_best(NAME, ELEMENT, GREATER) \
  struct NAME##_##ELEMENT##_op { \
    typedef ELEMENT T; \
    typedef ELEMENT Out; \
    typedef Compute<T> State; \
    MEMBER State start() { return worst<State>(GREATER); } \
    MEMBER void take(State& x, State e, u64) { x = precedes(e, x, GREATER) ? e : x; } \
    MEMBER void merge(State& x, State y) { x = precedes(y, x, GREATER) ? y : x; } \
    MEMBER Out result(State x, u64) { return Element<T>::store(x); } \
  };

// The best element and its position: of equal ones the first. If no element is better than the identity, the first is best.
template <class C, bool = sizeof(C) == 8> struct Best { C value; u32 at; };
template <class C> struct Best<C, true> { C value; u64 at; };  // with no bytes after `at` that would be stored without having been written

#define REDUCE_position(NAME, ELEMENT, GREATER) \
  struct NAME##_##ELEMENT##_op { \
    typedef ELEMENT T; \
    typedef u32 Out; \
    typedef Best<Compute<T>> State; \
    MEMBER State start() { State x = {worst<Compute<T>>(GREATER), ~0u}; return x; } \
    MEMBER void take(State& x, Compute<T> e, u64 at) { \
      const bool better = precedes(e, x.value, GREATER); \
      x.value = better ? e : x.value; \
      x.at = better ? (u32)at : x.at; \
    } \
    MEMBER void merge(State& x, State y) { \
      const bool first = !precedes(x.value, y.value, GREATER) && y.at < x.at; \
      if (precedes(y.value, x.value, GREATER) || first) x = y; \
    } \
    MEMBER Out result(State x, u64) { return x.at == ~0u ? 0u : (u32)x.at; } \
  };

#define SUM_OP(NAME, T, OUT) REDUCE_sum(NAME, T, OUT, x)
#define MEAN_OP(NAME, T, OUT) REDUCE_sum(NAME, T, OUT, x / n)
#define PROD_OP(NAME, T, OUT) REDUCE_product(NAME, T, OUT)
#define MAX_OP(NAME, T, OUT) REDUCE_best(NAME, T, true)
#define MIN_OP(NAME, T, OUT) REDUCE_best(NAME, T, false)
#define ARGMAX_OP(NAME, T, OUT) REDUCE_position(NAME, T, true)
#define ARGMIN_OP(NAME, T, OUT) REDUCE_position(NAME, T, false)
