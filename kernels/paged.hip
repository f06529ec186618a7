// Attention of several sequences at once, whose keys and values lie in blocks of positions of one pool (Kwon et al., "Efficient Memory Management for
// Large Language Model Serving with PagedAttention", 2023). The block table of a sequence has the numbers of its blocks.
//
// paged_attention_N_T, paged_strided_N_T(q, k, v, u32 *tables, u32 *cu_seqlens, u32 *seq_lens, out, f32 *sums, f32 *tops, u32 *counters, Paged): the
// queries of sequence s are rows cu_seqlens[s] to cu_seqlens[s + 1] of q, the last of its seq_lens[s] positions. As attention_parts_N_T (attention.hip):
// blocks share the keys of a sequence. Grid: x parts, y sequences times groups, z rows by N. Sequences with more than g.queries queries are left out.
//
// paged_append_bN(k, v, u32 *slots, keys, values, PagedAppend): rows of k and v go to the slots of the pool, a slot being a block times its positions plus
// the position in it.

struct Paged {
  Attention of;     // batch: sequences; queries, keys: the most of any sequence; strides of k and v: block, group, position in the block, element
  i64 table_step;   // from the block table of a sequence to the next
  i32 block_shift;  // a block has 1 << block_shift positions
  i32 unused;
};

// The addresses of a thread's 8 elements of keys or values in blocks, by numbers from `begin` on.
template <class T, bool PACKED> struct EightOfBlocks : EightOf<T, PACKED> {
  typedef EightOf<T, PACKED> E;
  const u32* table;
  i64 block_step;  // bytes from a block to the next
  u32 begin, shift;
  DEV EightOfBlocks(const T* origin, const i64* steps, i64 size, u32 member, const u32* table_, u32 begin_, u32 shift_)
      : E(origin, steps, size, member), table(table_), block_step(steps[0] * (i64)sizeof(T)), begin(begin_), shift(shift_) {}
  DEV Eight<T> of(u32 number) const {
    const u32 position = begin + number;
    return E::at(E::first + (i64)table[position >> shift] * block_step + (position & ((1u << shift) - 1)) * E::next);
  }
  template <int A> DEV void fetch(Eight<T> (&x)[A], u32 number, u32 apart, u32 count, bool) const {
#pragma unroll
    for (int j = 0; j < A; j++) x[j] = of(number + j * apart < count ? number + j * apart : count - 1);
  }
};

template <class T, int N, bool PACKED>
DEV void paged_attention(const T* q, const T* k, const T* v, const u32* tables, const u32* cu_seqlens, const u32* seq_lens, T* out, f32* sums, f32* tops, u32* counters, const Paged& p) {
  SHARED Meeting meeting;
  const u32 groups = (u32)p.of.groups, most = (u32)(p.of.sharing * p.of.queries), shares = (most + N - 1) / N;
  const Eights t((u32)(p.of.size > p.of.value_size ? p.of.size : p.of.value_size));
  for (u32 z = bid_y(); z < (u32)p.of.batch * groups; z += blocks_y()) {
    const u32 sequence = z / groups, group = z - sequence * groups, from = cu_seqlens[sequence];
    Attention g = p.of;
    g.queries = cu_seqlens[sequence + 1] - from;
    g.keys = seq_lens[sequence];
    if (g.queries > p.of.queries) continue;
    const u32 rows = (u32)(g.sharing * g.queries);
    const T* mine = q + (i64)from * g.q[2];
    T* results = out + (i64)from * g.out[2];
    const i64 seen = Sight(g, 0).first, beyond = Sight(g, g.queries - 1).end;
    const u32 keys = beyond > seen ? (u32)(beyond - seen) : 1, even = (keys - 1) / (u32)g.parts + 1;
    const u32 part_keys = even > (u32)g.part ? even : (u32)g.part, parts = (keys - 1) / part_keys + 1;
    for (u32 share = bid_z(); share * N < rows; share += blocks_z())
      for (u32 part = bid(); part < parts; part += blocks()) {
        Queried<N> r;
        begin_rows(r, group, share, rows, g);
        const i64 first = seen + (u64)part * part_keys, end = first + part_keys < beyond ? first + part_keys : beyond;
        const u32* table = tables + (i64)sequence * p.table_step;
        const EightOfBlocks<T, PACKED> ks(k + group * g.k[1], g.k, g.size, t.member, table, (u32)first, p.block_shift);
        const EightOfBlocks<T, PACKED> vs(v + group * g.v[1], g.v, g.value_size, t.member, table, (u32)first, p.block_shift);
        attend<T, N, PACKED>(r, t, mine, ks, vs, 0, g, 0, first, end);
        const i64 base = (i64)z * most;
        combine_teams(r, t, results, sums, tops, meeting, g, 0, base, share, rows, part, parts);
        if (parts == 1) continue;
        if (last_of(counters + z * shares + share, parts))
          merge_parts<T, N>(r, sums, tops, results, g, 0, base + share * N, rows - share * N, parts, &meeting.sums[0][0]);
        sync();
      }
  }
}

struct PagedAppend {
  i64 tokens, groups, size, value_size, block_shift;
  i64 k[3], v[3];            // strides: token, group, element
  i64 keys[4], values[4];    // strides: block, group, position in the block, element
};

template <class B> DEV void paged_copy(const B* in, const i64* steps, const u32* slots, B* pool, const i64* to, i64 tokens, i64 groups, i64 size, i64 shift) {
  const u64 row = (u64)(groups * size), count = (u64)tokens * row;
  for (u64 i = first(); i < count; i += stride()) {
    const u64 token = i / row, within = i - token * row, group = within / (u64)size, e = within - group * (u64)size;
    const u32 slot = slots[token];
    const i64 block = slot >> shift, position = slot - ((u32)block << shift);
    pool[block * to[0] + (i64)group * to[1] + position * to[2] + (i64)e * to[3]] = in[(i64)token * steps[0] + (i64)group * steps[1] + (i64)e * steps[2]];
  }
}

#define PAGED(NAME, T, N, PACKED) \
  KERNEL2 paged_##NAME##_##N##_##T(const T* q, const T* k, const T* v, const u32* tables, const u32* cu_seqlens, const u32* seq_lens, T* out, f32* sums, f32* tops, u32* counters, Paged p) { \
    paged_attention<T, N, PACKED>(q, k, v, tables, cu_seqlens, seq_lens, out, sums, tops, counters, p); \
  }
#define PAGED_APPEND(B) \
  KERNEL paged_append_##B(const B* k, const B* v, const u32* slots, B* keys, B* values, PagedAppend g) { \
    paged_copy(k, g.k, slots, keys, g.keys, g.tokens, g.groups, g.size, g.block_shift); \
    paged_copy(v, g.v, slots, values, g.values, g.tokens, g.groups, g.value_size, g.block_shift); \
  }
