// A stand-in for libhipfft on the stand-in for libamdhip64. Prototypes and enumerations are those of AMD's documentation (hipFFT API reference).
// Transforms are computed by their definition. Every argument is checked; what a caller must not do ends the process.
// Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64; -DWITHOUT_MANY leaves a call out.
#include <math.h>
#include <stddef.h>
#include "inject.h"

extern int hipGetDevice(int *);
DEFINE_INJECT(fakefft_inject)

enum { mark = 0xff7, C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c, spaceBytes = 4096 };

struct plan {
  int mark, own, type, rank, batch, n[3], in[3], out[3], istride, idist, ostride, odist;
  char *space;
};
static int live, done;
int fakefft_live(void) { return live; }
int fakefft_done(void) { return done; }
static int ready(void) { int d = -1; return !hipGetDevice(&d) && d >= 0; }
#define is(p) check((p) && (p)->mark == mark)

int hipfftCreate(struct plan **p) {
  FAIL();
  check(ready());
  *p = calloc(1, sizeof **p);
  (*p)->mark = mark, (*p)->own = 1, live++;
  return 0;
}
int hipfftDestroy(struct plan *p) { is(p); p->mark = 0; free(p), live--; return 0; }
int hipfftSetAutoAllocation(struct plan *p, int on) { FAIL(); is(p); check(p->type == 0); p->own = on; return 0; }
int hipfftSetStream(struct plan *p, void *stream) { FAIL(); is(p); check(stream != 0); return 0; }
int hipfftSetWorkArea(struct plan *p, void *space) { FAIL(); is(p); check(space != 0 && !p->own); p->space = space; return 0; }
int hipfftGetProperty(int property, int *value) { *value = property + 1; return 0; }
#ifndef WITHOUT_MANY
int hipfftMakePlanMany(struct plan *p, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, int type, int batch, size_t *space) {
  FAIL();
  is(p);
  check(rank >= 1 && rank <= 3 && istride >= 1 && ostride >= 1 && batch >= 1 && space && n && inembed && onembed);
  check(type == C2C || type == R2C || type == C2R || type == Z2Z || type == D2Z || type == Z2D);
  p->type = type, p->rank = rank, p->batch = batch;
  p->istride = istride, p->idist = idist, p->ostride = ostride, p->odist = odist;
  for (int i = 0; i < 3; i++) p->n[i] = p->in[i] = p->out[i] = 1;
  for (int i = 0; i < rank; i++) {
    int at = 3 - rank + i; // the dims come last
    p->n[at] = n[i], p->in[at] = inembed[i], p->out[at] = onembed[i];
    check(n[i] >= 1 && inembed[i] >= 1 && onembed[i] >= 1);
  }
  *space = spaceBytes;
  return 0;
}
#endif

// The parts of number (i, j, k) in an array.
static double part(const void *x, int doubles, long at) { return doubles ? ((const double *)x)[at] : ((const float *)x)[at]; }
static void put(void *x, int doubles, long at, double v) { if (doubles) ((double *)x)[at] = v; else ((float *)x)[at] = v; }

static int transform(struct plan *p, int type, void *in, void *out, double sign) {
  is(p);
  check(ready() && p->type == type && in && out && in != out && !p->own && p->space);
  memset(p->space, 0xff, spaceBytes);
  const int doubles = type >= Z2Z, real_in = type == R2C || type == D2Z, real_out = type == C2R || type == Z2D;
  const int *n = p->n, half = n[2] / 2 + 1;
  for (int b = 0; b < p->batch; b++)
    for (int i = 0; i < n[0]; i++)
      for (int j = 0; j < n[1]; j++)
        for (int k = 0; k < (real_in ? half : n[2]); k++) {
          double re = 0, im = 0;
          for (int u = 0; u < n[0]; u++)
            for (int v = 0; v < n[1]; v++)
              for (int w = 0; w < n[2]; w++) {
                int mirrored = real_out && w >= half; // the conjugate of the number at -u, -v, -w
                int a = mirrored ? (n[0] - u) % n[0] : u, c = mirrored ? (n[1] - v) % n[1] : v, e = mirrored ? n[2] - w : w;
                long at = (long)b * p->idist + (((long)a * p->in[1] + c) * p->in[2] + e) * p->istride;
                double x = part(in, doubles, real_in ? at : 2 * at), y = real_in ? 0 : part(in, doubles, 2 * at + 1);
                if (mirrored) y = -y;
                double angle = sign * 2 * M_PI * ((double)(i * u % n[0]) / n[0] + (double)(j * v % n[1]) / n[1] + (double)((long)k * w % n[2]) / n[2]);
                re += x * cos(angle) - y * sin(angle);
                im += x * sin(angle) + y * cos(angle);
              }
          long at = (long)b * p->odist + (((long)i * p->out[1] + j) * p->out[2] + k) * p->ostride;
          put(out, doubles, real_out ? at : 2 * at, re);
          if (!real_out) put(out, doubles, 2 * at + 1, im);
        }
  if (real_out) // as the real library does with several dims
    for (long at = 0; at < 2L * p->batch * p->in[0] * p->in[1] * p->in[2]; at++) put(in, doubles, at, NAN);
  p->space = 0;
  done++;
  return 0;
}
int hipfftExecC2C(struct plan *p, void *in, void *out, int direction) { FAIL(); check(direction == 1 || direction == -1); return transform(p, C2C, in, out, direction); }
int hipfftExecZ2Z(struct plan *p, void *in, void *out, int direction) { FAIL(); check(direction == 1 || direction == -1); return transform(p, Z2Z, in, out, direction); }
int hipfftExecR2C(struct plan *p, void *in, void *out) { FAIL(); return transform(p, R2C, in, out, -1); }
int hipfftExecD2Z(struct plan *p, void *in, void *out) { FAIL(); return transform(p, D2Z, in, out, -1); }
int hipfftExecC2R(struct plan *p, void *in, void *out) { FAIL(); return transform(p, C2R, in, out, 1); }
int hipfftExecZ2D(struct plan *p, void *in, void *out) { FAIL(); return transform(p, Z2D, in, out, 1); }
