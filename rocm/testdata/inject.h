// What the stand-in libraries share: arguments that are checked, and calls that fail when a test wants them to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32 // which frees such memory in its own way
#include <malloc.h>
#define aligned_alloc(align, n) _aligned_malloc(n, align)
#define free_aligned _aligned_free
#else
#define free_aligned free
#endif

// check ends the process with a message: a wrong argument is a bug of the caller.
#define check(ok) do { if (!(ok)) { fprintf(stderr, "stand-in: %s: not true: %s\n", __func__, #ok); exit(3); } } while (0)

static struct { char name[100]; int code, times; } injection;

// FAIL makes the call it is in return the code that a test asked for.
#define FAIL() do { if (injection.times && !strcmp(injection.name, __func__)) { injection.times--; return injection.code; } } while (0)

// DEFINE_INJECT defines what a test calls: the next times calls of name return code, or all if times is negative.
#define DEFINE_INJECT(function) \
  void function(const char *name, int code, int times) { \
    snprintf(injection.name, sizeof injection.name, "%s", name); \
    injection.code = code, injection.times = times; \
  }
