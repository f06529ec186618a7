// Mathematics that clang does not make without a device library, from the functions of gorocm's own kernels.
#define GOROCM_MATH(name) \
  GOROCM_DEVICE float name##f(float x) { return gr::name(x); } \
  GOROCM_DEVICE float name(float x) { return gr::name(x); } \
  GOROCM_DEVICE double name(double x) { return gr::name(x); }
GOROCM_MATH(sin)
GOROCM_MATH(cos)
GOROCM_MATH(erf)
GOROCM_MATH(expm1)
GOROCM_DEVICE double exp(double x) { return gr::exp(x); }
GOROCM_DEVICE double log(double x) { return gr::log(x); }
GOROCM_DEVICE float tanh(float x) { return gr::tanh(x); }
GOROCM_DEVICE double tanh(double x) { return gr::tanh(x); }
GOROCM_DEVICE float tanf(float x) { return gr::sin(x) / gr::cos(x); }
GOROCM_DEVICE float tan(float x) { return tanf(x); }
GOROCM_DEVICE double tan(double x) { return gr::sin(x) / gr::cos(x); }
GOROCM_DEVICE float powf(float x, float y) { return gr::pow(x, y); }
GOROCM_DEVICE float pow(float x, float y) { return gr::pow(x, y); }
GOROCM_DEVICE double pow(double x, double y) { return gr::pow(x, y); }
GOROCM_DEVICE void sincosf(float x, float *s, float *c) { *s = gr::sin(x), *c = gr::cos(x); }
GOROCM_DEVICE void sincos(double x, double *s, double *c) { *s = gr::sin(x), *c = gr::cos(x); }
#undef GOROCM_MATH
