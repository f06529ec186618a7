// attention_64_T, attention_128_T(q, k, v, mask, out, Attention): out = softmax(q·kᵀ·scale)·v, for rows of up to 64 or 128 elements of q, k and v.
// Grid: x tiles of queries, y batches times heads; a smaller grid loops. f16 and bf16 are multiplied by matrix cores where there are some
// (attention_cores.h), else and in f32 as matmul does: 256 threads have 4×4 of 64×64 scores each, which go through shared memory to the
// second product.
//
// attention_parts_N_T(q, k, v, mask, out, f32 *sums, f32 *tops, Attention): for few queries and many keys, which are shared among blocks: each
// takes `part` keys and up to N of the rows that are all queries of all heads of a group. Grid: x parts, y batches times groups, z rows by N.
// With one part the results go to out; else sums [row part element] and tops [row part 2] (m, and the sum of exp(score - m)) go to
// attention_merge_T(sums, tops, out, Attention), one block a row.

// ---- tiles

template <class T, int D> DEV void attention_tiles(const T* q, const T* k, const T* v, const void* mask, T* out, const Attention& g) {
  const int SIDE = 64, CHUNKS = D / 64;
  const f32 factor = factor_of(g);
  SHARED f32 as[DEPTH][SIDE + PAD], bs[DEPTH][SIDE + PAD];
  alignas(16) SHARED f32 weights[SIDE][SIDE + PAD];
  const i64 tiles = (g.queries + SIDE - 1) / SIDE;
  for (i64 z = bid_y(); z < g.batch * g.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid());
      const i32 tx = (i32)(t % 16) * 4, ty = (i32)(t / 16) * 4;
      const i64 batch = z / g.heads, head = z % g.heads, group = head / (g.heads / g.groups);
      const i64 query0 = (tiles - 1 - tile) * SIDE;
      const i64 beyond = query0 + SIDE < g.queries ? query0 + SIDE : g.queries;
      const i64 begin = Sight(g, query0).first / SIDE * SIDE, end = Sight(g, beyond - 1).end;
      const T *qs = q + batch * g.q[0] + head * g.q[1], *ks = k + batch * g.k[0] + group * g.k[1], *vs = v + batch * g.v[0] + group * g.v[1];
      f32 sum[CHUNKS][4][4] = {}, m[4], total[4];
#pragma unroll
      for (int i = 0; i < 4; i++) m[i] = minus_infinity(), total[i] = 0;
      for (i64 key0 = begin; key0 < end; key0 += SIDE) {
        f32 s[4][4] = {};
        Panel<T, SIDE> pa(t, qs, g.q[3] != 1, query0, g.queries, g.q[2], g.q[3]);
        Panel<T, SIDE> pb(t, ks, g.k[3] != 1, key0, end, g.k[2], g.k[3]);
        pa.fetch(g.size);
        pb.fetch(g.size);
        for (i64 d0 = 0; d0 < g.size; d0 += DEPTH) {
          pa.put(as);
          pb.put(bs);
          sync();
          pa.fetch(g.size - d0 - DEPTH);
          pb.fetch(g.size - d0 - DEPTH);
#pragma unroll 4
          for (int d = 0; d < DEPTH; d++)
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
              for (int j = 0; j < 4; j++) s[i][j] = fma(as[d][ty + i], bs[d][tx + j], s[i][j]);
          sync();
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const i64 query = query0 + ty + i;
          const Sight sees(g, query);
          f32 most = minus_infinity();
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const i64 key = key0 + tx + j;
            if (query >= g.queries || key < sees.first || key >= sees.end)
              s[i][j] = minus_infinity();
            else if (!plain(g))
              s[i][j] = masked(g, mask_of(g, mask, batch, head, query), key, score(g, s[i][j]));
            most = greater(most, s[i][j]);
          }
#pragma unroll
          for (u32 mask = 1; mask < 16; mask *= 2) most = greater(most, across(most, mask));
          most = greater(m[i], most * factor);
          const f32 base = base_of(most), scale = quick_exp2(m[i] - base);
          m[i] = most;
          total[i] *= scale;
          Pack<f32, 4> w;
#pragma unroll
          for (int j = 0; j < 4; j++) {
            w.at[j] = quick_exp2(fma(s[i][j], factor, -base));
            total[i] += w.at[j];
          }
          *(Pack<f32, 4>*)&weights[ty + i][tx] = w;
#pragma unroll
          for (int c = 0; c < CHUNKS; c++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[c][i][j] *= scale;
        }
        // The second product, for DEPTH keys and 64 elements at a time.
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
          Panel<T, SIDE> pv(t, vs + key0 * g.v[2], g.v[3] == 1, c * SIDE, g.value_size, g.v[3], g.v[2]);
          pv.fetch(end - key0);
          for (i32 key = 0; key < SIDE; key += DEPTH) {
            pv.put(bs);
            sync();
            pv.fetch(end - key0 - key - DEPTH);
#pragma unroll 4
            for (int d = 0; d < DEPTH; d++)
#pragma unroll
              for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[c][i][j] = fma(weights[ty + i][key + d], bs[d][tx + j], sum[c][i][j]);
            sync();
          }
        }
      }
#pragma unroll
      for (int i = 0; i < 4; i++) {
        for (u32 mask = 1; mask < 16; mask *= 2) total[i] += across(total[i], mask);
        const i64 query = query0 + ty + i;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++)
#pragma unroll
          for (int j = 0; j < 4; j++) {
            const i64 at = c * SIDE + tx + j;
            if (query < g.queries && at < g.value_size)
              out[batch * g.out[0] + head * g.out[1] + query * g.out[2] + at * g.out[3]] = Element<T>::store(sum[c][i][j] / total[i]);
          }
      }
    }
}

template <class T, int D> DEV void attention(const T* q, const T* k, const T* v, const void* mask, T* out, const Attention& given) {
  const Attention g = known(given, mask);
#if MATRIX_CORES
  if constexpr (sizeof(T) == 2)
    attention_cores<T, D>(q, k, v, mask, out, g);
  else
#endif
    attention_tiles<T, D>(q, k, v, mask, out, g);
}

// ---- parts

// Threads that have a key together, each with 8 of its elements; the threads of a block have as many keys at a time as there are such teams.
struct Eights {
  u32 size, teams;   // threads of a team; teams of a block
  u32 team, member;  // of this thread
  DEV Eights(i64 elements) {
    u32 s = 0;
    while (s < 5 && elements > 8 << s) s++;
    size = 1u << s;
    teams = BLOCK >> s;
    team = tid() >> s;
    member = tid() & (size - 1);
  }
};

template <class T> DEV Pack<T, 8> eight_of(const T* row, i64 step, i32 have, bool packed) {
  if (packed) return *(const Pack<T, 8>*)row;
  Pack<T, 8> x;
#pragma unroll
  for (int e = 0; e < 8; e++) x.at[e] = e < have ? row[e * step] : T();
  return x;
}

// How many of a thread's 8 elements there are, and whether they can be had at once.
template <class T> struct Reach {
  i32 have;
  bool packed;
  DEV Reach(const T* origin, const i64* steps, i64 size, u32 member) {
    const i64 left = size - (i64)member * 8;
    have = left < 0 ? 0 : left < 8 ? (i32)left : 8;
    packed = have == 8 && steps[3] == 1 && steps[2] % 8 == 0 && steps[1] % 8 == 0 && steps[0] % 8 == 0 && aligned<8>(origin);
  }
};

template <class T, int N>
DEV void attention_parts(const T* q, const T* k, const T* v, const void* mask, T* out, f32* sums, f32* tops, const Attention& given) {
  const Attention g = known(given, mask);
  const int AT_ONCE = N == 1 ? 4 : 2;  // keys of a thread whose loads do not wait for one another
  const u32 TEAMS = BLOCK / LANES;
  SHARED f32 shared[TEAMS][LANES * 8], ends[TEAMS][2];
  const i64 sharing = g.heads / g.groups, rows = sharing * g.queries, parts = (given.keys + g.part - 1) / g.part;
  const f32 factor = factor_of(g);
  const Eights t(g.size > g.value_size ? g.size : g.value_size);
  for (i64 z = bid_y(); z < g.batch * g.groups; z += blocks_y())
    for (i64 row0 = (i64)bid_z() * N; row0 < rows; row0 += (i64)blocks_z() * N)
      for (i64 part = bid(); part < parts; part += blocks()) {
        const i64 batch = z / g.groups, group = z % g.groups;
        const i64 key0 = part * g.part, end = key0 + g.part < g.keys ? key0 + g.part : g.keys;
        const T *ks = k + batch * g.k[0] + group * g.k[1], *vs = v + batch * g.v[0] + group * g.v[1];
        const Reach<T> of_q(q, g.q, g.size, t.member), of_k(k, g.k, g.size, t.member), of_v(v, g.v, g.value_size, t.member);
        f32 x[N][8], sum[N][8] = {}, m[N], total[N];
        i64 head[N], query[N];
#pragma unroll
        for (int n = 0; n < N; n++) {
          const i64 r = row0 + n < rows ? row0 + n : rows - 1;
          head[n] = group * sharing + r / g.queries;
          query[n] = r % g.queries;
          const T* row = q + batch * g.q[0] + head[n] * g.q[1] + query[n] * g.q[2] + t.member * 8 * g.q[3];
          const Pack<T, 8> eight = eight_of(row, g.q[3], of_q.have, of_q.packed);
#pragma unroll
          for (int e = 0; e < 8; e++) x[n][e] = Element<T>::load(eight.at[e]);
          m[n] = minus_infinity();
          total[n] = 0;
        }
        const u32 ahead = tid() / LANES * (LANES / t.size);  // teams before those of these lanes, which all take part or none
        for (i64 first = key0; first + ahead < end; first += t.teams * AT_ONCE) {
          const i64 near_k = g.k[3] + opaque(0), near_v = g.v[3] + opaque(0);  // else the loop keeps all that they are multiplied by
          f32 s[AT_ONCE][N];
          Pack<T, 8> y[AT_ONCE], values[AT_ONCE];
#pragma unroll
          for (int j = 0; j < AT_ONCE; j++) {
            const i64 key = first + j * t.teams + t.team, at = key < end ? key : end - 1;
            y[j] = eight_of(ks + at * g.k[2] + t.member * 8 * near_k, near_k, of_k.have, of_k.packed);
            values[j] = eight_of(vs + at * g.v[2] + t.member * 8 * near_v, near_v, of_v.have, of_v.packed);
          }
#pragma unroll
          for (int j = 0; j < AT_ONCE; j++) {
            const i64 key = first + j * t.teams + t.team;
#pragma unroll
            for (int n = 0; n < N; n++) {
              f32 p = 0;
#pragma unroll
              for (int e = 0; e < 8; e++) p = fma(x[n][e], Element<T>::load(y[j].at[e]), p);
              for (u32 lanes = t.size / 2; lanes > 0; lanes /= 2) p += across(p, lanes);
              const Sight sees(g, query[n]);
              if (key >= end || key < sees.first || key >= sees.end)
                p = minus_infinity();
              else if (!plain(g))
                p = masked(g, mask_of(g, mask, batch, head[n], query[n]), key, score(g, p));
              s[j][n] = p;
            }
          }
#pragma unroll
          for (int n = 0; n < N; n++) {
            f32 most = s[0][n];
#pragma unroll
            for (int j = 1; j < AT_ONCE; j++) most = greater(most, s[j][n]);
            most = greater(m[n], most * factor);
            const f32 base = base_of(most), scale = quick_exp2(m[n] - base);
            m[n] = most;
            total[n] *= scale;
#pragma unroll
            for (int e = 0; e < 8; e++) sum[n][e] *= scale;
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
              const f32 w = quick_exp2(fma(s[j][n], factor, -base));
              total[n] += w;
#pragma unroll
              for (int e = 0; e < 8; e++) sum[n][e] = fma(w, Element<T>::load(values[j].at[e]), sum[n][e]);
            }
          }
        }
        // What the teams have is added up: those of neighbouring lanes first.
#pragma unroll
        for (int n = 0; n < N; n++) {
          f32 most = m[n];
          for (u32 lanes = t.size; lanes < LANES; lanes *= 2) most = greater(most, across(most, lanes));
          const f32 scale = quick_exp2(m[n] - base_of(most));
          total[n] *= scale;
#pragma unroll
          for (int e = 0; e < 8; e++) sum[n][e] *= scale;
          for (u32 lanes = t.size; lanes < LANES; lanes *= 2) {
            total[n] += across(total[n], lanes);
#pragma unroll
            for (int e = 0; e < 8; e++) sum[n][e] += across(sum[n][e], lanes);
          }
          const u32 lane = tid() % LANES, of = tid() / LANES;
          if (lane == 0) ends[of][0] = most, ends[of][1] = total[n];
          if (lane < t.size)
#pragma unroll
            for (int e = 0; e < 8; e++) shared[of][e * t.size + lane] = sum[n][e];
          sync();
          f32 weights[TEAMS], all = 0;
#pragma unroll
          for (u32 i = 0; i < TEAMS; i++) most = greater(most, ends[i][0]);
#pragma unroll
          for (u32 i = 0; i < TEAMS; i++) {
            weights[i] = quick_exp2(ends[i][0] - base_of(most));
            all = fma(weights[i], ends[i][1], all);
          }
          const i64 row = row0 + n, r = z * rows + row;
          for (u32 i = tid(); i < t.size * 8 && row < rows; i += BLOCK) {
            const i64 at = (i64)(i % t.size) * 8 + i / t.size;
            if (at >= g.value_size) continue;
            f32 y = 0;
#pragma unroll
            for (u32 j = 0; j < TEAMS; j++) y = fma(weights[j], shared[j][i], y);
            if (parts == 1)
              out[batch * g.out[0] + head[n] * g.out[1] + query[n] * g.out[2] + at * g.out[3]] = Element<T>::store(y / all);
            else
              sums[(r * parts + part) * g.value_size + at] = y;
          }
          if (parts > 1 && tid() == 0 && row < rows) {
            f32* to = tops + (r * parts + part) * 2;
            to[0] = most;
            to[1] = all;
          }
          sync();
        }
      }
}

// Teams of threads, one for each element, share the parts.
template <class T> DEV void attention_merge(const f32* sums, const f32* tops, T* out, const Attention& g) {
  SHARED f32 weights[BLOCK], totals[BLOCK], results[BLOCK];
  const i64 sharing = g.heads / g.groups, rows = sharing * g.queries, parts = (g.keys + g.part - 1) / g.part;
  u32 team = 1;
  while (team < BLOCK && team < g.value_size) team *= 2;
  const u32 teams = BLOCK / team, mine = tid() / team, at = tid() % team;
  for (i64 r = bid(); r < g.batch * g.groups * rows; r += blocks()) {
    const i64 z = r / rows, row = r % rows, batch = z / g.groups, head = z % g.groups * sharing + row / g.queries, query = row % g.queries;
    const f32 *s = sums + r * parts * g.value_size, *t = tops + r * parts * 2;
    f32 most = minus_infinity();
    for (i64 i = tid() % LANES; i < parts; i += LANES) most = greater(most, t[2 * i]);
    for (u32 lanes = 1; lanes < LANES; lanes *= 2) most = greater(most, across(most, lanes));
    const f32 base = base_of(most);
    f32 y = 0, all = 0;
    for (i64 first = 0; first < parts; first += BLOCK) {
      const u32 count = parts - first < BLOCK ? (u32)(parts - first) : BLOCK;
      sync();
      if (tid() < count) {
        weights[tid()] = quick_exp2(t[2 * (first + tid())] - base);
        totals[tid()] = weights[tid()] * t[2 * (first + tid()) + 1];
      }
      sync();
      for (u32 i = 0; i < count; i++) all += totals[i];
      if (at < g.value_size)
#pragma unroll 8
        for (u32 i = mine; i < count; i += teams) y = fma(weights[i], s[(first + i) * g.value_size + at], y);
    }
    sync();
    results[tid()] = y;
    sync();
    if (mine == 0 && at < g.value_size) {
      for (u32 i = 1; i < teams; i++) y += results[i * team + at];
      out[batch * g.out[0] + head * g.out[1] + query * g.out[2] + at * g.out[3]] = Element<T>::store(y / all);
    }
  }
}

#define ATTENTION(T, D, KERNEL) \
  KERNEL attention_##D##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, Attention g) { \
    attention<T, D>(q, k, v, mask, out, g); \
  }
#define ATTENTION_PARTS(T, N, KERNEL) \
  KERNEL attention_parts_##N##_##T(const T* q, const T* k, const T* v, const void* mask, T* out, f32* sums, f32* tops, Attention g) { \
    attention_parts<T, N>(q, k, v, mask, out, sums, tops, g); \
  }
#define ATTENTION_MERGE(T) \
  KERNEL attention_merge_##T(const f32* sums, const f32* tops, T* out, Attention g) { attention_merge<T>(sums, tops, out, g); }
