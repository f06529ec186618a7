// copy_bN(in, out, Layout2, n): out[i] = in[i], each with its own strides. The operands do not overlap.
//
// Three ways: packs of up to 16 bytes where both are dense along the innermost dimension; tiles through shared memory where `in` is
// dense along another dimension than `out` (a transpose), so that both are accessed in whole cache lines; one element at a time
// otherwise. The host puts the dims in the order of out's strides, so that `out` is dense along the last one if along any.

// The dimension along which `in` is dense, if tiles of it and the last one are worth while, or -1.
DEV i32 turned(const Layout2& l) {
  const i32 q = l.rank - 1;
  if (l.flags & CONTIGUOUS || q < 1 || l.dims[q] < 8 || l.strides[1][q] != 1) return -1;
  if (l.strides[0][q] == 1 || l.strides[0][q] == 0) return -1;
  for (i32 d = q - 1; d >= 0; d--)
    if (l.strides[0][d] == 1 && l.dims[d] >= 8) return d;
  return -1;
}

// A tile has at least a cache line in both directions, but for bytes, of which there are seldom as many. Its rows begin in different banks.
template <class B> struct Tile {
  static const u32 SIZE = sizeof(B) == 8 ? 32 : 64;
  B at[SIZE][SIZE + (sizeof(B) < 4 ? 4 / sizeof(B) : 1)];
};

// Index is u32 where that is enough.
template <class Index, class B> DEV void copy_tiles(const B* in, B* out, const Layout2& l, i32 p, Tile<B>& tile) {
  const u32 TILE = Tile<B>::SIZE;
  const i32 q = l.rank - 1;
  const Index np = (Index)l.dims[p], nq = (Index)l.dims[q], tp = (np + TILE - 1) / TILE, tq = (nq + TILE - 1) / TILE;
  Index tiles = tp * tq;
  for (i32 d = 0; d < q; d++)
    if (d != p) tiles *= (Index)l.dims[d];
  const u32 x = tid() % TILE, y0 = tid() / TILE;
  for (Index t = bid(); t < tiles; t += blocks()) {
    Index rest = t / tq;
    const Index q0 = (t - rest * tq) * TILE, p0 = rest % tp * TILE;
    rest /= tp;
    const B* from = in;
    B* to = out;
    for (i32 d = q - 1; d >= 0; d--) {
      if (d == p) continue;
      const Index n = (Index)l.dims[d], next = rest / n;
      i64 r = (i64)(rest - next * n);
      from += r * l.strides[0][d];
      to += r * l.strides[1][d];
      rest = next;
    }
#pragma unroll 8
    for (u32 y = y0; y < TILE; y += BLOCK / TILE)
      if (p0 + x < np && q0 + y < nq) tile.at[y][x] = from[(i64)(p0 + x) + (i64)(q0 + y) * l.strides[0][q]];
    sync();
#pragma unroll 8
    for (u32 y = y0; y < TILE; y += BLOCK / TILE)
      if (p0 + y < np && q0 + x < nq) to[(i64)(p0 + y) * l.strides[1][p] + (i64)(q0 + x)] = tile.at[x][y];
    sync();
  }
}

// In packs of V elements, each of which lies in one run of both operands. The last n % V elements are those of a dense copy.
template <int V, class B> DEV void copy_packs(const B* in, B* out, const Layout2& l, u64 n) {
  for (u64 i = first(); i < n / V; i += stride()) {
    const Offsets<2> o = offsets(l, i * V);
    *(Pack<B, V>*)(out + o.of[1]) = *(const Pack<B, V>*)(in + o.of[0]);
  }
  for (u64 i = n / V * V + first(); i < n; i += stride()) out[i] = in[i];
}

// Whether every run of both operands is whole packs of V elements, in places that fit them.
template <int V, class B> DEV bool packs(const B* in, const B* out, const Layout2& l) {
  if (!aligned<V>(in) || !aligned<V>(out)) return false;
  if (l.flags & CONTIGUOUS) return true;
  const i32 q = l.rank - 1;
  if (q < 0 || l.dims[q] % V != 0 || l.strides[0][q] != 1 || l.strides[1][q] != 1) return false;
  for (i32 d = 0; d < q; d++)
    if (l.strides[0][d] % V != 0 || l.strides[1][d] % V != 0) return false;
  return true;
}

template <class B> DEV void copy(const B* in, B* out, const Layout2& l, u64 n) {
  const int V = 16 / sizeof(B), W = V < 4 ? V : 4;
  SHARED Tile<B> tile;
  const i32 p = turned(l);
  if (p >= 0 && l.flags & INDEX32)
    copy_tiles<u32>(in, out, l, p, tile);
  else if (p >= 0)
    copy_tiles<u64>(in, out, l, p, tile);
  else if (packs<V>(in, out, l))
    copy_packs<V>(in, out, l, n);
  else if (W < V && packs<W>(in, out, l))
    copy_packs<W>(in, out, l, n);
  else
    for (u64 i = first(); i < n; i += stride()) {
      const Offsets<2> o = offsets(l, i);
      out[o.of[1]] = in[o.of[0]];
    }
}

#define COPY(B) KERNEL copy_##B(const B* in, B* out, Layout2 l, u64 n) { copy(in, out, l, n); }
