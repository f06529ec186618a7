// Reduction of angles: x - n·π/2 with n the nearest integer, of which the low two bits are right.

// 2/π after 32 zero bits
CONSTANT u32 two_over_pi[] = {
  0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
  0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
  0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66,
  0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20,
};

// m·2^k in quadrants, for a large angle (Payne and Hanek). 2/π is taken from the bit of weight 2^(1-k) on: higher bits times m
// are whole turns. WORDS words of 32 bits make the fixed-point product, of which the upper two bits are the quadrant.
// Returns the signed rest, in units of 2^-62 quadrants as hi and 2^-126 as lo, at most half a quadrant.
struct Quadrants { i32 n; i64 hi; u64 lo; };

template <int WORDS> DEV Quadrants quadrants(u64 m, i32 k) {
  u32 skip = (u32)(k + 30), word = skip / 32, bits = skip % 32;
  u32 sum[WORDS];  // little end first
  u32 m0 = (u32)m, m1 = (u32)(m >> 32);
  u64 carry = 0, above = 0;
#pragma unroll
  for (int i = 0; i < WORDS; i++) {
    u32 j = word + (u32)(WORDS - 1 - i);
    u32 w = bits ? two_over_pi[j] << bits | two_over_pi[j + 1] >> (32 - bits) : two_over_pi[j];
    u64 low = (u64)w * m0, high = (u64)w * m1;
    u64 t = (low & 0xffffffffu) + (carry & 0xffffffffu) + (above & 0xffffffffu);
    sum[i] = (u32)t;
    carry = (t >> 32) + (low >> 32) + (carry >> 32) + (above >> 32);
    above = high;
  }
  u64 hi = (u64)sum[WORDS - 1] << 32 | sum[WORDS - 2];
  u64 lo = (u64)sum[WORDS - 3] << 32 | (WORDS > 3 ? sum[WORDS > 3 ? WORDS - 4 : 0] : 0);
  Quadrants q;
  u64 n = (hi + (1ull << 61)) >> 62;
  q.n = (i32)n;
  q.hi = (i64)(hi - (n << 62));
  q.lo = lo;
  return q;
}

DEV f32 minus_pi_2(f32 x, i32* n) {
  if (abs(x) < 65536.0f) {
    // In three parts of π/2. The first difference is exact: a multiple of 2^-23 below 1.
    f32 q = nearest(x * 0x1.45f306p-1f, n);
    return fma(q, 0x1.ee59dap-50f, fma(q, 0x1.777a5cp-25f, fma(q, -0x1.921fb6p+0f, x)));
  }
  u32 u = bitcast<u32>(x);
  i32 e = (i32)(u >> 23 & 255);
  if (e == 255) {
    *n = 0;
    return Float<f32>::nan();
  }
  Quadrants q = quadrants<3>((u & 0x7fffffu) | 0x800000u, e - 150);
  f32 r = (f32)((f64)q.hi * 0x1.921fb54442d18p-62);
  *n = x < 0 ? -q.n : q.n;
  return x < 0 ? -r : r;
}

DEV f64 minus_pi_2(f64 x, i32* n) {
  if (abs(x) < 0x1p30) {
    f64 q = nearest(x * 0x1.45f306dc9c883p-1, n);
    return fma(q, 0x1.f1976b7ed8fbcp-110, fma(q, -0x1.1a62633145c07p-54, fma(q, -0x1.921fb54442d18p+0, x)));
  }
  u64 u = bitcast<u64>(x);
  i32 e = (i32)(u >> 52 & 2047);
  if (e == 2047) {
    *n = 0;
    return Float<f64>::nan();
  }
  Quadrants q = quadrants<6>((u & 0xfffffffffffffull) | 0x10000000000000ull, e - 1075);
  // The rest may be small: then hi has few digits and lo supplies the next ones.
  f64 hi = (f64)(q.hi >> 11), lo = (f64)((u64)(q.hi & 2047) << 53 | q.lo >> 11) * 0x1p-64;  // in units of 2^-51 quadrants
  f64 r = hi + lo;
  lo = (hi - r) + lo;
  r = fma(r, 0x1.921fb54442d18p+0, fma(r, 0x1.1a62633145c07p-54, lo * 0x1.921fb54442d18p+0)) * 0x1p-51;
  *n = x < 0 ? -q.n : q.n;
  return x < 0 ? -r : r;
}
