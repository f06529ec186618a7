// A stand-in for libMIOpen on the stand-in for libamdhip64. Prototypes, structs and enumerations are those of AMD's documentation (MIOpen API
// reference). It lists three ways to compute a convolution, of which one may be used, and checks that it is prepared and given what it asked for.
// Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64; -DWITHOUT_WEIGHTS, -DWITHOUT_CREATE and -DWITHOUT_POOL leave calls out.
#include <stdbool.h>
#include "fakednn.h"

typedef struct handle *miopenHandle_t;
typedef struct tensor *miopenTensorDescriptor_t;
typedef struct conv *miopenConvolutionDescriptor_t;
typedef struct pool *miopenPoolingDescriptor_t;
typedef int miopenStatus_t;
typedef enum { miopenHalf = 0, miopenFloat = 1, miopenBFloat16 = 5 } miopenDataType_t;
typedef struct { float time; size_t workspace_size; uint64_t solution_id; int algorithm; } miopenConvSolution_t;
typedef struct { int algo; float time; size_t memory; } miopenConvAlgoPerf_t;

extern int hipGetDevice(int *);

enum { streamMark = 0x57, gemm = 0, winograd = 3, implicit = 5, solution = 77, measuredSpace = 2048, space = 4096 };

DEFINE_INJECT(fakemiopen_inject)

static int prepared; // the solution was compiled

static void usable(miopenHandle_t h) {
  int device = -1;
  check(hipGetDevice(&device) == 0 && device >= 0 && h && h->mark == handleMark);
}
static void ready(miopenHandle_t h) { usable(h); check(h->stream == (void *)streamMark); }

miopenStatus_t miopenGetVersion(size_t *major, size_t *minor, size_t *patch) { FAIL(); *major = 3, *minor = 2, *patch = 1; return 0; }
#ifndef WITHOUT_CREATE
miopenStatus_t miopenCreate(miopenHandle_t *h) { FAIL(); *h = make(sizeof **h, handleMark); usable(*h); return 0; }
#endif
miopenStatus_t miopenDestroy(miopenHandle_t h) { usable(h); drop(h, handleMark); FAIL(); return 0; }
miopenStatus_t miopenSetStream(miopenHandle_t h, void *stream) { FAIL(); usable(h); h->stream = stream; return 0; }

miopenStatus_t miopenCreateTensorDescriptor(miopenTensorDescriptor_t *t) { FAIL(); *t = make(sizeof **t, tensorMark); return 0; }
miopenStatus_t miopenDestroyTensorDescriptor(miopenTensorDescriptor_t t) { drop(t, tensorMark); FAIL(); return 0; }
miopenStatus_t miopenSetTensorDescriptor(miopenTensorDescriptor_t t, miopenDataType_t type, int n, const int *dims, const int *strides) {
  FAIL();
  check(type == miopenHalf || type == miopenFloat || type == miopenBFloat16);
  dense(t, tensorMark, type == miopenHalf ? f16 : type == miopenFloat ? f32 : bf16, n, dims, strides);
  return 0;
}
miopenStatus_t miopenCreateConvolutionDescriptor(miopenConvolutionDescriptor_t *c) {
  FAIL();
  *c = make(sizeof **c, convMark);
  (*c)->attributes[0] = (*c)->attributes[1] = -1;
  return 0;
}
miopenStatus_t miopenDestroyConvolutionDescriptor(miopenConvolutionDescriptor_t c) { drop(c, convMark); FAIL(); return 0; }
miopenStatus_t miopenInitConvolutionNdDescriptor(miopenConvolutionDescriptor_t c, int n, const int *pad, const int *stride, const int *dilation, int mode) {
  FAIL();
  check(c && c->mark == convMark && n == 2 && mode == 0);
  for (int i = 0; i < 2; i++) {
    check(pad[i] >= 0 && stride[i] > 0 && dilation[i] > 0);
    c->pad[i] = pad[i], c->stride[i] = stride[i], c->dilation[i] = dilation[i];
  }
  c->groups = 1;
  return 0;
}
miopenStatus_t miopenSetConvolutionGroupCount(miopenConvolutionDescriptor_t c, int groups) { FAIL(); check(c->mark == convMark && groups > 0); c->groups = groups; return 0; }
miopenStatus_t miopenSetConvolutionAttribute(miopenConvolutionDescriptor_t c, int attribute, int value) {
  FAIL();
  check(c->mark == convMark && (attribute == 0 || attribute == 1));
  c->attributes[attribute] = value;
  return 0;
}

static void described(miopenHandle_t h, miopenTensorDescriptor_t x, miopenTensorDescriptor_t w, miopenTensorDescriptor_t y, miopenConvolutionDescriptor_t c) {
  ready(h);
  fits(x, w, tensorMark, y, c);
  check(c->attributes[0] == 0 && c->attributes[1] == 1); // f16 as it is; the same bits each time
}
static void space_given(void *memory, size_t size, size_t want) { check(memory && size == want); memset(memory, 0xee, size); }
static int fewer_bits(void) { return getenv("GOROCM_TF32") != NULL; }

// The calls of a pass. a, b and to are x, w and y in the order of the arguments of the calls that list ways, first and second in that of those that run one.
#define PASS(number, name, a, b, to, first, second) \
  miopenStatus_t miopenConvolution##name##GetSolution(miopenHandle_t h, const miopenTensorDescriptor_t a##Desc, const miopenTensorDescriptor_t b##Desc, \
      const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t to##Desc, const size_t most, size_t *count, miopenConvSolution_t *s) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(most >= 3); \
    s[0] = (miopenConvSolution_t){1, 0, solution + 1, winograd}; \
    s[1] = (miopenConvSolution_t){2, (size_t)1 << 40, solution + 2, implicit}; \
    s[2] = (miopenConvSolution_t){3, space, solution, gemm}; \
    *count = 3; \
    return 0; \
  } \
  miopenStatus_t miopenConvolution##name##CompileSolution(miopenHandle_t h, const miopenTensorDescriptor_t a##Desc, const miopenTensorDescriptor_t b##Desc, \
      const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t to##Desc, const uint64_t id) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(id == solution + (uint64_t)fewer_bits()); \
    prepared = 1; \
    return 0; \
  } \
  miopenStatus_t miopenConvolution##name##Immediate(miopenHandle_t h, const miopenTensorDescriptor_t a##Desc, const void *a, const miopenTensorDescriptor_t b##Desc, \
      const void *b, const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t to##Desc, void *to, void *memory, size_t size, const uint64_t id) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(id == solution + (uint64_t)fewer_bits() && prepared); \
    if (fewer_bits()) check(size == 0); else space_given(memory, size, space); \
    convolve(number, xDesc, (void *)x, wDesc, (void *)w, yDesc, (void *)y, c); \
    return 0; \
  } \
  miopenStatus_t miopenConvolution##name##GetWorkSpaceSize(miopenHandle_t h, const miopenTensorDescriptor_t a##Desc, const miopenTensorDescriptor_t b##Desc, \
      const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t to##Desc, size_t *size) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    *size = space; \
    return 0; \
  } \
  miopenStatus_t miopenFindConvolution##name##Algorithm(miopenHandle_t h, const miopenTensorDescriptor_t first##Desc, const void *first, const miopenTensorDescriptor_t second##Desc, \
      const void *second, const miopenConvolutionDescriptor_t c, const miopenTensorDescriptor_t to##Desc, void *to, const int most, int *count, \
      miopenConvAlgoPerf_t *perf, void *memory, size_t size, bool exhaustive) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(most >= 2 && !exhaustive && x && w && y); \
    space_given(memory, size, space); \
    perf[0] = (miopenConvAlgoPerf_t){winograd, 1, 0}; \
    perf[1] = (miopenConvAlgoPerf_t){implicit, 2, measuredSpace}; \
    *count = 2; \
    return 0; \
  } \
  miopenStatus_t miopenConvolution##name(miopenHandle_t h, const void *alpha, const miopenTensorDescriptor_t first##Desc, const void *first, \
      const miopenTensorDescriptor_t second##Desc, const void *second, const miopenConvolutionDescriptor_t c, int algorithm, const void *beta, \
      const miopenTensorDescriptor_t to##Desc, void *to, void *memory, size_t size) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(*(const float *)alpha == 1 && *(const float *)beta == 0 && algorithm == implicit); \
    space_given(memory, size, measuredSpace); \
    convolve(number, xDesc, (void *)x, wDesc, (void *)w, yDesc, (void *)y, c); \
    return 0; \
  }
PASS(0, Forward, w, x, y, x, w)
PASS(1, BackwardData, y, w, x, y, w)
#ifndef WITHOUT_WEIGHTS
PASS(2, BackwardWeights, y, x, w, y, x)
#endif

miopenStatus_t miopenCreatePoolingDescriptor(miopenPoolingDescriptor_t *p) { FAIL(); *p = make(sizeof **p, poolMark); return 0; }
miopenStatus_t miopenDestroyPoolingDescriptor(miopenPoolingDescriptor_t p) { drop(p, poolMark); FAIL(); return 0; }
miopenStatus_t miopenSet2dPoolingDescriptor(miopenPoolingDescriptor_t p, int mode, int height, int width, int padH, int padW, int strideH, int strideW) {
  FAIL();
  check(p && p->mark == poolMark && mode == 1 && height > 0 && width > 0 && padH == 0 && padW == 0 && strideH > 0 && strideW > 0);
  p->window[0] = height, p->window[1] = width, p->stride[0] = strideH, p->stride[1] = strideW;
  return 0;
}
#ifndef WITHOUT_POOL
miopenStatus_t miopenPoolingForward(miopenHandle_t h, const miopenPoolingDescriptor_t p, const void *alpha, const miopenTensorDescriptor_t xDesc, const void *x,
                                    const void *beta, const miopenTensorDescriptor_t yDesc, void *y, bool backward, void *memory, size_t size) {
  FAIL();
  ready(h), pools_fit(p, xDesc, yDesc);
  check(*(const float *)alpha == 1 && *(const float *)beta == 0 && !backward && !memory && size == 0);
  pool_windows(p, xDesc, (void *)x, yDesc, y, 0);
  return 0;
}
miopenStatus_t miopenPoolingBackward(miopenHandle_t h, const miopenPoolingDescriptor_t p, const void *alpha, const miopenTensorDescriptor_t yDesc, const void *y,
                                     const miopenTensorDescriptor_t dyDesc, const void *dy, const miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
                                     const miopenTensorDescriptor_t dxDesc, void *dx, void *memory) {
  FAIL();
  ready(h), pools_fit(p, xDesc, yDesc), pools_fit(p, dxDesc, dyDesc);
  check(*(const float *)alpha == 1 && *(const float *)beta == 0 && y && x && !memory);
  pool_windows(p, dxDesc, dx, dyDesc, (void *)dy, 1);
  return 0;
}
#endif

typedef struct activation *miopenActivationDescriptor_t;
#define FACTORS(alpha, beta) check(*(const float *)(alpha) == 1 && *(const float *)(beta) == 0)

miopenStatus_t miopenCreateActivationDescriptor(miopenActivationDescriptor_t *a) { FAIL(); *a = make(sizeof **a, activationMark); return 0; }
miopenStatus_t miopenDestroyActivationDescriptor(miopenActivationDescriptor_t a) { drop(a, activationMark); FAIL(); return 0; }
miopenStatus_t miopenSetActivationDescriptor(const miopenActivationDescriptor_t a, int mode, double alpha, double beta, double gamma) {
  FAIL();
  check(a->mark == activationMark && (mode == 1 || mode == 2 || mode == 3 || mode == 9) && beta == 1 && gamma == 1 && (mode == 9 || alpha == 1));
  a->function = mode == 1 ? sigmoid : mode == 2 ? tanhOf : mode == 3 ? relu : elu, a->coefficient = alpha;
  return 0;
}
miopenStatus_t miopenActivationForward(miopenHandle_t h, const miopenActivationDescriptor_t a, const void *alpha, const miopenTensorDescriptor_t xDesc, const void *x,
                                       const void *beta, const miopenTensorDescriptor_t yDesc, void *y) {
  FAIL();
  ready(h), tensors(xDesc, yDesc);
  FACTORS(alpha, beta);
  activations(a, xDesc, x, y, NULL, NULL);
  return 0;
}
miopenStatus_t miopenActivationBackward(miopenHandle_t h, const miopenActivationDescriptor_t a, const void *alpha, const miopenTensorDescriptor_t yDesc, const void *y,
                                        const miopenTensorDescriptor_t dyDesc, const void *dy, const miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
                                        const miopenTensorDescriptor_t dxDesc, void *dx) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), tensors(dxDesc, dyDesc);
  FACTORS(alpha, beta);
  activations(a, xDesc, x, (void *)y, dy, dx);
  return 0;
}
miopenStatus_t miopenSoftmaxForward_V2(miopenHandle_t h, const void *alpha, const miopenTensorDescriptor_t xDesc, const void *x, const void *beta,
                                       const miopenTensorDescriptor_t yDesc, void *y, int algorithm, int mode) {
  FAIL();
  ready(h), tensors(xDesc, yDesc);
  FACTORS(alpha, beta);
  softmaxes(algorithm, mode, xDesc, x, y, NULL, NULL);
  return 0;
}
miopenStatus_t miopenSoftmaxBackward_V2(miopenHandle_t h, const void *alpha, const miopenTensorDescriptor_t yDesc, const void *y, const miopenTensorDescriptor_t dyDesc, const void *dy,
                                        const void *beta, const miopenTensorDescriptor_t dxDesc, void *dx, int algorithm, int mode) {
  FAIL();
  ready(h), tensors(yDesc, dyDesc), tensors(yDesc, dxDesc);
  FACTORS(alpha, beta);
  softmaxes(algorithm, mode, yDesc, NULL, (void *)y, dy, dx);
  return 0;
}
miopenStatus_t miopenBatchNormalizationForwardInference(miopenHandle_t h, int mode, void *alpha, void *beta, const miopenTensorDescriptor_t xDesc, const void *x,
    const miopenTensorDescriptor_t yDesc, void *y, const miopenTensorDescriptor_t c, void *scale, void *bias, void *mean, void *variance, double eps) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), channel_numbers(xDesc, c, mode);
  FACTORS(alpha, beta);
  norms(xDesc, x, y, c->type, scale, bias, 0, mean, variance, eps, NULL, NULL, NULL, NULL, NULL, NULL);
  return 0;
}
miopenStatus_t miopenBatchNormalizationForwardTraining(miopenHandle_t h, int mode, void *alpha, void *beta, const miopenTensorDescriptor_t xDesc, const void *x,
    const miopenTensorDescriptor_t yDesc, void *y, const miopenTensorDescriptor_t c, void *scale, void *bias, double factor, void *mean, void *variance, double eps,
    void *savedMean, void *savedInverse) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), channel_numbers(xDesc, c, mode);
  FACTORS(alpha, beta);
  check(savedMean && savedInverse);
  norms(xDesc, x, y, c->type, scale, bias, factor, mean, variance, eps, savedMean, savedInverse, NULL, NULL, NULL, NULL);
  return 0;
}
miopenStatus_t miopenBatchNormalizationBackward(miopenHandle_t h, int mode, const void *alphaData, const void *betaData, const void *alphaParam, const void *betaParam,
    const miopenTensorDescriptor_t xDesc, const void *x, const miopenTensorDescriptor_t dyDesc, const void *dy, const miopenTensorDescriptor_t dxDesc, void *dx,
    const miopenTensorDescriptor_t c, const void *scale, void *dScale, void *dBias, double eps, const void *savedMean, const void *savedInverse) {
  FAIL();
  ready(h), tensors(xDesc, dyDesc), tensors(xDesc, dxDesc), channel_numbers(xDesc, c, mode);
  FACTORS(alphaData, betaData);
  FACTORS(alphaParam, betaParam);
  norms(xDesc, x, NULL, c->type, scale, NULL, 0, NULL, NULL, eps, (void *)savedMean, (void *)savedInverse, dy, dx, dScale, dBias);
  return 0;
}
