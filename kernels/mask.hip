// Selection by a mask. A mask has a byte for each element, in the order of its layout, and keeps the elements whose byte is not 0. Blocks take tiles
// of 4096 elements and compact them internally, so that memory holds only one count for each tile:
//   mask_count(mask, i64* counts, Layout1, u64 n)                            how many elements of each tile are kept
//   mask_select_bN(mask, in, const i64* ends, out, Layout2, u64 n)           the kept elements, contiguous; ends are the inclusive
//                                                                            sums of the counts; layouts of mask and in
//   mask_indices(mask, const i64* ends, u32* out, Layout1, Layout1, u64 n)    their indices, a row for each, of which only the dims of the second layout
//                                                                            are looked at

const u32 WIDE = 4, FOURS = 4, TILE = BLOCK * WIDE * FOURS, GROUPS = BLOCK / LANES;  // kernels.MaskTile is TILE

const u32 AT_ONCE = 4;  // loads that do not wait for one another

// The positions in the tile of a thread's groups of four adjacent elements.
DEV u32 four(u32 i) { return (i * BLOCK + tid()) * WIDE; }

// A bit for each byte of a word that is not 0.
DEV u32 bytes_set(u32 w) { return (((((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u) >> 7) * 0x01020408u >> 24 & 15; }

// Which of the thread's elements are kept, four bits for each group of four.
template <bool DENSE, int N> DEV u32 kept(const u8* mask, const Layout<N>& l, u64 begin, u64 n) {
  u32 bits = 0;
  if (DENSE && n - begin >= TILE && aligned<4>(mask)) {
    u32 w[FOURS];
#pragma unroll
    for (u32 i = 0; i < FOURS; i++) w[i] = *(const u32*)(mask + begin + four(i));
#pragma unroll
    for (u32 i = 0; i < FOURS; i++) bits |= bytes_set(w[i]) << i * WIDE;
    return bits;
  }
#pragma unroll
  for (u32 i = 0; i < FOURS; i++)
#pragma unroll
    for (u32 j = 0; j < WIDE; j++) {
      const u64 at = begin + four(i) + j;
      const u8 m = mask[DENSE ? at < n ? at : begin : (u64)offsets(l, at < n ? at : begin).of[0]];
      bits |= (u32)(m != 0 && at < n) << (i * WIDE + j);
    }
  return bits;
}

template <bool DENSE> DEV void count_kept(const u8* mask, i64* counts, const Layout1& l, u64 n) {
  SHARED u32 sums[GROUPS];
  for (u64 tile = bid(); tile * TILE < n; tile += blocks()) {
    const u32 count = ones(kept<DENSE>(mask, l, tile * TILE, n)), before = sum_before(count, sums);
    if (tid() == BLOCK - 1) counts[tile] = before + count;
    sync();
  }
}

// The number of kept elements before a group of four, within our 32 threads: of the same row of groups, and of all.
struct Neighbours {
  u32 before, all;
  DEV void count(u32 bits) {
    before = all = 0;
#pragma unroll
    for (u32 j = 0; j < WIDE; j++) {
      const u32 those = ballot(bits >> j & 1);
      before += ones(those & ((1u << lane()) - 1));
      all += ones(those);
    }
  }
};

// The exclusive prefix sums of 32 numbers, one per thread.
DEV u32 before_lanes(u32 x) {
  u32 sum = x;
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const u32 y = word_of(sum, (lane() - d) % LANES);
    if (lane() >= d) sum += y;
  }
  return sum - x;
}

// Compacts the kept elements: first their positions in the tile, in shared memory, so that adjacent threads write adjacent elements. Put loads the
// value for an element of the mask, and writes it.
template <bool DENSE, int N, class Put> DEV void put_kept(const u8* mask, const i64* ends, const Layout<N>& l, u64 n, const Put& put) {
  static_assert(FOURS * GROUPS == LANES, "each thread has one of the counts");
  SHARED u32 counts[LANES];
  SHARED u16 places[TILE];
  for (u64 tile = bid(); tile * TILE < n; tile += blocks()) {
    const u64 begin = tile * TILE;
    const u32 bits = kept<DENSE>(mask, l, begin, n), group = tid() / LANES;
    Neighbours four_of[FOURS];
#pragma unroll
    for (u32 i = 0; i < FOURS; i++) {
      four_of[i].count(bits >> i * WIDE);
      if (lane() == 0) counts[i * GROUPS + group] = four_of[i].all;
    }
    sync();
    const u32 ours = counts[lane()], before = before_lanes(ours), all = word_of(before + ours, LANES - 1);
#pragma unroll
    for (u32 i = 0; i < FOURS; i++) {
      u32 to = word_of(before, i * GROUPS + group) + four_of[i].before;
#pragma unroll
      for (u32 j = 0; j < WIDE; j++)
        if (bits >> (i * WIDE + j) & 1) places[to++] = (u16)(four(i) + j);
    }
    sync();
    const u64 start = tile > 0 ? (u64)ends[tile - 1] : 0;
    for (u32 q = tid(); q < all; q += AT_ONCE * BLOCK) {
      typename Put::Element e[AT_ONCE];
#pragma unroll
      for (u32 u = 0; u < AT_ONCE; u++) e[u] = put.template get<DENSE>(begin + places[q + u * BLOCK < all ? q + u * BLOCK : q]);
#pragma unroll
      for (u32 u = 0; u < AT_ONCE; u++)
        if (q + u * BLOCK < all) put.set(start + q + u * BLOCK, e[u]);
    }
    sync();
  }
}

template <class B> struct PutElement {
  typedef B Element;
  const B* in;
  B* out;
  const Layout2& l;
  template <bool DENSE> DEV B get(u64 at) const { return in[DENSE ? at : (u64)offsets(l, at).of[1]]; }
  DEV void set(u64 to, B x) const { out[to] = x; }
};

struct PutIndex {
  typedef u64 Element;
  u32* out;
  const Layout1& dims;
  template <bool DENSE> DEV u64 get(u64 at) const { return at; }
  template <class I> DEV void split(u32* at, I rest) const {
#pragma unroll 1
    for (i32 d = dims.rank - 1; d > 0; d--) {
      const I size = (I)dims.dims[d], q = rest / size;
      at[d] = (u32)(rest - q * size);
      rest = q;
    }
    if (dims.rank > 0) at[0] = (u32)rest;
  }
  DEV void set(u64 to, u64 at) const {
    if (dims.flags & INDEX32)
      split(out + to * dims.rank, (u32)at);
    else
      split(out + to * dims.rank, at);
  }
};

#define MASK_COUNT() \
  KERNEL mask_count(const u8* mask, i64* counts, Layout1 l, u64 n) { \
    if (l.flags & CONTIGUOUS) \
      count_kept<true>(mask, counts, l, n); \
    else \
      count_kept<false>(mask, counts, l, n); \
  }
#define MASK_PUT(PUT) \
  if (l.flags & CONTIGUOUS) \
    put_kept<true>(mask, ends, l, n, PUT); \
  else \
    put_kept<false>(mask, ends, l, n, PUT);
#define MASK_INDICES() \
  KERNEL mask_indices(const u8* mask, const i64* ends, u32* out, Layout1 l, Layout1 dims, u64 n) { \
    const PutIndex put = {out, dims}; \
    MASK_PUT(put) \
  }
#define MASK_SELECT(B) \
  KERNEL mask_select_##B(const u8* mask, const B* in, const i64* ends, B* out, Layout2 l, u64 n) { \
    const PutElement<B> put = {in, out, l}; \
    MASK_PUT(put) \
  }
