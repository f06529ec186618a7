// A stand-in for libcublasLt. Prototypes and enumerations are those of NVIDIA's documentation (the cuBLASLt API, CUDA 11.8 to 13). Memory is the host's.
// Build: gcc -shared -fPIC; -DWITHOUT_CREATE and -DWITHOUT_HEURISTIC leave calls out.
#include <stddef.h>

enum {
  algorithmBytes = 64,
  compute32F = 68, notTransposed = 0, transposed = 1,
  attributeTransA = 3, attributeBatches = 5, attributeBatchStep = 6, wishSpace = 1, wishReductions = 3, wishAlignments = 5,
  addedType = 14, inPlace = 0, spaceBytes = 4096, streamMark = 77
};
#define LT(name) cublasLt##name
static int ready(void) { return 1; }
#define wish(w, attribute, value, size) \
  do { \
    check(size == 4 && (attribute == wishReductions || (attribute >= wishAlignments && attribute < wishAlignments + 4))); \
    *(attribute == wishReductions ? &(w)->reductions : &(w)->alignments[attribute - wishAlignments]) = *(const uint32_t *)value; \
  } while (0)
#define wished(w) \
  do { \
    check((w)->space == 32 << 20 && (w)->reductions == 2); /* sums are added in f32 */ \
    for (int i = 0; i < 4; i++) check((w)->alignments[i] >= 16 && (w)->alignments[i] <= 256 && ((w)->alignments[i] & ((w)->alignments[i] - 1)) == 0); \
  } while (0)
#include "fakelt.h"

int cublasLtGetProperty(int property, int *value) { FAIL(); check(property >= 0 && property < 3); *value = 13 - property; return 0; }
