// index_select_I_bN(ids, in, out, i64 step, u64 left, u64 size, u64 count, u64 right, u64* fault):
//   out[l][c][r] = in[l][ids[c]][r] for in of left × size × right, dense but for the ids, which are `step` apart.
// An id outside 0…size-1 gives 0 and stores 1 + its position in *fault, which the host clears before; of several, the first.

// Index is u32 where every count fits: division is many times faster than with u64.
template <class Index, class I, class B>
DEV void index_select(const I* ids, const B* in, B* out, i64 step, u64 n, u64 size, Index count, Index right, u64* fault) {
  for (u64 i = first(); i < n; i += stride()) {
    Index row = (Index)i / right, r = (Index)i - row * right, l = row / count, c = row - l * count;
    u64 id = (u64)ids[(i64)c * step];  // a negative id becomes one that is too large
    if (id < size) {
      out[i] = in[(l * size + id) * right + r];
    } else {
      out[i] = 0;
      report(fault, c);
    }
  }
}

#define INDEX_SELECT(I, B) \
  KERNEL index_select_##I##_##B(const I* ids, const B* in, B* out, i64 step, u64 left, u64 size, u64 count, u64 right, u64* fault) { \
    u64 n = left * count * right; \
    if (n >> 32) \
      index_select<u64>(ids, in, out, step, n, size, count, right, fault); \
    else \
      index_select<u32>(ids, in, out, step, n, size, (u32)count, (u32)right, fault); \
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
