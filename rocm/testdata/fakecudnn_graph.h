// The graphs of the stand-in for libcudnn: one convolution each, of which it proposes several ways to compute it. Descriptors keep what they are told,
// and check it when they are finished. Kinds, attributes and types have the numbers of NVIDIA's documentation (cuDNN backend API).
#include <unistd.h>

typedef struct part *cudnnBackendDescriptor_t;

enum { graphMark = 0x96af, mostAttributes = 12 };
enum { kindConv = 1, kindEngine, kindConfig, kindHeuristics, kindPlan, kindForward = 10, kindFilter, kindData, kindGraph = 15, kindPack, kindTensor };
enum { typeHandle, typeElem, typeInt64 = 3, typeFloat, typeDouble, typePointer, typeConvMode, typeHeuristics, typeNote = 11, typeDescriptor = 15 };
enum { inexact, otherBits, fewerBits, notHere, tooLarge, best, second, fallback, ways }; // to compute a convolution

// work is a convolution, of operands in the order of x, w and y. Descriptors have copies of it: those that it was made of may go.
struct work { int pass; struct conv conv; struct tensor operand[3]; int64_t alignment[3]; };
struct part {
  int mark, kind, finished, attributes, way;
  struct { int name, type; int64_t count; char values[64]; } attribute[mostAttributes];
  struct work work;
};

static int lastWay = -1;
int fakecudnn_way(void) { int way = lastWay; lastWay = -1; return way; } // of the last convolution, once

// FAIL_OF is FAIL, for all descriptors or for those of one kind.
#define FAIL_OF(p) do { \
    FAIL(); \
    char of[100]; \
    snprintf(of, sizeof of, "%s %d", __func__, (p)->kind); \
    if (injection.times && !strcmp(injection.name, of)) { injection.times--; return injection.code; } \
  } while (0)

static int64_t size_of(int type) {
  switch (type) {
  case typeHandle: case typeInt64: case typeDouble: case typePointer: case typeDescriptor: return 8;
  case typeElem: case typeFloat: case typeConvMode: case typeHeuristics: case typeNote: return 4;
  }
  check(!"a type of attributes");
  return 0;
}

// told is what a descriptor was told, which must be of the type and as many.
static const void *told(struct part *p, int name, int type, int64_t count) {
  for (int i = 0; i < p->attributes; i++)
    if (p->attribute[i].name == name) {
      check(p->attribute[i].type == type && p->attribute[i].count == count);
      return p->attribute[i].values;
    }
  fprintf(stderr, "stand-in: a descriptor of kind %d lacks attribute %d\n", p->kind, name);
  exit(3);
}
static int64_t told_long(struct part *p, int name, int at, int count) { return ((const int64_t *)told(p, name, typeInt64, count))[at]; }
static int told_int(struct part *p, int name, int type) { return *(const int *)told(p, name, type, 1); }
static struct part *told_part(struct part *p, int name, int kind) {
  struct part *other = *(struct part *const *)told(p, name, typeDescriptor, 1);
  check(other && other->mark == graphMark && other->finished && (kind ? other->kind == kind : other->kind >= kindForward && other->kind <= kindData));
  return other;
}

cudnnStatus_t cudnnBackendCreateDescriptor(int kind, cudnnBackendDescriptor_t *p) {
  struct part made = {.mark = graphMark, .kind = kind};
  FAIL_OF(&made);
  check((kind >= kindConv && kind <= kindPlan) || (kind >= kindForward && kind <= kindData) || (kind >= kindGraph && kind <= kindTensor));
  *p = make(sizeof **p, graphMark);
  **p = made;
  return 0;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t p) { drop(p, graphMark); FAIL(); return 0; }
cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t p, int name, int type, int64_t count, const void *values) {
  FAIL_OF(p);
  check(p && p->mark == graphMark && !p->finished && count > 0 && values && p->attributes < mostAttributes);
  check(count * size_of(type) <= sizeof p->attribute[0].values);
  int i = p->attributes++;
  p->attribute[i].name = name, p->attribute[i].type = type, p->attribute[i].count = count;
  memcpy(p->attribute[i].values, values, count * size_of(type));
  return 0;
}

static void finish_tensor(struct part *p) {
  int dims[4], strides[4];
  for (int i = 0; i < 4; i++) dims[i] = told_long(p, 902, i, 4), strides[i] = told_long(p, 903, i, 4);
  p->work.operand[0].mark = tensorMark;
  dense(&p->work.operand[0], tensorMark, type_of(told_int(p, 901, typeElem)), 4, dims, strides);
  int64_t alignment = told_long(p, 900, 0, 1), id = told_long(p, 906, 0, 1);
  check(alignment == 16 && id >= 1 && id <= 3);
  p->work.alignment[0] = alignment;
}
static void finish_conv(struct part *p) {
  struct conv *c = &p->work.conv;
  check(told_int(p, 101, typeConvMode) == 1 && told_long(p, 106, 0, 1) == 2);
  c->mark = convMark, c->attributes[0] = told_int(p, 100, typeElem);
  for (int i = 0; i < 2; i++) {
    c->dilation[i] = told_long(p, 102, i, 2), c->stride[i] = told_long(p, 103, i, 2), c->pad[i] = told_long(p, 105, i, 2);
    check(told_long(p, 104, i, 2) == c->pad[i] && c->pad[i] >= 0 && c->stride[i] > 0 && c->dilation[i] > 0);
  }
}
static void finish_operation(struct part *p) {
  // alpha, beta, the convolution, and the operands in an order of each kind
  static const int operands[3][3] = {{704, 703, 705}, {710, 709, 711}, {716, 715, 717}};
  struct work *w = &p->work;
  w->pass = p->kind == kindForward ? 0 : p->kind == kindData ? 1 : 2;
  int base = 700 + 6 * w->pass;
  w->conv = told_part(p, base + 2, kindConv)->work.conv;
  for (int i = 0; i < 3; i++) {
    struct part *t = told_part(p, operands[w->pass][i], kindTensor);
    check(told_long(t, 906, 0, 1) == i + 1);
    w->operand[i] = t->work.operand[0], w->alignment[i] = t->work.alignment[0];
  }
  w->conv.groups = w->operand[0].dims[1] / w->operand[1].dims[1]; // nobody says it
  fits(&w->operand[0], &w->operand[1], tensorMark, &w->operand[2], &w->conv);
  if (w->operand[0].type == f64) {
    check(*(const double *)told(p, base, typeDouble, 1) == 1 && *(const double *)told(p, base + 1, typeDouble, 1) == 0);
    check(w->conv.attributes[0] == CUDNN_DATA_DOUBLE);
  } else {
    check(*(const float *)told(p, base, typeFloat, 1) == 1 && *(const float *)told(p, base + 1, typeFloat, 1) == 0);
    check(w->conv.attributes[0] == CUDNN_DATA_FLOAT);
  }
}

// The best ways that are proposed are none for f64.
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t p) {
  FAIL_OF(p);
  check(p && p->mark == graphMark && !p->finished);
  switch (p->kind) {
  case kindTensor: finish_tensor(p); break;
  case kindConv: finish_conv(p); break;
  case kindForward: case kindFilter: case kindData: finish_operation(p); break;
  case kindGraph:
    ready(*(cudnnHandle_t const *)told(p, 800, typeHandle, 1));
    p->work = told_part(p, 801, 0)->work;
    break;
  case kindHeuristics:
    p->work = told_part(p, 201, kindGraph)->work, p->way = told_int(p, 200, typeHeuristics);
    check(p->way == 2 || p->way == 3);
    if (p->way == 3 && p->work.operand[0].type == f64) return notSupported;
    break;
  case kindPlan: {
    ready(*(cudnnHandle_t const *)told(p, 400, typeHandle, 1));
    struct part *config = told_part(p, 401, kindConfig);
    p->work = config->work, p->way = config->way;
    if (p->way == notHere) return notSupported;
    break;
  }
  case kindPack:
    told(p, 1001, typePointer, 3);
    for (int i = 0; i < 3; i++) check(told_long(p, 1000, i, 3) == i + 1);
    break;
  default: check(!"a descriptor that its user finishes");
  }
  p->finished = 1;
  return 0;
}

// notes_of gives what is said of the engine of a way. Engines of f32 that use fewer bits are for those who asked for them.
static int notes_of(struct part *engine, int *notes) {
  element e = engine->work.operand[0].type;
  switch (engine->way) {
  case inexact: notes[0] = e == f32 ? 0 : 5; return 1;
  case otherBits: notes[0] = 4; return 1;
  case fewerBits: notes[0] = e == f32 || e == f64 ? 2 : 1; return 1;
  }
  notes[0] = 9;
  if (e == f32 || e == f64) return 1;
  notes[1] = 0;
  return 2;
}
cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t p, int name, int type, int64_t most, int64_t *count, void *values) {
  FAIL_OF(p);
  check(p && p->mark == graphMark && p->finished && count && (values || most == 0));
  switch (name) {
  case 202: { // what heuristics propose
    check(p->kind == kindHeuristics && type == typeDescriptor);
    int first = p->way == 2 ? fallback : 0, all = p->way == 2 ? 1 : fallback;
    if (most == 0) { *count = all; return 0; }
    check(most == all);
    for (int i = 0; i < all; i++) {
      struct part *config = ((struct part **)values)[i];
      check(config->mark == graphMark && config->kind == kindConfig && !config->finished);
      config->finished = 1, config->work = p->work, config->way = first + i;
    }
    *count = all;
    return 0;
  }
  case 300: { // the engine of a configuration
    struct part *engine = *(struct part **)values;
    check(p->kind == kindConfig && type == typeDescriptor && most == 1 && engine->mark == graphMark && engine->kind == kindEngine && !engine->finished);
    engine->finished = 1, engine->work = p->work, engine->way = p->way, *count = 1;
    return 0;
  }
  case 1303:
    check(p->kind == kindEngine && type == typeNote && most >= 10);
    *count = notes_of(p, values);
    return 0;
  case 402:
    check(p->kind == kindPlan && type == typeInt64 && most == 1);
    *(int64_t *)values = p->way == tooLarge ? (int64_t)1 << 40 : space, *count = 1;
    return 0;
  }
  check(!"an attribute that can be asked for");
  return 0;
}

// Who measures finds the second way faster.
cudnnStatus_t cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  FAIL();
  ready(h);
  check(plan && plan->mark == graphMark && plan->kind == kindPlan && plan->finished && pack && pack->mark == graphMark && pack->kind == kindPack && pack->finished);
  struct work *w = &plan->work;
  int fewer = getenv("GOROCM_TF32") != NULL;
  const char *dnn = getenv("GOROCM_DNN");
  check(plan->way == best || plan->way == second || plan->way == fallback || (plan->way == inexact && fewer));
  if (dnn && !strcmp(dnn, "find") && plan->way != second) usleep(1500);
  void *const *at = told(pack, 1001, typePointer, 3), *memory = *(void *const *)told(pack, 1003, typePointer, 1);
  for (int i = 0; i < 3; i++) check(at[i] && (uintptr_t)at[i] % w->alignment[i] == 0);
  check(memory);
  memset(memory, 0xee, space);
  lastWay = plan->way;
  convolve(w->pass, &w->operand[0], at[0], &w->operand[1], at[1], &w->operand[2], at[2], &w->conv);
  return 0;
}
