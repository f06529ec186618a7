// What the stand-ins for rocSOLVER and cuSOLVER share: steps of factorisations of column-major matrices, the obvious way. Some of them take simple
// matrices only, whose factors are known; a test that gives others fails.
#include <complex.h>
#include <stdint.h>
#include "inject.h"

typedef double complex number;
typedef enum { F32, F64, C64, C128 } kind;

static int factors;  // steps done
int fakesolver_steps(void) { return factors; }

static number load(const void *p, kind k, int64_t i) {
  switch (k) {
  case F32: return ((const float *)p)[i];
  case F64: return ((const double *)p)[i];
  case C64: return ((const float complex *)p)[i];
  default: return ((const double complex *)p)[i];
  }
}
static void store(void *p, kind k, int64_t i, number x) {
  switch (k) {
  case F32: ((float *)p)[i] = creal(x); break;
  case F64: ((double *)p)[i] = creal(x); break;
  case C64: ((float complex *)p)[i] = x; break;
  default: ((double complex *)p)[i] = x;
  }
}
static void store_real(void *p, kind k, int64_t i, double x) { store(p, k == F32 || k == C64 ? F32 : F64, i, x); }
static double size1(number x) {
  double a = creal(x), b = cimag(x);
  return (a < 0 ? -a : a) + (b < 0 ? -b : b);
}

static int lu(kind k, int m, int n, void *a, int lda, int *pivots) {
  int info = 0;
  check(m > 0 && n > 0 && a && lda >= m && pivots);
  for (int64_t c = 0; c < m && c < n; c++) {
    int64_t p = c;
    for (int64_t i = c + 1; i < m; i++)
      if (size1(load(a, k, i + c * lda)) > size1(load(a, k, p + c * lda))) p = i;
    pivots[c] = p + 1;
    for (int64_t j = 0; j < n; j++) {
      number x = load(a, k, c + j * lda);
      store(a, k, c + j * lda, load(a, k, p + j * lda));
      store(a, k, p + j * lda, x);
    }
    number d = load(a, k, c + c * lda);
    if (d == 0) {
      if (!info) info = c + 1;
      continue;
    }
    for (int64_t i = c + 1; i < m; i++) {
      number l = load(a, k, i + c * lda) / d;
      store(a, k, i + c * lda, l);
      for (int64_t j = c + 1; j < n; j++) store(a, k, i + j * lda, load(a, k, i + j * lda) - l * load(a, k, c + j * lda));
    }
  }
  factors++;
  return info;
}

// The triangle of A = L·Lᴴ, or A = Uᴴ·U, by A(i, j) for i >= j.
static int cholesky(kind k, int upper, int n, void *a, int lda) {
  check(n > 0 && a && lda >= n);
  factors++;
#define AT(i, j) (upper ? (j) + (i) * lda : (i) + (j) * lda)
#define L(i, j) (upper ? conj(load(a, k, AT(i, j))) : load(a, k, AT(i, j)))
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      number sum = L(i, j);
      for (int64_t l = 0; l < j; l++) sum -= L(i, l) * conj(L(j, l));
      if (i == j) {
        if (!(creal(sum) > 0)) return j + 1;
        sum = csqrt(creal(sum));
      } else {
        sum /= L(j, j);
      }
      store(a, k, AT(i, j), i == j ? creal(sum) : upper ? conj(sum) : sum);
    }
  return 0;
}

// Of an upper triangular matrix: no reflections.
static void reflections(kind k, int m, int n, const void *a, int lda, void *tau) {
  check(m > 0 && n > 0 && a && lda >= m && tau);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < m; i++) check(load(a, k, i + j * lda) == 0);
  for (int64_t j = 0; j < m && j < n; j++) store(tau, k, j, 0);
  factors++;
}
static void basis(kind k, int m, int n, int reflections, void *a, int lda, const void *tau) {
  check(m >= n && n >= reflections && reflections > 0 && a && lda >= m && tau);
  for (int64_t j = 0; j < reflections; j++) check(load(tau, k, j) == 0);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) store(a, k, i + j * lda, i == j);
  factors++;
}

// Of a matrix whose elements outside of the diagonal are 0, and those on it positive and descending.
static void singular(kind k, int vectors, int full, int m, int n, const void *a, int lda, void *s, void *u, int ldu, void *vh, int ldvh) {
  int rows = full ? n : m < n ? m : n, columns = full ? m : m < n ? m : n;
  check(m >= n && n > 0 && a && lda >= m && s && ldu >= m && ldvh >= rows);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      number x = load(a, k, i + j * lda);
      check(i == j ? creal(x) > 0 && cimag(x) == 0 && (j == 0 || creal(x) <= creal(load(a, k, (j - 1) * (lda + 1)))) : x == 0);
      if (i == j) store_real(s, k, j, creal(x));
    }
  for (int64_t j = 0; vectors && j < columns; j++)
    for (int64_t i = 0; i < m; i++) store(u, k, i + j * ldu, i == j);
  for (int64_t j = 0; vectors && j < n; j++)
    for (int64_t i = 0; i < rows; i++) store(vh, k, i + j * ldvh, i == j);
  factors++;
}
// Of a diagonal matrix in a triangle, ascending. What is in the other triangle is not read.
static void eigen(kind k, int vectors, int upper, int n, void *a, int lda, void *w) {
  check(n > 0 && a && lda >= n && w);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      number x = load(a, k, AT(i, j));
      check(i != j ? x == 0 : j == 0 || creal(x) >= creal(load(a, k, (j - 1) * (lda + 1))));
      if (i == j) store_real(w, k, j, creal(x));
    }
  for (int64_t j = 0; vectors && j < n; j++)
    for (int64_t i = 0; i < n; i++) store(a, k, i + j * lda, i == j);
  factors++;
}
