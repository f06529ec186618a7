// A stand-in for librocblas on the stand-in for libamdhip64. Prototypes and enumerations are those of AMD's documentation
// (rocBLAS API reference, rocblas_gemm_ex, rocblas_gemm_strided_batched_ex and the gemv). It checks every argument and computes products the obvious
// way. Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64; -DWITHOUT_GEMM, -DWITHOUT_BATCHED, -DWITHOUT_MATH,
// -DWITHOUT_CREATE, -DWITHOUT_GEMV and -DWITHOUT_TRSM leave calls out.
#include <complex.h>
#include <stdint.h>
#include "inject.h"
#include "elements.h"

typedef struct rocblas_handle_ { int mark; void *stream; int math, atomics; void *workspace; } *rocblas_handle;
typedef enum { success = 0, memory_error = 5 } rocblas_status;
typedef enum { none = 111, transpose = 112, conjugate = 113 } rocblas_operation;
typedef element rocblas_datatype;
typedef int32_t rocblas_int;
typedef int64_t rocblas_stride;
typedef int rocblas_gemm_algo;

extern int hipGetDevice(int *), hipMalloc(void **, size_t), hipFree(void *);

enum { mark = 0x526f63, streamMark = 0x57, workspace = 4096 };

DEFINE_INJECT(fakerocblas_inject)

static int handles, products, vectors; // handles that live, products computed, those by vectors
int fakerocblas_handles(void) { return handles; }
int fakerocblas_products(void) { return products; }
int fakerocblas_vectors(void) { return vectors; }

static size_t size_of(element t) { return t == f64 ? 8 : t == f32 ? 4 : 2; }
static int device(void) { int d = -1; return hipGetDevice(&d) ? -1 : d; }
#define usable(h) check(device() >= 0 && (h) && (h)->mark == mark)

#ifndef WITHOUT_CREATE
rocblas_status rocblas_create_handle(rocblas_handle *h) {
  FAIL();
  check(h && device() >= 0);
  rocblas_handle made = calloc(1, sizeof **h);
  if (hipMalloc(&made->workspace, workspace)) { free(made); return memory_error; }
  made->mark = mark, made->math = made->atomics = -1;
  *h = made, handles++;
  return success;
}
#endif
rocblas_status rocblas_destroy_handle(rocblas_handle h) {
  usable(h);
  hipFree(h->workspace);
  free(h), handles--;
  FAIL(); // the handle is gone all the same
  return success;
}
rocblas_status rocblas_set_stream(rocblas_handle h, void *stream) { FAIL(); usable(h); check(stream == (void *)streamMark); h->stream = stream; return success; }
#ifndef WITHOUT_MATH
rocblas_status rocblas_set_math_mode(rocblas_handle h, int mode) {
  FAIL();
  usable(h);
  check(mode == (getenv("GOROCM_TF32") ? 1 : 0));
  h->math = mode;
  return success;
}
#endif
rocblas_status rocblas_set_atomics_mode(rocblas_handle h, int mode) { FAIL(); usable(h); check(mode == 0); h->atomics = mode; return success; }
rocblas_status rocblas_set_workspace(rocblas_handle h, void *memory, size_t size) { FAIL(); usable(h); check(memory && size >= 32 << 20); return success; }
rocblas_status rocblas_get_version_string(char *text, size_t size) { FAIL(); check(size >= 12); strcpy(text, "4.4.0.stand"); return success; }

static void multiply(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, rocblas_int m, rocblas_int n, rocblas_int k,
                     const void *alpha, const void *a, rocblas_datatype at, rocblas_int lda, rocblas_stride sa,
                     const void *b, rocblas_datatype bt, rocblas_int ldb, rocblas_stride sb,
                     const void *beta, const void *c, rocblas_datatype ct, rocblas_int ldc, rocblas_stride sc,
                     void *d, rocblas_datatype dt, rocblas_int ldd, rocblas_stride sd, rocblas_int batch,
                     rocblas_datatype compute, rocblas_gemm_algo algo, int32_t solution, uint32_t flags) {
  usable(h);
  check(h->stream == (void *)streamMark && h->atomics == 0);
#ifndef WITHOUT_MATH
  check(h->math >= 0);
#endif
  check((ta == none || ta == transpose) && (tb == none || tb == transpose));
  check(m > 0 && n > 0 && k > 0 && batch > 0 && alpha && a && b && beta && c && d);
  check(lda >= (ta == none ? m : k) && ldb >= (tb == none ? k : n) && ldc >= m && ldd >= m);
  check(at == bt && at == ct && at == dt && (at == f16 || at == bf16 || at == f32 || at == f64));
  check(compute == (at == f64 ? f64 : f32) && algo == 0 && solution == 0 && flags == 0);
  check(c == d && ldc == ldd && sc == sd);
  check(get(alpha, compute, 0) == 1 && get(beta, compute, 0) == 0);
  size_t size = size_of(at);
  for (int64_t p = 0; p < batch; p++) {
    const char *pa = (const char *)a + p * sa * size, *pb = (const char *)b + p * sb * size;
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < m; i++) {
        double sum = 0;
        for (int64_t l = 0; l < k; l++)
          sum += get(pa, at, ta == none ? i + l * lda : l + i * lda) * get(pb, bt, tb == none ? l + j * ldb : j + l * ldb);
        put((char *)d + p * sd * size, dt, i + j * ldd, sum);
      }
  }
  products++;
}

#ifndef WITHOUT_GEMM
rocblas_status rocblas_gemm_ex(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, rocblas_int m, rocblas_int n, rocblas_int k,
                               const void *alpha, const void *a, rocblas_datatype at, rocblas_int lda,
                               const void *b, rocblas_datatype bt, rocblas_int ldb,
                               const void *beta, const void *c, rocblas_datatype ct, rocblas_int ldc,
                               void *d, rocblas_datatype dt, rocblas_int ldd,
                               rocblas_datatype compute, rocblas_gemm_algo algo, int32_t solution, uint32_t flags) {
  FAIL();
  multiply(h, ta, tb, m, n, k, alpha, a, at, lda, 0, b, bt, ldb, 0, beta, c, ct, ldc, 0, d, dt, ldd, 0, 1, compute, algo, solution, flags);
  return success;
}
#endif
#ifndef WITHOUT_BATCHED
rocblas_status rocblas_gemm_strided_batched_ex(rocblas_handle h, rocblas_operation ta, rocblas_operation tb, rocblas_int m, rocblas_int n, rocblas_int k,
                                               const void *alpha, const void *a, rocblas_datatype at, rocblas_int lda, rocblas_stride sa,
                                               const void *b, rocblas_datatype bt, rocblas_int ldb, rocblas_stride sb,
                                               const void *beta, const void *c, rocblas_datatype ct, rocblas_int ldc, rocblas_stride sc,
                                               void *d, rocblas_datatype dt, rocblas_int ldd, rocblas_stride sd, rocblas_int batch,
                                               rocblas_datatype compute, rocblas_gemm_algo algo, int32_t solution, uint32_t flags) {
  FAIL();
  check(batch > 1 && sc >= (int64_t)m);
  multiply(h, ta, tb, m, n, k, alpha, a, at, lda, sa, b, bt, ldb, sb, beta, c, ct, ldc, sc, d, dt, ldd, sd, batch, compute, algo, solution, flags);
  return success;
}
#endif

#ifndef WITHOUT_GEMV
// y = op(A)·x for column-major matrices A with m rows and n columns, before they are transposed.
static void by_vector(rocblas_handle h, rocblas_operation t, rocblas_int m, rocblas_int n, const void *alpha, rocblas_datatype scalar,
                      const void *a, rocblas_int lda, rocblas_stride sa, const void *x, rocblas_int incx, rocblas_stride sx,
                      const void *beta, void *y, rocblas_int incy, rocblas_stride sy, rocblas_int batch, rocblas_datatype type) {
  usable(h);
  check(h->stream == (void *)streamMark && h->atomics == 0);
  check((t == none || t == transpose) && m > 0 && n > 0 && lda >= m && incx > 0 && incy > 0 && batch > 0 && a && x && y);
  check(get(alpha, scalar, 0) == 1 && get(beta, scalar, 0) == 0);
  int64_t rows = t == none ? m : n, cols = t == none ? n : m;
  size_t size = size_of(type);
  for (int64_t p = 0; p < batch; p++)
    for (int64_t i = 0; i < rows; i++) {
      double sum = 0;
      for (int64_t l = 0; l < cols; l++)
        sum += get((const char *)a + p * sa * size, type, t == none ? i + l * lda : l + i * lda) * get((const char *)x + p * sx * size, type, l * incx);
      put((char *)y + p * sy * size, type, i * incy, sum);
    }
  products++, vectors++;
}
#define GEMV(name, element, type) \
  rocblas_status name(rocblas_handle h, rocblas_operation t, rocblas_int m, rocblas_int n, const element *alpha, const element *a, rocblas_int lda, \
                      const element *x, rocblas_int incx, const element *beta, element *y, rocblas_int incy) { \
    FAIL(); \
    by_vector(h, t, m, n, alpha, type, a, lda, 0, x, incx, 0, beta, y, incy, 0, 1, type); \
    return success; \
  }
#define GEMV_BATCHED(name, element, factor, scalar, type) \
  rocblas_status name(rocblas_handle h, rocblas_operation t, rocblas_int m, rocblas_int n, const factor *alpha, const element *a, rocblas_int lda, rocblas_stride sa, \
                      const element *x, rocblas_int incx, rocblas_stride sx, const factor *beta, element *y, rocblas_int incy, rocblas_stride sy, rocblas_int batch) { \
    FAIL(); \
    by_vector(h, t, m, n, alpha, scalar, a, lda, sa, x, incx, sx, beta, y, incy, sy, batch, type); \
    return success; \
  }
GEMV(rocblas_sgemv, float, f32)
GEMV(rocblas_dgemv, double, f64)
GEMV_BATCHED(rocblas_sgemv_strided_batched, float, float, f32, f32)
GEMV_BATCHED(rocblas_dgemv_strided_batched, double, double, f64, f64)
GEMV_BATCHED(rocblas_hshgemv_strided_batched, uint16_t, float, f32, f16)
GEMV_BATCHED(rocblas_tstgemv_strided_batched, uint16_t, float, f32, bf16)
#endif

#ifndef WITHOUT_TRSM
// X·op(T) = B or, of the left side, op(T)·X = B for column-major matrices, X in the place of B; the obvious way, one unknown after the other.
static void triangular(rocblas_handle h, int side, int fill, rocblas_operation op, int diagonal, int m, int n, double complex alpha,
                       double complex (*load)(const void *, int64_t), void (*store)(void *, int64_t, double complex), const void *t, int ldt, void *b, int ldb) {
  usable(h);
  check(h->stream == (void *)streamMark && (side == 141 || side == 142) && (fill == 121 || fill == 122) && op >= none && op <= conjugate && (diagonal == 131 || diagonal == 132));
  const int left = side == 141, size = left ? m : n, systems = left ? n : m;
  const int64_t system = left ? ldb : 1, unknown = left ? 1 : ldb; // steps
  check(m > 0 && n > 0 && alpha == 1 && t && ldt >= size && b && ldb >= m);
  const int upper = (fill == 121) == (op == none), ascending = upper != left; // upper: of op(T)
  for (int64_t step = 0; step < size; step++) {
    const int64_t j = ascending ? step : size - 1 - step;
    for (int64_t i = 0; i < systems; i++) {
      double complex sum = load(b, i * system + j * unknown);
      for (int64_t l = ascending ? 0 : j + 1; l < (ascending ? j : size); l++) {
        const double complex e = load(t, (op == none) != left ? l + j * ldt : j + l * ldt);
        sum -= load(b, i * system + l * unknown) * (op == conjugate ? conj(e) : e);
      }
      const double complex d = load(t, j + j * ldt);
      store(b, i * system + j * unknown, diagonal == 132 ? sum : sum / (op == conjugate ? conj(d) : d));
    }
  }
  products++;
}
#define TRSM(name, T) \
  static double complex load_##name(const void *p, int64_t i) { return ((const T *)p)[i]; } \
  static void store_##name(void *p, int64_t i, double complex x) { ((T *)p)[i] = x; } \
  rocblas_status rocblas_##name(rocblas_handle h, int side, int fill, rocblas_operation op, int diagonal, rocblas_int m, rocblas_int n, const T *alpha, \
                                const T *t, rocblas_int ldt, T *b, rocblas_int ldb) { \
    FAIL(); \
    triangular(h, side, fill, op, diagonal, m, n, *alpha, load_##name, store_##name, t, ldt, b, ldb); \
    return success; \
  }
TRSM(strsm, float)
TRSM(dtrsm, double)
TRSM(ctrsm, float complex)
TRSM(ztrsm, double complex)
#endif
