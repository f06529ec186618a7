// Philox4x32-10: the four words for a seed and a counter, whose third word is `high`. philox.go is the same in Go.

struct Words { u32 at[4]; };

DEV Words philox(u64 seed, u64 counter, u32 high) {
  u32 a = (u32)counter, b = (u32)(counter >> 32), c = high, d = 0, k0 = (u32)seed, k1 = (u32)(seed >> 32);
  for (int round = 0; round < 10; round++) {
    u64 p = 0xD2511F53ull * a, q = 0xCD9E8D57ull * c;
    a = (u32)(q >> 32) ^ b ^ k0;
    c = (u32)(p >> 32) ^ d ^ k1;
    b = (u32)q;
    d = (u32)p;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  Words w = {{a, b, c, d}};
  return w;
}

DEV u32 lane_of(const Words& w, u32 lane) { return lane == 0 ? w.at[0] : lane == 1 ? w.at[1] : lane == 2 ? w.at[2] : w.at[3]; }

struct Same {
  template <class T> DEV T operator()(T x) const { return x; }
};

// Elements 4i to 4i+3 of n, in accesses of up to 16 bytes: each is what `as` makes of x. out begins an allocation, and neighbours have i and i ^ 1. Of
// types of 8 bytes, neighbours exchange halves, so that they write 32 bytes side by side each time.
template <class T, class X, class As> DEV void put_four(T* out, u64 n, u64 i, const X (&x)[4], const As& as) {
  const int V = sizeof(T) == 8 ? 2 : 4, PACKS = 4 / V;
  Pack<T, V> pack[PACKS];
  if (PACKS == 2) {
    const u64 odd = i & 1;
    Pack<X, V> give;
#pragma unroll
    for (int k = 0; k < V; k++) give.at[k] = odd ? x[k] : x[4 - V + k];
    const Pack<X, V> other = across(give, 1);
    if ((i | 1) * 4 + 4 <= n) {
#pragma unroll
      for (int k = 0; k < V; k++) pack[0].at[k] = as(odd ? other.at[k] : x[k]), pack[1 % PACKS].at[k] = as(odd ? x[4 - V + k] : other.at[k]);
      put_pack<V>(out, 2 * (i - odd) + odd, pack[0]);
      put_pack<V>(out, 2 * (i | 1) + odd, pack[1 % PACKS]);
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; j++) pack[j / V].at[j % V] = as(x[j]);
  if (i * 4 + 4 <= n) {
#pragma unroll
    for (int p = 0; p < PACKS; p++) put_pack<V>(out, i * PACKS + p, pack[p]);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
    if (i * 4 + j < n) out[i * 4 + j] = pack[j / V].at[j % V];
}
template <class T> DEV void put_four(T* out, u64 n, u64 i, const T (&x)[4]) { put_four(out, n, i, x, Same{}); }
