// What the stand-ins for MIOpen and cuDNN share: descriptors, and convolutions and pools computed the obvious way. All that is not dense, or not
// what was described, ends the process.
#include "inject.h"
#include "elements.h"

enum { tensorMark = 0x7e50, filterMark = 0xf117, convMark = 0xc0f1, poolMark = 0x9001, handleMark = 0xd00d };

struct handle { int mark; void *stream; };
struct tensor { int mark; element type; int dims[4], strides[4], orders; }; // a filter is one, too
struct conv { int mark, pad[2], stride[2], dilation[2], groups, attributes[2], math; };
struct pool { int mark, greatest, window[2], stride[2]; };

enum { channelsFirst = 1, channelsLast = 2 }; // the orders in which elements may lie: both at once, if all is in one channel of one place

static int live, convolutions, last, pools; // handles and descriptors; what was computed, with the channels last, too
int fakednn_live(void) { return live; }
int fakednn_convolutions(void) { return convolutions; }
int fakednn_channels_last(void) { return last; }
int fakednn_pools(void) { return pools; }

static void *make(size_t size, int mark) { int *p = calloc(1, size); *p = mark, live++; return p; }
static void drop(void *p, int mark) { check(p && *(int *)p == mark); *(int *)p = 0; free(p), live--; }

static int64_t count(const struct tensor *t) { return (int64_t)t->dims[0] * t->dims[1] * t->dims[2] * t->dims[3]; }

// strides_of are those of elements without gaps in an order.
static void strides_of(int order, const int *dims, int *strides) {
  int c = dims[1], h = dims[2], w = dims[3];
  int first[] = {c * h * w, h * w, w, 1}, end[] = {c * h * w, 1, w * c, c};
  memcpy(strides, order == channelsLast ? end : first, sizeof first);
}

// dense sets the sizes of a tensor, whose elements must lie without gaps. Sizes and strides are of images, channels, rows and columns.
static void dense(struct tensor *t, int mark, element type, int n, const int *dims, const int *strides) {
  check(t && t->mark == mark && n == 4);
  t->type = type, t->orders = 0;
  for (int i = 0; i < 4; i++) {
    check(dims[i] > 0);
    t->dims[i] = dims[i], t->strides[i] = strides[i];
  }
  for (int order = channelsFirst; order <= channelsLast; order++) {
    int want[4];
    strides_of(order, dims, want);
    if (!memcmp(want, strides, sizeof want)) t->orders |= order;
  }
  check(t->orders);
}

// place is where an element lies.
static int64_t place(const struct tensor *t, int64_t n, int64_t c, int64_t h, int64_t w) {
  return n * t->strides[0] + c * t->strides[1] + h * t->strides[2] + w * t->strides[3];
}

// fits checks what was described against what a convolution makes of it.
static void fits(const struct tensor *x, const struct tensor *w, int wMark, const struct tensor *y, const struct conv *c) {
  check(x && x->mark == tensorMark && w && w->mark == wMark && y && y->mark == tensorMark && c && c->mark == convMark);
  check(x->type == w->type && x->type == y->type && x->dims[0] == y->dims[0]);
  check(x->orders & w->orders & y->orders); // one order for all
  check(c->groups > 0 && x->dims[1] == w->dims[1] * c->groups && y->dims[1] == w->dims[0] && w->dims[0] % c->groups == 0);
  for (int i = 0; i < 2; i++) {
    int span = x->dims[2 + i] + 2 * c->pad[i] - c->dilation[i] * (w->dims[2 + i] - 1) - 1;
    check(span >= 0 && y->dims[2 + i] == span / c->stride[i] + 1);
  }
}

// convolve adds every product once, in the order of the loops: to y of x and w (pass 0), to x of y and w (1), to w of x and y (2).
static void convolve(int pass, const struct tensor *xt, void *x, const struct tensor *wt, void *w, const struct tensor *yt, void *y, const struct conv *c) {
  check(x && w && y);
  const struct tensor *to = pass == 0 ? yt : pass == 1 ? xt : wt;
  double *sums = calloc(count(to), sizeof *sums);
  int perGroup = wt->dims[1], outs = wt->dims[0] / c->groups;
  for (int64_t n = 0; n < yt->dims[0]; n++)
    for (int64_t k = 0; k < yt->dims[1]; k++)
      for (int64_t oy = 0; oy < yt->dims[2]; oy++)
        for (int64_t ox = 0; ox < yt->dims[3]; ox++)
          for (int64_t ch = 0; ch < perGroup; ch++)
            for (int64_t r = 0; r < wt->dims[2]; r++)
              for (int64_t s = 0; s < wt->dims[3]; s++) {
                int64_t iy = oy * c->stride[0] - c->pad[0] + r * c->dilation[0], ix = ox * c->stride[1] - c->pad[1] + s * c->dilation[1];
                if (iy < 0 || iy >= xt->dims[2] || ix < 0 || ix >= xt->dims[3]) continue;
                int64_t atX = place(xt, n, k / outs * perGroup + ch, iy, ix), atW = place(wt, k, ch, r, s), atY = place(yt, n, k, oy, ox);
                if (pass == 0) sums[atY] += get(x, xt->type, atX) * get(w, xt->type, atW);
                if (pass == 1) sums[atX] += get(y, xt->type, atY) * get(w, xt->type, atW);
                if (pass == 2) sums[atW] += get(x, xt->type, atX) * get(y, xt->type, atY);
              }
  for (int64_t i = 0; i < count(to); i++) put(pass == 0 ? y : pass == 1 ? x : w, to->type, i, sums[i]);
  free(sums);
  convolutions++;
  if (!(xt->orders & wt->orders & yt->orders & channelsFirst)) last++;
}

static void pools_fit(const struct pool *p, const struct tensor *x, const struct tensor *y) {
  check(p && p->mark == poolMark && x && x->mark == tensorMark && y && y->mark == tensorMark && x->type == y->type);
  check(x->orders & y->orders & channelsFirst && x->dims[0] == y->dims[0] && x->dims[1] == y->dims[1]);
  for (int i = 0; i < 2; i++) check(p->window[i] <= x->dims[2 + i] && y->dims[2 + i] == (x->dims[2 + i] - p->window[i]) / p->stride[i] + 1);
}

// pool_windows goes through the windows: averages or greatest elements of x to y or, back, shares of y to x.
static void pool_windows(const struct pool *p, const struct tensor *xt, void *x, const struct tensor *yt, void *y, int backward) {
  check(x && y);
  int64_t planes = (int64_t)xt->dims[0] * xt->dims[1], each = p->window[0] * p->window[1];
  double *sums = calloc(count(xt), sizeof *sums);
  for (int64_t n = 0; n < planes; n++)
    for (int64_t oy = 0; oy < yt->dims[2]; oy++)
      for (int64_t ox = 0; ox < yt->dims[3]; ox++) {
        int64_t atY = (n * yt->dims[2] + oy) * yt->dims[3] + ox;
        double sum = 0, most = -1e300;
        for (int64_t r = 0; r < p->window[0]; r++)
          for (int64_t s = 0; s < p->window[1]; s++) {
            int64_t atX = (n * xt->dims[2] + oy * p->stride[0] + r) * xt->dims[3] + ox * p->stride[1] + s;
            if (backward) { sums[atX] += get(y, yt->type, atY) / each; continue; }
            double v = get(x, xt->type, atX);
            sum += v, most = v > most ? v : most;
          }
        if (!backward) put(y, yt->type, atY, p->greatest ? most : sum / each);
      }
  for (int64_t i = 0; backward && i < count(xt); i++) put(x, xt->type, i, sums[i]);
  free(sums);
  pools++;
}

// layers: functions of elements, of rows and of channels, forward and back.
struct activation { int mark, function; double coefficient; };
enum { activationMark = 0xac71, sigmoid = 0, tanhOf, relu, elu };
static int layers;
int fakednn_layers(void) { return layers; }
extern double exp(double), log(double), tanh(double), sqrt(double);

static double value(const struct activation *a, double x) {
  switch (a->function) {
  case sigmoid: return 1 / (1 + exp(-x));
  case tanhOf: return tanh(x);
  case relu: return x > 0 ? x : 0;
  }
  return x > 0 ? x : a->coefficient * (exp(x) - 1);
}
static double slope(const struct activation *a, double x, double y) {
  switch (a->function) {
  case sigmoid: return y * (1 - y);
  case tanhOf: return 1 - y * y;
  case relu: return x > 0;
  }
  return x > 0 ? 1 : y + a->coefficient;
}
static void tensors(const struct tensor *a, const struct tensor *b) {
  check(a && a->mark == tensorMark && b && b->mark == tensorMark && a->type == b->type && !memcmp(a->dims, b->dims, sizeof a->dims));
  check(a->orders & b->orders & channelsFirst);
}
static void activations(const struct activation *a, const struct tensor *t, const void *x, void *y, const void *dy, void *dx) {
  check(a && a->mark == activationMark && x && y && (dx == NULL) == (dy == NULL));
  for (int64_t i = 0; i < count(t); i++) {
    double v = get(x, t->type, i);
    if (dx) put(dx, t->type, i, get(dy, t->type, i) * slope(a, v, get(y, t->type, i)));
    else put(y, t->type, i, value(a, v));
  }
  layers++;
}
static void softmaxes(int algorithm, int mode, const struct tensor *t, const void *x, void *y, const void *dy, void *dx) {
  check((algorithm == 1 || algorithm == 2) && mode == 0 && y);
  int64_t rows = t->dims[0], cols = count(t) / rows;
  for (int64_t r = 0; r < rows; r++) {
    double most = -1e300, sum = 0, dot = 0, all = 0;
    for (int64_t c = 0; c < cols && x; c++) { double v = get(x, t->type, r * cols + c); most = v > most ? v : most; }
    for (int64_t c = 0; c < cols && x; c++) sum += exp(get(x, t->type, r * cols + c) - most);
    for (int64_t c = 0; c < cols && dy; c++) {
      double g = get(dy, t->type, r * cols + c);
      dot += g * get(y, t->type, r * cols + c), all += g;
    }
    for (int64_t c = 0; c < cols; c++) {
      int64_t i = r * cols + c;
      if (x) { double v = get(x, t->type, i) - most; put(y, t->type, i, algorithm == 2 ? v - log(sum) : exp(v) / sum); continue; }
      double g = get(dy, t->type, i), p = get(y, t->type, i);
      put(dx, t->type, i, algorithm == 2 ? g - exp(p) * all : p * (g - dot));
    }
  }
  layers++;
}

// channel_numbers checks the descriptor of what belongs to channels.
static void channel_numbers(const struct tensor *t, const struct tensor *c, int mode) {
  check(mode == 1 && c && c->mark == tensorMark && c->dims[0] == 1 && c->dims[1] == t->dims[1] && c->dims[2] == 1 && c->dims[3] == 1);
  check(c->type == (t->type == f64 ? f64 : f32));
}
// norms: with dx back; otherwise with saved by the numbers of x, from which the running ones learn; otherwise by the running ones.
static void norms(const struct tensor *t, const void *x, void *y, element numbers, const void *scale, const void *bias, double momentum, void *mean, void *variance, double eps,
                  void *savedMean, void *savedInverse, const void *dy, void *dx, void *dScale, void *dBias) {
  check(x && scale && eps > 0);
  int64_t plane = (int64_t)t->dims[2] * t->dims[3], n = t->dims[0] * plane;
  for (int64_t c = 0; c < t->dims[1]; c++) {
#define EACH for (int64_t k = 0, i; i = (k / plane * t->dims[1] + c) * plane + k % plane, k < n; k++)
    double s = get(scale, numbers, c), m = 0, v = 0, inverse;
    if (dx) {
      double sum = 0, dot = 0;
      m = get(savedMean, numbers, c), inverse = get(savedInverse, numbers, c);
      EACH { double g = get(dy, t->type, i); sum += g, dot += g * (get(x, t->type, i) - m) * inverse; }
      EACH { double h = (get(x, t->type, i) - m) * inverse; put(dx, t->type, i, s * inverse * (get(dy, t->type, i) - sum / n - h * dot / n)); }
      put(dScale, numbers, c, dot), put(dBias, numbers, c, sum);
      continue;
    }
    if (savedMean) {
      EACH m += get(x, t->type, i) / n;
      EACH { double d = get(x, t->type, i) - m; v += d * d / n; }
      put(mean, numbers, c, get(mean, numbers, c) * (1 - momentum) + m * momentum);
      put(variance, numbers, c, get(variance, numbers, c) * (1 - momentum) + v * n / (n - 1) * momentum);
      put(savedMean, numbers, c, m), put(savedInverse, numbers, c, 1 / sqrt(v + eps));
    } else m = get(mean, numbers, c), v = get(variance, numbers, c);
    inverse = 1 / sqrt(v + eps);
    EACH put(y, t->type, i, (get(x, t->type, i) - m) * inverse * s + get(bias, numbers, c));
  }
  layers++;
}
