// index_select_I_bN(ids, in, out, i64 step, u64 left, u64 size, u64 count, u64 right, u64* fault):
//   out[l][c][r] = in[l][ids[c]][r] for in of left × size × right, dense but for the ids, which are `step` apart.
// An id outside 0…size-1 gives 0 and stores 1 + its position in *fault, which the host clears before; of several, the first.

//
// Runs that are contiguous in both are copied in packs of up to 16 bytes. A thread has four independent ids at a time, or one for long rows.

// The source of an element: the position of its id, and the first element of its row in in.
template <class Index> struct Selected {
  Index at;
  u64 id, from;
  template <class I> DEV void find(const I* ids, i64 step, u64 i, u64 size, Index count, Index right) {
    const Index row = right == 1 ? (Index)i : (Index)i / right, l = row < count ? 0 : row / count;
    at = row - l * count;
    id = (u64)read_once(ids + (i64)at * step);  // a negative id becomes one that is too large
    from = (l * size + (id < size ? id : 0)) * right + ((Index)i - row * right);
  }
};

// One element after the other: clang keeps arrays of packs that are copied whole in memory.
template <class B> DEV void assign(B& to, const B& from) { to = from; }
template <class E, int V> DEV void assign(Pack<E, V>& to, const Pack<E, V>& from) {
#pragma unroll
  for (int k = 0; k < V; k++) to.at[k] = from.at[k];
}

// SOME elements at a time. Index is u32 where every count fits: division is many times faster than with u64. B is an element or a pack of them.
template <int SOME, class Index, class I, class B>
DEV void index_select(const I* ids, const B* in, B* out, i64 step, u64 n, u64 size, Index count, Index right, u64* fault) {
#pragma unroll 1
  for (u64 i0 = (u64)bid() * SOME * BLOCK + tid(); i0 < n; i0 += SOME * stride()) {
    u64 to[SOME], from[SOME];
    bool wrong = size == 0;
#pragma unroll
    for (int j = 0; j < SOME; j++) {
      Selected<Index> s;
      to[j] = i0 + j * BLOCK < n ? i0 + j * BLOCK : i0;  // the first one once more
      s.find(ids, step, to[j], size, count, right);
      from[j] = s.from;
      wrong = wrong || s.id >= size;
    }
    if (size > 0) {
      B x[SOME];
#pragma unroll
      for (int j = 0; j < SOME; j++) {
        const B e = in[from[j]];
        assign(x[j], e);
      }
#pragma unroll
      for (int j = 0; j < SOME; j++) {
        B e;
        assign(e, x[j]);
        out[to[j]] = e;
      }
    }
    if (wrong) {
#pragma unroll 1
      for (u64 i = i0; i < i0 + SOME * BLOCK && i < n; i += BLOCK) {
        Selected<Index> bad;
        bad.find(ids, step, i, size, count, right);
        if (bad.id < size) continue;
        out[i] = B();
        report(fault, bad.at);
      }
    }
  }
}

// Rows of at least PIECE packs: that many threads copy a piece of that length of TOGETHER rows at a time, and the next threads that piece of the next
// rows. A row whose id repeats is then still in a cache, because only pieces of other rows are read in between. Pieces are the grid's second dim.
const u32 PIECE = BLOCK / 2, TOGETHER = 2;

template <class I, class B>
DEV void select_pieces(const I* ids, const B* in, B* out, i64 step, u32 rows, u64 size, u32 count, u32 right, u64* fault) {
  const u32 next = BLOCK / PIECE, some = next * TOGETHER;
#pragma unroll 1
  for (u32 c = bid_y() * PIECE + tid() % PIECE; c < right; c += blocks_y() * PIECE) {
#pragma unroll 1
    for (u32 row0 = bid() * some + tid() / PIECE; row0 < rows; row0 += blocks() * some) {
      B x[TOGETHER];
      u32 row[TOGETHER], at[TOGETHER];
      bool wrong[TOGETHER];
#pragma unroll
      for (u32 j = 0; j < TOGETHER; j++) {
        row[j] = row0 + j * next < rows ? row0 + j * next : row0;  // the first one once more
        const u32 l = row[j] < count ? 0 : row[j] / count;
        at[j] = row[j] - l * count;
        const u64 id = (u64)ids[(i64)at[j] * step];
        wrong[j] = id >= size;
        const B e = in[(l * size + (wrong[j] ? 0 : id)) * right + c];
        assign(x[j], e);
      }
#pragma unroll
      for (u32 j = 0; j < TOGETHER; j++) {
        B e;
        assign(e, x[j]);
        out[(u64)row[j] * right + c] = wrong[j] ? B() : e;
        if (wrong[j] && c == 0) report(fault, at[j]);
      }
    }
  }
}

template <class I, class B>
DEV void index_select(const I* ids, const B* in, B* out, i64 step, u64 left, u64 size, u64 count, u64 right, u64* fault) {
  const u64 n = left * count * right;
  if (sizeof(B) == 16 && right >= PIECE && n >> 31 == 0 && size > 0)
    select_pieces(ids, in, out, step, (u32)(left * count), size, (u32)count, (u32)right, fault);
  else if (n >> 32)
    index_select<1, u64>(ids, in, out, step, n, size, count, right, fault);
  else
    index_select<4, u32>(ids, in, out, step, n, size, (u32)count, (u32)right, fault);
}

#define INDEX_SELECT(I, B) \
  KERNEL index_select_##I##_##B(const I* ids, const B* in, B* out, i64 step, u64 left, u64 size, u64 count, u64 right, u64* fault) { \
    const int V = 16 / sizeof(B); \
    typedef Pack<b64, 2> P; \
    if (right % V == 0 && aligned<V>(in) && aligned<V>(out)) \
      index_select(ids, (const P*)in, (P*)out, step, left, size, count, right / V, fault); \
    else \
      index_select(ids, in, out, step, left, size, count, right, fault); \
  }

// gather_I_bN(ids, in, out, Layout2, n, u64 size, i64 step, u64* fault): out[i] = in[… ids[i] …], out dense, in the shape of ids.
//   The layout is that of ids and of in, for which the gathered dim has stride 0; size and step are that dim's in in.

template <class I, class B>
DEV void gather(const I* ids, const B* in, B* out, const Layout2& l, u64 n, u64 size, i64 step, u64* fault) {
  for (u64 i = first(); i < n; i += stride()) {
    Offsets<2> o = offsets(l, i);
    u64 id = (u64)ids[o.of[0]];
    if (id < size) {
      out[i] = in[o.of[1] + (i64)id * step];
    } else {
      out[i] = 0;
      report(fault, i);
    }
  }
}

#define GATHER(I, B) \
  KERNEL gather_##I##_##B(const I* ids, const B* in, B* out, Layout2 l, u64 n, u64 size, i64 step, u64* fault) { \
    gather(ids, in, out, l, n, size, step, fault); \
  }
