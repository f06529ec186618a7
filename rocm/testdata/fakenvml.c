// A stand-in for libnvidia-ml. Prototypes and structs are those of NVIDIA's documentation (NVML API reference). Build: gcc -shared -fPIC.
#include "inject.h"

typedef struct device { int mark; } *nvmlDevice_t;
typedef int nvmlReturn_t;
typedef struct { unsigned gpu, memory; } nvmlUtilization_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;

DEFINE_INJECT(fakenvml_inject)

static struct device only = {0x4e56};
static int ready;

nvmlReturn_t nvmlInit_v2(void) { FAIL(); ready = 1; return 0; }
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *pci, nvmlDevice_t *d) { FAIL(); check(ready); if (strcmp(pci, "0000:3A:00.0")) return 6; *d = &only; return 0; }
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t d, int sensor, unsigned *c) { FAIL(); check(d == &only && sensor == 0); *c = 54; return 0; }
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned *mw) { FAIL(); check(d == &only); *mw = 321500; return 0; }
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t d, int kind, unsigned *mhz) { FAIL(); check(d == &only && (kind == 0 || kind == 2)); *mhz = kind ? 2619 : 1980; return 0; }
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t d, nvmlUtilization_t *u) { FAIL(); check(d == &only); u->gpu = 97, u->memory = 12; return 0; }
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t d, nvmlMemory_t *m) { FAIL(); check(d == &only); m->total = 150ull << 30, m->free = 100ull << 30, m->used = 50ull << 30; return 0; }
