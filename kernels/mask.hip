// What a mask keeps. A mask has a byte for each element, in the order of its layout, and keeps the elements whose byte is not 0. Blocks take tiles of
// 4096 elements, and find out for themselves which of a tile are kept, so that memory holds no more than a number for each tile:
//   mask_count(mask, i64* counts, Layout1, u64 n)                            how many elements of each tile are kept
//   mask_select_bN(mask, in, const i64* ends, out, Layout2, u64 n)           the elements that are kept, one after the other; ends are the running
//                                                                            sums of the counts; layouts of mask and in
//   mask_places(mask, const i64* ends, u32* out, Layout1, Layout1, u64 n)    their indices, a row for each, of which only the dims of the second layout
//                                                                            are looked at

const u32 EACH = 16, TILE = BLOCK * EACH, GROUPS = BLOCK / LANES;  // kernels.MaskTile is TILE

// Which of our elements of a tile are kept, a bit for each: ours are BLOCK apart.
template <int N> DEV u32 kept(const u8* mask, const Layout<N>& l, u64 begin, u64 n) {
  u8 m[EACH];
#pragma unroll
  for (u32 i = 0; i < EACH; i++) {
    const u64 at = begin + i * BLOCK + tid();
    m[i] = mask[offsets(l, at < n ? at : begin).of[0]];
  }
  u32 bits = 0;
#pragma unroll
  for (u32 i = 0; i < EACH; i++) bits |= (u32)(m[i] != 0 && begin + i * BLOCK + tid() < n) << i;
  return bits;
}

DEV void count_kept(const u8* mask, i64* counts, const Layout1& l, u64 n) {
  SHARED u32 sums[GROUPS];
  for (u64 tile = bid(); tile * TILE < n; tile += blocks()) {
    const u32 count = ones(kept(mask, l, tile * TILE, n)), before = sum_before(count, sums);
    if (tid() == BLOCK - 1) counts[tile] = before + count;
    sync();
  }
}

// Calls put(to, from) for each element of ours that is kept: it is the to-th of all that are, and the from-th of the mask.
template <int N, class Put> DEV void each_kept(const u8* mask, const i64* ends, const Layout<N>& l, u64 n, const Put& put) {
  SHARED u32 counts[BLOCK], sums[GROUPS];  // counts: of 32 neighbours each, in their order
  for (u64 tile = bid(); tile * TILE < n; tile += blocks()) {
    const u32 bits = kept(mask, l, tile * TILE, n);
    u32 those[EACH];
    counts[tid()] = 0;
    sync();
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
      those[i] = ballot(bits >> i & 1);
      if (lane() == 0) counts[i * GROUPS + tid() / LANES] = ones(those[i]);
    }
    sync();
    const u32 before = sum_before(counts[tid()], sums);
    counts[tid()] = before;
    sync();
    const i64 start = tile > 0 ? ends[tile - 1] : 0;
#pragma unroll
    for (u32 i = 0; i < EACH; i++)
      if (bits >> i & 1)
        put((u64)start + counts[i * GROUPS + tid() / LANES] + ones(those[i] & ((1u << lane()) - 1)), tile * TILE + i * BLOCK + tid());
    sync();
  }
}

template <class B> struct PutElement {
  const B* in;
  B* out;
  const Layout2& l;
  DEV void operator()(u64 to, u64 from) const { out[to] = in[offsets(l, from).of[1]]; }
};

struct PutPlace {
  u32* out;
  const Layout1& dims;
  template <class I> DEV void split(u32* at, I rest) const {
#pragma unroll 1
    for (i32 d = dims.rank - 1; d >= 0; d--) {
      const I size = (I)dims.dims[d], q = rest / size;
      at[d] = (u32)(rest - q * size);
      rest = q;
    }
  }
  DEV void operator()(u64 to, u64 from) const {
    if (dims.flags & INDEX32)
      split(out + to * dims.rank, (u32)from);
    else
      split(out + to * dims.rank, from);
  }
};

#define MASK_COUNT() \
  KERNEL mask_count(const u8* mask, i64* counts, Layout1 l, u64 n) { count_kept(mask, counts, l, n); }
#define MASK_PLACES() \
  KERNEL mask_places(const u8* mask, const i64* ends, u32* out, Layout1 l, Layout1 dims, u64 n) { each_kept(mask, ends, l, n, PutPlace{out, dims}); }
#define MASK_SELECT(B) \
  KERNEL mask_select_##B(const u8* mask, const B* in, const i64* ends, B* out, Layout2 l, u64 n) { each_kept(mask, ends, l, n, PutElement<B>{in, out, l}); }
