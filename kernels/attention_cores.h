// Attention with matrix cores, for queries by sixteens: each wave of a block has 16, whose scores and sums stay in its registers, and all
// have the same keys and values in shared memory, while the next ones are on their way to registers.
//
// A matrix of scores is the first operand of the next product as it lies in the registers, or nearly so, if queries are on the side
// that stays: columns of AMD's results, rows of NVIDIA's. The other side passes by: keys, and then elements of values.

#if MATRIX_CORES
#if AMD
template <class T> using Staying = Columns<T>;
template <class T> using Passing = Rows<T>;
const int SLOTS = 1;  // queries that a lane has results of
DEV u32 slot_of(u32) { return 0; }
DEV u32 query_of(u32 lane, u32) { return lane % 16; }
DEV u32 passing_of(u32 lane, u32 e) { return row_of(lane, e); }
DEV f32 greatest_of(f32 x) {  // of the lanes that share a query
  for (u32 mask = 16; mask < WAVE; mask *= 2) x = greater(x, across(x, mask));
  return x;
}
DEV f32 sum_of(f32 x) {
  for (u32 mask = 16; mask < WAVE; mask *= 2) x += across(x, mask);
  return x;
}
template <class T> DEV Staying<T> staying_at(const T* p, u32 step, u32 lane) { return columns_at(p, step, lane); }
template <class T> DEV Results chain(const Passing<T>& x, const Staying<T>& y, const Results& c) { return multiply(x, y, c); }
#else
template <class T> using Staying = Rows<T>;
template <class T> using Passing = Columns<T>;
const int SLOTS = 2;
DEV u32 slot_of(u32 e) { return e / 2 % 2; }
DEV u32 query_of(u32 lane, u32 slot) { return lane / 4 + slot * 8; }
DEV u32 passing_of(u32 lane, u32 e) { return column_of(lane, e); }
DEV f32 greatest_of(f32 x) {
  x = greater(x, across(x, 1));
  return greater(x, across(x, 2));
}
DEV f32 sum_of(f32 x) {
  x += across(x, 1);
  return x + across(x, 2);
}
template <class T> DEV Staying<T> staying_at(const T* p, u32 step, u32 lane) { return rows_at(p, step, lane); }
template <class T> DEV Results chain(const Passing<T>& x, const Staying<T>& y, const Results& c) { return multiply(y, x, c); }
#endif
template <class T> DEV Passing<T> passing_at(const T* p, u32 step, u32 lane) {
#if AMD
  return rows_at(p, step, lane);
#else
  return columns_at(p, step, lane);
#endif
}

// Results as an operand. On gfx11 a lane has every second key of its query, and needs all.
template <class T> DEV Staying<T> staying_of(const Results& p, [[maybe_unused]] u32 lane) {
  const int WORDS = sizeof(Staying<T>) / 4, MINE = LANE_ROWS / 2;
  union { Staying<T> values; u32 words[WORDS]; } u;
#pragma unroll
  for (int i = 0; i < MINE; i++) u.words[i] = narrow_two(T(), p[2 * i], p[2 * i + 1]);
  if (MINE < WORDS) {
#pragma unroll
    for (int i = MINE - 1; i >= 0; i--) {
      const u32 mine = u.words[i], other = word_across(mine, 16), even = lane < 16 ? mine : other, odd = lane < 16 ? other : mine;
      u.words[2 * i] = (even & 0xffffu) | odd << 16;
      u.words[2 * i + 1] = even >> 16 | (odd & 0xffff0000u);
    }
  }
  return u.values;
}

// How many keys are in shared memory at once: as many as registers last for their scores, and for the next ones.
template <int D> const int KEYS = AMD && WAVE == 32 && D > 64 ? 32 : 64;

// KEYS rows of up to D elements on their way to shared memory. Threads take 8 elements, in one access where they are aligned and all there.
// BY_TWO: threads take neighbouring rows, 16 of eight threads, so that they can be put as columns.
template <class T, int D, bool BY_TWO> struct Stretch {
  static const int EACH = KEYS<D> * D / 8 / BLOCK;
  const T* p;
  i64 row_step, step;
  i32 row, chunk, have;  // the thread's first row, and its stretch of 8 elements; how many of them there are
  bool packed;
  Pack<u32, 4> next[EACH];  // two elements to a word

  MEMBER i32 row_of_pack(i32 j) { return BY_TWO ? j / 2 * (BLOCK * 16 / D) + j % 2 : j * (BLOCK * 8 / D); }

  DEV Stretch(u32 t, const T* origin, i64 row0, i64 row_step_, i64 step_, i64 size) {
    row_step = row_step_;
    step = step_;
    row = BY_TWO ? (i32)(t / D * 16 + t % 8 * 2) : (i32)(t / (D / 8));
    chunk = BY_TWO ? (i32)(t / 8 % 4 + t / 32 % (D / 32) * 4) : (i32)(t % (D / 8));
    have = size - chunk * 8 < 8 ? (i32)(size - chunk * 8) : 8;
    packed = step == 1 && row_step % 8 == 0 && have == 8 && aligned<8>(origin);
    p = origin + (row0 + row) * row_step + chunk * 8 * step;
  }
  DEV void fetch(i64 left) {  // so many rows are left
    const i64 near = step + opaque(0), far = row_step + opaque(0);  // else the loop around keeps all that they are multiplied by
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i32 r = row_of_pack(j);
      const T* from = p + r * far;
      if (row + r >= left) {
        next[j] = Pack<u32, 4>();
      } else if (packed) {
        next[j] = *(const Pack<u32, 4>*)from;
      } else {
#pragma unroll
        for (int e = 0; e < 8; e += 2)
          next[j].at[e / 2] = (e < have ? (u32)from[e * near].bits : 0) | (e + 1 < have ? (u32)from[e * near + near].bits << 16 : 0);
      }
    }
    p += KEYS<D> * row_step;
  }
  DEV void put(T* rows) const {
#pragma unroll
    for (int j = 0; j < EACH; j++) *(Pack<u32, 4>*)&rows[(row + row_of_pack(j)) * (D + GAP) + chunk * 8] = next[j];
  }
  // As D columns of KEYS elements. Sixteens of them change places from eight to eight columns, so that threads that put at once meet no
  // bank of memory twice.
  DEV void put_turned(T* columns) const {
#pragma unroll
    for (int j = 0; j < EACH; j += 2) {
      const i32 r = row + row_of_pack(j);
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const u32 x = next[j].at[e / 2], y = next[j + 1].at[e / 2];
        *(u32*)&columns[(chunk * 8 + e) * (KEYS<D> + GAP) + (r ^ chunk % (KEYS<D> / 16) * 16)] = e % 2 ? x >> 16 | (y & 0xffff0000u) : (x & 0xffffu) | y << 16;
      }
    }
  }
};

#if AMD
template <int D> const int VALUES = D * (KEYS<D> + GAP);
template <class T, int D> DEV Passing<T> values_at(const T* values, u32 key, u32 d, u32 lane) {
  typedef Passing<T> Placed __attribute__((aligned(PLACED)));
  const u32 column = d + lane % 16;
  return *(const Placed*)(values + column * (KEYS<D> + GAP) + (key ^ column / 8 % (KEYS<D> / 16) * 16) + first_k(lane));
}
#else
template <int D> const int VALUES = KEYS<D> * (D + GAP);
template <class T, int D> DEV Passing<T> values_at(const T* values, u32 key, u32 d, u32 lane) {
  Passing<T> x;
  turned_eights_at(x.at, values + (key + lane % 16) * (D + GAP) + d + lane / 16 * 8);
  return x;
}
#endif

// Rows of up to D elements.
template <class T, int D> DEV void attention_cores(const T* q, const T* k, const T* v, const void* mask, T* out, const Attention& g) {
  const u32 QUERIES = BLOCK / WAVE * 16;
  const int SIDE = KEYS<D>, MATRICES = SIDE / 16, DEEP = D / 16;
  const int FIRST = (int)QUERIES * (D + GAP), THEN = SIDE * (D + GAP) + VALUES<D>;
  alignas(16) SHARED T memory[FIRST > THEN ? FIRST : THEN];  // queries, then keys and values
  T *keys = memory, *values = memory + SIDE * (D + GAP);
  const i64 tiles = (g.queries + QUERIES - 1) / QUERIES;
  const f32 factor = factor_of(g);
  for (i64 z = bid_y(); z < g.batch * g.heads; z += blocks_y())
    for (i64 tile = bid(); tile < tiles; tile += blocks()) {
      const u32 t = opaque(tid()), lane = t % WAVE, wave = t / WAVE;
      const i64 batch = z / g.heads, head = z % g.heads, group = head / (g.heads / g.groups);
      const i64 query0 = (tiles - 1 - tile) * QUERIES, mine = query0 + wave * 16;  // those that see most keys come first
      const i64 beyond = query0 + QUERIES < g.queries ? query0 + QUERIES : g.queries;
      const i64 begin = Sight(g, query0).first / SIDE * SIDE, end = Sight(g, beyond - 1).end;
      const T* qs = q + batch * g.q[0] + head * g.q[1];
      for (u32 r = 0; r < QUERIES; r += SIDE) {
        Stretch<T, D, false> rows(t, qs, query0 + r, g.q[2], g.q[3], g.size);
        rows.fetch(g.queries - query0 - r);
        rows.put(memory + r * (D + GAP));
      }
      sync();
      Staying<T> x[DEEP];
#pragma unroll
      for (int d = 0; d < DEEP; d++) x[d] = staying_at(memory + wave * 16 * (D + GAP) + d * 16, D + GAP, lane);
      sync();

      Stretch<T, D, false> nextk(t, k + batch * g.k[0] + group * g.k[1], begin, g.k[2], g.k[3], g.size);
      Stretch<T, D, AMD> nextv(t, v + batch * g.v[0] + group * g.v[1], begin, g.v[2], g.v[3], g.value_size);
      nextk.fetch(end - begin);
      nextv.fetch(end - begin);
      Results sum[DEEP] = {};
      f32 m[SLOTS], total[SLOTS];
#pragma unroll
      for (int c = 0; c < SLOTS; c++) m[c] = minus_infinity(), total[c] = 0;
      const Sight first_sees(g, mine), last_sees(g, mine + 15);  // the others' sights are between
      for (i64 key0 = begin; key0 < end; key0 += SIDE) {
        nextk.put(keys);
#if AMD
        nextv.put_turned(values);
#else
        nextv.put(values);
#endif
        sync();
        nextk.fetch(end - key0 - SIDE);
        nextv.fetch(end - key0 - SIDE);
        if (mine < g.queries && key0 < last_sees.end && key0 + SIDE > first_sees.first) {
          Results s[MATRICES] = {};
#pragma unroll
          for (int d = 0; d < DEEP; d++)
#pragma unroll
            for (int i = 0; i < MATRICES; i++) s[i] = chain<T>(passing_at(keys + i * 16 * (D + GAP) + d * 16, D + GAP, lane), x[d], s[i]);

          if (!plain(g)) {
#pragma unroll
            for (int i = 0; i < MATRICES; i++)
#pragma unroll
              for (int e = 0; e < LANE_ROWS; e++) s[i][e] = score(g, s[i][e]);
          }
          if (g.masked) {
            const void* row[SLOTS];
#pragma unroll
            for (int c = 0; c < SLOTS; c++) {
              const i64 query = mine + query_of(lane, c);
              row[c] = mask_of(g, mask, batch, head, query < g.queries ? query : g.queries - 1);
            }
#pragma unroll
            for (int i = 0; i < MATRICES; i++)
#pragma unroll
              for (int e = 0; e < LANE_ROWS; e++) {
                const i64 key = key0 + opaque(i * 16 + passing_of(lane, e));
                if (key < end) s[i][e] = masked(g, row[slot_of(e)], key, s[i][e]);
              }
          }
          if (key0 + SIDE > first_sees.end || key0 < last_sees.first) {
            i32 first[SLOTS], last[SLOTS];  // of these keys
#pragma unroll
            for (int c = 0; c < SLOTS; c++) {
              const Sight sees(g, mine + query_of(lane, c));
              first[c] = sees.first > key0 ? (i32)(sees.first - key0) : 0;
              last[c] = sees.end - key0 < SIDE ? (i32)(sees.end - key0) : SIDE;
            }
#pragma unroll
            for (int i = 0; i < MATRICES; i++)
#pragma unroll
              for (int e = 0; e < LANE_ROWS; e++) {
                const i32 key = (i32)(i * 16 + passing_of(lane, e));
                if (key < first[slot_of(e)] || key >= last[slot_of(e)]) s[i][e] = minus_infinity();
              }
          }

          f32 base[SLOTS], scale[SLOTS];
#pragma unroll
          for (int c = 0; c < SLOTS; c++) {
            f32 most = minus_infinity();
#pragma unroll
            for (int i = 0; i < MATRICES; i++)
#pragma unroll
              for (int e = 0; e < LANE_ROWS; e++)
                if (slot_of(e) == c) most = greater(most, s[i][e]);
            most = greater(m[c], greatest_of(most) * factor);
            base[c] = base_of(most);
            scale[c] = quick_exp2(m[c] - base[c]);
            m[c] = most;
            total[c] *= scale[c];
          }
#pragma unroll
          for (int i = 0; i < MATRICES; i++)
#pragma unroll
            for (int e = 0; e < LANE_ROWS; e++) {
              s[i][e] = quick_exp2(fma(s[i][e], factor, -base[slot_of(e)]));
              total[slot_of(e)] += s[i][e];
            }
#pragma unroll
          for (int d = 0; d < DEEP; d++)
#pragma unroll
            for (int e = 0; e < LANE_ROWS; e++) sum[d][e] *= scale[slot_of(e)];
#pragma unroll
          for (int i = 0; i < MATRICES; i++) {
            const Staying<T> p = staying_of<T>(s[i], lane);
#pragma unroll
            for (int d = 0; d < DEEP; d++) sum[d] = chain<T>(values_at<T, D>(values, i * 16, d * 16, lane), p, sum[d]);
          }
        }
        sync();
      }

#pragma unroll
      for (int c = 0; c < SLOTS; c++) total[c] = 1 / sum_of(total[c]);
#pragma unroll
      for (int d = 0; d < DEEP; d++)
#pragma unroll
        for (int e = 0; e < LANE_ROWS; e++) {
          const i64 query = mine + query_of(lane, slot_of(e)), at = d * 16 + passing_of(lane, e);
          if (query < g.queries && at < g.value_size)
            out[batch * g.out[0] + head * g.out[1] + query * g.out[2] + at * g.out[3]] = Element<T>::store(sum[d][e] * total[slot_of(e)]);
        }
    }
}
#endif
