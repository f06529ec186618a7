// Elements of the types that stand-ins compute with, numbered as in rocBLAS.
#include <stdint.h>

typedef enum { f16 = 150, f32 = 151, f64 = 152, bf16 = 168 } element;

static float from_half(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  float v = e == 0 ? m / 16777216.0f : (1024 + m) / 1024.0f;
  for (int i = 15; e && i < e; i++) v *= 2;
  for (int i = e; e && i < 15; i++) v /= 2;
  return h >> 15 ? -v : v;
}
static uint16_t to_half(float v) { // of values that a half holds exactly
  float size = v < 0 ? -v : v;
  uint32_t low = 0, high = 0x7c00; // halves above 0 are in the order of their bits
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (from_half(middle) <= size) low = middle;
    else high = middle;
  }
  check(from_half(low) == size);
  return v < 0 ? low | 0x8000 : low;
}
static double get(const void *p, element t, int64_t i) {
  if (t == f64) return ((const double *)p)[i];
  if (t == f32) return ((const float *)p)[i];
  if (t == f16) return from_half(((const uint16_t *)p)[i]);
  uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
  float v;
  memcpy(&v, &bits, 4);
  return v;
}
static void put(void *p, element t, int64_t i, double v) {
  if (t == f64) ((double *)p)[i] = v;
  else if (t == f32) ((float *)p)[i] = v;
  else if (t == f16) ((uint16_t *)p)[i] = to_half(v);
  else {
    float f = v;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    check((bits & 0xffff) == 0);
    ((uint16_t *)p)[i] = bits >> 16;
  }
}
