// Teams of threads for the rows of strided operands.
//
// A block of 256 threads takes 256/G rows at a time, with G threads per row. If the elements of a row are strided and those of adjacent rows
// contiguous, as in the columns of a matrix, adjacent threads take adjacent rows (`across`): 32 at a time if that keeps a GPU busy, else down to 8, a
// sector of a cache line. G depends on shape and layout alone, so a sum is rounded in the same way in every run, on every grid.

[[maybe_unused]] const u32 FETCH = 4;   // loads of single elements that do not wait for one another
const u32 BUSY = 512;  // blocks that keep most GPUs busy

struct Team {
  bool across;
  u32 group;      // G: threads per row
  u32 rows;       // rows of a block at a time
  u32 row, part;  // what this thread has of them
};

DEV Team team_of(bool across, u64 rows, u64 each) {
  Team t;
  const u32 most = !across ? BLOCK : rows >= 32 * BUSY ? BLOCK / 32 : rows >= 16 * BUSY ? BLOCK / 16 : BLOCK / 8;
  t.across = across;
  t.group = 1;
  while (t.group < most && t.group < each) t.group *= 2;
  t.rows = BLOCK / t.group;
  t.row = across ? tid() % t.rows : tid() / t.group;
  t.part = across ? tid() / t.rows : tid() % t.group;
  return t;
}

// Whether adjacent rows of operand k are contiguous, and elements of a row are not. l is the layout of the first elements of the rows.
template <int N> DEV bool side_by_side(const Layout<N>& l, int k, i64 step) {
  const i32 q = l.rank - 1;
  return step != 1 && q >= 0 && l.dims[q] >= 8 && (l.flags & CONTIGUOUS || l.strides[k][q] == 1);
}

// Elements c, c + every, … of a row that ends before `end`; beyond it, element c is loaded instead, so that no load waits for a condition.
template <u32 N, class T, class Index> DEV void fetch(T (&e)[N], const T* row, Index c, Index end, u32 every, i64 step) {
#pragma unroll
  for (u32 j = 0; j < N; j++) e[j] = row[(i64)(c + j * every < end ? c + j * every : c) * step];
}

// Rows that are dense come in packs of 16 bytes, or of 8 elements.
template <class T> struct RowPack { static const int V = sizeof(T) > 2 ? 16 / sizeof(T) : 8; };

// The sum of all, pairwise: its error grows with the logarithm of their number.
template <int FROM, int N, class C, int SIZE> DEV C halves(const C (&x)[SIZE]) {
  if constexpr (N == 1)
    return x[FROM];
  else
    return halves<FROM, N / 2>(x) + halves<FROM + N / 2, N / 2>(x);
}
template <class C, int N> DEV C sum_of(const C (&x)[N]) { return halves<0, N>(x); }

// The states of all threads of a row, merged by R in an order that depends on the team alone; all threads get the same result.
template <class R, class S> DEV S together(S x, const Team& t, S (&parts)[BLOCK]) {
  if (!t.across)
    for (u32 mask = (t.group < LANES ? t.group : LANES) / 2; mask > 0; mask /= 2) R::merge(x, gr::across(x, mask));
  if (t.group > (t.across ? 1 : LANES)) {  // parts of a row are `next` apart
    const u32 next = t.across ? t.rows : LANES, count = t.across ? t.group : t.group / LANES;
    const S* p = parts + (t.across ? t.row : t.row * t.group);
    parts[tid()] = x;
    sync();
    x = p[0];
    for (u32 j = 1; j < count; j++) R::merge(x, p[j * next]);
    sync();  // parts are free for the next rows
  }
  return x;
}

// A sum of many terms with Kahan's compensation.
template <class C> struct Careful {
  C sum, lost;
  DEV void add(C x) {
    const C y = x - lost, next = sum + y;
    lost = next - next == 0 ? (next - sum) - y : 0;  // an infinite sum stays one
    sum = next;
  }
};
template <class C> struct Total {
  MEMBER void merge(Careful<C>& x, const Careful<C>& y) {
    x.add(-y.lost);
    x.add(y.sum);
  }
};
template <class C> struct Plus {
  MEMBER void merge(C& x, C y) { x += y; }
};
template <class C> struct Maximum {
  MEMBER void merge(C& x, C y) { x = maximum(x, y); }
};

// Rows that threads hold in registers from reading to writing: a thread holds up to 16 · X words. X is 1 for the kernels for any row; the host
// chooses 2 or 4 for longer rows.
template <class T, int X> struct Held { static const u32 PACKS = 64 * X / sizeof(Compute<T>) / RowPack<T>::V; };

// Whether dense rows consist of whole aligned packs. l is the layout of the first elements of the rows.
template <int V, int N> DEV bool packed_rows(const Layout<N>& l, u64 cols) {
  if (cols % V != 0) return false;
  if (l.flags & CONTIGUOUS) return false;  // rows of one element
  for (i32 d = 0; d < l.rank; d++)
    for (int k = 0; k < N; k++)
      if (l.strides[k][d] % V != 0) return false;
  return true;
}
