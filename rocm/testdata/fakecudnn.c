// A stand-in for libcudnn. Prototypes, structs and enumerations are those of NVIDIA's documentation (cuDNN API reference, the calls that versions
// 8 and 9 share). It lists four ways to compute a convolution, of which one may be used, and checks that it is given what it asked for. Memory is
// the host's. Build: gcc -shared -fPIC.
// Graphs are in fakecudnn_graph.h; with -DWITHOUT_GRAPHS there are none.
#include "fakednn.h"

typedef struct handle *cudnnHandle_t;
typedef struct tensor *cudnnTensorDescriptor_t, *cudnnFilterDescriptor_t;
typedef struct conv *cudnnConvolutionDescriptor_t;
typedef struct pool *cudnnPoolingDescriptor_t;
typedef int cudnnStatus_t;
typedef enum { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_DOUBLE = 1, CUDNN_DATA_HALF = 2, CUDNN_DATA_BFLOAT16 = 9 } cudnnDataType_t;
typedef struct { int algo; cudnnStatus_t status; float time; size_t memory; int determinism, mathType, reserved[3]; } cudnnAlgoPerf_t;

enum { streamMark = 77, space = 4096, notSupported = 3000, defaultMath = 0, tensorMath = 1, fmaMath = 3 };

DEFINE_INJECT(fakecudnn_inject)

static void usable(cudnnHandle_t h) { check(h && h->mark == handleMark); }
static void ready(cudnnHandle_t h) { usable(h); check(h->stream == (void *)streamMark); }
static element type_of(cudnnDataType_t t) {
  check(t == CUDNN_DATA_FLOAT || t == CUDNN_DATA_DOUBLE || t == CUDNN_DATA_HALF || t == CUDNN_DATA_BFLOAT16);
  return t == CUDNN_DATA_FLOAT ? f32 : t == CUDNN_DATA_DOUBLE ? f64 : t == CUDNN_DATA_HALF ? f16 : bf16;
}

cudnnStatus_t cudnnGetProperty(int property, int *value) { FAIL(); check(property >= 0 && property < 3); *value = 9 - property; return 0; }
cudnnStatus_t cudnnCreate(cudnnHandle_t *h) { FAIL(); *h = make(sizeof **h, handleMark); return 0; }
cudnnStatus_t cudnnDestroy(cudnnHandle_t h) { usable(h); drop(h, handleMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetStream(cudnnHandle_t h, void *stream) { FAIL(); usable(h); h->stream = stream; return 0; }

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *t) { FAIL(); *t = make(sizeof **t, tensorMark); return 0; }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t t) { drop(t, tensorMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t t, cudnnDataType_t type, int n, const int dims[], const int strides[]) {
  FAIL();
  dense(t, tensorMark, type_of(type), n, dims, strides);
  return 0;
}
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *f) { FAIL(); *f = make(sizeof **f, filterMark); return 0; }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t f) { drop(f, filterMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t f, cudnnDataType_t type, int format, int n, const int dims[]) {
  FAIL();
  check((format == 0 || format == 1) && n == 4);
  int strides[4];
  strides_of(format == 1 ? channelsLast : channelsFirst, dims, strides);
  dense(f, filterMark, type_of(type), n, dims, strides);
  return 0;
}
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *c) { FAIL(); *c = make(sizeof **c, convMark); (*c)->math = -1; return 0; }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t c) { drop(c, convMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t c, int n, const int pad[], const int stride[], const int dilation[], int mode, cudnnDataType_t compute) {
  FAIL();
  check(c && c->mark == convMark && n == 2 && mode == 1 && (compute == CUDNN_DATA_FLOAT || compute == CUDNN_DATA_DOUBLE));
  for (int i = 0; i < 2; i++) {
    check(pad[i] >= 0 && stride[i] > 0 && dilation[i] > 0);
    c->pad[i] = pad[i], c->stride[i] = stride[i], c->dilation[i] = dilation[i];
  }
  c->groups = 1, c->attributes[0] = compute;
  return 0;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t c, int groups) { FAIL(); check(c->mark == convMark && groups > 0); c->groups = groups; return 0; }
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t c, int math) { FAIL(); check(c->mark == convMark && math >= 0 && math <= 3); c->math = math; return 0; }

// described checks the arithmetic, too: f32 has all its bits unless the user said that it need not.
static void described(cudnnHandle_t h, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t c) {
  ready(h);
  fits(x, w, filterMark, y, c);
  check(c->attributes[0] == (x->type == f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT));
  int fewer = getenv("GOROCM_TF32") != NULL;
  check(c->math == (x->type == f16 || x->type == bf16 ? tensorMath : x->type == f32 && !fewer ? fmaMath : defaultMath));
}

static int list(cudnnAlgoPerf_t *p, int most, int exact, int inexact, cudnnTensorDescriptor_t x) {
  check(most >= 5);
  int math = x->type == f16 || x->type == bf16 ? tensorMath : defaultMath;
  p[0] = (cudnnAlgoPerf_t){exact, notSupported, -1, 0, 1, math};
  p[1] = (cudnnAlgoPerf_t){exact, 0, 1, 0, 0, math}; // other bits each time
  p[2] = (cudnnAlgoPerf_t){exact, 0, 1, (size_t)1 << 40, 1, math};
  if (!getenv("GOROCM_TF32")) p[3] = (cudnnAlgoPerf_t){inexact, 0, 1, 0, 1, math};
  else p[3] = p[0];
  p[4] = (cudnnAlgoPerf_t){exact, 0, 2, space, 1, math};
  return 5;
}

// The calls of a pass. a, b and to are x, w and y in the order of the arguments, with the types of their descriptors.
#define PASS(number, name, A, a, B, b, TO, to, exact, inexact) \
  cudnnStatus_t cudnnGetConvolution##name##Algorithm_v7(cudnnHandle_t h, const A a##Desc, const B b##Desc, const cudnnConvolutionDescriptor_t c, \
                                                        const TO to##Desc, const int most, int *count, cudnnAlgoPerf_t *perf) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    *count = list(perf, most, exact, inexact, xDesc); \
    return 0; \
  } \
  cudnnStatus_t cudnnFindConvolution##name##AlgorithmEx(cudnnHandle_t h, const A a##Desc, const void *a, const B b##Desc, const void *b, const cudnnConvolutionDescriptor_t c, \
                                                        const TO to##Desc, void *to, const int most, int *count, cudnnAlgoPerf_t *perf, void *memory, size_t size) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(x && w && y && memory && size >= space); \
    memset(memory, 0xee, size); \
    *count = list(perf, most, exact, inexact, xDesc); \
    return 0; \
  } \
  cudnnStatus_t cudnnConvolution##name(cudnnHandle_t h, const void *alpha, const A a##Desc, const void *a, const B b##Desc, const void *b, const cudnnConvolutionDescriptor_t c, \
                                       int algo, void *memory, size_t size, const void *beta, const TO to##Desc, void *to) { \
    FAIL(); \
    described(h, xDesc, wDesc, yDesc, c); \
    check(algo == exact && memory && size == space); \
    check(get(alpha, xDesc->type == f64 ? f64 : f32, 0) == 1 && get(beta, xDesc->type == f64 ? f64 : f32, 0) == 0); \
    memset(memory, 0xee, size); \
    convolve(number, xDesc, (void *)x, wDesc, (void *)w, yDesc, (void *)y, c); \
    return 0; \
  }
PASS(0, Forward, cudnnTensorDescriptor_t, x, cudnnFilterDescriptor_t, w, cudnnTensorDescriptor_t, y, 1, 6)
PASS(1, BackwardData, cudnnFilterDescriptor_t, w, cudnnTensorDescriptor_t, y, cudnnTensorDescriptor_t, x, 1, 4)
PASS(2, BackwardFilter, cudnnTensorDescriptor_t, x, cudnnTensorDescriptor_t, y, cudnnFilterDescriptor_t, w, 3, 2)

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *p) { FAIL(); *p = make(sizeof **p, poolMark); return 0; }
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t p) { drop(p, poolMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t p, int mode, int nan, int height, int width, int padV, int padH, int strideV, int strideH) {
  FAIL();
  check(p && p->mark == poolMark && (mode == 0 || mode == 1) && nan == 1 && height > 0 && width > 0 && padV == 0 && padH == 0 && strideV > 0 && strideH > 0);
  p->greatest = mode == 0, p->window[0] = height, p->window[1] = width, p->stride[0] = strideV, p->stride[1] = strideH;
  return 0;
}
static int factors(const struct tensor *t, const void *alpha, const void *beta) {
  element e = t->type == f64 ? f64 : f32;
  return get(alpha, e, 0) == 1 && get(beta, e, 0) == 0;
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t h, const cudnnPoolingDescriptor_t p, const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  FAIL();
  ready(h), pools_fit(p, xDesc, yDesc);
  check(factors(xDesc, alpha, beta));
  pool_windows(p, xDesc, (void *)x, yDesc, y, 0);
  return 0;
}
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t h, const cudnnPoolingDescriptor_t p, const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx) {
  FAIL();
  ready(h), pools_fit(p, xDesc, yDesc), pools_fit(p, dxDesc, dyDesc);
  check(factors(xDesc, alpha, beta) && y && x && !p->greatest);
  pool_windows(p, dxDesc, dx, dyDesc, (void *)dy, 1);
  return 0;
}

typedef struct activation *cudnnActivationDescriptor_t;
#define FACTORS(t, alpha, beta) check(factors(t, alpha, beta))

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *a) { FAIL(); *a = make(sizeof **a, activationMark); return 0; }
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t a) { drop(a, activationMark); FAIL(); return 0; }
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t a, int mode, int nan, double coefficient) {
  FAIL();
  check(a->mark == activationMark && (mode == 0 || mode == 1 || mode == 2 || mode == 4) && nan == 1);
  a->function = mode == 0 ? sigmoid : mode == 1 ? relu : mode == 2 ? tanhOf : elu, a->coefficient = coefficient;
  return 0;
}
cudnnStatus_t cudnnActivationForward(cudnnHandle_t h, const cudnnActivationDescriptor_t a, const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                       const void *beta, const cudnnTensorDescriptor_t yDesc, void *y) {
  FAIL();
  ready(h), tensors(xDesc, yDesc);
  FACTORS(xDesc, alpha, beta);
  activations(a, xDesc, x, y, NULL, NULL);
  return 0;
}
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t h, const cudnnActivationDescriptor_t a, const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
                                        const cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                        const cudnnTensorDescriptor_t dxDesc, void *dx) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), tensors(dxDesc, dyDesc);
  FACTORS(xDesc, alpha, beta);
  activations(a, xDesc, x, (void *)y, dy, dx);
  return 0;
}
cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t h, int algorithm, int mode, const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t yDesc, void *y) {
  FAIL();
  ready(h), tensors(xDesc, yDesc);
  FACTORS(xDesc, alpha, beta);
  softmaxes(algorithm, mode, xDesc, x, y, NULL, NULL);
  return 0;
}
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t h, int algorithm, int mode, const void *alpha, const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy, const void *beta, const cudnnTensorDescriptor_t dxDesc, void *dx) {
  FAIL();
  ready(h), tensors(yDesc, dyDesc), tensors(yDesc, dxDesc);
  FACTORS(yDesc, alpha, beta);
  softmaxes(algorithm, mode, yDesc, NULL, (void *)y, dy, dx);
  return 0;
}
cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t h, int mode, void *alpha, void *beta, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t c, void *scale, void *bias, void *mean, void *variance, double eps) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), channel_numbers(xDesc, c, mode);
  FACTORS(xDesc, alpha, beta);
  norms(xDesc, x, y, c->type, scale, bias, 0, mean, variance, eps, NULL, NULL, NULL, NULL, NULL, NULL);
  return 0;
}
cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t h, int mode, void *alpha, void *beta, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnTensorDescriptor_t yDesc, void *y, const cudnnTensorDescriptor_t c, void *scale, void *bias, double factor, void *mean, void *variance, double eps,
    void *savedMean, void *savedInverse) {
  FAIL();
  ready(h), tensors(xDesc, yDesc), channel_numbers(xDesc, c, mode);
  FACTORS(xDesc, alpha, beta);
  check(savedMean && savedInverse);
  norms(xDesc, x, y, c->type, scale, bias, factor, mean, variance, eps, savedMean, savedInverse, NULL, NULL, NULL, NULL);
  return 0;
}
cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t h, int mode, const void *alphaData, const void *betaData, const void *alphaParam, const void *betaParam,
    const cudnnTensorDescriptor_t xDesc, const void *x, const cudnnTensorDescriptor_t dyDesc, const void *dy, const cudnnTensorDescriptor_t dxDesc, void *dx,
    const cudnnTensorDescriptor_t c, const void *scale, void *dScale, void *dBias, double eps, const void *savedMean, const void *savedInverse) {
  FAIL();
  ready(h), tensors(xDesc, dyDesc), tensors(xDesc, dxDesc), channel_numbers(xDesc, c, mode);
  FACTORS(xDesc, alphaData, betaData);
  FACTORS(xDesc, alphaParam, betaParam);
  norms(xDesc, x, NULL, c->type, scale, NULL, 0, NULL, NULL, eps, (void *)savedMean, (void *)savedInverse, dy, dx, dScale, dBias);
  return 0;
}

#ifndef WITHOUT_GRAPHS
#include "fakecudnn_graph.h"
#endif
