// A stand-in for librccl on the stand-in for libamdhip64, with as many devices as that one. Prototypes and enumerations are those of AMD's
// documentation (RCCL API reference). A collective starts when the calls of all members are in and their group ends, as in the real one: a member
// that does not call, or calls otherwise, ends the process. Members in several processes meet in a file that is mapped. Build: gcc -shared -fPIC, linked to the stand-in for libamdhip64.
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#include "inject.h"
#include "elements.h"

typedef struct comm { int mark, rank, device, *members; struct shared *shared; int meetings; } *ncclComm_t;
typedef struct { char internal[128]; } ncclUniqueId; // the name of a file that the processes share
typedef int ncclResult_t;
typedef enum { ncclUint8 = 1, ncclInt32 = 2, ncclUint32 = 3, ncclInt64 = 4, ncclFloat16 = 6, ncclFloat32 = 7, ncclFloat64 = 8, ncclBfloat16 = 9 } ncclDataType_t;
typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3 } ncclRedOp_t;

extern int hipGetDevice(int *);

enum { mark = 0xc011, streamMark = 0x57, most = 8, slot = 1 << 16, invalidUsage = 5 };
struct shared { atomic_int arrived; int world; char slots[most][slot]; };

DEFINE_INJECT(fakerccl_inject)

static int comms, collectives; // that live; that ran
int fakerccl_comms(void) { return comms; }
int fakerccl_collectives(void) { return collectives; }

static int depth, calls; // of groups that have begun; posted in them
static struct { int kind, arg; const void *from; void *to; size_t n; ncclDataType_t type; ncclComm_t comm; } posted[most];

ncclResult_t ncclGetVersion(int *v) { FAIL(); *v = 22103; return 0; }
ncclResult_t ncclCommInitAll(ncclComm_t *list, int n, const int *devices) {
  FAIL();
  check(n > 0 && n <= most);
  int *members = malloc(sizeof *members);
  *members = n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) check(devices[i] != devices[j]);
    list[i] = malloc(sizeof **list);
    *list[i] = (struct comm){mark, i, devices[i], members, NULL, 0};
    comms++;
  }
  return 0;
}

// meet returns when all processes have called it as often.
static void meet(ncclComm_t c) {
  c->meetings++;
  atomic_fetch_add(&c->shared->arrived, 1);
  for (int i = 0; atomic_load(&c->shared->arrived) < c->meetings * *c->members; i++) { check(i < 100000); usleep(200); }
}
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  FAIL();
  memset(id, 0xab, sizeof *id); // all of it must arrive
  snprintf(id->internal, 100, "/tmp/fakerccl.%d", (int)getpid());
  int f = open(id->internal, O_RDWR | O_CREAT | O_EXCL, 0600);
  check(f >= 0 && ftruncate(f, sizeof(struct shared)) == 0);
  close(f);
  return 0;
}
ncclResult_t ncclCommInitRank(ncclComm_t *c, int world, ncclUniqueId id, int rank) {
  int f = open(id.internal, O_RDWR), *members = malloc(sizeof *members);
  if (world == 1) unlink(id.internal); // nobody else looks for it
  FAIL();
  int device = -1;
  check(hipGetDevice(&device) == 0 && world > 0 && world <= most && rank >= 0 && rank < world);
  for (int i = strlen(id.internal) + 1; i < 128; i++) check((unsigned char)id.internal[i] == 0xab);
  check(f >= 0);
  *members = world;
  *c = malloc(sizeof **c);
  **c = (struct comm){mark, rank, device, members, mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0), 0};
  check((*c)->shared != MAP_FAILED);
  close(f);
  meet(*c);
  if (rank == 0) unlink(id.internal);
  comms++;
  return 0;
}
ncclResult_t ncclCommDestroy(ncclComm_t c) { check(c && c->mark == mark && !depth); c->mark = 0; comms--; FAIL(); return 0; }

static size_t size(ncclDataType_t t) {
  switch (t) {
  case ncclUint8: return 1;
  case ncclFloat16: case ncclBfloat16: return 2;
  case ncclInt32: case ncclUint32: case ncclFloat32: return 4;
  case ncclInt64: case ncclFloat64: return 8;
  }
  check(!"a type that there is");
  return 0;
}
static double load(const void *p, ncclDataType_t t, size_t i) {
  switch (t) {
  case ncclUint8: return ((const uint8_t *)p)[i];
  case ncclInt32: return ((const int32_t *)p)[i];
  case ncclUint32: return ((const uint32_t *)p)[i];
  case ncclInt64: return ((const int64_t *)p)[i];
  default: return get(p, t == ncclFloat16 ? f16 : t == ncclBfloat16 ? bf16 : t == ncclFloat32 ? f32 : f64, i);
  }
}
static void store(void *p, ncclDataType_t t, size_t i, double v) {
  switch (t) {
  case ncclUint8: ((uint8_t *)p)[i] = v; break;
  case ncclInt32: ((int32_t *)p)[i] = v; break;
  case ncclUint32: ((uint32_t *)p)[i] = v; break;
  case ncclInt64: ((int64_t *)p)[i] = v; break;
  default: put(p, t == ncclFloat16 ? f16 : t == ncclBfloat16 ? bf16 : t == ncclFloat32 ? f32 : f64, i, v);
  }
}

static int beside; // calls on other streams than the devices' first
int fakerccl_beside(void) { return beside; }

static void post(int kind, int arg, const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c, void *stream) {
  int device = -1;
  check(hipGetDevice(&device) == 0 && c && c->mark == mark && device == c->device && ((size_t)stream & 0xff) == streamMark);
  beside += stream != (void *)streamMark;
  check(depth == 1 && from && to && n > 0 && calls < most && (c->shared ? calls == 0 : c->rank == calls));
  posted[calls].kind = kind, posted[calls].arg = arg, posted[calls].from = from, posted[calls].to = to;
  posted[calls].n = n, posted[calls].type = type, posted[calls].comm = c;
  calls++;
}
ncclResult_t ncclGroupStart(void) { FAIL(); check(depth == 0); depth++, calls = 0; return 0; }
ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t op, ncclComm_t c, void *stream) {
  FAIL();
  check(op <= ncclMin);
  post(0, op, from, to, n, type, c, stream);
  return 0;
}
ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c, void *stream) {
  FAIL();
  post(1, 0, from, to, n, type, c, stream);
  return 0;
}
ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root, ncclComm_t c, void *stream) {
  FAIL();
  check(root >= 0 && root < *c->members);
  post(2, root, from, to, n, type, c, stream);
  return 0;
}
ncclResult_t ncclGroupEnd(void) {
  check(depth == 1);
  depth--;
  FAIL();
  struct shared *shared = calls ? posted[0].comm->shared : NULL;
  if (calls == 0 || (!shared && calls < *posted[0].comm->members)) return invalidUsage; // a member is missing: the real one would wait for it
  size_t n = posted[0].n, each = size(posted[0].type);
  int members = *posted[0].comm->members;
  char *result = malloc(members * n * each);
  const void *from[most];
  for (int i = 0; i < calls; i++) {
    check(posted[i].kind == posted[0].kind && posted[i].arg == posted[0].arg && posted[i].n == n && posted[i].type == posted[0].type);
    from[i] = posted[i].from;
  }
  if (shared) {
    check(n * each <= slot);
    memcpy(shared->slots[posted[0].comm->rank], posted[0].from, n * each);
    meet(posted[0].comm);
    for (int i = 0; i < members; i++) from[i] = shared->slots[i];
  }
  for (size_t k = 0; posted[0].kind == 0 && k < n; k++) {
    double v = load(from[0], posted[0].type, k);
    for (int i = 1; i < members; i++) {
      double x = load(from[i], posted[0].type, k);
      v = posted[0].arg == ncclSum ? v + x : posted[0].arg == ncclProd ? v * x : posted[0].arg == ncclMax ? (v > x ? v : x) : v < x ? v : x;
    }
    store(result, posted[0].type, k, v);
  }
  for (int i = 0; posted[0].kind == 1 && i < members; i++) memcpy(result + i * n * each, from[i], n * each);
  if (posted[0].kind == 2) memcpy(result, from[posted[0].arg], n * each);
  for (int i = 0; i < calls; i++) memcpy(posted[i].to, result, (posted[0].kind == 1 ? members : 1) * n * each);
  if (shared) meet(posted[0].comm); // nobody writes to a slot that somebody still reads
  free(result);
  collectives++;
  return 0;
}
