// A stand-in for libamdhip64 with hiprtc in it, to test the calls through the C ABI. It checks every argument that
// it gets, keeps device memory on the host, and "compiles" a source to itself. Build: gcc -shared -fPIC.
//
// FAKEHIP_DEVICES is the number of GPUs, or none100 or none101 for the two errors that mean none. FAKEHIP_ARCH is what they are, gfx1100 if it is
// not set. With -DANY_KERNEL=1 every module has every kernel, which does nothing; -DMEMORY gives its GPUs another size.
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <unistd.h>
#include "inject.h"

typedef int hipError_t;
typedef void *hipStream_t, *hipModule_t, *hipFunction_t, *hipDeviceptr_t;

#ifndef MEMORY
#define MEMORY (1 << 24)
#endif
#ifndef ANY_KERNEL
#define ANY_KERNEL 0
#endif
enum { memorySize = MEMORY, anyKernel = ANY_KERNEL, streamMark = 0x57, version = 60342134 };
#define isStream(q) (((size_t)(q) & 0xff) == streamMark) // with FAKEHIP_STREAMS, further ones of a device are others

static __thread int current = -1; // a thread that set no device must not get through
static int pending;               // error of a kernel, reported by the next synchronisation
static size_t used;

DEFINE_INJECT(fakehip_inject)

// GPU 0 is lost: all calls for it return a code, until hipDeviceReset if that helps.
static int lostCode, resetHelps;
void fakehip_lose(int code, int helps) { lostCode = code, resetHelps = helps; }
#undef FAIL
#define FAIL() do { \
    if (lostCode && current == 0) return lostCode; \
    if (injection.times && !strcmp(injection.name, __func__)) { injection.times--; return injection.code; } \
  } while (0)

static int devices(void) { const char *s = getenv("FAKEHIP_DEVICES"); return s ? atoi(s) : 2; }
static int error_of_count(void) {
  const char *s = getenv("FAKEHIP_DEVICES");
  return s && !strcmp(s, "none100") ? 100 : s && !strcmp(s, "none101") ? 101 : 0;
}

hipError_t hipInit(unsigned flags) { FAIL(); check(flags == 0); return error_of_count() ? 101 : 0; }
hipError_t hipRuntimeGetVersion(int *v) { FAIL(); *v = version; return 0; }
hipError_t hipGetDeviceCount(int *n) { FAIL(); *n = error_of_count() ? 0 : devices(); return error_of_count(); }
hipError_t hipDeviceGetName(char *name, int len, int device) { FAIL(); snprintf(name, len, "Fake Radeon %d", device); return 0; }
hipError_t hipDeviceGetPCIBusId(char *text, int size, int device) { FAIL(); check(device < devices()); snprintf(text, size, "0000:%02x:00.0", 3 + device); return 0; }
hipError_t hipDeviceTotalMem(size_t *n, int device) { FAIL(); check(device < devices()); *n = memorySize; return 0; }
// archOf is what a GPU is: FAKEHIP_ARCH has one for each, with commas between, the last for all further ones.
static const char *archOf(int device) {
  static __thread char text[64];
  const char *list = getenv("FAKEHIP_ARCH");
  if (!list) list = "gfx1100:xnack-";
  for (const char *next; device > 0 && (next = strchr(list, ',')); device--) list = next + 1;
  snprintf(text, sizeof text, "%.*s", (int)strcspn(list, ","), list);
  return text;
}
hipError_t hipDeviceGetAttribute(int *v, int attribute, int device) { FAIL();
  check(device >= 0 && device < devices());
  switch (attribute) {
  case 16: *v = getenv("FAKEHIP_INTEGRATED") != NULL; return 0;
  case 63: *v = 48; return 0; // work group processors
  case 87: *v = strcspn(archOf(device), ":") < 7 ? 64 : 32; return 0; // gfx90a, gfx1100
  }
  return 1;
}
// The two layouts of hipDeviceProp_t, by the sizes and offsets that the headers give.
hipError_t hipGetDevicePropertiesR0600(char *p, int device) { FAIL();
  memset(p, 0xee, 1472);
  snprintf(p, 256, "Fake Radeon %d", device);
  strcpy(p + 1160, archOf(device));
  return 0;
}
hipError_t hipGetDeviceProperties(char *p, int device) { FAIL(); memset(p, 0, 792); strcpy(p + 396, "gfx906"); return 0; }

hipError_t hipDeviceReset(void) { check(current >= 0); if (current == 0 && resetHelps) lostCode = 0; return lostCode; }
hipError_t hipSetDevice(int device) { current = -1; FAIL(); if (device < 0 || device >= devices()) return 101; current = device; return 0; }
const char *hipGetErrorName(hipError_t e) {
  switch (e) {
  case 1: return "hipErrorInvalidValue";
  case 2: return "hipErrorOutOfMemory";
  case 209: return "hipErrorNoBinaryForGpu";
  case 500: return "hipErrorNotFound";
  case 700: return "hipErrorIllegalAddress";
  }
  return "hipErrorUnknown";
}
const char *hipGetErrorString(hipError_t e) { return e == 500 ? "named symbol not found" : "words of the fake"; }

hipError_t hipMemGetInfo(size_t *free, size_t *total) { FAIL(); check(current >= 0); *free = memorySize - used; *total = memorySize; return 0; }
hipError_t hipMalloc(void **p, size_t n) { FAIL();
  check(current >= 0);
  if (used + n > memorySize) return 2;
  size_t *block = aligned_alloc(256, (n + 511) / 256 * 256);
  *block = n, used += n;
  *p = (char *)block + 256;
  return 0;
}
hipError_t hipFree(void *p) { FAIL();
  check(current >= 0);
  size_t *block = (size_t *)((char *)p - 256);
  used -= *block;
  free_aligned(block);
  return 0;
}
static int pinned; // pieces of host memory
int fakehip_pinned(void) { return pinned; }
hipError_t hipHostMalloc(void **p, size_t n, unsigned flags) { FAIL(); check(current >= 0 && flags == 0); *p = malloc(n), pinned++; return 0; }
hipError_t hipHostFree(void *p) { FAIL(); check(current >= 0); free(p), pinned--; return 0; }

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t d, const void *s, size_t n, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); memcpy(d, s, n); return 0; }
hipError_t hipMemcpyDtoHAsync(void *d, hipDeviceptr_t s, size_t n, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); memcpy(d, s, n); return 0; }
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); memcpy(d, s, n); return 0; }
hipError_t hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); memset(d, v, n); return 0; }
hipError_t hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t q) { FAIL();
  check(current >= 0 && isStream(q) && (size_t)d % 4 == 0);
  for (size_t i = 0; i < n; i++) ((int *)d)[i] = v;
  return 0;
}
// Memory of other processes: a handle has the address, which is that of another process only in name.
typedef struct { char bytes[64]; } ipcHandle;
static int mappings;
int fakehip_mappings(void) { return mappings; }
hipError_t hipIpcGetMemHandle(ipcHandle *h, void *p) { FAIL(); check(current >= 0 && p); memset(h, 0x5a, sizeof *h); memcpy(h, &p, sizeof p); return 0; }
hipError_t hipIpcOpenMemHandle(void **p, ipcHandle h, unsigned flags) { FAIL();
  check(current >= 0 && flags == 1);
  for (int i = 8; i < 64; i++) check(h.bytes[i] == 0x5a);
  memcpy(p, &h, sizeof *p), mappings++;
  return 0;
}
hipError_t hipIpcCloseMemHandle(void *p) { FAIL(); check(current >= 0 && p); mappings--; return 0; }
static int reachable[8][8];
hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer) { FAIL(); check(device != peer && device < devices() && peer < devices()); *can = 1; return 0; }
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) { FAIL();
  check(current >= 0 && current != peer && peer < devices() && flags == 0);
  if (reachable[current][peer]++) return 704;
  return 0;
}
hipError_t hipMemcpyPeerAsync(void *d, int to, const void *s, int from, size_t n, hipStream_t q) { FAIL();
  check(current == to && to != from && to < devices() && from < devices() && reachable[to][from] && isStream(q));
  memcpy(d, s, n);
  return 0;
}
hipError_t hipStreamCreateWithFlags(hipStream_t *q, unsigned flags) { FAIL(); check(current >= 0 && current < 16 && flags == 1); static size_t made[16]; *q = (void *)(streamMark + (getenv("FAKEHIP_STREAMS") ? 0x100 * made[current]++ : 0)); return 0; }
// A stream that has a priority is marked in its second byte.
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) { FAIL(); check(current >= 0); *least = 1, *greatest = -1; return 0; }
hipError_t hipStreamCreateWithPriority(hipStream_t *q, unsigned flags, int priority) { FAIL(); check(current >= 0 && flags == 1 && priority >= -1 && priority <= 1); *q = (void *)(streamMark + 0x100 * (size_t)(priority + 16)); return 0; }
static int busy; // the next queries of streams and events say that the work is not done
void fakehip_busy(int queries) { busy = queries; }
hipError_t hipStreamQuery(hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); if (busy > 0) { busy--; return 600; } int e = pending; pending = 0; return e; }

// Host functions are called on a thread of the library, one after the other: what waits for a stream waits for them.
struct host { void (*function)(void *); void *data; };
static pthread_t hostThread;
static int hosting;
static void finish_host(void) { if (hosting) { hosting = 0; pthread_join(hostThread, NULL); } }
static void *call_host(void *p) { struct host h = *(struct host *)p; free(p); usleep(1000); h.function(h.data); return NULL; }
hipError_t hipLaunchHostFunc(hipStream_t q, void (*function)(void *), void *data) { FAIL();
  check(current >= 0 && isStream(q) && function);
  finish_host();
  struct host *h = malloc(sizeof *h);
  h->function = function, h->data = data, hosting = 1;
  check(!pthread_create(&hostThread, NULL, call_host, h));
  return 0;
}
static int events; // that live
int fakehip_events(void) { return events; }
size_t fakehip_used(void) { return used; }
hipError_t hipGetDevice(int *device) { *device = current; return current < 0 ? 101 : 0; }
hipError_t hipEventCreateWithFlags(void **e, unsigned flags) { FAIL(); check(current >= 0 && (flags == 0 || flags == 2 || flags == 3)); *e = calloc(1, sizeof(int)), events++; return 0; }
hipError_t hipEventRecord(void *e, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q)); *(int *)e = 1; return 0; }
hipError_t hipStreamWaitEvent(hipStream_t q, void *e, unsigned flags) { FAIL(); check(current >= 0 && isStream(q) && *(int *)e == 1 && flags == 0); return 0; }
hipError_t hipEventSynchronize(void *e) { FAIL(); check(current >= 0); int status = pending; pending = 0; return status; }
hipError_t hipEventQuery(void *e) { FAIL(); check(current >= 0 && *(int *)e == 1); if (busy > 0) { busy--; return 600; } return 0; }
hipError_t hipEventElapsedTime(float *ms, void *begin, void *end) { FAIL(); check(*(int *)begin && *(int *)end); *ms = 1.5f; return 0; }
hipError_t hipEventDestroy(void *e) { FAIL(); free(e), events--; return 0; }

// A graph counts what is launched while it is captured; replaying it counts that again.
static int capturing, recorded, replayed, graphs;
int fakehip_graphs(void) { return graphs; }
int fakehip_replayed(void) { return replayed; }
hipError_t hipStreamBeginCapture(hipStream_t q, int mode) { FAIL(); check(current >= 0 && isStream(q) && mode == 2 && !capturing); capturing = 1, recorded = 0; return 0; }
hipError_t hipStreamEndCapture(hipStream_t q, int **graph) {
  check(current >= 0 && isStream(q) && capturing);
  capturing = 0;
  FAIL();
  *graph = malloc(sizeof(int)), **graph = recorded, graphs++;
  return 0;
}
hipError_t hipGraphInstantiateWithFlags(int **exec, int *graph, unsigned long long flags) { FAIL(); check(current >= 0 && flags == 0); *exec = malloc(sizeof(int)), **exec = *graph, graphs++; return 0; }
hipError_t hipGraphLaunch(int *exec, hipStream_t q) { FAIL(); check(current >= 0 && isStream(q) && !capturing); replayed += *exec; return 0; }
hipError_t hipGraphDestroy(int *graph) { FAIL(); free(graph), graphs--; return 0; }
hipError_t hipGraphExecDestroy(int *exec) { FAIL(); free(exec), graphs--; return 0; }

hipError_t hipStreamSynchronize(hipStream_t q) { FAIL();
  check(current >= 0 && isStream(q));
  finish_host();
  int e = pending;
  pending = 0;
  return e;
}

// A module is its image, a function its name. A real code object has the kernel mix, of testdata/foreign.hip, alone.
static int modules;
int fakehip_modules(void) { return modules; }
hipError_t hipModuleLoadData(hipModule_t *m, const void *image) { FAIL();
  check(current >= 0);
  char head[100];
  snprintf(head, sizeof head, "object for %s\n", archOf(current));
  if (strncmp(image, head, strlen(head)) && strncmp(image, "\177ELF", 4)) return 209;
  *m = (void *)image, modules++;
  return 0;
}
hipError_t hipModuleUnload(hipModule_t m) { FAIL(); check(current >= 0 && m); modules--; return 0; }
hipError_t hipModuleGetGlobal(void **p, size_t *n, hipModule_t m, const char *name) { FAIL();
  static char variable[12];
  check(current >= 0 && m);
  if (strcmp(name, "counter")) return 500;
  *p = variable, *n = sizeof variable;
  return 0;
}
hipError_t hipModuleGetFunction(hipFunction_t *f, hipModule_t m, const char *name) { FAIL();
  check(current >= 0);
  char text[100];
  snprintf(text, sizeof text, "void %s(", name);
  if (!anyKernel && strncmp(m, "\177ELF", 4) && !strstr(m, text)) return 500;
  *f = strdup(name);
  return 0;
}

struct mix { float *y; float a; float v[4] __attribute__((aligned(16))); signed char c; long n; unsigned short h; };
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n, hipFunction_t f, int block, size_t shared) { FAIL(); check(current >= 0 && f && block > 0); *n = block <= 256 && shared == 0 ? 2 : 1; return 0; }
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, hipStream_t q, void **params) { FAIL();
  check(current >= 0 && isStream(q) && !capturing);
  check(gx * gy * gz <= 96 && bx == 64 && by == 1 && bz == 1 && shared == 0 && !strcmp(f, "together"));
  check(*(float *)params[1] == 1.5f && *(signed char *)params[2] == -7 && *(double *)params[3] == 2.25 && *(unsigned *)params[4] == gx);
  **(float **)params[0] = 42;
  return 0;
}

struct outer { short s; struct { signed char c; double d; } inner[2]; float f; };
struct arguments { float *out; unsigned a; unsigned long long b; int c; float d; double e; struct outer o; unsigned last; };

hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                 unsigned shared, hipStream_t q, void **params, void **extra) {
  FAIL();
  check(current >= 0 && isStream(q) && params == NULL);
  check(extra[0] == (void *)1 && extra[2] == (void *)2 && extra[4] == (void *)3);
  if (capturing) { recorded++; return 0; }
  if (anyKernel) return 0;
  if (!strcmp(f, "fault")) { pending = 700; return 0; }
  if (!strcmp(f, "empty")) { check(*(size_t *)extra[3] == 0); return 0; }
  if (!strcmp(f, "mix")) {
    struct mix m;
    check(*(size_t *)extra[3] == offsetof(struct mix, h) + 2);
    memcpy(&m, extra[1], *(size_t *)extra[3]);
    check(gx == 1 && bx == 10 && m.a == 2 && m.v[0] == 1 && m.v[3] == 4 && m.c == -1 && m.n == 10 && m.h == 0x4400);
    return 0;
  }
  check(!strcmp(f, "check"));
  check(gx == 7 && gy == 6 && gz == 5 && bx == 32 && by == 4 && bz == 2 && shared == 1234);
  check(*(size_t *)extra[3] == offsetof(struct arguments, last) + 4);
  struct arguments a;
  memcpy(&a, extra[1], *(size_t *)extra[3]);
  check(a.a == 0xfedcba98 && a.b == 0xfedcba9876543210 && a.c == -3 && a.d == 1.25f && a.e == -2.5);
  check(a.o.s == -4 && a.o.inner[0].c == 5 && a.o.inner[0].d == 6.5 && a.o.inner[1].c == -7 && a.o.inner[1].d == 8.5 && a.o.f == 9.5f);
  check(a.last == 10);
  for (int i = 0; i < 4; i++) a.out[i] = i + 0.5f;
  return 0;
}

// hiprtc: a program is its source; its code a line with the architecture, then the source.
struct program { char *source, *code; };
int hiprtcVersion(int *major, int *minor) { FAIL(); *major = 9, *minor = 0; return 0; }
int hiprtcCreateProgram(struct program **p, const char *source, const char *name, int n, const char **texts, const char **names) { FAIL();
  int found = 0;
  for (int i = 0; i < n; i++) {
    check(names[i][0] && texts[i][0] && (i == 0 || strcmp(names[i - 1], names[i]) < 0));
    if (!strcmp(names[i], "hip/hip_runtime.h") || !strcmp(names[i], "stdio.h")) found += !strncmp(texts[i], "//", 2);
    if (!strcmp(names[i], "hip/hip_cooperative_groups.h")) found += strstr(texts[i], "namespace cooperative_groups") != NULL;
  }
  check(found == 3 && name[0]);
  *p = calloc(1, sizeof **p);
  (*p)->source = strdup(source);
  return 0;
}
// meet waits in a compilation of "// meet OWN OTHER" until that of "// meet OTHER OWN" is under way, too: they make files of these names.
static void meet(const char *source) {
  char own[200], other[200];
  const char *at = strstr(source, "// meet ");
  if (!at || sscanf(at, "// meet %199s %199s", own, other) != 2) return;
  fclose(fopen(own, "w"));
  for (int i = 0; i < 60000 && access(other, F_OK); i++) usleep(1000);
  check(!access(other, F_OK));
}
int hiprtcCompileProgram(struct program *p, int n, const char **o) { FAIL();
  check(n == 4 && !strncmp(o[0], "--offload-arch=gfx", 18) && (getenv("FAKEHIP_ARCH") || !strcmp(o[0], "--offload-arch=gfx1100:xnack-")) && !strcmp(o[1], "-O3") && !strcmp(o[2], "-std=c++17") && !strcmp(o[3], "-ffp-contract=off"));
  if (!anyKernel && strstr(p->source, "#error")) return 6;
  if (strstr(p->source, "#abort")) {
    fprintf(stderr, "LLVM ERROR: Cannot select: intrinsic %%llvm.amdgcn.wmma\n");
    abort();
  }
  meet(p->source);
  p->code = malloc(strlen(p->source) + 100);
  sprintf(p->code, "object for %s\n%s", o[0] + 15, p->source);
  fprintf(stderr, "fakehip: compiled\n");
  return 0;
}
static const char *const message = "k.hip:1:2: error: found #error";
int hiprtcGetProgramLogSize(struct program *p, size_t *n) { FAIL(); *n = p->code ? 1 : strlen(message) + 1; return 0; }
int hiprtcGetProgramLog(struct program *p, char *text) { FAIL(); strcpy(text, p->code ? "" : message); return 0; }
int hiprtcGetCodeSize(struct program *p, size_t *n) { FAIL(); *n = strlen(p->code); return 0; }
int hiprtcGetCode(struct program *p, char *code) { FAIL(); memcpy(code, p->code, strlen(p->code)); return 0; }
int hiprtcDestroyProgram(struct program **p) { FAIL(); free((*p)->source); free((*p)->code); free(*p); *p = NULL; return 0; }
const char *hiprtcGetErrorString(int e) { return e == 6 ? "HIPRTC_ERROR_COMPILATION" : "HIPRTC_ERROR"; }
