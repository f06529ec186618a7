// Products of a part of a row in a block format (quant.h) with 32 elements that are rounded to integers times a scale.

// Halves go away from zero. The number below a half is added, so that what is below a half stays there. Of at most 2²² in magnitude.
DEV i32 nearest(f32 x) { return (i32)(x + copysign(0.49999997f, x)); }

// Stores codes of eight elements, the k-th ones of a part. GROUP neighbouring threads share a scale: that of peak, their element of the largest magnitude.
template <u32 GROUP> DEV void put_codes(const f32 (&x)[8], f32 peak, Part* to, u32 k, bool here) {
  f32 d, scale;
  if (GROUP == 4) {
    d = abs(peak) / 127.0f;
    scale = d == 0 ? 0 : 1.0f / d;
    d = widen(narrow_f16(d));
  } else {
    scale = peak == 0 ? 0 : -128.0f / peak;
    d = peak == 0 ? 0 : 1.0f / scale;
  }
  u32 q[2] = {0, 0};
  i32 sum = 0;
#pragma unroll
  for (u32 j = 0; j < 8; j++) {
    i32 c = nearest(x[j] * scale);
    if (c > 127) c = 127;
    sum += c;
    q[j / 4] |= ((u32)c & 255u) << (j % 4 * 8);
  }
  sum += across(sum, 1);
  if (!here) return;
  to->q[2 * k] = q[0];
  to->q[2 * k + 1] = q[1];
  if (k % 2 == 0) to->sum[k / 2] = (i16)sum;
  if (k == 0) to->d = d;
}

// Rounds eight elements of a row, those from 8·i on, and stores the codes: see put_codes. The threads of a group must all be active. Of several elements of the largest magnitude the
// first one counts. NaN counts as the largest, so that it does not become an ordinary code.
template <u32 GROUP> DEV void quantize_eight(const f32 (&x)[8], Part* out, u64 i, bool here) {
  f32 peak = x[0], size = abs(x[0]);
  u32 where = tid() % GROUP * 8;
#pragma unroll
  for (u32 j = 1; j < 8; j++) {
    const f32 s = abs(x[j]);
    if (s > size || s != s) size = s, peak = x[j], where = tid() % GROUP * 8 + j;
  }
  for (u32 mask = 1; mask < GROUP; mask *= 2) {
    const f32 other = across(peak, mask), s = across(size, mask);
    const u32 there = across(where, mask);
    if (s > size || s != s || (s == size && there < where)) size = s, peak = other, where = there;
  }
  put_codes<GROUP>(x, peak, out + i / 4, (u32)(i % 4), here);
}

// A part of a row, in registers.
template <class F> struct Codes {
  u32 q[8];
  f32 scale[2], low[2];
  DEV Codes(const u8* row, u64 part) {
    const u8* b = row + part / F::PARTS * F::BYTES;
    const u32 p = (u32)(part % F::PARTS);
    Whole<F>::part(b, p, q);
#pragma unroll
    for (u32 h = 0; h < 1 + F::SPLIT; h++) {
      scale[h] = F::scale(b, p, h);
      low[h] = F::LOW ? F::low(b, p, h) : 0;
    }
  }
};

// The contribution of codes with one scale to a result, without the scale of x.
template <class F> DEV f32 term(i32 product, i32 sum, f32 scale, f32 low) {
  const f32 t = scale * (f32)(product - F::OFFSET * sum);
  return F::LOW ? fma(low, (f32)sum, t) : t;
}

template <class F> DEV f32 dot(const Codes<F>& a, const Part& x) {
  i32 s[2] = {0, 0};
#pragma unroll
  for (u32 w = 0; w < 8; w++) s[F::SPLIT ? w / 4 : 0] = dot4(a.q[w], x.q[w], s[F::SPLIT ? w / 4 : 0]);
  if (F::SPLIT) return term<F>(s[0], x.sum[0], a.scale[0], a.low[0]) + term<F>(s[1], x.sum[1], a.scale[1], a.low[1]);
  return term<F>(s[0], x.sum[0] + x.sum[1], a.scale[0], a.low[0]);
}

// The threads that share a row, a power of two of them: as many as a row has parts, up to LANES.
struct Group {
  u32 size, rows;  // of the group; of a block
  u32 row, part;   // what this thread has of them
  DEV Group(u64 parts) {
    u32 s = 0;
    while (1u << s < LANES && parts > 1u << s) s++;
    size = 1u << s;
    rows = BLOCK >> s;
    row = tid() >> s;
    part = tid() & (size - 1);
  }
};
