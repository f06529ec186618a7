// OP_T(in, out, Layout1, u64 rows, u64 cols): out[r] = OP(in[r][0], …, in[r][cols-1]); any grid, one block per row is enough.
//
// A block of 256 threads takes 256/G rows at a time, G threads to each row. Threads of a row take every G-th element (or pack of
// elements, in dense rows), and a tree combines what they have: between the lanes of a wave, then in shared memory. G and
// the order of the threads depend on shape, layout and alignment alone, so the same sum is rounded in the same way in every
// run, on every grid.

struct Shape {
  u32 group;     // G: threads per row
  bool across;   // neighbouring threads take neighbouring rows, because there the memory is dense
  bool simple;   // elements of a row are `step` apart
  bool packed;   // rows are dense and aligned
  i64 step;
};

template <int V, class T> DEV Shape shape_of(const Layout1& l, const T* in, u64 cols) {
  Shape s;
  const i32 last = l.rank - 1;
  const bool dense = l.flags & CONTIGUOUS;
  s.simple = dense || (last >= 0 && (u64)l.dims[last] == cols);
  s.step = dense || last < 0 ? 1 : l.strides[0][last];
  s.across = !dense && s.simple && last > 0 && s.step != 1 && l.strides[0][last - 1] == 1 && l.dims[last - 1] >= 8;
  s.packed = dense && cols % V == 0 && aligned<V>(in);
  const u64 each = s.packed ? cols / V : cols;
  const u32 most = s.across ? BLOCK / LANES : BLOCK;
  s.group = 1;
  while (s.group < most && s.group < each) s.group *= 2;
  return s;
}

template <class R> DEV void reduce(const typename R::T* in, typename R::Out* out, const Layout1& l, u64 rows, u64 cols) {
  typedef typename R::T T;
  typedef typename R::State State;
  const int V = sizeof(T) == 1 ? 8 : 16 / sizeof(T);
  SHARED State parts[BLOCK];
  const Shape s = shape_of<V>(l, in, cols);
  const u32 per_block = BLOCK / s.group;
  const u32 row = s.across ? tid() % per_block : tid() / s.group, part = s.across ? tid() / per_block : tid() % s.group;
  for (u64 r0 = (u64)bid() * per_block; r0 < rows; r0 += (u64)blocks() * per_block) {
    const u64 r = r0 + row;
    State x = R::start();
    if (r < rows) {
      if (s.packed) {
        for (u64 c = part; c < cols / V; c += s.group) {
          Pack<T, V> p = pack_at<V>(in + r * cols, c);
#pragma unroll
          for (int j = 0; j < V; j++) R::take(x, Element<T>::load(p.at[j]), c * V + j);
        }
      } else if (s.simple) {
        const T* p = in + offsets(l, r * cols).of[0];
        u64 c = part;
        for (; c + 7 * s.group < cols; c += 8 * s.group) {  // eight loads before the first is needed
          T e[8];
#pragma unroll
          for (int j = 0; j < 8; j++) e[j] = p[(i64)(c + j * s.group) * s.step];
#pragma unroll
          for (int j = 0; j < 8; j++) R::take(x, Element<T>::load(e[j]), c + j * s.group);
        }
        for (; c < cols; c += s.group) R::take(x, Element<T>::load(p[(i64)c * s.step]), c);
      } else {
        for (u64 c = part; c < cols; c += s.group) R::take(x, Element<T>::load(in[offsets(l, r * cols + c).of[0]]), c);
      }
    }
    if (!s.across)
      for (u32 mask = (s.group < LANES ? s.group : LANES) / 2; mask > 0; mask /= 2) R::merge(x, gr::across(x, mask));
    if (s.across || s.group > LANES) {  // parts of a row are `next` apart
      const u32 next = s.across ? per_block : LANES, count = s.across ? s.group : s.group / LANES;
      parts[tid()] = x;
      sync();
      if (part == 0)
        for (u32 j = 1; j < count; j++) R::merge(x, parts[tid() + j * next]);
      sync();  // parts are free for the next rows
    }
    if (part == 0 && r < rows) out[r] = R::result(x, cols);
  }
}

#define REDUCE_sum(NAME, ELEMENT, RESULT) \
  struct NAME##_##ELEMENT##_op { \
    typedef ELEMENT T; \
    typedef ELEMENT Out; \
    typedef Sum<T>::Type State; \
    MEMBER State start() { return 0; } \
    MEMBER void take(State& x, Compute<T> e, u64) { x = add(x, (State)e); } \
    MEMBER void merge(State& x, State y) { x = add(x, y); } \
    MEMBER Out result(State x, u64 n) { return Element<T>::store((Compute<T>)(RESULT)); } \
  };

// The best element and its position. A NaN beats everything else, and of equals the first is best. `at` starts at the end.
template <class C> struct Best { C value; u64 at; };

template <class C> DEV bool precedes(C a, C b, bool greater) {  // b is beaten by a
  if (a != a) return b == b;
  return greater ? a > b : a < b;
}

#define REDUCE_best(NAME, ELEMENT, OUT, GREATER, RESULT) \
  struct NAME##_##ELEMENT##_op { \
    typedef ELEMENT T; \
    typedef OUT Out; \
    typedef Best<Compute<T>> State; \
    MEMBER State start() { State x = {0, ~0ull}; return x; } \
    MEMBER void take(State& x, Compute<T> e, u64 at) { \
      if (x.at == ~0ull || precedes(e, x.value, GREATER)) { x.value = e; x.at = at; } \
    } \
    MEMBER void merge(State& x, State y) { \
      if (y.at == ~0ull) return; \
      bool first = !precedes(x.value, y.value, GREATER) && y.at < x.at; \
      if (x.at == ~0ull || precedes(y.value, x.value, GREATER) || first) x = y; \
    } \
    MEMBER Out result(State x, u64) { return RESULT; } \
  };

#define REDUCE(NAME, T, OUT) \
  KERNEL NAME##_##T(const T* in, OUT* out, Layout1 l, u64 rows, u64 cols) { reduce<NAME##_##T##_op>(in, out, l, rows, cols); }

#define SUM(NAME, T) REDUCE_sum(NAME, T, x) REDUCE(NAME, T, T)
#define MEAN(NAME, T) REDUCE_sum(NAME, T, x / (State)n) REDUCE(NAME, T, T)
#define MAX(NAME, T) REDUCE_best(NAME, T, T, true, Element<T>::store(x.value)) REDUCE(NAME, T, T)
#define MIN(NAME, T) REDUCE_best(NAME, T, T, false, Element<T>::store(x.value)) REDUCE(NAME, T, T)
#define ARGMAX(NAME, T) REDUCE_best(NAME, T, u32, true, (u32)x.at) REDUCE(NAME, T, u32)
#define ARGMIN(NAME, T) REDUCE_best(NAME, T, u32, false, (u32)x.at) REDUCE(NAME, T, u32)
