// fft_T(in, out, roots, low, high, FFT): Fourier transforms of n complex numbers, y[k] = scale · Σ_j x[j]·w^(j·k) with w = exp(-2πi/n), or inverse ones
// with its conjugate. n has prime factors of at most 13, and at most FFT_ROOM(T) numbers fit into a block. Blocks take `lanes` transforms at a time;
// any grid is correct. Transform t has index i[d] in dims[d], the last one fastest, and its numbers j and k are at
//   in[Σ i[d]·from[d] + j·from_step]        out[Σ i[d]·to[d] + k·to_step]
// roots are the n powers of w. If `turns` is not negative, number k is multiplied by exp(-2πi·k·i[turns]/order): one half of a longer transform as a
// matrix (Bailey, "FFTs in external or hierarchical memory", 1990). These roots are products of a low and a high one: those of orders 1 and 2^shift.
//
// A block does Stockham's passes in shared memory: of radix r it turns x[s·(p + m·j) + q] into y[s·(r·p + k) + q].
//
// fft_weigh_T(in, weights, out, u64 rows, u64 from, u64 to, f64 scale, u64 conj): rows of `from` numbers times the weights, cut or padded with zeros to
// `to` numbers: the steps of Bluestein's algorithm for other lengths. conj & 1 conjugates the numbers first, conj & 2 the results.
// fft_real_T(z, low, high, out, u64 rows, u64 h, u64 shift): from the transforms of 2h real numbers as h complex ones, the first h + 1 numbers of their
// own transforms; fft_half_T(y, low, high, out, …): the reverse, times 2. low and high are for roots of order 2h.
// fft_whole_T(y, out, u64 rows, u64 n): all n numbers of transforms of real numbers, from the first n/2 + 1.

template <class R> struct Num { R re, im; };
typedef Num<f32> n64;
typedef Num<f64> n128;
template <class R> DEV Num<R> num(R re, R im) { Num<R> x = {re, im}; return x; }
template <class R> DEV Num<R> operator+(Num<R> a, Num<R> b) { return num(a.re + b.re, a.im + b.im); }
template <class R> DEV Num<R> operator-(Num<R> a, Num<R> b) { return num(a.re - b.re, a.im - b.im); }
template <class R> DEV Num<R> operator*(Num<R> a, Num<R> b) { return num(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
template <class R> DEV Num<R> scaled(Num<R> a, R by) { return num(a.re * by, a.im * by); }
template <class R> DEV Num<R> conj(Num<R> a) { return num(a.re, -a.im); }
template <class R> DEV Num<R> over_i(Num<R> a) { return num(a.im, -a.re); }  // times -i
template <class R> DEV Num<R> swapped(Num<R> a, bool swap) { return swap ? num(a.im, a.re) : a; }

// The same as kernels.FFT.
struct FFT {
  i64 n, lanes, count;
  i64 dims[4], from[4], to[4];
  i64 from_step, to_step;
  u64 radices;  // four bits each, the first pass lowest
  i64 inverse, turns, shift;
  f64 scale;
};

// ---- butterflies: z[k] = Σ_j z[j]·exp(-2πi·j·k/RADIX), where unit[j] = exp(-2πi·j/RADIX) for odd radices

template <int RADIX> struct Butterfly {
  template <class R> MEMBER void of(Num<R> (&z)[RADIX], const Num<R>* roots, u32 every) {
    const int HALF = RADIX / 2;
    Num<R> unit[HALF + 1], sum[HALF + 1], less[HALF + 1];
    const Num<R> first = z[0];
#pragma unroll
    for (int j = 1; j <= HALF; j++) {
      unit[j] = roots[j * every];
      sum[j] = z[j] + z[RADIX - j];
      less[j] = z[j] - z[RADIX - j];
      z[0] = z[0] + sum[j];
    }
#pragma unroll
    for (int k = 1; k <= HALF; k++) {
      Num<R> u = first, v = num((R)0, (R)0);
#pragma unroll
      for (int j = 1; j <= HALF; j++) {
        const int at = j * k % RADIX;
        const R c = unit[at <= HALF ? at : RADIX - at].re, s = at <= HALF ? unit[at].im : -unit[RADIX - at].im;
        u = u + scaled(sum[j], c);
        v = v + num(-s * less[j].im, s * less[j].re);
      }
      z[k] = u + v;
      z[RADIX - k] = u - v;
    }
  }
};
template <> struct Butterfly<2> {
  template <class R> MEMBER void of(Num<R> (&z)[2], const Num<R>*, u32) {
    const Num<R> a = z[0] + z[1];
    z[1] = z[0] - z[1];
    z[0] = a;
  }
};
template <> struct Butterfly<4> {
  template <class R> MEMBER void of(Num<R> (&z)[4], const Num<R>*, u32) {
    const Num<R> a = z[0] + z[2], b = z[0] - z[2], c = z[1] + z[3], d = over_i(z[1] - z[3]);
    z[0] = a + c;
    z[1] = b + d;
    z[2] = a - c;
    z[3] = b - d;
  }
};
template <> struct Butterfly<8> {
  template <class R> MEMBER void of(Num<R> (&z)[8], const Num<R>* roots, u32 every) {
    const R h = (R)0.70710678118654752440;
    Num<R> even[4] = {z[0], z[2], z[4], z[6]}, odd[4] = {z[1], z[3], z[5], z[7]};
    Butterfly<4>::of(even, roots, every);
    Butterfly<4>::of(odd, roots, every);
    odd[1] = scaled(odd[1] + over_i(odd[1]), h);
    odd[2] = over_i(odd[2]);
    odd[3] = scaled(over_i(odd[3]) - odd[3], h);
#pragma unroll
    for (int k = 0; k < 4; k++) {
      z[k] = even[k] + odd[k];
      z[k + 4] = even[k] - odd[k];
    }
  }
};

// ---- a transform

// One pass over all transforms of a block, which lie side by side. s numbers of each have been gathered by earlier passes.
template <int RADIX, class R> DEV void fft_pass(const Num<R>* x, Num<R>* y, const Num<R>* roots, u32 n, u32 lanes, u32 s) {
  const u32 each = n / RADIX * lanes, wide = s * lanes;
#pragma unroll 1
  for (u32 t = tid(); t < each; t += BLOCK) {
    const u32 p = t / wide, q = t - p * wide;
    Num<R> z[RADIX];
#pragma unroll
    for (u32 j = 0; j < RADIX; j++) z[j] = x[t + j * each];
    Butterfly<RADIX>::of(z, roots, n / RADIX);
    Num<R>* to = y + p * RADIX * wide + q;
    to[0] = z[0];
#pragma unroll
    for (u32 k = 1; k < RADIX; k++) to[k * wide] = z[k] * roots[p * k * s];
  }
}

// Where a transform begins in the operand and in the result, and how its results turn.
struct Start { i64 from, to, turn; };
DEV Start start_of(const FFT& f, u32 t) {
  Start s = {0, 0, 0};
#pragma unroll
  for (i32 d = 3; d >= 0; d--) {
    const u32 size = (u32)f.dims[d], i = t % size;
    t /= size;
    s.from += i * f.from[d];
    s.to += i * f.to[d];
    if (d == f.turns) s.turn = i;
  }
  return s;
}

template <class R> DEV Num<R> power(const Num<R>* low, const Num<R>* high, u64 at, u64 shift) {
  return low[at & ((1ull << shift) - 1)] * high[at >> shift];
}

// The index of a number in its transform and the transform in the block, for the e-th access of the block: adjacent threads access adjacent numbers
// if those of a transform are adjacent in memory, otherwise adjacent transforms.
struct Access { u32 k, lane; };
DEV Access access(u32 e, u32 n, u32 lanes, bool along) {
  const u32 by = along ? n : lanes, q = e / by, r = e - q * by;
  Access a = {along ? r : q, along ? q : r};
  return a;
}

template <class R, u32 ROOM>
DEV void fft_block(const Num<R>* in, Num<R>* out, const Num<R>* roots, const Num<R>* low, const Num<R>* high, const FFT& f) {
  SHARED Num<R> room[2 * ROOM];
  const u32 n = (u32)f.n, lanes = (u32)f.lanes, count = (u32)f.count;
  const bool inverse = f.inverse != 0;
#pragma unroll 1
  for (u64 first = (u64)bid() * lanes; first < count; first += (u64)blocks() * lanes) {
    Num<R>*x = room, *y = room + ROOM;
    for (u32 e = tid(); e < n * lanes; e += BLOCK) {
      const Access a = access(e, n, lanes, f.from_step == 1);
      Num<R> v = num((R)0, (R)0);
      if (first + a.lane < count) v = in[start_of(f, (u32)first + a.lane).from + a.k * f.from_step];
      x[a.k * lanes + a.lane] = swapped(v, inverse);
    }
    sync();
    u32 s = 1;
#pragma unroll 1
    for (u64 rest = f.radices; rest != 0; rest >>= 4) {
      const u32 radix = (u32)rest & 15;
      switch (radix) {
        case 2: fft_pass<2>(x, y, roots, n, lanes, s); break;
        case 3: fft_pass<3>(x, y, roots, n, lanes, s); break;
        case 4: fft_pass<4>(x, y, roots, n, lanes, s); break;
        case 5: fft_pass<5>(x, y, roots, n, lanes, s); break;
        case 7: fft_pass<7>(x, y, roots, n, lanes, s); break;
        case 8: fft_pass<8>(x, y, roots, n, lanes, s); break;
        case 11: fft_pass<11>(x, y, roots, n, lanes, s); break;
        default: fft_pass<13>(x, y, roots, n, lanes, s); break;
      }
      sync();
      s *= radix;
      Num<R>* done = x;
      x = y;
      y = done;
    }
    for (u32 e = tid(); e < n * lanes; e += BLOCK) {
      const Access a = access(e, n, lanes, f.to_step == 1);
      if (first + a.lane >= count) continue;
      const Start at = start_of(f, (u32)first + a.lane);
      Num<R> v = x[a.k * lanes + a.lane];
      if (f.turns >= 0) v = v * power(low, high, (u64)(a.k * at.turn), (u64)f.shift);
      out[at.to + a.k * f.to_step] = scaled(swapped(v, inverse), (R)f.scale);
    }
    sync();
  }
}

#define FFT_BLOCK(T, N, R, ROOM) \
  KERNEL fft_##T(const N* in, N* out, const N* roots, const N* low, const N* high, FFT f) { \
    fft_block<R, ROOM>(in, out, roots, low, high, f); \
  }

// ---- other lengths, and real numbers

#define FFT_WEIGH(T, N, R) \
  KERNEL fft_weigh_##T(const N* in, const N* weights, N* out, u64 rows, u64 from, u64 to, f64 scale, u64 conjugate) { \
    for (u64 i = first(); i < rows * to; i += stride()) { \
      const u64 row = i / to, j = i - row * to; \
      N v = num((R)0, (R)0); \
      if (j < from) { \
        v = in[row * from + j]; \
        v = scaled((conjugate & 1 ? conj(v) : v) * weights[j], (R)scale); \
        if (conjugate & 2) v = conj(v); \
      } \
      out[i] = v; \
    } \
  }

// With Z' = conj(Z[h-k]), E = (Z[k] + Z')/2 and O = -i·(Z[k] - Z')/2, number k is E + w^k·O.
#define FFT_REAL(T, N, R) \
  KERNEL fft_real_##T(const N* in, const N* low, const N* high, N* out, u64 rows, u64 h, u64 shift) { \
    for (u64 i = first(); i < rows * (h + 1); i += stride()) { \
      const u64 row = i / (h + 1), k = i - row * (h + 1); \
      const N* z = in + row * h; \
      const N a = z[k == h ? 0 : k], b = conj(z[k == 0 ? 0 : h - k]); \
      const N odd = over_i(a - b) * power(low, high, k, shift); \
      N v = scaled((a + b) + odd, (R)0.5); \
      if (k == 0 || k == h) v.im = 0; \
      out[i] = v; \
    } \
  }

// With Y' = conj(Y[h-k]), number k is (Y[k] + Y') + i·w^-k·(Y[k] - Y'). The imaginary parts of Y[0] and Y[h] are left out.
#define FFT_HALF(T, N, R) \
  KERNEL fft_half_##T(const N* in, const N* low, const N* high, N* out, u64 rows, u64 h, u64 shift) { \
    for (u64 i = first(); i < rows * h; i += stride()) { \
      const u64 row = i / h, k = i - row * h; \
      const N* y = in + row * (h + 1); \
      N a = y[k], b = conj(y[h - k]); \
      if (k == 0) a.im = b.im = 0; \
      const N odd = (a - b) * conj(power(low, high, k, shift)); \
      out[i] = (a + b) - over_i(odd); \
    } \
  }

#define FFT_WHOLE(T, N, R) \
  KERNEL fft_whole_##T(const N* in, N* out, u64 rows, u64 n) { \
    for (u64 i = first(); i < rows * n; i += stride()) { \
      const u64 row = i / n, k = i - row * n; \
      const N* y = in + row * (n / 2 + 1); \
      N v = k <= n / 2 ? y[k] : conj(y[n - k]); \
      if (k == 0 || 2 * k == n) v.im = 0; \
      out[i] = v; \
    } \
  }
