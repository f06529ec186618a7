// What the kernels share that factor small matrices: numbers, real and complex, and teams of threads that have a matrix each.

// ---- numbers: f32, f64, and complex numbers of two of them

template <class R> struct Complex { R re, im; };
typedef Complex<f32> c64;
typedef Complex<f64> c128;

template <class T> struct Number { typedef T Real; };
template <class R> struct Number<Complex<R>> { typedef R Real; };
template <class T> using Real = typename Number<T>::Real;

template <class R> struct Limits;
template <> struct Limits<f32> {
  static const i32 DIGITS = 23, BIAS = 127;
  typedef u32 Bits;
};
template <> struct Limits<f64> {
  static const i32 DIGITS = 52, BIAS = 1023;
  typedef u64 Bits;
};

// 2^n for the n of normal numbers, and the exponent of a number that is not negative (-BIAS for 0 and subnormals)
template <class R> DEV R power_of_two(i32 n) {
  return bitcast<R>((typename Limits<R>::Bits)((u64)(n + Limits<R>::BIAS) << Limits<R>::DIGITS));
}
template <class R> DEV i32 exponent_of(R x) { return (i32)((u64)bitcast<typename Limits<R>::Bits>(x) >> Limits<R>::DIGITS) - Limits<R>::BIAS; }

#define FACTOR_REAL(R) \
  DEV R real(R x) { return x; } \
  DEV R imag(R) { return 0; } \
  DEV R conj(R x) { return x; } \
  DEV R neg(R x) { return -x; } \
  DEV R plus(R a, R b) { return a + b; } \
  DEV R scaled(R x, R k) { return x * k; } \
  DEV R divided(R x, R k) { return x / k; } \
  DEV R over(R a, R b) { return a / b; } \
  DEV R muladd(R a, R b, R c) { return fma(a, b, c); } \
  DEV R square(R x) { return x * x; } \
  DEV R size1(R x) { return abs(x); } \
  DEV R absolute(R x) { return abs(x); } \
  DEV R add_square(R x, R c) { return fma(x, x, c); } \
  DEV R add_scaled(R k, R x, R c) { return fma(k, x, c); } \
  DEV R larger(R a, R b) { return a != a || a > b ? a : b; } \
  DEV R larger_part(R x) { return abs(x); }
FACTOR_REAL(f32)
FACTOR_REAL(f64)

template <class R> DEV R real(Complex<R> x) { return x.re; }
template <class R> DEV R imag(Complex<R> x) { return x.im; }
template <class R> DEV Complex<R> conj(Complex<R> x) { return {x.re, -x.im}; }
template <class R> DEV Complex<R> neg(Complex<R> x) { return {-x.re, -x.im}; }
template <class R> DEV Complex<R> plus(Complex<R> a, Complex<R> b) { return {a.re + b.re, a.im + b.im}; }
template <class R> DEV Complex<R> scaled(Complex<R> x, R k) { return {x.re * k, x.im * k}; }
template <class R> DEV Complex<R> divided(Complex<R> x, R k) { return {x.re / k, x.im / k}; }
template <class R> DEV Complex<R> muladd(Complex<R> a, Complex<R> b, Complex<R> c) {
  return {fma(a.re, b.re, fma(-a.im, b.im, c.re)), fma(a.re, b.im, fma(a.im, b.re, c.im))};
}
template <class R> DEV R square(Complex<R> x) { return fma(x.re, x.re, x.im * x.im); }
template <class R> DEV R add_square(Complex<R> x, R c) { return fma(x.re, x.re, fma(x.im, x.im, c)); }
template <class R> DEV Complex<R> add_scaled(R k, Complex<R> x, Complex<R> c) { return {fma(k, x.re, c.re), fma(k, x.im, c.im)}; }
template <class R> DEV R larger_part(Complex<R> x) {
  const R a = abs(x.re), b = abs(x.im);
  return b != b ? b : larger(a, b);
}
template <class R> DEV R size1(Complex<R> x) { return abs(x.re) + abs(x.im); }
template <class R> DEV R absolute(Complex<R> x) {
  const R a = abs(x.re), b = abs(x.im), m = larger(a, b), n = a > b ? b : a, q = n / m;
  return m == 0 ? (R)0 : m * sqrt(fma(q, q, (R)1));
}
// Smith's quotient: the larger part of b is 1 after a division, so that squares do not overflow.
template <class R> DEV Complex<R> over(Complex<R> a, Complex<R> b) {
  const bool wide = abs(b.re) >= abs(b.im);
  const R m = wide ? b.re : b.im, n = wide ? b.im : b.re, q = n / m, d = fma(n, q, m);
  if (n == 0) return wide ? Complex<R>{a.re / m, a.im / m} : Complex<R>{a.im / m, -a.re / m};
  return wide ? Complex<R>{fma(a.im, q, a.re) / d, fma(-a.re, q, a.im) / d} : Complex<R>{fma(a.re, q, a.im) / d, fma(a.im, q, -a.re) / d};
}

template <class T> struct Make { MEMBER T of(Real<T> re, Real<T>) { return re; } };
template <class R> struct Make<Complex<R>> { MEMBER Complex<R> of(R re, R im) { return {re, im}; } };
template <class T> DEV T number(Real<T> re, Real<T> im = 0) { return Make<T>::of(re, im); }

// ---- sums and maxima over the 32 threads of a group: the same bits in each, which must all be active

template <class T> DEV T sum_group(T x) {
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) x = plus(x, across(x, d));
  return x;
}
template <class R> DEV R max_group(R x) {  // NaN if there is one
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const R y = across(x, d);
    x = y != y || y > x ? y : x;
  }
  return x;
}
// The largest number, the first of equal ones, and its index. NaN is larger than all others.
template <class R> struct Largest { R value; u32 at; };
template <class R> DEV bool before(const Largest<R>& a, const Largest<R>& b) {
  const bool na = a.value != a.value, nb = b.value != b.value;
  if (na || nb) return na && (!nb || a.at < b.at);
  return a.value > b.value || (a.value == b.value && a.at < b.at);
}
template <class R> DEV Largest<R> largest_group(Largest<R> x) {
#pragma unroll
  for (u32 d = 1; d < LANES; d *= 2) {
    const Largest<R> y = across(x, d);
    if (before(y, x)) x = y;
  }
  return x;
}

// ---- teams

// A team has a matrix: 32 threads, or a block. In both, groups of 32 take rows and lanes columns. What is small is computed by each group, so that
// nothing has to be exchanged.
struct Group {
  static const u32 SIZE = LANES, ROWS = 1, ROOM = AMD ? 32768 : 36864;  // bytes of shared memory: on AMD two blocks share the 64 KB of a compute unit
  MEMBER u32 rank() { return lane(); }
  MEMBER u32 row() { return 0; }
  MEMBER void barrier() { sync_lanes(); }
  MEMBER bool any(bool x) { return ballot(x) != 0; }
  template <class T> MEMBER T sum_rows(T x) { return x; }
};
struct Whole {
  static const u32 SIZE = BLOCK, ROWS = BLOCK / LANES, ROOM = 28672;  // the rest is for sums
  MEMBER u32 rank() { return tid(); }
  MEMBER u32 row() { return tid() / LANES; }
  MEMBER void barrier() { sync(); }
  MEMBER bool any(bool x) {
    SHARED u32 votes[ROWS];
    const u32 vote = ballot(x);
    if (lane() == 0) votes[row()] = vote;
    sync();
    u32 all = 0;
#pragma unroll
    for (u32 i = 0; i < ROWS; i++) all |= votes[i];
    sync();
    return all != 0;
  }
  template <class T> MEMBER T sum_rows(T x) {  // over the threads of the same lane
    SHARED T parts[ROWS][LANES];
    parts[row()][lane()] = x;
    sync();
    T all = parts[0][lane()];
#pragma unroll
    for (u32 i = 1; i < ROWS; i++) all = plus(all, parts[i][lane()]);
    sync();
    return all;
  }
};

// How many blocks a grid of blocks of so many threads has; blocks() is for those of BLOCK threads.
#if AMD
DEV u32 blocks_of(u32 threads) { return __builtin_amdgcn_grid_size_x() / threads; }
#else
DEV u32 blocks_of(u32) { return blocks(); }
#endif

// How the matrices of a batch are spread: a block has so many teams, each with `size` elements of work space, whose rows begin every `ld`.
struct Spread {
  u64 batch;
  u32 slots, ld;
  u64 size;
};

// Calls f for the matrices of the block. The work space is shared memory, or `memory` where that is not null.
template <class T, class Team, class F> DEV void each_in_shared(const Spread& s, const F& f) {
  SHARED Pack<u64, 2> room[Team::ROOM / 16];
  const u32 group = Team::SIZE == BLOCK ? 0 : tid() / LANES;
  T* w = (T*)room + group * s.size;
  const u64 matrices = (u64)blocks_of(s.slots * Team::SIZE) * s.slots;  // that the grid has at a time
  for (u64 at = (u64)bid() * s.slots + group; at < s.batch; at += matrices) {
    f.template run<Team>(at, w, s.ld);
    Team::barrier();
  }
}
template <class T, class F> DEV void each_in_memory(const Spread& s, T* memory, const F& f) {
  for (u64 at = bid(); at < s.batch; at += blocks()) {
    f.template run<Whole>(at, memory + bid() * s.size, s.ld);
    sync();
  }
}

template <class Team, class T> DEV void load_matrix(T* w, u32 ld, const T* from, u32 m, u32 n) {
  for (u32 i = Team::row(); i < m; i += Team::ROWS)
    for (u32 j = lane(); j < n; j += LANES) w[(u64)i * ld + j] = from[(u64)i * n + j];
}

// Column c of w plus f times column v, in the team's rows from `from` to m of one lane. Some rows are loaded before the first is stored, because the
// compiler cannot know that they are not the same.
template <class Team, class T> DEV void add_column(T* w, u32 ld, u32 from, u32 m, u32 c, u32 v, T f) {
  const u32 DEEP = 4;
  u32 i = from + Team::row();
  for (; i + (DEEP - 1) * Team::ROWS < m; i += DEEP * Team::ROWS) {
    T x[DEEP], y[DEEP];
#pragma unroll
    for (u32 r = 0; r < DEEP; r++) {
      const T* row = w + (u64)(i + r * Team::ROWS) * ld;
      x[r] = row[c];
      y[r] = row[v];
    }
#pragma unroll
    for (u32 r = 0; r < DEEP; r++) w[(u64)(i + r * Team::ROWS) * ld + c] = muladd(y[r], f, x[r]);
  }
  for (; i < m; i += Team::ROWS) w[(u64)i * ld + c] = muladd(w[(u64)i * ld + v], f, w[(u64)i * ld + c]);
}

// The kernels of one operation, which is a struct OP<T> with its arguments: for small matrices, which share a block; for those in the shared memory
// of a block; and for those that a block has in memory.
#define FACTOR_KERNEL_GROUPS(NAME, OP, T) \
  KERNEL NAME(OP op, Spread s, T*) { each_in_shared<T, Group>(s, op); }
#define FACTOR_GROUPS(NAME, OP, T) FACTOR_KERNEL_GROUPS(NAME##_groups_##T, OP<T>, T)
#define FACTOR_BLOCK(NAME, OP, T) \
  KERNEL NAME##_block_##T(OP<T> op, Spread s, T*) { each_in_shared<T, Whole>(s, op); }
#define FACTOR_MEMORY(NAME, OP, T) \
  KERNEL NAME##_memory_##T(OP<T> op, Spread s, T* memory) { each_in_memory<T>(s, memory, op); }
