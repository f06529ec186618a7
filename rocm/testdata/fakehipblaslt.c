// A stand-in for libhipblaslt on the stand-in for libamdhip64. Prototypes and enumerations are those of AMD's documentation (hipBLASLt API reference).
// Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64; -DWITHOUT_CREATE and -DWITHOUT_HEURISTIC leave calls out.
#include <stddef.h>

extern int hipGetDevice(int *);

enum {
  algorithmBytes = 24, // 16 of data, and the limit of workspace
  compute32F = 2, notTransposed = 111, transposed = 112,
  attributeTransA = 0, attributeBatches = 0, attributeBatchStep = 1, wishSpace = 1,
  addedType = 28, inPlace = 1, spaceBytes = 0, streamMark = 0x57
};
#define LT(name) hipblasLt##name
static int ready(void) { int d = -1; return !hipGetDevice(&d) && d >= 0; }
#define wish(w, attribute, value, size) check(!"a wish that hipBLASLt has not")
#define wished(w) check((w)->space == 0) // ways that share sums may give other bits each time
#include "fakelt.h"

int hipblasLtGetVersion(struct handle *h, int *version) { FAIL(); is(h, handle); *version = 100203; return 0; }
