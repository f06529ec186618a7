// The operands of attention_cores.h, on every kind of matrix cores. The registers of a matrix of scores are, almost unchanged, the first operand of
// the next product if queries are on the fixed side: columns of AMD's results, rows of NVIDIA's. The other side is iterated: keys, and then elements
// of values.

#if MATRIX_CORES
#if AMD
template <class T> using Staying = Columns<T>;
template <class T> using Passing = Rows<T>;
const int SLOTS = 1;  // queries that a lane has results of
DEV u32 slot_of(u32) { return 0; }
DEV u32 query_of(u32 lane, u32) { return lane % 16; }
DEV u32 passing_of(u32 lane, u32 e) { return row_of(lane, e); }
DEV f32 max_of(f32 x) {  // of the lanes that share a query
  for (u32 mask = 16; mask < WAVE; mask *= 2) x = greater(x, across(x, mask));
  return x;
}
DEV f32 sum_of(f32 x) {
  for (u32 mask = 16; mask < WAVE; mask *= 2) x += across(x, mask);
  return x;
}
DEV u32 of_wave(u32 x) { return __builtin_amdgcn_readfirstlane(x); }  // x, which all of a wave have: in a register for them all
template <class T> DEV Results chain(const Passing<T>& x, const Staying<T>& y, const Results& c) { return multiply(x, y, c); }
#else
template <class T> using Staying = Rows<T>;
template <class T> using Passing = Columns<T>;
const int SLOTS = 2;
DEV u32 slot_of(u32 e) { return e / 2 % 2; }
DEV u32 query_of(u32 lane, u32 slot) { return lane / 4 + slot * 8; }
DEV u32 passing_of(u32 lane, u32 e) { return column_of(lane, e); }
DEV f32 max_of(f32 x) {
  x = greater(x, across(x, 1));
  return greater(x, across(x, 2));
}
DEV f32 sum_of(f32 x) {
  x += across(x, 1);
  return x + across(x, 2);
}
DEV u32 of_wave(u32 x) { return word_of(x, 0); }
template <class T> DEV Results chain(const Passing<T>& x, const Staying<T>& y, const Results& c) { return multiply(y, x, c); }
#endif

// Results as an operand: MATRIX_K / 16 matrices of them. A lane has other values of its query than contiguous ones: see value_at. On gfx11 it has every
// second key, and needs all.
template <class T> DEV Staying<T> staying_of(const Results* p, [[maybe_unused]] u32 lane) {
  const int WORDS = sizeof(Staying<T>) / 4, OF = MATRIX_K / 16, MINE = LANE_ROWS * sizeof(T) / 4;
  union { Staying<T> values; u32 words[WORDS]; } u;
#pragma unroll
  for (int o = 0; o < OF; o++)
#pragma unroll
    for (int i = 0; i < MINE; i++) {
      if constexpr (sizeof(T) == 4)
        u.words[o * MINE + i] = bitcast<u32>((f32)p[o][i]);
      else
        u.words[o * MINE + i] = narrow_two(T(), p[o][2 * i], p[o][2 * i + 1]);
    }
  if (OF * MINE < WORDS) {
#pragma unroll
    for (int i = MINE - 1; i >= 0; i--) {
      const u32 mine = u.words[i], other = word_across(mine, 16), even = lane < 16 ? mine : other, odd = lane < 16 ? other : mine;
      u.words[2 * i] = (even & 0xffffu) | odd << 16;
      u.words[2 * i + 1] = even >> 16 | (odd & 0xffff0000u);
    }
  }
  return u.values;
}

#if FLOAT_CORES
// MATRIX_K elements from d on of 16 rows of f32 in memory, those that a lane has of a matrix that stays; zeros where there are none.
DEV Staying<f32> staying_at(const f32* p, const i64* strides, i64 row0, i64 end, u32 d, i64 size, u32 lane) {
  const int N = sizeof(Staying<f32>) / 4;
  union { Staying<f32> values; f32 at[N]; } u;
#pragma unroll
  for (u32 i = 0; i < N; i++) {
#if AMD
    const i64 row = row0 + lane % 16, at = d + first_k(lane) + i;
#else
    const i64 row = row0 + lane / 4 + i / 2 % 2 * 8, at = d + i / 4 * 8 + lane % 4 * 2 + i % 2;
#endif
    u.at[i] = row < end && at < size ? p[row * strides[2] + at * strides[3]] : 0;
  }
  return u.values;
}
#endif
#endif
