// Copies of rows of queries, keys and values to shared memory, for attention_cores.h. The next rows are loaded while the current ones are multiplied:
// through registers on AMD's GPUs, asynchronously on NVIDIA's.

#if MATRIX_CORES
template <class T> const int PER = 16 / sizeof(T);  // elements in 16 bytes: so far are rows in shared memory apart, or permuted

// The number of keys in a step: limited by the registers for their scores, and by shared memory for twice as many.
#if AMD
template <int D> const int HALF_KEYS = D > 128 ? MATRIX_K : WAVE == 32 || (D > 64 && MATRIX_K == 16) ? 32 : 64;  // gfx950 has more shared memory than other GPUs with waves of 64
template <int D> const int FLOAT_KEYS = D > 64 ? MATRIX_K : 32;
#else
template <int D> const int HALF_KEYS = D > 128 ? (WARPGROUPS ? 64 : 16) : D > 64 ? (WARPGROUPS ? 128 : 48) : 64;
template <int D> const int FLOAT_KEYS = D > 64 ? 16 : 32;
#endif
template <class T, int D> const int KEYS = sizeof(T) == 4 ? FLOAT_KEYS<D> : HALF_KEYS<D>;

// Whether matrix cores multiply rows of D elements of T. The shared memory of NVIDIA's GPUs has no room for long rows of f32.
template <class T, int D> const bool CORES = sizeof(T) == 2 || (FLOAT_CORES && (AMD || D <= 128));
// Warpgroups of NVIDIA's GPUs multiply f16 and bf16.
template <class T> const bool BY_GROUPS = WARPGROUPS && sizeof(T) == 2;
// How many waves share 16 queries: each has a part of the elements. A wave of 32 has no registers for all of long rows.
template <class T, int D> const int SHARERS = D > 128 && WAVE == 32 && !BY_GROUPS<T> ? 2 : 1;

// Products of the waves of a block, N of which share rows: each has those by its part of the elements, and they are added in order.
template <int N, int MATRICES> struct Parts {
  Pack<f32, 4> of[BLOCK / WAVE][MATRICES][LANE_ROWS / 4][WAVE];
  DEV void put(const Results (&s)[MATRICES], u32 wave, u32 lane) {
#pragma unroll
    for (int i = 0; i < MATRICES; i++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e += 4) of[wave][i][e / 4][lane] = {s[i][e], s[i][e + 1], s[i][e + 2], s[i][e + 3]};
  }
  DEV void add(Results (&s)[MATRICES], u32 wave, u32 lane) const {
#pragma unroll
    for (int i = 0; i < MATRICES; i++)
#pragma unroll
      for (int e = 0; e < LANE_ROWS; e += 4) {
        const Pack<f32, 4> first = of[wave / N * N][i][e / 4][lane];
#pragma unroll
        for (int j = 0; j < 4; j++) s[i][e + j] = first.at[j];
#pragma unroll
        for (u32 n = 1; n < N; n++) {
          const Pack<f32, 4> x = of[wave / N * N + n][i][e / 4][lane];
#pragma unroll
          for (int j = 0; j < 4; j++) s[i][e + j] += x.at[j];
        }
      }
  }
};

#if AMD
// x, which is the same in all lanes, in registers of its own. Arguments are loaded sixteen registers at a time: if one of them is spilled, all of them
// are read again where one is needed.
DEV i64 alone(i64 x) { asm("" : "+s"(x)); return x; }
DEV i64 inside(i64 x) { asm volatile("" : "+s"(x)); return x; }  // in whose loop all stays that is computed from it, as with opaque
#else
DEV i64 alone(i64 x) { return x; }
DEV i64 inside(i64 x) { return x; }

// Rows are stored in panels of LINE elements, 128 bytes a row, in which groups of 16 bytes are permuted from row to row, so that those of eight rows
// have no bank conflicts: the 128-byte swizzle of warpgroups.
template <class T> const int LINE = 8 * PER<T>;
template <class T, int ROWS> DEV u32 place(u32 row, u32 chunk) { return chunk / 8 * ROWS * LINE<T> + row * LINE<T> + (chunk % 8 ^ row % 8) * PER<T>; }

DEV void copy_async(u32 to, const void* from, u32 bytes) {  // 16 of them, or zeros
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(bytes) : "memory");
}
DEV void copies_wait() { asm volatile("cp.async.wait_all;" : : : "memory"); }
#endif

// A thread's part of ROWS rows of up to D elements, and of the next ones: groups of 16 bytes, in one access if they are aligned and complete.
// COLUMNS: threads take rows so that they can be stored as columns. Those of f32 take adjacent ones; of f16 and bf16 a thread takes two of them, 16 of
// eight threads, or if there is but one for each, 16 of 16 threads.
template <class T, int D, int ROWS, bool COLUMNS = false, int THREADS = BLOCK> struct Stretches {
  static const int N = PER<T>, EACH = ROWS * D / N / THREADS, ROUND = THREADS * N / D;  // ROUND: rows that all threads take at a time
  static const bool BY_TWO = COLUMNS && N == 8;
  const T* p;
  i64 row_step, step, left;  // left: rows that there are
  i32 row, chunk, have;      // the thread's first row, and its group of N elements; how many of them there are
  bool packed;

  MEMBER i32 row_of_pack(i32 j) { return BY_TWO ? j / 2 * (THREADS * 16 / D) + j % 2 : j * ROUND; }

  DEV Stretches(u32 t, const T* origin, i64 row0, i64 rows, const i64* steps, i64 size) {
    row_step = alone(steps[2]);
    step = alone(steps[3]);
    left = rows - row0;
    if (BY_TWO && EACH == 1) {
      row = (i32)(t / (D * 2) * 16 + t % 16);
      chunk = (i32)(t / 16 % (D / 8));
    } else if (BY_TWO) {
      row = (i32)(t / D * 16 + t % 8 * 2);
      chunk = (i32)(t / 8 % 4 + t / 32 % (D / 32) * 4);
    } else {
      row = COLUMNS ? (i32)(t % ROUND) : (i32)(t / (D / N));
      chunk = COLUMNS ? (i32)(t / ROUND) : (i32)(t % (D / N));
    }
    have = size - chunk * N < N ? (i32)(size - chunk * N) : N;
    packed = step == 1 && row_step % N == 0 && have == N && aligned<N>(origin);
    p = origin + (row0 + row) * row_step + chunk * N * step;
  }
  DEV void advance() {
    p += ROWS * row_step;
    left -= ROWS;
  }
  DEV Pack<u32, 4> gathered(const T* from, i64 near) const {
    Pack<u32, 4> x;
    if constexpr (N == 4) {
#pragma unroll
      for (int e = 0; e < N; e++) x.at[e] = e < have ? bitcast<u32>(from[e * near]) : 0;
    } else {  // two elements to a word
#pragma unroll
      for (int e = 0; e < N; e += 2)
        x.at[e / 2] = (e < have ? (u32)from[e * near].bits : 0) | (e + 1 < have ? (u32)from[e * near + near].bits << 16 : 0);
    }
    return x;
  }
#if AMD
  Pack<u32, 4> next[EACH];

  DEV void fetch() {
    const i64 near = step + opaque(0), far = row_step + opaque(0);  // else the loop around keeps all that they are multiplied by
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      const i32 r = row_of_pack(j);
      const T* from = p + r * far;
      if (row + r >= left)
        next[j] = Pack<u32, 4>();
      else if (packed)
        next[j] = *(const Pack<u32, 4>*)from;
      else
        next[j] = gathered(from, near);
    }
    advance();
  }
  template <int FAR = D + N> DEV void put(T* rows) const {  // FAR: elements from row to row
#pragma unroll
    for (int j = 0; j < EACH; j++) *(Pack<u32, 4>*)&rows[(row + row_of_pack(j)) * FAR + chunk * N] = next[j];
  }
  // As D columns of ROWS elements. Groups of sixteen f16 or bf16 are permuted every eight columns, so that concurrent stores have no bank conflicts.
  DEV void put_transposed(T* columns) const {
    if constexpr (N == 4) {
#pragma unroll
      for (int j = 0; j < EACH; j++)
#pragma unroll
        for (int e = 0; e < N; e++) columns[(chunk * N + e) * (ROWS + N) + row + row_of_pack(j)] = bitcast<f32>(next[j].at[e]);
    } else if constexpr (EACH == 1) {
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const u32 x = next[0].at[e / 2];
        *(u16*)&columns[(chunk * 8 + e) * (ROWS + N) + (row ^ chunk % (ROWS / 16) * 16)] = (u16)(e % 2 ? x >> 16 : x);
      }
    } else {
#pragma unroll
      for (int j = 0; j + 1 < EACH; j += 2) {
        const i32 r = row + row_of_pack(j);
#pragma unroll
        for (int e = 0; e < 8; e++) {
          const u32 x = next[j].at[e / 2], y = next[j + 1].at[e / 2];
          *(u32*)&columns[(chunk * 8 + e) * (ROWS + N) + (r ^ chunk % (ROWS / 16) * 16)] = e % 2 ? x >> 16 | (y & 0xffff0000u) : (x & 0xffffu) | y << 16;
        }
      }
    }
  }
#else
  DEV void copy(T* rows) {
    // Warpgroups that copy have few registers: without opaque the loop around keeps all multiples.
    const i64 hop = row_of_pack(1) * (THREADS < BLOCK ? row_step + opaque(0) : row_step);
    const i32 some = (left < ROWS ? (i32)left : ROWS) - row;
    const T* from = p;
    if (packed) {
      const u32 at = shared_address(rows + place<T, ROWS>(row, chunk));  // rows are multiples of ROUND apart, which is 4 or a multiple of 8
#pragma unroll
      for (int j = 0; j < EACH; j++, from += hop) copy_async((at ^ row_of_pack(j) % 8 * 16) + row_of_pack(j) * 128, from, row_of_pack(j) < some ? 16 : 0);
    } else {
#pragma unroll 1
      for (int j = 0; j < EACH; j++, from += hop) *(Pack<u32, 4>*)(rows + place<T, ROWS>(row + row_of_pack(j), chunk)) = row_of_pack(j) < some ? gathered(from, step) : Pack<u32, 4>();
    }
    advance();
  }
#endif
};

#if AMD
template <class T, int D> const int ROW = D + PER<T>;  // elements from row to row of keys
// And of queries and results, which pass once: long rows leave room for a second block of a compute unit of 64 KiB.
template <class T, int D> const int QUERY_ROW = D > 128 && WAVE == 64 ? D : ROW<T, D>;
template <class T, int D, int ROWS> DEV void put_rows(T* memory, u32 t, const T* origin, i64 row0, i64 end, const i64* strides, i64 size) {
  const int SOME = D > 64 ? KEYS<T, D> : 64;
  Stretches<T, D, SOME> rows(t, origin, row0, end, strides, size);
  for (i32 r = 0; r < ROWS; r += SOME) {
    rows.fetch();
    rows.template put<QUERY_ROW<T, D>>(memory + r * QUERY_ROW<T, D>);
  }
}
template <class T, int D, int ROWS> DEV Staying<T> query_at(const T* p, u32 query, u32 d, u32 lane) { return columns_at(p + query * QUERY_ROW<T, D> + d, QUERY_ROW<T, D>, lane); }
template <class T, int D, int SIDE = KEYS<T, D>> DEV Passing<T> key_at(const T* p, u32 key, u32 d, u32 lane) { return rows_at(p + key * ROW<T, D> + d, ROW<T, D>, lane); }
// Keys `key` to `key + MATRIX_K` of column d + lane % 16, those that the lane has results of (staying_of).
template <class T, int D, int SIDE = KEYS<T, D>> DEV Passing<T> value_at(const T* p, u32 key, u32 d, u32 lane) {
  const u32 column = d + lane % 16, turn = sizeof(T) == 4 ? 0 : column / 8 % (SIDE / 16) * 16;
  if constexpr (MATRIX_K == 16) {
    typedef Passing<T> Placed __attribute__((aligned(PLACED<T>)));
    return *(const Placed*)(p + column * (SIDE + PER<T>) + (key ^ turn) + first_k(lane));
  } else {
    typedef Pack<T, LANE_ROWS> Some;
    union { Passing<T> all; Some of[2]; } u;
#pragma unroll
    for (u32 o = 0; o < 2; o++) u.of[o] = *(const Some*)(p + column * (SIDE + PER<T>) + (key + o * 16 ^ turn) + lane / 16 * LANE_ROWS);
    return u.all;
  }
}

template <class T, int D> struct Stage {
  static const int SIDE = KEYS<T, D>, ELEMENTS = SIDE * ROW<T, D> + D * (SIDE + PER<T>);
  T *keys, *values;
  Stretches<T, D, SIDE> nextk;
  Stretches<T, D, SIDE, true> nextv;

  DEV Stage(T* memory, u32 t, const T* k, const T* v, i64 begin, i64 end, const Attention& g)
      : keys(memory), values(memory + SIDE * ROW<T, D>), nextk(t, k, begin, end, g.k, g.size), nextv(t, v, begin, end, g.v, g.value_size) {
    nextk.fetch();
    nextv.fetch();
  }
  DEV void step() {
    sync();  // nobody reads what is there
    nextk.put(keys);
    nextv.put_transposed(values);
    sync();
  }
  DEV void fetch() {
    nextk.fetch();
    nextv.fetch();
  }
};
#else
template <class T, int D> const int ROW = D;
template <class T, int D> const int QUERY_ROW = D;
template <class T, int D, int ROWS> DEV void put_rows(T* memory, u32 t, const T* origin, i64 row0, i64 end, const i64* strides, i64 size) {
  Stretches<T, D, ROWS>(t, origin, row0, end, strides, size).copy(memory);
  copies_wait();
}
template <class T, int D, int ROWS> DEV Staying<T> query_at(const T* p, u32 query, u32 d, u32 lane) {
  static_assert(sizeof(T) == 2, "rows of f32 that stay are loaded from memory");
  Staying<T> x;
  eights_at(x.at, p + query * 64 + place<T, ROWS>(lane % 16, d / 8 + lane / 16));
  return x;
}
template <class T, int D, int SIDE = KEYS<T, D>> DEV Passing<T> key_at(const T* p, u32 key, u32 d, u32 lane) {
  Passing<T> x;
  if constexpr (sizeof(T) == 4) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {  // which eight keys, of which eight elements
      const u32 row = i % 2 * 8 + lane / 4;
      const Pack<f32, 2> two = *(const Pack<f32, 2>*)(p + key * LINE<T> + place<T, SIDE>(row, d / 4 + i / 2 * 2 + lane % 4 / 2) + lane % 2 * 2);
      x.at[2 * i] = two.at[0], x.at[2 * i + 1] = two.at[1];
    }
  } else {
    eights_at(x.at, p + key * 64 + place<T, SIDE>(lane / 16 * 8 + lane % 8, d / 8 + lane / 8 % 2));
  }
  return x;
}
template <class T, int D, int SIDE = KEYS<T, D>> DEV Passing<T> value_at(const T* p, u32 key, u32 d, u32 lane) {
  Passing<T> x;
  if constexpr (sizeof(T) == 4) {
#pragma unroll
    for (u32 i = 0; i < 8; i++)  // which key of two, of which eight elements, of which eight keys
      x.at[i] = p[key * LINE<T> + place<T, SIDE>(i / 4 * 8 + lane % 4 * 2 + i % 2, d / 4 + i / 2 % 2 * 2 + lane / 16) + lane / 4 % 4];
  } else {
    transposed_eights_at(x.at, p + key * 64 + place<T, SIDE>(lane % 16, d / 8 + lane / 16));
  }
  return x;
}

// Two buffers for keys and two for values, so that a step waits only for the loads issued a step ago.
template <class T, int D> struct Stage {
  static const int SIDE = KEYS<T, D>, ONE = SIDE * D, ELEMENTS = 4 * ONE;
  T *memory, *keys, *values;
  u32 half;
  Stretches<T, D, SIDE> nextk, nextv;

  DEV Stage(T* memory_, u32 t, const T* k, const T* v, i64 begin, i64 end, const Attention& g)
      : memory(memory_), half(0), nextk(t, k, begin, end, g.k, g.size), nextv(t, v, begin, end, g.v, g.value_size) {
    sync();  // nobody reads what is there
    nextk.copy(memory);
    nextv.copy(memory + 2 * ONE);
  }
  DEV void step() {
    copies_wait();
    sync();
    keys = memory + half * ONE;
    values = keys + 2 * ONE;
    half ^= 1;
  }
  DEV void fetch() {
    nextk.copy(memory + half * ONE);
    nextv.copy(memory + (half + 2) * ONE);
  }
};
#endif
#endif
