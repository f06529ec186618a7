// A stand-in for librocsolver on those for librocblas and libamdhip64. Prototypes and enumerations are those of AMD's documentation (rocSOLVER API
// reference). Build: gcc -shared -fPIC, linked to the stand-ins; -DWITHOUT_LU leaves getrf out.
#include "fakesolver.h"

typedef struct { int mark; void *stream; } *rocblas_handle;
typedef int rocblas_status, rocblas_int;
enum { mark = 0x526f63, streamMark = 0x57 };
#define usable(h) check((h) && (h)->mark == mark && (h)->stream == (void *)streamMark)
#define filled(u) check((u) == 121 || (u) == 122)

DEFINE_INJECT(fakerocsolver_inject)

rocblas_status rocsolver_get_version_string(char *text, size_t size) { FAIL(); check(size >= 12); strcpy(text, "3.30.1.stand"); return 0; }

#ifndef WITHOUT_LU
#define GETRF(x, k, T) \
  rocblas_status rocsolver_##x##getrf(rocblas_handle h, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, rocblas_int *pivots, rocblas_int *info) { \
    FAIL(); usable(h); check(info); *info = lu(k, m, n, a, lda, pivots); return 0; \
  }
#else
#define GETRF(x, k, T)
#endif
#define ROUTINES(x, k, T, R, ORGQR, SYEVD) \
  GETRF(x, k, T) \
  rocblas_status rocsolver_##x##potrf(rocblas_handle h, int fill, rocblas_int n, T *a, rocblas_int lda, rocblas_int *info) { \
    FAIL(); usable(h); filled(fill); check(info); *info = cholesky(k, fill == 121, n, a, lda); return 0; \
  } \
  rocblas_status rocsolver_##x##geqrf(rocblas_handle h, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, T *tau) { \
    FAIL(); usable(h); reflections(k, m, n, a, lda, tau); return 0; \
  } \
  rocblas_status ORGQR(rocblas_handle h, rocblas_int m, rocblas_int n, rocblas_int count, T *a, rocblas_int lda, T *tau) { \
    FAIL(); usable(h); basis(k, m, n, count, a, lda, tau); return 0; \
  } \
  rocblas_status rocsolver_##x##gesvd(rocblas_handle h, int left, int right, rocblas_int m, rocblas_int n, T *a, rocblas_int lda, R *s, T *u, rocblas_int ldu, \
                                      T *v, rocblas_int ldv, R *e, int mode, rocblas_int *info) { \
    FAIL(); usable(h); check(left == right && (left == 191 || left == 192 || left == 194) && e && mode == 201 && info); \
    singular(k, left != 194, left == 191, m, n, a, lda, s, u, ldu, v, ldv); *info = 0; return 0; \
  } \
  rocblas_status SYEVD(rocblas_handle h, int evect, int fill, rocblas_int n, T *a, rocblas_int lda, R *d, R *e, rocblas_int *info) { \
    FAIL(); usable(h); filled(fill); check((evect == 211 || evect == 213) && e && info); eigen(k, evect == 211, fill == 121, n, a, lda, d); *info = 0; return 0; \
  }
ROUTINES(s, F32, float, float, rocsolver_sorgqr, rocsolver_ssyevd)
ROUTINES(d, F64, double, double, rocsolver_dorgqr, rocsolver_dsyevd)
ROUTINES(c, C64, float complex, float, rocsolver_cungqr, rocsolver_cheevd)
ROUTINES(z, C128, double complex, double, rocsolver_zungqr, rocsolver_zheevd)
