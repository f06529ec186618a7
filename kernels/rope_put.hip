// rope_put_T(T* heads, cos, sin, u32* place, T* cache, RopePut): for the token at *place, turns the heads of queries where they are, and stores the turned
// heads of keys and those of values in a cache. heads is dense, [queries + 2·groups, 2·half]: queries, keys, values. cos and sin are dense, a row of half
// angles for each position; the cache has room for `capacity` positions of each head of keys and values. Pairs are as for rope_T.

struct RopePut {
  u64 queries, groups, half, capacity, interleaved;
};

template <class T> DEV void rope_put(T* heads, const T* cos, const T* sin, const u32* place, T* cache, const RopePut& g) {
  typedef Compute<T> C;
  const u64 position = *place, size = 2 * g.half;
  if (position >= g.capacity) return;
  for (u64 f = first(); f < (g.queries + 2 * g.groups) * g.half; f += stride()) {
    const u64 head = f / g.half, i = f - head * g.half, a = g.interleaved ? 2 * i : i, b = g.interleaved ? a + 1 : i + g.half;
    const T* from = heads + head * size;
    T x = from[a], y = from[b];
    if (head < g.queries + g.groups) {
      const C p = Element<T>::load(x), q = Element<T>::load(y);
      const C c = Element<T>::load(cos[position * g.half + i]), s = Element<T>::load(sin[position * g.half + i]);
      x = Element<T>::store(p * c - q * s);
      y = Element<T>::store(p * s + q * c);
    }
    T* to = head < g.queries ? heads + head * size : cache + ((head - g.queries) * g.capacity + position) * size;
    to[a] = x;
    to[b] = y;
  }
}

#define ROPE_PUT(T) \
  KERNEL rope_put_##T(T* heads, const T* cos, const T* sin, const u32* place, T* cache, RopePut g) { rope_put(heads, cos, sin, place, cache, g); }
