// A stand-in for libcusolver. Prototypes and enumerations are those of NVIDIA's documentation (the cuSOLVER API, cuSolverDN). Memory is the host's.
// Build: gcc -shared -fPIC; -DWITHOUT_LU leaves getrf out.
#include "fakesolver.h"

typedef struct { int mark; void *stream; int mode; } *cusolverDnHandle_t;
typedef int cusolverStatus_t;
typedef struct { int mark; } *gesvdjInfo_t;
enum { mark = 0x637573, jacobiMark = 0x6a6163, streamMark = 77, work = 17 };  // work space for all routines, in elements
#define usable(h) check((h) && (h)->mark == mark && (h)->stream == (void *)streamMark && (h)->mode == 1)
#define worked(w, size) check((w) && (size) == work)

static int handles;
int fakecusolver_handles(void) { return handles; }
DEFINE_INJECT(fakecusolver_inject)

cusolverStatus_t cusolverGetProperty(int property, int *value) { FAIL(); check(property >= 0 && property < 3); *value = 12 - property; return 0; }
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *h) { FAIL(); check(h); *h = calloc(1, sizeof **h), (*h)->mark = mark, handles++; return 0; }
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t h) { check(h && h->mark == mark); free(h), handles--; FAIL(); return 0; }
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t h, void *stream) { FAIL(); check(h && h->mark == mark); h->stream = stream; return 0; }
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t h, int mode) { FAIL(); check(h && h->mark == mark && mode == 1); h->mode = mode; return 0; }

cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *o) { FAIL(); check(o); *o = calloc(1, sizeof **o), (*o)->mark = jacobiMark, handles++; return 0; }
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t o) { check(o && o->mark == jacobiMark); free(o), handles--; FAIL(); return 0; }

#ifndef WITHOUT_LU
#define GETRF(X, k, T) \
  cusolverStatus_t cusolverDn##X##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a, int lda, int *size) { \
    FAIL(); usable(h); check(m > 0 && n > 0 && a && lda >= m); *size = work; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *w, int *pivots, int *info) { \
    FAIL(); usable(h); worked(w, work); check(info); *info = lu(k, m, n, a, lda, pivots); return 0; \
  }
#else
#define GETRF(X, k, T)
#endif
#define ROUTINES(X, k, T, R, ORGQR, SYEVD) \
  GETRF(X, k, T) \
  cusolverStatus_t cusolverDn##X##potrf_bufferSize(cusolverDnHandle_t h, int fill, int n, T *a, int lda, int *size) { \
    FAIL(); usable(h); check((fill == 0 || fill == 1) && n > 0 && a && lda >= n); *size = work; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##potrf(cusolverDnHandle_t h, int fill, int n, T *a, int lda, T *w, int size, int *info) { \
    FAIL(); usable(h); worked(w, size); check((fill == 0 || fill == 1) && info); *info = cholesky(k, fill == 1, n, a, lda); return 0; \
  } \
  cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *a, int lda, int *size) { \
    FAIL(); usable(h); check(m > 0 && n > 0 && a && lda >= m); *size = work; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *tau, T *w, int size, int *info) { \
    FAIL(); usable(h); worked(w, size); check(info); reflections(k, m, n, a, lda, tau); *info = 0; return 0; \
  } \
  cusolverStatus_t ORGQR##_bufferSize(cusolverDnHandle_t h, int m, int n, int count, const T *a, int lda, const T *tau, int *size) { \
    FAIL(); usable(h); check(m >= n && n >= count && a && lda >= m && tau); *size = work; return 0; \
  } \
  cusolverStatus_t ORGQR(cusolverDnHandle_t h, int m, int n, int count, T *a, int lda, const T *tau, T *w, int size, int *info) { \
    FAIL(); usable(h); worked(w, size); check(info); basis(k, m, n, count, a, lda, tau); *info = 0; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int *size) { \
    FAIL(); usable(h); check(m >= n && n > 0); *size = work; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##gesvd(cusolverDnHandle_t h, signed char u_job, signed char v_job, int m, int n, T *a, int lda, R *s, T *u, int ldu, T *vh, int ldvh, \
                                        T *w, int size, R *off, int *info) { \
    FAIL(); usable(h); worked(w, size); check(u_job == v_job && strchr("ASN", u_job) && off == NULL && info); \
    singular(k, u_job != 'N', u_job == 'A', m, n, a, lda, s, u, ldu, vh, ldvh); *info = 0; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##gesvdj_bufferSize(cusolverDnHandle_t h, int mode, int economy, int m, int n, const T *a, int lda, const R *s, const T *u, int ldu, \
                                                    const T *v, int ldv, int *size, gesvdjInfo_t options) { \
    FAIL(); usable(h); check((mode == 0 || mode == 1) && (economy == 0 || economy == 1) && m >= n && n > 0 && a && lda >= m && s && ldu >= m && ldv >= n); \
    check(options && options->mark == jacobiMark); *size = work; return 0; \
  } \
  cusolverStatus_t cusolverDn##X##gesvdj(cusolverDnHandle_t h, int mode, int economy, int m, int n, T *a, int lda, R *s, T *u, int ldu, T *v, int ldv, T *w, int size, \
                                         int *info, gesvdjInfo_t options) { \
    FAIL(); usable(h); worked(w, size); check((mode == 0 || mode == 1) && (economy == 0 || economy == 1) && info && options && options->mark == jacobiMark); \
    singular(k, mode, !economy, m, n, a, lda, s, u, ldu, v, ldv); *info = 0; return 0; \
  } \
  cusolverStatus_t SYEVD##_bufferSize(cusolverDnHandle_t h, int mode, int fill, int n, const T *a, int lda, const R *values, int *size) { \
    FAIL(); usable(h); check((mode == 0 || mode == 1) && (fill == 0 || fill == 1) && n > 0 && a && lda >= n && values); *size = work; return 0; \
  } \
  cusolverStatus_t SYEVD(cusolverDnHandle_t h, int mode, int fill, int n, T *a, int lda, R *values, T *w, int size, int *info) { \
    FAIL(); usable(h); worked(w, size); check((mode == 0 || mode == 1) && (fill == 0 || fill == 1) && info); eigen(k, mode, fill, n, a, lda, values); *info = 0; return 0; \
  }
ROUTINES(S, F32, float, float, cusolverDnSorgqr, cusolverDnSsyevd)
ROUTINES(D, F64, double, double, cusolverDnDorgqr, cusolverDnDsyevd)
ROUTINES(C, C64, float complex, float, cusolverDnCungqr, cusolverDnCheevd)
ROUTINES(Z, C128, double complex, double, cusolverDnZungqr, cusolverDnZheevd)
