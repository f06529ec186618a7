// What the stand-ins for hipBLASLt and cuBLASLt share: descriptors, and products of f8e4m3 matrices computed the obvious way. Either file defines the
// numbers of its library and LT, which makes names. Every argument is checked; what one of the real libraries would refuse ends the process.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include "inject.h"

enum { handleMark = 0xd00d, productMark = 0x9a0d, matrixMark = 0x3a7a, wishesMark = 0x315e, typeFloat = 0, typeBF16 = 14, typeF8 = 28, step = 16, noWayRows = 77, greedyRows = 78 };

struct handle { int mark; };
struct product { int mark, compute, scale, transA; };
struct matrix { int mark, type, batches; uint64_t rows, cols; int64_t lead, batchStep; };
struct wishes { int mark; uint64_t space; uint32_t reductions, alignments[4]; };

typedef struct { uint8_t data[algorithmBytes]; } algorithm;
typedef struct { algorithm algo; size_t space; int state; float waves; int reserved[4]; } answer;

DEFINE_INJECT(fakelt_inject)

static int live, products; // handles and descriptors; what was computed
int fakelt_live(void) { return live; }
int fakelt_products(void) { return products; }

static void *make(size_t size, int mark) { int *p = calloc(1, size); *p = mark, live++; return p; }
static void drop(void *p, int mark) { check(p && *(int *)p == mark); *(int *)p = 0; free(p), live--; }
#define is(p, kind) check((p) && (p)->mark == kind##Mark)

static double from_f8(uint8_t b) {
  int e = b >> 3 & 15, m = b & 7;
  if (e == 15 && m == 7) return NAN;
  double v = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
  return b >> 7 ? -v : v;
}
static uint8_t to_f8(double v) { // the nearest, the even one of two; what is beyond 448 is 448
  if (isnan(v)) return 0x7f;
  uint8_t best = 0;
  for (int b = 1; b < 0x7f; b++) {
    double off = fabs(from_f8(b) - fabs(v)), least = fabs(from_f8(best) - fabs(v));
    if (off < least || (off == least && b % 2 == 0)) best = b;
  }
  return signbit(v) ? best | 0x80 : best;
}

#ifndef WITHOUT_CREATE
int LT(Create)(struct handle **h) { FAIL(); check(ready()); *h = make(sizeof **h, handleMark); return 0; }
#endif
int LT(Destroy)(struct handle *h) { check(ready()); drop(h, handleMark); FAIL(); return 0; }

int LT(MatmulDescCreate)(struct product **p, int compute, int scale) {
  FAIL();
  check(compute == compute32F && scale == typeFloat);
  *p = make(sizeof **p, productMark);
  (*p)->transA = notTransposed;
  return 0;
}
int LT(MatmulDescDestroy)(struct product *p) { drop(p, productMark); FAIL(); return 0; }
int LT(MatmulDescSetAttribute)(struct product *p, int attribute, const void *value, size_t size) {
  FAIL();
  is(p, product);
  check(attribute == attributeTransA && size == 4);
  p->transA = *(const int *)value;
  return 0;
}

int LT(MatrixLayoutCreate)(struct matrix **m, int type, uint64_t rows, uint64_t cols, int64_t lead) {
  FAIL();
  check((type == typeF8 || type == typeBF16) && rows > 0 && cols > 0 && lead >= (int64_t)rows);
  *m = make(sizeof **m, matrixMark);
  **m = (struct matrix){matrixMark, type, 1, rows, cols, lead, 0};
  return 0;
}
int LT(MatrixLayoutDestroy)(struct matrix *m) { drop(m, matrixMark); FAIL(); return 0; }
int LT(MatrixLayoutSetAttribute)(struct matrix *m, int attribute, const void *value, size_t size) {
  FAIL();
  is(m, matrix);
  check((attribute == attributeBatches && size == 4) || (attribute == attributeBatchStep && size == 8));
  if (attribute == attributeBatches) m->batches = *(const int *)value;
  else m->batchStep = *(const int64_t *)value;
  return 0;
}

int LT(MatmulPreferenceCreate)(struct wishes **w) { FAIL(); *w = make(sizeof **w, wishesMark); return 0; }
int LT(MatmulPreferenceDestroy)(struct wishes *w) { drop(w, wishesMark); FAIL(); return 0; }
int LT(MatmulPreferenceSetAttribute)(struct wishes *w, int attribute, const void *value, size_t size) {
  FAIL();
  is(w, wishes);
  if (attribute != wishSpace) {
    wish(w, attribute, value, size);
    return 0;
  }
  check(size == 8);
  w->space = *(const uint64_t *)value;
  return 0;
}

// A way is one of two patterns that go with the shape.
static void mark_way(algorithm *algo, int way, const struct matrix *d) {
  for (int i = 0; i < algorithmBytes; i++) algo->data[i] = 31 * i + 7 * way + d->cols;
}
static int is_way(const algorithm *algo, int way, const struct matrix *d) {
  algorithm want;
  mark_way(&want, way, d);
  return !memcmp(algo, &want, sizeof want);
}

// fits checks what was described. The first operand is transposed, as matrix cores for f8 want it.
static void fits(const struct product *p, const struct matrix *a, const struct matrix *b, const struct matrix *c, const struct matrix *d) {
  is(p, product);
  is(a, matrix);
  is(b, matrix);
  is(c, matrix);
  is(d, matrix);
  check(p->transA == transposed && a->type == typeF8 && b->type == typeF8 && c->type == addedType && d->type == typeF8);
  check(a->rows == b->rows && d->rows == a->cols && d->cols == b->cols && c->rows == d->rows && c->cols == d->cols && c->lead == d->lead);
  check(a->rows % step == 0 && a->cols % step == 0 && a->lead % step == 0 && b->lead % step == 0 && d->lead % step == 0);
  check(a->batches == d->batches && b->batches == d->batches && c->batches == d->batches && c->batchStep == d->batchStep);
  check(a->batchStep % step == 0 && b->batchStep % step == 0 && d->batchStep % step == 0 && (d->batches == 1 || d->batchStep >= (int64_t)d->rows));
}

#ifndef WITHOUT_HEURISTIC
int LT(MatmulAlgoGetHeuristic)(struct handle *h, struct product *p, struct matrix *a, struct matrix *b, struct matrix *c, struct matrix *d, struct wishes *w,
                               int asked, answer answers[], int *count) {
  FAIL();
  is(h, handle);
  is(w, wishes);
  fits(p, a, b, c, d);
  wished(w);
  check(ready() && asked >= 3 && answers && count);
  *count = d->cols == noWayRows ? 0 : 3;
  for (int i = 0; i < *count; i++) {
    answers[i] = (answer){.space = spaceBytes, .waves = 1};
    mark_way(&answers[i].algo, i, d);
  }
  answers->state = 7; // the first one is none
  if (d->cols == greedyRows) answers[1].space = w->space + 1;
  return 0;
}
#endif

int LT(Matmul)(struct handle *h, struct product *p, const float *alpha, const uint8_t *a, struct matrix *am, const uint8_t *b, struct matrix *bm, const float *beta,
               const void *c, struct matrix *cm, uint8_t *d, struct matrix *dm, const algorithm *algo, void *space, size_t size, void *stream) {
  FAIL();
  is(h, handle);
  fits(p, am, bm, cm, dm);
  check(ready() && stream == (void *)streamMark && *alpha == 1 && *beta == 0 && a && b && d && c == (inPlace ? d : NULL));
  check(((uintptr_t)a | (uintptr_t)b | (uintptr_t)d) % step == 0);
  check(size == spaceBytes && (size == 0 || (space && (uintptr_t)space % step == 0)));
  check((dm->cols != greedyRows && is_way(algo, 1, dm)) || is_way(algo, 2, dm));
  if (size) memset(space, 0xee, size);
  for (int64_t n = 0; n < dm->batches; n++)
    for (uint64_t j = 0; j < dm->cols; j++)
      for (uint64_t i = 0; i < dm->rows; i++) {
        double sum = 0;
        for (uint64_t k = 0; k < am->rows; k++) sum += from_f8(a[n * am->batchStep + i * am->lead + k]) * from_f8(b[n * bm->batchStep + j * bm->lead + k]);
        d[n * dm->batchStep + j * dm->lead + i] = to_f8(sum);
      }
  products++;
  return 0;
}
