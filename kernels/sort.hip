// A stable sort of rows, together with the positions of the elements, in two steps:
//   sort_tiles_T(in, values, u32* ids, Layout1, i64 step, u64 rows, u64 cols, u64 run, u64 descending)
//                                                        sorts stretches of `run` elements of each row; the layout is that of the first
//                                                        elements of the rows of in, whose elements are `step` apart. The rest is dense
//   sort_merge_T(values, ids, to_values, u32* to_ids, u64 rows, u64 cols, u64 run, u64 descending)
//                                                        merges neighbouring stretches of `run` elements to ones of twice that
// run is a power of two, at most 1024 for sort_tiles. NaN comes last in both directions, and 0 equals -0.
//
// A tile is 1024 elements in shared memory: short rows share one. It is sorted with a bitonic network; elements with equal keys are
// told apart by their positions, which makes it stable. Merging gives each thread eight places of the result in a row; it
// finds where they begin in both stretches by a binary search (merge path), and goes on from there.

// Keys are unsigned integers in the order of the elements, the greatest for NaN.
template <int SIZE> struct Bits { typedef u32 Type; };
template <> struct Bits<8> { typedef u64 Type; };
template <class C> struct Key {
  typedef typename Bits<sizeof(C)>::Type U;
  static const bool is_float = (C)0.5 != (C)0;
  static const bool is_signed = (C)-1 < (C)0;
};

template <class T> DEV typename Key<Compute<T>>::U key_of(T element, bool descending) {
  typedef Key<Compute<T>> K;
  typedef typename K::U U;
  const U top = (U)1 << (sizeof(U) * 8 - 1);
  Compute<T> x = Element<T>::load(element);
  U k;
  if constexpr (K::is_float) {
    if (x != x) return ~(U)0;
    if (x == 0) x = 0;
    k = bitcast<U>(x);
    k = k & top ? ~k : k | top;
  } else {
    k = K::is_signed ? (U)x ^ top : (U)x;  // narrow integers are widened with their sign
  }
  return descending ? ~k : k;
}

template <class U> struct Item { U key; u32 at; };
template <class U> DEV bool before(const Item<U>& a, const Item<U>& b) { return a.key < b.key || (a.key == b.key && a.at < b.at); }

const u32 TILE = 1024;

template <class T>
DEV void sort_tiles(const T* in, T* values, u32* ids, const Layout1& l, i64 step, u64 rows, u64 cols, u32 run, bool descending) {
  typedef typename Key<Compute<T>>::U U;
  SHARED Item<U> tile[TILE];
  const u64 runs = (cols + run - 1) / run, all = rows * runs;
  const u64 per_tile = TILE / run;
  for (u64 t = bid(); t * per_tile < all; t += blocks()) {
    for (u32 i = tid(); i < TILE; i += BLOCK) {
      const u64 s = t * per_tile + i / run, row = s / runs, col = (s - row * runs) * run + i % run;
      Item<U> x = {~(U)0, ~0u};  // after every element, NaN too
      if (s < all && col < cols) {
        x.key = key_of(in[offsets(l, row).of[0] + (i64)col * step], descending);
        x.at = (u32)col;
      }
      tile[i] = x;
    }
    sync();
    for (u32 k = 2; k <= run; k *= 2)
      for (u32 j = k / 2; j > 0; j /= 2) {
        for (u32 p = tid(); p < TILE / 2; p += BLOCK) {
          const u32 i = (p / j) * j * 2 + p % j, other = i + j;  // the lower place of pair p, and the upper one
          const bool up = (i % run & k) == 0;
          const Item<U> a = tile[i], b = tile[other];
          if (before(b, a) == up) {
            tile[i] = b;
            tile[other] = a;
          }
        }
        sync();
      }
    for (u32 i = tid(); i < TILE; i += BLOCK) {
      const u64 s = t * per_tile + i / run, row = s / runs, col = (s - row * runs) * run + i % run;
      if (s < all && col < cols) {
        ids[row * cols + col] = tile[i].at;
        values[row * cols + col] = in[offsets(l, row).of[0] + (i64)tile[i].at * step];
      }
    }
    sync();
  }
}

const u32 EACH = 8;

template <class T>
DEV void sort_merge(const T* values, const u32* ids, T* to_values, u32* to_ids, u64 rows, u64 cols, u64 run, bool descending) {
  const u64 parts = (cols + EACH - 1) / EACH;  // run is a multiple of EACH, so no part crosses two pairs of stretches
  for (u64 p = first(); p < rows * parts; p += stride()) {
    const u64 row = p / parts, out = (p - row * parts) * EACH, start = out / (2 * run) * (2 * run);
    const u64 middle = start + run < cols ? start + run : cols, end = start + 2 * run < cols ? start + 2 * run : cols;
    const T* a = values + row * cols + start;
    const T* b = values + row * cols + middle;
    const u64 na = middle - start, nb = end - middle, diagonal = out - start;
    u64 low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
    while (low < high) {  // how many of the first `diagonal` elements come from a: of equal ones, those of a are first
      const u64 i = (low + high) / 2;
      if (key_of(a[i], descending) <= key_of(b[diagonal - i - 1], descending))
        low = i + 1;
      else
        high = i;
    }
    u64 i = low, j = diagonal - low;
    for (u64 o = out; o < out + EACH && o < end; o++) {
      const bool left = j >= nb || (i < na && key_of(a[i], descending) <= key_of(b[j], descending));
      const u64 from = row * cols + (left ? start + i++ : middle + j++);
      to_values[row * cols + o] = values[from];
      to_ids[row * cols + o] = ids[from];
    }
  }
}

#define SORT_TILES(T) \
  KERNEL sort_tiles_##T(const T* in, T* values, u32* ids, Layout1 l, i64 step, u64 rows, u64 cols, u64 run, u64 descending) { \
    sort_tiles(in, values, ids, l, step, rows, cols, (u32)run, descending != 0); \
  }
#define SORT_MERGE(T) \
  KERNEL sort_merge_##T(const T* values, const u32* ids, T* to_values, u32* to_ids, u64 rows, u64 cols, u64 run, u64 descending) { \
    sort_merge(values, ids, to_values, to_ids, rows, cols, run, descending != 0); \
  }
