// What sorting compares in place of elements: NaN is last in both directions, and 0 equals -0.

// Keys are unsigned integers of the element's size, in the order of the elements, the largest for NaN.
template <int SIZE> struct Unsigned { typedef u8 Type; };
template <> struct Unsigned<2> { typedef u16 Type; };
template <> struct Unsigned<4> { typedef u32 Type; };
template <> struct Unsigned<8> { typedef u64 Type; };

enum Order { NATURAL, SIGNED, FLOAT };
template <class T> struct Key {
  static const Order order = (T)-1 < (T)0 ? SIGNED : NATURAL;
  static const u64 largest = 0;
};
#define FLOAT_KEY(T, LARGEST) template <> struct Key<T> { static const Order order = FLOAT; static const u64 largest = LARGEST; };
FLOAT_KEY(f8e4m3, 0x7e)  // the bits of infinity, or of the largest number: what is beyond is NaN
FLOAT_KEY(f16, 0x7c00)
FLOAT_KEY(bf16, 0x7f80)
FLOAT_KEY(f32, 0x7f800000)
FLOAT_KEY(f64, 0x7ff0000000000000)

template <class T> using Bits = typename Unsigned<sizeof(T)>::Type;

template <class T> DEV Bits<T> key_of(T element, bool descending) {
  typedef Bits<T> U;
  const U top = (U)((U)1 << (sizeof(U) * 8 - 1));
  U k = bitcast<U>(element);
  if constexpr (Key<T>::order == FLOAT) {
    const U size = k & (U)~top;
    k = size == 0 ? top : k & top ? (U)~k : (U)(k | top);
    k = descending ? (U)~k : k;
    return size > (U)Key<T>::largest ? (U)~(U)0 : k;
  } else if constexpr (Key<T>::order == SIGNED) {
    k ^= top;
  }
  return descending ? (U)~k : k;
}

// The element with that key, unless `lost` says that several have it, which are not the same.
template <class T> DEV T element_of(Bits<T> k, bool descending, bool& lost) {
  typedef Bits<T> U;
  const U top = (U)((U)1 << (sizeof(U) * 8 - 1));
  lost = false;
  if constexpr (Key<T>::order == FLOAT) lost = k == (U)~(U)0;
  if (descending) k = (U)~k;
  if constexpr (Key<T>::order == FLOAT) {
    lost = lost || k == top;
    k = k & top ? (U)(k ^ top) : (U)~k;
  } else if constexpr (Key<T>::order == SIGNED) {
    k ^= top;
  }
  return bitcast<T>(k);
}

// Elements and their places while they are sorted: of equal keys the earlier element comes first. Keys of up to four bytes share a word with the place.
template <class U> struct Item { u64 word; };
template <> struct Item<u64> { u64 key; u32 at; };
template <class U> DEV Item<U> item_of(U key, u32 at) { return {(u64)key << 32 | at}; }
DEV Item<u64> item_of(u64 key, u32 at) { return {key, at}; }
template <class U> DEV u32 place_of(const Item<U>& x) { return (u32)x.word; }
DEV u32 place_of(const Item<u64>& x) { return x.at; }
template <class U> DEV bool before(const Item<U>& a, const Item<U>& b) { return a.word < b.word; }
DEV bool before(const Item<u64>& a, const Item<u64>& b) { return a.key < b.key || (a.key == b.key && a.at < b.at); }
template <class U> DEV Item<U> no_item() { return item_of((U)~(U)0, ~0u); }  // after every element, NaN too

// Sorts each `run` of `count` items in shared memory, both powers of two, with a bitonic network. All threads see the result.
template <class U> DEV void sort_items(Item<U>* items, u32 count, u32 run) {
  for (u32 k = 2; k <= run; k *= 2)
    for (u32 j = k / 2; j > 0; j /= 2) {
      for (u32 p = tid(); p < count / 2; p += BLOCK) {
        const u32 i = 2 * p - (p & (j - 1)), other = i + j;  // the lower place of pair p, and the upper one
        const bool up = (i & (run - 1) & k) == 0;
        const Item<U> a = items[i], b = items[other];
        if (before(b, a) == up) {
          items[i] = b;
          items[other] = a;
        }
      }
      sync();
    }
}
