// Attention of few queries and many keys: keys are divided among blocks, and the last block of some rows combines their states.

// A team of threads shares a key, each with 8 of its elements; a block processes as many keys at a time as it has teams.
struct Eights {
  u32 size, teams;   // threads of a team; teams of a block
  u32 team, member;  // of this thread
  DEV Eights(u32 elements) {
    const u32 shift = elements <= 8 ? 0 : elements <= 16 ? 1 : elements <= 32 ? 2 : elements <= 64 ? 3 : elements <= 128 ? 4 : 5;
    size = 1 << shift;
    teams = BLOCK >> shift;
    team = tid() >> shift;
    member = tid() & (size - 1);
  }
};

// Eight elements as stored in memory. NVRTC would split halves of words as soon as they are loaded, and wait for the load.
template <class T> struct alignas(16) Eight {
  u32 words[2 * sizeof(T)];
  DEV f32 operator[](int e) const {
    if constexpr (sizeof(T) == 4) return bitcast<f32>(words[e]);
    else {
      T x;
      x.bits = (u16)(words[e / 2] >> e % 2 * 16);
      return Element<T>::load(x);
    }
  }
};

// The addresses of a thread's 8 elements of keys, values or queries.
template <class T, bool PACKED> struct EightOf {
  const u8* first;  // those of number 0
  i64 next, step;   // bytes from a number to the next; elements from one to the next
  i32 have;         // how many of the 8 there are
  DEV EightOf(const T* origin, const i64* steps, i64 size, u32 member) {
    const i32 left = (i32)size - (i32)member * 8;
    have = left < 0 ? 0 : left < 8 ? left : 8;
    step = PACKED ? 1 : steps[3];
    next = steps[2] * (i64)sizeof(T);
    first = (const u8*)(origin + (have > 0 ? member * 8 * step : 0));  // who has none loads what others do, which takes no time
  }
  DEV Eight<T> at(const u8* p) const {
    if constexpr (PACKED) {
      union { Pack<u32, 4> fours[sizeof(T) / 2]; Eight<T> all; } u;
#pragma unroll
      for (u32 i = 0; i < sizeof(T) / 2; i++) u.fours[i] = read_once((const Pack<u32, 4>*)p + i);
      return u.all;
    }
    const i64 near = step + opaque(0);  // else a loop keeps all that it is multiplied by
    union { T at[8]; Eight<T> all; } u;
#pragma unroll
    for (int e = 0; e < 8; e++) u.at[e] = e < have ? ((const T*)p)[e * near] : T();
    return u.all;
  }
  DEV Eight<T> of(u32 number) const { return at(first + number * next); }
  // Those of A numbers with stride `apart`; beyond `count`, the last one.
  template <int A> DEV void fetch(Eight<T> (&x)[A], u32 number, u32 apart, u32 count, bool whole) const {
    if (whole) {
      const u8* p = first + number * next;
#pragma unroll
      for (int j = 0; j < A; j++) x[j] = at(p + j * (apart * next));
    } else {
#pragma unroll
      for (int j = 0; j < A; j++) x[j] = of(number + j * apart < count ? number + j * apart : count - 1);
    }
  }
};

// The rows of a block, N at most, and a thread's state of them.
template <int N> struct Queried {
  u32 head[N], query[N];
  f32 x[N][8], sum[N][8], m[N], total[N];
};

// Keys from `first` to `end`, by all teams of a block; no team waits for another one. ks and vs load keys and values by numbers from `first` on.
template <class T, int N, bool PACKED, class ROWS>
DEV void attend(Queried<N>& r, const Eights& t, const T* q, const ROWS& ks, const ROWS& vs, const void* mask, const Attention& g, i64 batch, i64 first, i64 end) {
  const int AT_ONCE = !PACKED ? 1 : N == 1 ? 4 : 2;  // keys of a thread whose loads do not wait for one another
  const u32 turn = t.teams * AT_ONCE, count = end > first ? (u32)(end - first) : 0;
  const f32 factor = factor_of(g);
  const bool mine = ks.have > 0, alike = plain(g) && (!g.causal || g.queries == 1);
  if (count == 0) return;
  Eight<T> keys[AT_ONCE], values[AT_ONCE];
  ks.fetch(keys, t.team, t.teams, count, turn <= count);
  vs.fetch(values, t.team, t.teams, count, turn <= count);
#pragma unroll
  for (int n = 0; n < N; n++) {
    const EightOf<T, PACKED> qs(q + batch * g.q[0] + r.head[n] * g.q[1], g.q, g.size, t.member);
    const Eight<T> eight = qs.of(r.query[n]);
#pragma unroll
    for (int e = 0; e < 8; e++) r.x[n][e] = eight[e];
  }
  for (u32 at = 0; at < count; at += turn) {
    const bool more = at + turn < count, whole = at + 2 * turn <= count;  // the next turn
    f32 s[AT_ONCE][N];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
#pragma unroll
      for (int n = 0; n < N; n++) {
        f32 p = 0;
#pragma unroll
        for (int e = 0; e < 8; e++) p = fma(r.x[n][e], keys[j][e], p);
        s[j][n] = mine ? p : 0;
      }
    if (more) ks.fetch(keys, at + turn + t.team, t.teams, count, whole);  // on their way while the values are used
#pragma unroll
    for (u32 lanes = LANES / 2; lanes > 0; lanes /= 2)
      if (lanes < t.size)
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
#pragma unroll
          for (int n = 0; n < N; n++) s[j][n] += across(s[j][n], lanes);
    if (!alike) {
      const u32 now = opaque(0);  // else the loop keeps what is the same for all keys
#pragma unroll
      for (int n = 0; n < N; n++) {
        const u32 head = r.head[n] + now, query = r.query[n] + now;
        const Sight sees(g, query);
        const void* row = mask_of(g, mask, batch, head, query);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
          const i64 key = first + at + j * t.teams + t.team;
          if (key >= sees.end || key < sees.first)
            s[j][n] = minus_infinity();
          else if (!plain(g) && key < end)
            s[j][n] = masked(g, row, key, score(g, s[j][n]));
        }
      }
    }
    if (at + turn > count)
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++)
#pragma unroll
        for (int n = 0; n < N; n++)
          if (at + j * t.teams + t.team >= count) s[j][n] = minus_infinity();
#pragma unroll
    for (int n = 0; n < N; n++) {
      f32 most = s[0][n];
#pragma unroll
      for (int j = 1; j < AT_ONCE; j++) most = greater(most, s[j][n]);
      most = greater(r.m[n], most * factor);
      const f32 base = base_of(most), scale = quick_exp2(r.m[n] - base);
      r.m[n] = most;
      r.total[n] *= scale;
#pragma unroll
      for (int e = 0; e < 8; e++) r.sum[n][e] *= scale;
#pragma unroll
      for (int j = 0; j < AT_ONCE; j++) {
        const f32 w = quick_exp2(fma(s[j][n], factor, -base));
        r.total[n] += w;
#pragma unroll
        for (int e = 0; e < 8; e++) r.sum[n][e] = fma(w, values[j][e], r.sum[n][e]);
      }
    }
    if (more) vs.fetch(values, at + turn + t.team, t.teams, count, whole);
  }
}

// Every sets-th of the numbers from `at` on.
DEV void fetch(f32 (&x)[8], const f32* p, i64 step, u32 at, u32 sets, u32 count) {
#pragma unroll
  for (u32 j = 0; j < 8; j++)
    if (at + j * sets < count) x[j] = p[(at + j * sets) * step];
}

// Combines the parts of the rows from row0 on, in order, in one block. For a single row, several sets of threads take turns with the parts.
template <class T, int N>
DEV void merge_parts(const Queried<N>& r, const f32* sums, const f32* tops, T* out, const Attention& g, i64 batch, i64 row, u32 have, u32 parts, f32* shared) {
  u32 team = LANES;  // threads of a row and a set: all LANES of them have the same ones
  while (team < g.value_size) team *= 2;
  u32 sets = BLOCK / (team * N);
  if (sets == 0) sets = 1;
  for (u32 begin = 0; begin < team * N * sets; begin += BLOCK) {
    const u32 i = begin + tid(), set = i / team % sets, n = i / (team * sets), at = i % team, near = at < g.value_size ? at : 0;
    const i64 own = row + (n < have ? n : have - 1);
    const f32 *s = sums + own * g.parts * g.value_size + near, *t = tops + own * g.parts * 2;
    f32 most = minus_infinity(), all = 0, y = 0, x[8];
    for (u32 first = 0; first < parts; first += LANES) {  // a lane has the weight of a part
      const u32 count = parts - first < LANES ? parts - first : LANES;
      const f32 top = lane() < count ? t[2 * (first + lane())] : minus_infinity(), total = lane() < count ? t[2 * (first + lane()) + 1] : 0;
      fetch(x, s + (i64)first * g.value_size, g.value_size, set, sets, count);
      f32 now = greater(most, top);
#pragma unroll
      for (u32 lanes = 1; lanes < LANES; lanes *= 2) now = greater(now, across(now, lanes));
      const f32 scale = quick_exp2(most - base_of(now)), w = quick_exp2(top - base_of(now));
      most = now;
      all = fma(w, total, all * scale);
      y *= scale;
      for (u32 begin = set; begin - set < count; begin += sets * 8) {
#pragma unroll
        for (u32 j = 0; j < 8; j++) {
          const f32 weight = bitcast<f32>(word_of(bitcast<u32>(w), (begin + j * sets) % LANES));
          if (begin + j * sets < count) y = fma(weight, x[j], y);
        }
        fetch(x, s + (i64)first * g.value_size, g.value_size, begin + sets * 8, sets, count);
      }
    }
#pragma unroll
    for (u32 lanes = 1; lanes < LANES; lanes *= 2) all += across(all, lanes);
    if (sets > 1) {
      shared[i] = y;
      sync();
      for (u32 j = 1; j < sets; j++) y += shared[(i + j * team) % BLOCK];
    }
    if (set > 0 || n >= have || at >= g.value_size) continue;
    u32 head = 0, query = 0;
#pragma unroll
    for (int m = 0; m < N; m++)
      if (m == n) head = r.head[m], query = r.query[m];
    out[batch * g.out[0] + head * g.out[1] + query * g.out[2] + at * g.out[3]] = Element<T>::store(y / all);
  }
}

// Where the teams of a block meet.
const u32 TEAMS = BLOCK / LANES;
struct Meeting {
  f32 sums[TEAMS][(LANES + 1) * 8], ends[TEAMS][2];
};

// The rows of a block: those of `share` among `rows`, which are all queries of all heads of a group.
template <int N> DEV void begin_rows(Queried<N>& r, u32 group, u32 share, u32 rows, const Attention& g) {
#pragma unroll
  for (int n = 0; n < N; n++) {
    const u32 row = share * N + n < rows ? share * N + n : rows - 1, h = g.queries == 1 ? row : row / (u32)g.queries;
    r.head[n] = group * (u32)g.sharing + h;
    r.query[n] = row - h * g.queries;
    r.m[n] = minus_infinity();
    r.total[n] = 0;
#pragma unroll
    for (int e = 0; e < 8; e++) r.sum[n][e] = 0;
  }
}

// Combines the teams, adjacent lanes first, and stores results, or the state of a part; `base` is the first row of the group among all.
template <class T, int N>
DEV void combine_teams(const Queried<N>& r, const Eights& t, T* out, f32* sums, f32* tops, Meeting& meeting, const Attention& g, i64 batch, i64 base, u32 share, u32 rows, u32 part, u32 parts) {
  auto& shared = meeting.sums;
  auto& ends = meeting.ends;
#pragma unroll
  for (int n = 0; n < N; n++) {
    f32 most = r.m[n], total = r.total[n];
#pragma unroll
    for (u32 lanes = 1; lanes < LANES; lanes *= 2)
      if (lanes >= t.size) most = greater(most, across(most, lanes));
    const f32 scale = quick_exp2(r.m[n] - base_of(most));
    total *= scale;
    f32 y[8];
#pragma unroll
    for (int e = 0; e < 8; e++) y[e] = r.sum[n][e] * scale;
#pragma unroll
    for (u32 lanes = 1; lanes < LANES; lanes *= 2)
      if (lanes >= t.size) {
        total += across(total, lanes);
#pragma unroll
        for (int e = 0; e < 8; e++) y[e] += across(y[e], lanes);
      }
    const u32 wave = tid() / LANES;
    if (lane() == 0) ends[wave][0] = most, ends[wave][1] = total;
    if (lane() < t.size)
#pragma unroll
      for (int e = 0; e < 8; e++) shared[wave][e * (t.size + 1) + lane()] = y[e];
    sync();
#pragma unroll
    for (u32 i = 0; i < TEAMS; i++) most = greater(most, ends[i][0]);
    f32 weights[TEAMS], all = 0;
#pragma unroll
    for (u32 i = 0; i < TEAMS; i++) {
      weights[i] = quick_exp2(ends[i][0] - base_of(most));
      all = fma(weights[i], ends[i][1], all);
    }
    const i64 row = base + share * N + n;
    for (u32 at = tid(); at < g.value_size && share * N + n < rows; at += BLOCK) {
      f32 y = 0;
#pragma unroll
      for (u32 j = 0; j < TEAMS; j++) y = fma(weights[j], shared[j][at % 8 * (t.size + 1) + at / 8], y);
      if (parts == 1)
        out[batch * g.out[0] + r.head[n] * g.out[1] + r.query[n] * g.out[2] + at * g.out[3]] = Element<T>::store(y / all);
      else
        sums[(row * g.parts + part) * g.value_size + at] = y;
    }
    if (parts > 1 && tid() == 0 && share * N + n < rows) {
      f32* to = tops + (row * g.parts + part) * 2;
      to[0] = most;
      to[1] = all;
    }
    sync();
  }
}

template <class T, int N, bool PACKED>
DEV void attention_parts(const T* q, const T* k, const T* v, const void* mask, T* out, f32* sums, f32* tops, u32* counters, const Attention& given) {
  const Attention g = known(given, mask);
  SHARED Meeting meeting;
  const u32 sharing = (u32)g.sharing, rows = sharing * (u32)g.queries, shares = (rows + N - 1) / N;
  const Eights t((u32)(g.size > g.value_size ? g.size : g.value_size));
  // The keys that any query sees, and their parts. If the mask holds the number of keys, the host did not know it.
  const i64 seen = Sight(g, 0).first, beyond = Sight(g, g.queries - 1).end;
  u32 part_keys = (u32)g.part, parts = (u32)g.parts;
  if (given.masked == 3) {
    const u32 keys = beyond > seen ? (u32)(beyond - seen) : 1, even = (keys - 1) / parts + 1;
    if (part_keys < even) part_keys = even;
    parts = (keys - 1) / part_keys + 1;
  }
  for (u32 z = bid_y(); z < (u32)g.batch * (u32)g.groups; z += blocks_y())
    for (u32 share = bid_z(); share < shares; share += blocks_z())
      for (u32 part = bid(); part < parts; part += blocks()) {
        const u32 batch = g.batch == 1 ? 0 : z / (u32)g.groups, group = z - batch * (u32)g.groups;
        Queried<N> r;
        begin_rows(r, group, share, rows, g);
        const i64 first = seen + (u64)part * part_keys, end = first + part_keys < beyond ? first + part_keys : beyond;
        const EightOf<T, PACKED> ks(k + batch * g.k[0] + group * g.k[1] + first * g.k[2], g.k, g.size, t.member);
        const EightOf<T, PACKED> vs(v + batch * g.v[0] + group * g.v[1] + first * g.v[2], g.v, g.value_size, t.member);
        attend<T, N, PACKED>(r, t, q, ks, vs, mask, g, batch, first, end);
        combine_teams(r, t, out, sums, tops, meeting, g, batch, (i64)z * rows, share, rows, part, parts);
        if (parts == 1) continue;
        if (last_of(counters + z * shares + share, parts))
          merge_parts<T, N>(r, sums, tops, out, g, batch, (i64)z * rows + share * N, rows - share * N, parts, &meeting.sums[0][0]);
        sync();
      }
}
