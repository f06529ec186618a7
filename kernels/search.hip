// searchsorted_T(sorted, values, u32* out, u64 n, u64 size, u64 each, u64 right): for each of n values the index at which it would be inserted into a
// sorted row of `size` elements: before equal elements, or after them if right is not 0. `each` consecutive values belong to a row. All operands are dense.
// Elements are compared by their keys (keys.h), in the order of sort: NaN is last, and 0 equals -0.
//
// A thread searches for one value in log2(size) steps. The first steps of all threads read the same elements, which caches hold.
template <class T> DEV void searchsorted(const T* sorted, const T* values, u32* out, u64 n, u64 size, u64 each, bool right) {
  for (u64 i = first(); i < n; i += stride()) {
    const T* row = sorted + i / each * size;
    const Bits<T> key = key_of(values[i], false);
    u64 low = 0, high = size;
    while (low < high) {
      const u64 middle = (low + high) / 2;
      const Bits<T> at = key_of(row[middle], false);
      const bool before = right ? at <= key : at < key;
      low = before ? middle + 1 : low;
      high = before ? high : middle;
    }
    out[i] = (u32)low;
  }
}

#define SEARCHSORTED(T) \
  KERNEL searchsorted_##T(const T* sorted, const T* values, u32* out, u64 n, u64 size, u64 each, u64 right) { \
    searchsorted(sorted, values, out, n, size, each, right != 0); \
  }
