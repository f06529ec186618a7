// printf, assert and abort for kernels that plain clang compiles for the emulated GPU, which prints the buffer when a launch has ended.

// A message is its number of words, the format, and for each argument a word with its kind in the lowest byte and a string's length above, followed by
// the value. The emulator finds the buffer by its name.
struct gorocm_messages {
  unsigned used, lost; // words that messages have taken, also where there was no room; messages that had none
  unsigned long long words[1 << 16];
};
inline __device__ gorocm_messages gorocm_printed;

template <class T> GOROCM_DEVICE unsigned gorocm_words(T) { return 2; }
GOROCM_DEVICE unsigned gorocm_length(const char *s) {
  unsigned n = 0;
  if (s)
    while (s[n]) n++;
  return n;
}
GOROCM_DEVICE unsigned gorocm_words(const char *s) { return 1 + (gorocm_length(s) + 7) / 8; }
GOROCM_DEVICE unsigned gorocm_words(char *s) { return gorocm_words((const char *)s); }

#define GOROCM_PUT(T, kind, value) \
  GOROCM_DEVICE void gorocm_put(unsigned long long *&to, T x) { *to++ = kind, *to++ = (unsigned long long)(value); }
GOROCM_PUT(char, 'i', (long long)x)
GOROCM_PUT(signed char, 'i', (long long)x)
GOROCM_PUT(unsigned char, 'i', x)
GOROCM_PUT(short, 'i', (long long)x)
GOROCM_PUT(unsigned short, 'i', x)
GOROCM_PUT(int, 'i', (long long)x)
GOROCM_PUT(unsigned, 'i', x)
GOROCM_PUT(long, 'i', (long long)x)
GOROCM_PUT(unsigned long, 'i', x)
GOROCM_PUT(long long, 'i', x)
GOROCM_PUT(unsigned long long, 'i', x)
GOROCM_PUT(bool, 'i', x)
GOROCM_PUT(float, 'f', __builtin_bit_cast(unsigned long long, (double)x))
GOROCM_PUT(double, 'f', __builtin_bit_cast(unsigned long long, x))
GOROCM_PUT(_Float16, 'f', __builtin_bit_cast(unsigned long long, (double)x))
GOROCM_PUT(const void *, 'p', x)
GOROCM_DEVICE void gorocm_put(unsigned long long *&to, const char *s) {
  unsigned n = gorocm_length(s);
  *to++ = 's' | (unsigned long long)n << 8;
  for (unsigned i = 0; i < n; i += 8, to++) {
    unsigned long long word = 0;
    for (unsigned k = 0; k < 8 && i + k < n; k++) word |= (unsigned long long)(unsigned char)s[i + k] << 8 * k;
    *to = word;
  }
}
GOROCM_DEVICE void gorocm_put(unsigned long long *&to, char *s) { gorocm_put(to, (const char *)s); }

template <class... Args> GOROCM_DEVICE void gorocm_message(unsigned long long flag, const char *format, Args... args) {
  unsigned n = 2;
  ((n += gorocm_words(args)), ...);
  unsigned at = atomicAdd(&gorocm_printed.used, n);
  if (at + n > sizeof gorocm_printed.words / 8) {
    atomicAdd(&gorocm_printed.lost, 1u);
    return;
  }
  unsigned long long *to = gorocm_printed.words + at;
  *to++ = n | flag, *to++ = (unsigned long long)format;
  (gorocm_put(to, args), ...);
}
template <class... Args> GOROCM_DEVICE int printf(const char *format, Args... args) {
  gorocm_message(0, format, args...);
  return 0;
}
GOROCM_DEVICE void gorocm_failed(const char *what) {
  gorocm_message(1ull << 63, "assertion %s failed: block [%u %u %u], work-item [%u %u %u]", what, (unsigned)blockIdx.x, (unsigned)blockIdx.y,
                 (unsigned)blockIdx.z, (unsigned)threadIdx.x, (unsigned)threadIdx.y, (unsigned)threadIdx.z);
  __builtin_trap();
}
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : gorocm_failed(#condition))
#endif
GOROCM_DEVICE void abort() { __builtin_trap(); }
