// A stand-in for libhipsparse on the stand-in for libamdhip64. Prototypes and enumerations are those of AMD's documentation (hipSPARSE API reference).
// Products are computed by their definition. Every argument is checked; what a caller must not do ends the process.
// Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64; -DWITHOUT_SPMM leaves a call out.
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include "inject.h"

extern int hipGetDevice(int *);
DEFINE_INJECT(fakesparse_inject)

enum { HANDLE = 0x5a1, CSR, VECTOR, MATRIX, spaceBytes = 512 };
struct handle { int mark; void *stream; };
struct csr { int mark, type; int64_t rows, cols, count; const int32_t *offsets, *ids; const void *values; };
struct dense { int mark, type; int64_t rows, cols; void *values; };
static int live, done;
int fakesparse_live(void) { return live; }
int fakesparse_done(void) { return done; }
static int ready(void) { int d = -1; return !hipGetDevice(&d) && d >= 0; }
#define is(p, what) check((p) && (p)->mark == what)
static int known(int type) { return type == 0 || type == 1 || type == 4 || type == 5; }

int hipsparseCreate(struct handle **h) { FAIL(); check(ready()); *h = calloc(1, sizeof **h); (*h)->mark = HANDLE; return 0; }
int hipsparseDestroy(struct handle *h) { is(h, HANDLE); free(h); return 0; }
int hipsparseSetStream(struct handle *h, void *stream) { FAIL(); is(h, HANDLE); check(stream); h->stream = stream; return 0; }

int hipsparseCreateCsr(struct csr **a, int64_t rows, int64_t cols, int64_t nnz, void *offsets, void *columns, void *values, int offsetsType, int columnsType, int base, int type) {
  FAIL();
  check(rows > 0 && cols > 0 && nnz > 0 && offsets && columns && values && offsetsType == 2 && columnsType == 2 && base == 0 && known(type));
  *a = calloc(1, sizeof **a);
  **a = (struct csr){CSR, type, rows, cols, nnz, offsets, columns, values};
  live++;
  return 0;
}
int hipsparseDestroySpMat(struct csr *a) { is(a, CSR); a->mark = 0; free(a), live--; return 0; }
int hipsparseCreateDnVec(struct dense **x, int64_t size, void *values, int type) {
  FAIL();
  check(size > 0 && values && known(type));
  *x = calloc(1, sizeof **x);
  **x = (struct dense){VECTOR, type, size, 1, values};
  live++;
  return 0;
}
int hipsparseDestroyDnVec(struct dense *x) { is(x, VECTOR); x->mark = 0; free(x), live--; return 0; }
int hipsparseCreateDnMat(struct dense **x, int64_t rows, int64_t cols, int64_t ld, void *values, int type, int order) {
  FAIL();
  check(rows > 0 && cols > 0 && ld == cols && values && known(type) && order == 2);
  *x = calloc(1, sizeof **x);
  **x = (struct dense){MATRIX, type, rows, cols, values};
  live++;
  return 0;
}
int hipsparseDestroyDnMat(struct dense *x) { is(x, MATRIX); x->mark = 0; free(x), live--; return 0; }

static double complex number(const void *p, int type, int64_t at) {
  switch (type) {
  case 0: return ((const float *)p)[at];
  case 1: return ((const double *)p)[at];
  case 4: return ((const float complex *)p)[at];
  }
  return ((const double complex *)p)[at];
}
static void put(void *p, int type, int64_t at, double complex v) {
  switch (type) {
  case 0: ((float *)p)[at] = creal(v); return;
  case 1: ((double *)p)[at] = creal(v); return;
  case 4: ((float complex *)p)[at] = v; return;
  }
  ((double complex *)p)[at] = v;
}
static void checked(struct handle *h, const void *alpha, struct csr *a, struct dense *x, const void *beta, struct dense *y, int what, int type) {
  is(h, HANDLE);
  is(a, CSR);
  is(x, what);
  is(y, what);
  check(ready() && h->stream && a->type == type && x->type == type && y->type == type);
  check(number(alpha, type, 0) == 1 && number(beta, type, 0) == 0);
  check(x->rows == a->cols && y->rows == a->rows && x->cols == y->cols);
}
static int multiply(struct csr *a, struct dense *x, struct dense *y, void *space) {
  check(space);
  memset(space, 0xff, spaceBytes);
  check(a->offsets[0] == 0 && a->offsets[a->rows] == a->count);
  for (int64_t i = 0; i < a->rows; i++)
    for (int64_t j = 0; j < x->cols; j++) {
      double complex sum = 0;
      for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; k++) sum += number(a->values, a->type, k) * number(x->values, a->type, a->ids[k] * x->cols + j);
      put(y->values, a->type, i * y->cols + j, sum);
    }
  done++;
  return 0;
}
int hipsparseSpMV_bufferSize(struct handle *h, int op, const void *alpha, struct csr *a, struct dense *x, const void *beta, struct dense *y, int type, int alg, size_t *size) {
  FAIL();
  checked(h, alpha, a, x, beta, y, VECTOR, type);
  check(op == 0 && alg == 3);
  *size = spaceBytes;
  return 0;
}
int hipsparseSpMV(struct handle *h, int op, const void *alpha, struct csr *a, struct dense *x, const void *beta, struct dense *y, int type, int alg, void *space) {
  FAIL();
  checked(h, alpha, a, x, beta, y, VECTOR, type);
  check(op == 0 && alg == 3);
  return multiply(a, x, y, space);
}
int hipsparseSpMM_bufferSize(struct handle *h, int opA, int opB, const void *alpha, struct csr *a, struct dense *x, const void *beta, struct dense *y, int type, int alg, size_t *size) {
  FAIL();
  checked(h, alpha, a, x, beta, y, MATRIX, type);
  check(opA == 0 && opB == 0 && alg == 4);
  *size = spaceBytes;
  return 0;
}
#ifndef WITHOUT_SPMM
int hipsparseSpMM(struct handle *h, int opA, int opB, const void *alpha, struct csr *a, struct dense *x, const void *beta, struct dense *y, int type, int alg, void *space) {
  FAIL();
  checked(h, alpha, a, x, beta, y, MATRIX, type);
  check(opA == 0 && opB == 0 && alg == 4);
  return multiply(a, x, y, space);
}
#endif
