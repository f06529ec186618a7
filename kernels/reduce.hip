// OP_T(in, out, Layout1, u64 rows, u64 cols, u64 part): out[r] = OP(in[r][0], …, in[r][cols-1]); any grid, one block per row is enough.
// With part below cols, rows are cut into parts of so many elements, the last one of what is left, and out has a result for each part:
// few long rows keep a whole GPU busy that way. sum_wide_T gives sums in the type that they are made in, for a second step, which
// sum_narrow_T is.
//
// Teams of threads take a row, or a part (rows.h). Threads of a row take every G-th element (or pack of elements, in dense rows), and
// a tree combines what they have. G and the order of the threads depend on shape, layout and alignment alone, so the same sum is
// rounded in the same way in every run, on every grid. The layout has the dims of the rows before those of their elements.

template <class R>
DEV void reduce(const typename R::T* in, typename R::Out* out, const Layout1& l, u64 rows, u64 cols, u64 part) {
  typedef typename R::T T;
  typedef typename R::State State;
  const int V = sizeof(T) == 1 ? 8 : 16 / sizeof(T);
  SHARED State parts[BLOCK];
  const i32 last = l.rank - 1;
  const bool dense = l.flags & CONTIGUOUS;
  const bool simple = dense || (last >= 0 && (u64)l.dims[last] == cols);  // elements of a row are `step` apart
  const i64 step = dense || last < 0 ? 1 : l.strides[0][last];
  const bool packed = dense && cols % V == 0 && part % V == 0 && aligned<V>(in);
  const bool across = !dense && simple && last > 0 && part == cols && step != 1 && l.strides[0][last - 1] == 1 && l.dims[last - 1] >= 8;
  const Team t = team_of(across, rows, packed ? part / V : part);
  const u64 per_row = part < cols ? (cols + part - 1) / part : 1;
  for (u64 u0 = (u64)bid() * t.rows; u0 < rows * per_row; u0 += (u64)blocks() * t.rows) {
    const u64 u = u0 + t.row;
    State x = R::start();
    if (u < rows * per_row) {
      const u64 r = per_row == 1 ? u : u / per_row, begin = (u - r * per_row) * part;
      const u64 end = begin + part < cols ? begin + part : cols;
      if (packed) {
        for (u64 c = begin / V + t.part; c < end / V; c += t.group) {
          Pack<T, V> p = pack_at<V>(in + r * cols, c);
#pragma unroll
          for (int j = 0; j < V; j++) R::take(x, Element<T>::load(p.at[j]), c * V + j);
        }
      } else if (simple) {
        const T* p = in + offsets(l, r * cols).of[0];
        u64 c = begin + t.part;
        for (; c + 7 * t.group < end; c += 8 * t.group) {  // eight loads before the first is needed
          T e[8];
#pragma unroll
          for (int j = 0; j < 8; j++) e[j] = p[(i64)(c + j * t.group) * step];
#pragma unroll
          for (int j = 0; j < 8; j++) R::take(x, Element<T>::load(e[j]), c + j * t.group);
        }
        for (; c < end; c += t.group) R::take(x, Element<T>::load(p[(i64)c * step]), c);
      } else {
        for (u64 c = begin + t.part; c < end; c += t.group) R::take(x, Element<T>::load(in[offsets(l, r * cols + c).of[0]]), c);
      }
    }
    x = together<R>(x, t, parts);
    if (t.part == 0 && u < rows * per_row) out[u] = R::result(x, cols);
  }
}

#define REDUCE_sum(NAME, ELEMENT, OUT, RESULT) \
  struct NAME##_op { \
    typedef ELEMENT T; \
    typedef OUT Out; \
    typedef Sum<T>::Type State; \
    MEMBER State start() { return 0; } \
    MEMBER void take(State& x, Compute<T> e, u64) { x = add(x, (State)e); } \
    MEMBER void merge(State& x, State y) { x = add(x, y); } \
    MEMBER Out result(State x, u64 n) { return Element<Out>::store((Compute<Out>)(RESULT)); } \
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
  KERNEL NAME##_##T(const T* in, OUT* out, Layout1 l, u64 rows, u64 cols, u64 part) { \
    reduce<NAME##_##T##_op>(in, out, l, rows, cols, part); \
  }

#define SUM(NAME, T) REDUCE_sum(NAME##_##T, T, T, x) REDUCE(NAME, T, T)
#define SUM_WIDE(T) REDUCE_sum(sum_wide_##T, T, Sum<T>::Type, x) REDUCE(sum_wide, T, Sum<T>::Type)
#define SUM_NARROW(T) REDUCE_sum(sum_narrow_to_##T, Sum<T>::Type, T, x) \
  KERNEL sum_narrow_##T(const Sum<T>::Type* in, T* out, Layout1 l, u64 rows, u64 cols, u64 part) { \
    reduce<sum_narrow_to_##T##_op>(in, out, l, rows, cols, part); \
  }
#define MEAN(NAME, T) REDUCE_sum(NAME##_##T, T, T, x / (State)n) REDUCE(NAME, T, T)
#define MAX(NAME, T) REDUCE_best(NAME, T, T, true, Element<T>::store(x.value)) REDUCE(NAME, T, T)
#define MIN(NAME, T) REDUCE_best(NAME, T, T, false, Element<T>::store(x.value)) REDUCE(NAME, T, T)
#define ARGMAX(NAME, T) REDUCE_best(NAME, T, u32, true, (u32)x.at) REDUCE(NAME, T, u32)
#define ARGMIN(NAME, T) REDUCE_best(NAME, T, u32, false, (u32)x.at) REDUCE(NAME, T, u32)
