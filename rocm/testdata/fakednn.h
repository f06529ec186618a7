// What the stand-ins for MIOpen and cuDNN share: descriptors, and convolutions and pools computed the obvious way. All that is not dense, or not
// what was described, ends the process.
#include "inject.h"
#include "elements.h"

enum { tensorMark = 0x7e50, filterMark = 0xf117, convMark = 0xc0f1, poolMark = 0x9001, handleMark = 0xd00d };

struct handle { int mark; void *stream; };
struct tensor { int mark; element type; int dims[4]; }; // a filter is one, too
struct conv { int mark, pad[2], stride[2], dilation[2], groups, attributes[2], math; };
struct pool { int mark, greatest, window[2], stride[2]; };

static int live, convolutions, pools; // handles and descriptors; what was computed
int fakednn_live(void) { return live; }
int fakednn_convolutions(void) { return convolutions; }
int fakednn_pools(void) { return pools; }

static void *make(size_t size, int mark) { int *p = calloc(1, size); *p = mark, live++; return p; }
static void drop(void *p, int mark) { check(p && *(int *)p == mark); *(int *)p = 0; free(p), live--; }

static int64_t count(const struct tensor *t) { return (int64_t)t->dims[0] * t->dims[1] * t->dims[2] * t->dims[3]; }

// dense sets the sizes of a tensor, whose elements must lie without gaps.
static void dense(struct tensor *t, int mark, element type, int n, const int *dims, const int *strides) {
  check(t && t->mark == mark && n == 4);
  t->type = type;
  int step = 1;
  for (int i = 3; i >= 0; i--) {
    check(dims[i] > 0 && (!strides || strides[i] == step));
    step *= t->dims[i] = dims[i];
  }
}

// fits checks what was described against what a convolution makes of it.
static void fits(const struct tensor *x, const struct tensor *w, int wMark, const struct tensor *y, const struct conv *c) {
  check(x && x->mark == tensorMark && w && w->mark == wMark && y && y->mark == tensorMark && c && c->mark == convMark);
  check(x->type == w->type && x->type == y->type && x->dims[0] == y->dims[0]);
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
                int64_t atX = ((n * xt->dims[1] + k / outs * perGroup + ch) * xt->dims[2] + iy) * xt->dims[3] + ix;
                int64_t atW = ((k * perGroup + ch) * wt->dims[2] + r) * wt->dims[3] + s;
                int64_t atY = ((n * yt->dims[1] + k) * yt->dims[2] + oy) * yt->dims[3] + ox;
                if (pass == 0) sums[atY] += get(x, xt->type, atX) * get(w, xt->type, atW);
                if (pass == 1) sums[atX] += get(y, xt->type, atY) * get(w, xt->type, atW);
                if (pass == 2) sums[atW] += get(x, xt->type, atX) * get(y, xt->type, atY);
              }
  for (int64_t i = 0; i < count(to); i++) put(pass == 0 ? y : pass == 1 ? x : w, to->type, i, sums[i]);
  free(sums);
  convolutions++;
}

static void pools_fit(const struct pool *p, const struct tensor *x, const struct tensor *y) {
  check(p && p->mark == poolMark && x && x->mark == tensorMark && y && y->mark == tensorMark && x->type == y->type);
  check(x->dims[0] == y->dims[0] && x->dims[1] == y->dims[1]);
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
