// Products of quantized rows on matrix cores. Codes are small whole numbers, which are exact in half precision, and so are, in single precision, the sums
// of 32 of their products: a part gives what dot4 gives, to the bit.
//
// RDNA3 is left out: its matrix cores multiply no faster than its dot products of four bytes, and half of the lanes would unpack what the others do.
//
// A block computes a tile of 32 × 32 results. Eight parts of each row lie in shared memory at once, as they are stored, while threads load the next ones;
// the waves take a part each, or two, and their sums are added in the end.

#if MATRIX_CORES && (!defined(__GFX11__) || EMULATED_CORES)
#define CODE_CORES 1
// Four signed bytes as halves, in two words. The bits 0x6400 + n are the number 1024 + n.
struct FourHalves { u32 first, second; };
#if AMD
typedef _Float16 TwoHalves __attribute__((ext_vector_type(2)));
DEV u32 less_1152(u32 x) {
  const TwoHalves bias = {(_Float16)1152, (_Float16)1152};
  return __builtin_bit_cast(u32, __builtin_bit_cast(TwoHalves, x) - bias);
}
DEV FourHalves halves_of(u32 codes) {
  const u32 n = codes ^ 0x80808080u, high = 0x64646464u;
  const FourHalves x = {less_1152(__builtin_amdgcn_perm(high, n, 0x04010400u)), less_1152(__builtin_amdgcn_perm(high, n, 0x04030402u))};
  return x;
}
#else
DEV u32 less_1152(u32 x) {
  u32 r;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(0x64806480u));
  return r;
}
DEV u32 bytes_of(u32 low, u32 high, u32 which) {
  u32 r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(which));
  return r;
}
DEV FourHalves halves_of(u32 codes) {
  const u32 n = codes ^ 0x80808080u, high = 0x64646464u;
  const FourHalves x = {less_1152(bytes_of(n, high, 0x4140)), less_1152(bytes_of(n, high, 0x4342))};
  return x;
}
#endif

const u32 PART_STEPS = 32 / MATRIX_K, STEP_WORDS = MATRIX_K / 4;  // matrices in a part; words of codes in each of their rows
const u32 SIDE = 32, WAVES = BLOCK / WAVE;                        // rows and columns of a tile; waves of a block
const u32 CHUNK = 8;                                              // parts of a row that are in shared memory

// Rows are copied in pieces. In shared memory, rows are 16 bytes more than a multiple of 128 apart: eight rows with four words of each meet no bank twice.
struct alignas(16) Piece { u32 at[4]; };
DEV void read_piece(Piece& to, const void* p) {
  const Piece x = *(const Piece*)p;
#pragma unroll
  for (u32 i = 0; i < 4; i++) to.at[i] = x.at[i];  // clang would keep what is assigned as a whole in memory
}

// Rows of weights. Those beyond the end are the last one. Each keeps in shared memory the alignment to 16 bytes that it has in memory.
template <class F> struct CodeRows {
  static const bool ALIGNED = F::BYTES % 16 == 0;
  static const u32 BYTES = CHUNK / F::PARTS * F::BYTES, PIECES = (BYTES + (ALIGNED ? 0 : 30)) / 16, APART = (PIECES * 16 + 127) / 128 * 128 + 16;
  static const u32 EACH = (SIDE * PIECES + BLOCK - 1) / BLOCK;  // pieces of a thread
  const u8 *first, *end;                                         // the tile's first row, and the matrix's end
  u32 bytes, left;                                               // of a row; what has not been fetched
  u32 most;                                                      // the last row of the tile that the matrix has
  u8* shared;
  u32 from[EACH];  // where the chunks of a thread's pieces are, from the first row on: a tile has less than 4 GiB
  Piece next[EACH];

  DEV CodeRows(const u8* packed, u64 row, const Product& g, u8* shared, u32 t)
      : end(packed + g.rows * (g.parts / F::PARTS * F::BYTES)), bytes((u32)g.parts / F::PARTS * F::BYTES), left(bytes), shared(shared), next() {
    first = packed + row * (u64)bytes;
    most = g.rows - row < SIDE ? (u32)(g.rows - row) - 1 : SIDE - 1;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) from[i] = offset((t + i * BLOCK) / PIECES);
  }
  DEV u32 offset(u32 r) const { return (r < most ? r : most) * bytes; }
  // Loads the next chunk into registers.
  DEV void fetch(u32 t) {
    const u32 length = left < BYTES ? left : BYTES;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
      const u32 at = t + i * BLOCK, shift = ALIGNED ? 0 : ((u32)(u64)first + from[i]) & 15, skip = at % PIECES * 16;
      const u8* p = first + from[i] - shift + skip;
      if ((EACH * BLOCK == SIDE * PIECES || at < SIDE * PIECES) && skip < length + shift) {
        if (ALIGNED || p + sizeof(Piece) <= end) {
          read_piece(next[i], p);
        } else {
#pragma unroll
          for (u32 j = 0; j < 16; j++) {  // the last bytes of the matrix
            const u32 byte = p + j < end ? (u32)p[j] << j % 4 * 8 : 0;
            next[i].at[j / 4] = j % 4 ? next[i].at[j / 4] | byte : byte;
          }
        }
      }
      from[i] += BYTES;
    }
    left -= length;
  }
  DEV void put(u32 t) const {
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
      const u32 at = t + i * BLOCK;
      if (EACH * BLOCK == SIDE * PIECES || at < SIDE * PIECES) *(Piece*)(shared + at / PIECES * APART + at % PIECES * 16) = next[i];
    }
  }
  // The block of a part of a chunk.
  DEV const u8* block(u32 r, u32 chunk, u32 part) const {
    const u32 shift = ALIGNED ? 0 : ((u32)(u64)first + offset(r) + chunk * BYTES) & 15;
    return shared + r * APART + shift + part / F::PARTS * F::BYTES;
  }
  DEV u32 word(u32 r, u32 chunk, u32 part, u32 w) const { return F::word(block(r, chunk, part), part % F::PARTS, w); }
};

// Rows of the other operand: their codes, and what their parts have besides.
struct alignas(8) Rest {
  f32 d;
  u32 sums;  // of the first half, and of the other above it
  DEV i32 sum(u32 h) const { return h == 0 ? (i32)(i16)sums : (i32)sums >> 16; }
};
struct PartRows {
  static const u32 PIECES = CHUNK * 2, EACH = SIDE * PIECES / BLOCK, APART = PIECES * 16 + 16, RESTS = CHUNK + 1;
  u8* codes;
  Rest* rests;
  u32 left;                   // parts of a row that have not been fetched
  const Part* first;          // of the tile
  u32 from[EACH], rest_from;  // how many parts after it a thread's next ones are
  Piece next[EACH];
  Rest next_rest;

  DEV PartRows(const Part* x, u64 col, const Product& g, u8* codes, Rest* rests, u32 t) : codes(codes), rests(rests), left((u32)g.parts), next(), next_rest() {
    const u32 most = g.cols - col < SIDE ? (u32)(g.cols - col) - 1 : SIDE - 1;
    first = x + col * g.parts;
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
      const u32 at = t + i * BLOCK, c = at / PIECES;
      from[i] = (c < most ? c : most) * left + at % PIECES / 2;
    }
    rest_from = (t / CHUNK < most ? t / CHUNK : most) * left + t % CHUNK;
  }
  DEV void fetch(u32 t) {
#pragma unroll
    for (u32 i = 0; i < EACH; i++) {
      const u32 at = t + i * BLOCK;
      if (at % PIECES / 2 < left) read_piece(next[i], &first[from[i]].q[at % 2 * 4]);
      from[i] += CHUNK;
    }
    if (t % CHUNK < left) next_rest = *(const Rest*)&first[rest_from].d;
    rest_from += CHUNK;
    left -= left < CHUNK ? left : CHUNK;
  }
  DEV void put(u32 t) const {
#pragma unroll
    for (u32 i = 0; i < EACH; i++) *(Piece*)(codes + (t + i * BLOCK) / PIECES * APART + (t + i * BLOCK) % PIECES * 16) = next[i];
    rests[t / CHUNK * RESTS + t % CHUNK] = next_rest;
  }
  DEV const Rest& rest(u32 c, u32 part) const { return rests[c * RESTS + part]; }
  DEV u32 word(u32 c, u32, u32 part, u32 w) const { return *(const u32*)(codes + c * APART + part * 32 + w * 4); }
};

// What a lane has of 16 rows of either, from row r on, in a step of a part.
#if AMD
struct LaneWords { u32 at[LANE_K / 2]; };
DEV u32 first_word(u32 step, u32 lane) { return step * STEP_WORDS + first_k(lane) / 4; }
template <class R> DEV Rows<f16> row_codes(const R& rows, u32 r, u32 chunk, u32 part, u32 step, u32 lane) {
  LaneWords x;
#pragma unroll
  for (u32 i = 0; i < LANE_K / 4; i++) {
    const FourHalves h = halves_of(rows.word(r + lane % 16, chunk, part, first_word(step, lane) + i));
    x.at[2 * i] = h.first, x.at[2 * i + 1] = h.second;
  }
  return __builtin_bit_cast(Rows<f16>, x);
}
template <class R> DEV Columns<f16> column_codes(const R& rows, u32 r, u32 chunk, u32 part, u32 step, u32 lane) {
  return row_codes(rows, r, chunk, part, step, lane);
}
DEV void clear(Rows<f16>& x) { x = (_Float16)0; }
#else
DEV u32 first_word(u32 step, u32 lane) { return step * STEP_WORDS + lane % 4; }
template <class R> DEV Rows<f16> row_codes(const R& rows, u32 r, u32 chunk, u32 part, u32 step, u32 lane) {
  const u32 w = first_word(step, lane);
  const FourHalves a = halves_of(rows.word(r + lane / 4, chunk, part, w)), b = halves_of(rows.word(r + lane / 4 + 8, chunk, part, w));
  const Rows<f16> x = {{a.first, b.first, a.second, b.second}};
  return x;
}
template <class R> DEV Columns<f16> column_codes(const R& rows, u32 r, u32 chunk, u32 part, u32 step, u32 lane) {
  const u32 w = first_word(step, lane);
  const FourHalves a = halves_of(rows.word(r + lane / 4, chunk, part, w)), b = halves_of(rows.word(r + lane / 4 + 8, chunk, part, w));
  const Columns<f16> x = {{a.first, a.second, b.first, b.second}};
  return x;
}
DEV void clear(Rows<f16>&) {}  // is not called: a step is of one half
#endif

// A number that the lane of each row of a tile has, for the lane's results. On NVIDIA's GPUs there are four in each row.
DEV void of_rows(f32 (&to)[LANE_ROWS], f32 x, u32 first_row, u32 lane) {
#pragma unroll
  for (u32 e = 0; e < LANE_ROWS; e++)
    to[e] = AMD || (e & ~2u) == 0 ? bitcast<f32>(word_of(bitcast<u32>(x), first_row + row_of(lane, e))) : to[e & 2];
}

// Adds the products of a part of a chunk to a wave's sums. All of its lanes take part.
template <class F> DEV void add_part(Results (&sum)[2][2], const CodeRows<F>& rows, const PartRows& columns, u32 chunk, u32 part, u32 lane) {
  const u8* own = rows.block(lane % SIDE, chunk, part);
  Rows<f16> a[2][PART_STEPS];
  Columns<f16> b[2][PART_STEPS];
#pragma unroll
  for (u32 i = 0; i < 2; i++)
#pragma unroll
    for (u32 step = 0; step < PART_STEPS; step++) {
      a[i][step] = row_codes(rows, 16 * i, chunk, part, step, lane);
      b[i][step] = column_codes(columns, 16 * i, chunk, part, step, lane);
    }
  f32 d[2][LANE_ROWS], t[2][2][LANE_ROWS];
  f32 sums[2][1 + F::SPLIT][LANE_ROWS];  // of the codes of the lane's columns that share a scale
#pragma unroll
  for (u32 j = 0; j < 2; j++)
#pragma unroll
    for (u32 e = 0; e < LANE_ROWS; e++) {
      const u32 same = AMD ? 0 : e & ~2u;  // the first result in the same column
      if (same == e) {
        const Rest x = columns.rest(16 * j + column_of(lane, e), part);
        d[j][e] = x.d;
#pragma unroll
        for (u32 h = 0; h < 1 + F::SPLIT; h++) sums[j][h][e] = (f32)(F::SPLIT ? x.sum(h) : x.sum(0) + x.sum(1));
      } else {
        d[j][e] = d[j][same];
#pragma unroll
        for (u32 h = 0; h < 1 + F::SPLIT; h++) sums[j][h][e] = sums[j][h][same];
      }
    }
#pragma unroll
  for (u32 h = 0; h < 1 + F::SPLIT; h++) {
    const f32 scale = F::scale(own, part % F::PARTS, h), low = F::LOW ? F::low(own, part % F::PARTS, h) : 0;
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
      f32 scales[LANE_ROWS], lows[LANE_ROWS];
      of_rows(scales, scale, 16 * i, lane);
      if (F::LOW) of_rows(lows, low, 16 * i, lane);
#pragma unroll
      for (u32 j = 0; j < 2; j++) {
        Results s = {};
#pragma unroll
        for (u32 step = 0; step < PART_STEPS; step++) {
          if (F::SPLIT && PART_STEPS == 2 && step != h) continue;
          Rows<f16> of_half = a[i][step];
          if (F::SPLIT && PART_STEPS == 1 && first_word(step, lane) / 4 != h) clear(of_half);
          s = multiply(of_half, b[j][step], s);
        }
#pragma unroll
        for (u32 e = 0; e < LANE_ROWS; e++) {
          f32 x = scales[e] * (F::OFFSET ? s[e] - (f32)F::OFFSET * sums[j][h][e] : s[e]);
          if (F::LOW) x = fma(lows[e], sums[j][h][e], x);
          t[i][j][e] = h == 0 ? x : t[i][j][e] + x;
        }
      }
    }
  }
#pragma unroll
  for (u32 i = 0; i < 2; i++)
#pragma unroll
    for (u32 j = 0; j < 2; j++)
#pragma unroll
      for (u32 e = 0; e < LANE_ROWS; e++) sum[i][j][e] = fma(d[j][e], t[i][j][e], sum[i][j][e]);
}

const u32 RESULTS = 4 * LANE_ROWS;  // of a lane
#define RESULT(i) sum[(i) / LANE_ROWS / 2][(i) / LANE_ROWS % 2][(i) % LANE_ROWS]

// Leaves the sum of the waves' sums in shared memory, by columns and rows. Half of the waves give theirs to the others, as often as there are others.
DEV void add_waves(Results (&sum)[2][2], f32* shared, u32 wave, u32 lane) {
#pragma unroll 1
  for (u32 n = WAVES / 2; n > 0; n /= 2) {
    f32* own = shared + wave % n * (WAVE * RESULTS) + lane;
    sync();
    if (wave >= n && wave < 2 * n)
#pragma unroll
      for (u32 i = 0; i < RESULTS; i++) own[i * WAVE] = RESULT(i);
    sync();
    if (wave < n)
#pragma unroll
      for (u32 i = 0; i < RESULTS; i++) RESULT(i) += own[i * WAVE];
  }
  sync();
  if (wave == 0)
#pragma unroll
    for (u32 i = 0; i < RESULTS; i++) {
      const u32 e = i % LANE_ROWS, r = i / LANE_ROWS / 2 * 16 + row_of(lane, e), c = i / LANE_ROWS % 2 * 16 + column_of(lane, e);
      shared[c * (SIDE + 1) + r] = RESULT(i);
    }
  sync();
}

template <class F> DEV void matmul_codes(const u8* packed, const Part* x, void* out, const Product& g) {
  typedef CodeRows<F> Weights;
  SHARED union {
    struct {
      Piece weights[SIDE * Weights::APART / 16], codes[SIDE * PartRows::APART / 16];
      Rest rests[SIDE * PartRows::RESTS];
    } rows;
    f32 sums[WAVES / 2 * WAVE * RESULTS];
  } memory;
  const u32 t = opaque(tid()), lane = t % WAVE, wave = t / WAVE;
  for (u64 col = (u64)bid_y() * SIDE; col < g.cols; col += (u64)blocks_y() * SIDE)
    for (u64 row = (u64)bid() * SIDE; row < g.rows; row += (u64)blocks() * SIDE) {
      Weights rows(packed, row, g, (u8*)memory.rows.weights, t);
      PartRows columns(x, col, g, (u8*)memory.rows.codes, memory.rows.rests, t);
      rows.fetch(t);
      columns.fetch(t);
      Results sum[2][2] = {};
      for (u32 chunk = 0; chunk * CHUNK < g.parts; chunk++) {
        sync();
        rows.put(t);
        columns.put(t);
        sync();
        if ((chunk + 1) * CHUNK < g.parts) {
          rows.fetch(t);
          columns.fetch(t);
        }
#pragma unroll 1
        for (u32 i = 0; i < CHUNK / WAVES; i++)
          if (chunk * CHUNK + i * WAVES + wave < g.parts) add_part(sum, rows, columns, chunk, i * WAVES + wave, lane);
      }
      add_waves(sum, memory.sums, wave, lane);
#pragma unroll
      for (u32 i = 0; i < SIDE * SIDE / BLOCK; i++) {
        const u32 r = t % SIDE, c = t / SIDE + i * (BLOCK / SIDE);
        if (row + r < g.rows && col + c < g.cols) put(out, (col + c) * g.rows + row + r, memory.sums[c * (SIDE + 1) + r], g.type);
      }
      sync();
    }
}
#endif
