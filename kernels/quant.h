// Block formats of quantized tensors, byte for byte as ggml has them: 32 or 256 elements with codes of a few bits and shared scales. For the kernels
// a block is PARTS parts of 32 elements, and a format provides two functions:
//   word(b, p, w)                   the codes of elements 4w…4w+3 of part p, a signed byte each, for w below 8
//   scale(b, p, h), low(b, p, h)    what half h of a part has in common
// Element e is scale · (code[e] - OFFSET), and + low where there is one (LOW). SPLIT formats have other scales for the other half.

struct alignas(2) Two { u16 low, high; };
DEV u32 word_at2(const u8* p) {  // of any even address
  const Two t = *(const Two*)p;
  return (u32)t.low | (u32)t.high << 16;
}
DEV u32 word_at4(const u8* p) { return *(const u32*)p; }
struct alignas(16) Eight { u32 at[8]; };
DEV Eight eight_at(const u8* p) { return *(const Eight*)p; }
DEV f32 half_at(const u8* p) {
  const f16 x = {*(const u16*)p};
  return widen(x);
}

const u32 ONES = 0x01010101, TWOS = 0x03030303, FOURS = 0x0f0f0f0f;
// Four bits, one to a byte.
DEV u32 spread(u32 x) { return ((x & 15) * 0x00204081u) & ONES; }
// The four bits of 16 bytes: words 0 to 3 are their lower halves, 4 to 7 the upper ones.
DEV u32 nibbles(u32 x, u32 w) { return (x >> (w / 4 * 4)) & FOURS; }

struct q4_0 {
  static const u32 BYTES = 18, PARTS = 1;
  static const i32 OFFSET = 8;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) { return nibbles(word_at2(b + 2 + w % 4 * 4), w); }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct q4_1 {
  static const u32 BYTES = 20, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = true, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) { return nibbles(word_at4(b + 4 + w % 4 * 4), w); }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8* b, u32, u32) { return half_at(b + 2); }
};
struct q5_0 {
  static const u32 BYTES = 22, PARTS = 1;
  static const i32 OFFSET = 16;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) {
    return nibbles(word_at2(b + 6 + w % 4 * 4), w) | spread(word_at2(b + 2) >> (4 * w)) << 4;
  }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct q5_1 {
  static const u32 BYTES = 24, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = true, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) {
    return nibbles(word_at4(b + 8 + w % 4 * 4), w) | spread(word_at4(b + 4) >> (4 * w)) << 4;
  }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8* b, u32, u32) { return half_at(b + 2); }
};
struct q8_0 {
  static const u32 BYTES = 34, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) { return word_at2(b + 2 + w * 4); }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct q8_1 {
  static const u32 BYTES = 36, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) { return word_at4(b + 4 + w * 4); }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};

// Blocks of 256. The two bits of element 128·n + 32·j + i are bits 2j of byte 32·n + i; the four bits of element 64·n + 32·j + i
// half j of that byte.

struct q2k {  // scales[16] (scale, minimum), codes[64], d, dmin
  static const u32 BYTES = 84, PARTS = 8;
  static const i32 OFFSET = 0;
  static const bool LOW = true, SPLIT = true;
  MEMBER u32 word(const u8* b, u32 p, u32 w) { return (word_at4(b + 16 + p / 4 * 32 + w * 4) >> (p % 4 * 2)) & TWOS; }
  MEMBER f32 scale(const u8* b, u32 p, u32 h) { return half_at(b + 80) * (f32)(b[2 * p + h] & 15); }
  MEMBER f32 low(const u8* b, u32 p, u32 h) { return -(half_at(b + 82) * (f32)(b[2 * p + h] >> 4)); }
};
struct q3k {  // third bits[32], codes[64], scales[12] of six bits, d
  static const u32 BYTES = 110, PARTS = 8;
  static const i32 OFFSET = 4;
  static const bool LOW = false, SPLIT = true;
  MEMBER u32 word(const u8* b, u32 p, u32 w) {
    return ((word_at2(b + 32 + p / 4 * 32 + w * 4) >> (p % 4 * 2)) & TWOS) | ((word_at2(b + w * 4) >> p) & ONES) << 2;
  }
  MEMBER f32 scale(const u8* b, u32 p, u32 h) {
    const u32 k = 2 * p + h;
    const u32 s = ((b[96 + k % 8] >> (k / 8 * 4)) & 15) | ((b[104 + k % 4] >> (k / 4 * 2)) & 3) << 4;
    return half_at(b + 108) * (f32)((i32)s - 32);
  }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};

// The header of blocks of q4k and q5k, in one access: d, dmin, and twelve bytes with scales and minima of six bits. Those of parts 0 to 3 are the
// lower bits of bytes 0 to 3 and 4 to 7; of parts 4 to 7, four bits are in bytes 8 to 11 and two on top of the others.
struct alignas(16) Head {
  u32 d, scales, minima, rest;
  DEV f32 scale(u32 p) const {
    const u32 k = p % 4 * 8;
    const u32 s = p < 4 ? (scales >> k) & 63 : ((rest >> k) & 15) | ((scales >> (k + 6)) & 3) << 4;
    const f16 x = {(u16)d};
    return widen(x) * (f32)s;
  }
  DEV f32 low(u32 p) const {
    const u32 k = p % 4 * 8;
    const u32 m = p < 4 ? (minima >> k) & 63 : ((rest >> (k + 4)) & 15) | ((minima >> (k + 6)) & 3) << 4;
    const f16 x = {(u16)(d >> 16)};
    return -(widen(x) * (f32)m);
  }
};
DEV Head head_at(const u8* b) { return *(const Head*)b; }

struct q4k {  // d, dmin, scales[12], codes[128]
  static const u32 BYTES = 144, PARTS = 8;
  static const i32 OFFSET = 0;
  static const bool LOW = true, SPLIT = false;
  MEMBER u32 word(const u8* b, u32 p, u32 w) { return (word_at4(b + 16 + p / 2 * 32 + w * 4) >> (p % 2 * 4)) & FOURS; }
  MEMBER f32 scale(const u8* b, u32 p, u32) { return head_at(b).scale(p); }
  MEMBER f32 low(const u8* b, u32 p, u32) { return head_at(b).low(p); }
};
struct q5k {  // d, dmin, scales[12], fifth bits[32], codes[128]
  static const u32 BYTES = 176, PARTS = 8;
  static const i32 OFFSET = 0;
  static const bool LOW = true, SPLIT = false;
  MEMBER u32 word(const u8* b, u32 p, u32 w) {
    return ((word_at4(b + 48 + p / 2 * 32 + w * 4) >> (p % 2 * 4)) & FOURS) | ((word_at4(b + 16 + w * 4) >> p) & ONES) << 4;
  }
  MEMBER f32 scale(const u8* b, u32 p, u32) { return head_at(b).scale(p); }
  MEMBER f32 low(const u8* b, u32 p, u32) { return head_at(b).low(p); }
};
struct q6k {  // low bits[128], high bits[64], scales[16], d
  static const u32 BYTES = 210, PARTS = 8;
  static const i32 OFFSET = 32;
  static const bool LOW = false, SPLIT = true;
  MEMBER u32 word(const u8* b, u32 p, u32 w) {
    return ((word_at2(b + p / 4 * 64 + p % 2 * 32 + w * 4) >> (p / 2 % 2 * 4)) & FOURS) |
           ((word_at2(b + 128 + p / 4 * 32 + w * 4) >> (p % 4 * 2)) & TWOS) << 4;
  }
  MEMBER f32 scale(const u8* b, u32 p, u32 h) { return half_at(b + 208) * (f32)(i8)b[192 + 2 * p + h]; }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct q8k {  // d in single precision, codes[256], sums
  static const u32 BYTES = 292, PARTS = 8;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32 p, u32 w) { return word_at4(b + 4 + p * 32 + w * 4); }
  MEMBER f32 scale(const u8* b, u32, u32) { return bitcast<f32>(word_at4(b)); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};

// Four-bit codes that index a table of bytes.

// Four of the eight bytes in high and low, selected by the lowest three bits of the bytes of which.
#if AMD
DEV u32 pick(u32 high, u32 low, u32 which) { return __builtin_amdgcn_perm(high, low, which); }
#else
DEV u32 pick(u32 high, u32 low, u32 which) {
  const u64 table = (u64)high << 32 | low;
  u32 r = 0;
#pragma unroll
  for (u32 i = 0; i < 32; i += 8) r |= ((u32)(table >> ((which >> i & 7) * 8)) & 255u) << i;
  return r;
}
#endif
DEV u32 looked_up(u32 codes, u32 t0, u32 t1, u32 t2, u32 t3) {
  const u32 upper = ((codes >> 3) & ONES) * 255u, which = codes & 0x07070707u;
  return (pick(t3, t2, which) & upper) | (pick(t1, t0, which) & ~upper);
}
// -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113
DEV u32 uneven(u32 codes) { return looked_up(codes, 0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u); }

struct iq4_nl {
  static const u32 BYTES = 18, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) { return uneven(nibbles(word_at2(b + 2 + w % 4 * 4), w)); }
  MEMBER f32 scale(const u8* b, u32, u32) { return half_at(b); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct iq4_xs {  // d, two upper bits of 8 scales, four lower bits of them, codes[128]
  static const u32 BYTES = 136, PARTS = 8;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32 p, u32 w) { return uneven(nibbles(word_at4(b + 8 + p * 16 + w % 4 * 4), w)); }
  MEMBER f32 scale(const u8* b, u32 p, u32) {
    const u32 s = ((b[4 + p / 2] >> (p % 2 * 4)) & 15) | ((*(const u16*)(b + 2) >> (2 * p)) & 3) << 4;
    return half_at(b) * (f32)((i32)s - 32);
  }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};
struct mxfp4 {  // an exponent, codes[16]: twice 0 ½ 1 1½ 2 3 4 6, and the same below zero
  static const u32 BYTES = 17, PARTS = 1;
  static const i32 OFFSET = 0;
  static const bool LOW = false, SPLIT = false;
  MEMBER u32 word(const u8* b, u32, u32 w) {
    const u8* q = b + 1 + w % 4 * 4;  // of any address
    return looked_up(nibbles((u32)q[0] | (u32)q[1] << 8 | (u32)q[2] << 16 | (u32)q[3] << 24, w), 0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu);
  }
  MEMBER f32 scale(const u8* b, u32, u32) { return bitcast<f32>(b[0] < 2 ? 0x00200000u << b[0] : (u32)(b[0] - 1) << 23); }
  MEMBER f32 low(const u8*, u32, u32) { return 0; }
};

// The codes of a whole part. Blocks of q4k and q5k are aligned to 16 bytes, which compilers do not know.
template <class F> struct Whole {
  MEMBER void part(const u8* b, u32 p, u32 (&q)[8]) {
#pragma unroll
    for (u32 w = 0; w < 8; w++) q[w] = F::word(b, p, w);
  }
};
template <> struct Whole<q4k> {
  MEMBER void part(const u8* b, u32 p, u32 (&q)[8]) {
    const Eight x = eight_at(b + 16 + p / 2 * 32);
#pragma unroll
    for (u32 w = 0; w < 8; w++) q[w] = (x.at[w] >> (p % 2 * 4)) & FOURS;
  }
};
template <> struct Whole<q5k> {
  MEMBER void part(const u8* b, u32 p, u32 (&q)[8]) {
    const Eight x = eight_at(b + 48 + p / 2 * 32), fifth = eight_at(b + 16);
#pragma unroll
    for (u32 w = 0; w < 8; w++) q[w] = ((x.at[w] >> (p % 2 * 4)) & FOURS) | ((fifth.at[w] >> p) & ONES) << 4;
  }
};

// The sum of the products of four signed bytes, and c.
#if AMD && (defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx1030__) || \
            defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) || \
            defined(__gfx1036__) || defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx950__))
DEV i32 dot4(u32 a, u32 b, i32 c) { return __builtin_amdgcn_sdot4((i32)a, (i32)b, c, false); }
#elif AMD && (defined(__GFX11__) || defined(__GFX12__))
DEV i32 dot4(u32 a, u32 b, i32 c) { return __builtin_amdgcn_sudot4(true, (i32)a, true, (i32)b, c, false); }
#elif !AMD
DEV i32 dot4(u32 a, u32 b, i32 c) {
  i32 r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
#else
DEV i32 dot4(u32 a, u32 b, i32 c) {
#pragma unroll
  for (int i = 0; i < 32; i += 8) c += (i32)(i8)(a >> i) * (i32)(i8)(b >> i);
  return c;
}
#endif

// A part of the other operand of a product: d·q, and the sums of both halves of q. It is read in accesses of 16 bytes.
struct alignas(16) Part {
  u32 q[8];
  f32 d;
  i16 sum[2];
};
