// A stand-in for libroctx64: it keeps the names of ranges that have not ended. Build: gcc -shared -fPIC.
#include <stdint.h>
#include "inject.h"

typedef uint64_t roctx_range_id_t;

static int open_ranges;
static char last[100];
int fakeroctx_open(void) { return open_ranges; }
const char *fakeroctx_last(void) { return last; }

roctx_range_id_t roctxRangeStartA(const char *message) { snprintf(last, sizeof last, "%s", message); return 0x1000000000 + open_ranges++; }
void roctxRangeStop(roctx_range_id_t id) { check(id == 0x1000000000 + (uint64_t)open_ranges - 1); open_ranges--; }
