// copy_bN(in, out, Layout2, n): out[i] = in[i], each with its own strides. The operands do not overlap.
//
// Three algorithms: packs of up to 16 bytes if both are dense along the innermost dimension; tiles in shared memory if `in` is dense along another
// dimension than `out` (a transpose), so that both are accessed in whole cache lines, in packs if these are aligned; otherwise one element at a time.
// The host puts the dims in the order of out's strides, so that `out` is dense along the last one if along any.

// The dimension along which `in` is dense, if tiles of it and the last one pay off, or -1.
DEV i32 transposed(const Layout2& l) {
  const i32 q = l.rank - 1;
  if (l.flags & CONTIGUOUS || q < 1 || l.dims[q] < 8 || l.strides[1][q] != 1) return -1;
  if (l.strides[0][q] == 1 || l.strides[0][q] == 0) return -1;
  for (i32 d = q - 1; d >= 0; d--)
    if (l.strides[0][d] == 1 && l.dims[d] >= 8) return d;
  return -1;
}

// A tile has at least a cache line in both directions, except for bytes. Its rows begin in different banks.
template <class B> struct Tile {
  static const u32 SIZE = sizeof(B) == 8 ? 32 : 64;
  B at[SIZE][SIZE + (sizeof(B) < 4 ? 4 / sizeof(B) : 1)];
};

// The tiles of a copy: their positions in the dims p, along which `in` is dense, and q, the last one, and in the others. Index is u32 if that is
// enough.
template <class Index, class B> struct Tiles {
  i32 p, q;
  Index np, nq, tp, tq, all;
  DEV Tiles(const Layout2& l, i32 dim, u32 size) {
    p = dim;
    q = l.rank - 1;
    np = (Index)l.dims[p];
    nq = (Index)l.dims[q];
    tp = (np + size - 1) / size;
    tq = (nq + size - 1) / size;
    all = tp * tq;
#pragma unroll 1
    for (i32 d = 0; d < q; d++)
      if (d != p) all *= (Index)l.dims[d];
  }
  // Points from and to at the matrix of tile t, and sets p0 and q0 to the tile's origin in it.
  DEV void find(const Layout2& l, Index t, u32 size, const B*& from, B*& to, Index& p0, Index& q0) const {
    Index rest = t / tq;
    q0 = (t - rest * tq) * size;
    const Index above = rest / tp;
    p0 = (rest - above * tp) * size;
    rest = above;
#pragma unroll 1
    for (i32 d = q - 1; d >= 0; d--) {
      if (d == p) continue;
      const Index n = (Index)l.dims[d], next = rest / n;
      const i64 r = (i64)(rest - next * n);
      from += r * l.strides[0][d];
      to += r * l.strides[1][d];
      rest = next;
    }
  }
};

template <class Index, class B> DEV void copy_tiles(const B* in, B* out, const Layout2& l, i32 p, Tile<B>& tile) {
  const u32 TILE = Tile<B>::SIZE;
  const Tiles<Index, B> s(l, p, TILE);
  const u32 x = tid() % TILE, y0 = tid() / TILE;
  for (Index t = bid(); t < s.all; t += blocks()) {
    const B* from = in;
    B* to = out;
    Index p0, q0;
    s.find(l, t, TILE, from, to, p0, q0);
#pragma unroll 8
    for (u32 y = y0; y < TILE; y += BLOCK / TILE)
      if (p0 + x < s.np && q0 + y < s.nq) tile.at[y][x] = from[(i64)(p0 + x) + (i64)(q0 + y) * l.strides[0][s.q]];
    sync();
#pragma unroll 8
    for (u32 y = y0; y < TILE; y += BLOCK / TILE)
      if (p0 + y < s.np && q0 + x < s.nq) to[(i64)(p0 + y) * l.strides[1][p] + (i64)(q0 + x)] = tile.at[x][y];
    sync();
  }
}

// A square of packs: each of 16 × 16 threads transposes M × M elements in its registers. The positions of packs in shared memory are swizzled (by an
// exclusive or with the number of the pack), so that adjacent threads use different banks in both directions.
template <class B> struct Square {
  static const u32 M = sizeof(B) == 1 ? 8 : 16 / sizeof(B), SIDE = 16, SIZE = SIDE * M;
  Pack<B, M> at[SIZE][SIDE];
};

template <class Index, class B> DEV void copy_squares(const B* in, B* out, const Layout2& l, i32 p, Square<B>& square) {
  typedef Square<B> Q;
  const u32 M = Q::M;
  typedef Pack<B, M> P;
  const Tiles<Index, B> s(l, p, Q::SIZE);
  const u32 i = tid() % Q::SIDE, j = tid() / Q::SIDE;
  for (Index t = bid(); t < s.all; t += blocks()) {
    const B* from = in;
    B* to = out;
    Index p0, q0;
    s.find(l, t, Q::SIZE, from, to, p0, q0);
    if (p0 + i * M < s.np && q0 + j * M < s.nq) {
      P lines[M];
      const B* first = from + (i64)(p0 + i * M) + (i64)(q0 + j * M) * l.strides[0][s.q];
#pragma unroll
      for (u32 k = 0; k < M; k++) lines[k] = *(const P*)(first + k * l.strides[0][s.q]);
#pragma unroll
      for (u32 k = 0; k < M; k++) {
        P transposed;
#pragma unroll
        for (u32 m = 0; m < M; m++) transposed.at[m] = lines[m].at[k];
        square.at[i * M + k][j ^ i] = transposed;
      }
    }
    sync();
    if (q0 + i * M < s.nq)
#pragma unroll
      for (u32 y = j; y < Q::SIZE; y += Q::SIDE)
        if (p0 + y < s.np) *(P*)(to + (i64)(p0 + y) * l.strides[1][p] + (i64)(q0 + i * M)) = square.at[y][i ^ y / M];
    sync();
  }
}

// Whether tiles of both operands consist of whole aligned packs of M elements.
template <int M, class B> DEV bool squares(const B* in, const B* out, const Layout2& l, i32 p) {
  const i32 q = l.rank - 1;
  if (!aligned<M>(in) || !aligned<M>(out) || l.dims[p] % M != 0 || l.dims[q] % M != 0) return false;
  for (i32 d = 0; d <= q; d++)
    if ((d != p && l.strides[0][d] % M != 0) || (d != q && l.strides[1][d] % M != 0)) return false;
  return true;
}

// In packs of V elements, each within one run of both operands. The last n % V elements are those of a dense copy.
template <int V, class B> DEV void copy_packs(const B* in, B* out, const Layout2& l, u64 n) {
  for (u64 i = first(); i < n / V; i += stride()) {
    const Offsets<2> o = offsets(l, i * V);
    *(Pack<B, V>*)(out + o.of[1]) = *(const Pack<B, V>*)(in + o.of[0]);
  }
  for (u64 i = n / V * V + first(); i < n; i += stride()) out[i] = in[i];
}

// Whether every run of both operands consists of whole aligned packs of V elements.
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
  SHARED union { Tile<B> tile; Square<B> square; } shared;
  const i32 p = transposed(l);
  if (p >= 0 && squares<Square<B>::M>(in, out, l, p)) {
    if (l.flags & INDEX32)
      copy_squares<u32>(in, out, l, p, shared.square);
    else
      copy_squares<u64>(in, out, l, p, shared.square);
  } else if (p >= 0) {
    if (l.flags & INDEX32)
      copy_tiles<u32>(in, out, l, p, shared.tile);
    else
      copy_tiles<u64>(in, out, l, p, shared.tile);
  } else if (packs<V>(in, out, l)) {
    copy_packs<V>(in, out, l, n);
  } else if (W < V && packs<W>(in, out, l)) {
    copy_packs<W>(in, out, l, n);
  } else {
    for (u64 i = first(); i < n; i += stride()) {
      const Offsets<2> o = offsets(l, i);
      out[o.of[1]] = in[o.of[0]];
    }
  }
}

#define COPY(B) KERNEL copy_##B(const B* in, B* out, Layout2 l, u64 n) { copy(in, out, l, n); }
