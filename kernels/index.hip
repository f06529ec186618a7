// index_select_I_bN(ids, in, out, u64 left, u64 size, u64 count, u64 right, u64* fault):
//   out[l][c][r] = in[l][ids[c]][r] for in of left × size × right, all dense.
// An id outside 0…size-1 gives 0 and stores 1 + its position in *fault, which the host clears before; of several, one is stored.

#define INDEX_SELECT(I, B) \
  KERNEL index_select_##I##_##B(const I* ids, const B* in, B* out, u64 left, u64 size, u64 count, u64 right, u64* fault) { \
    u64 n = left * count * right; \
    for (u64 i = first(); i < n; i += stride()) { \
      u64 row = i / right, r = i - row * right, l = row / count, c = row - l * count; \
      u64 id = (u64)ids[c]; /* a negative id becomes one that is too large */ \
      if (id < size) { \
        out[i] = in[(l * size + id) * right + r]; \
      } else { \
        out[i] = 0; \
        *fault = c + 1; \
      } \
    } \
  }
