// Sums over the elements of each channel, for norms of batches. A channel has outer · inner elements, of which the inner ones are adjacent; with `last`
// the channels are, and elements of a channel lie one row of all channels apart. Sums are in the compute type C, over `parts` shares of a channel, a
// number that depends on the shape alone, so that they are rounded in the same way on every grid.
//
// channel_sums_T(in, const C* mean, C* parts, Channels)
//   parts [parts, channels] = Σ in or, with a mean [channels] that is not null, Σ (in - mean)²
// channel_products_T(in, grad, const C* mean, C* parts, Channels)
//   parts [parts, 2, channels] = Σ grad and Σ grad (in - mean)
// channel_totals_T(const T* parts, T* out, u64 parts, u64 sums, f64 scale)
//   out [sums] = scale Σ parts, in their order; T is f32 or f64

struct Channels {
  u64 outer, channels, inner, parts, last;
};

// What the elements of a channel give: K numbers of each element.
template <class T> struct Sums {
  static const int K = 1;
  const T* in;
  bool centred;
  DEV Compute<T> of(int, T x, T, Compute<T> mean) const {
    const Compute<T> e = Element<T>::load(x), d = e - mean;
    return centred ? d * d : e;
  }
};
template <class T> struct Products {
  static const int K = 2;
  const T* in;
  const T* grad;
  DEV Compute<T> of(int k, T x, T g, Compute<T> mean) const {
    const Compute<T> e = Element<T>::load(g);
    return k == 0 ? e : e * (Element<T>::load(x) - mean);
  }
};

template <class T> DEV const T* second(const Sums<T>& f) { return f.in; }
template <class T> DEV const T* second(const Products<T>& f) { return f.grad; }

// A block takes a share of a channel: packs of V elements, of which those of one outer index are adjacent.
template <int V, class T, class F> DEV void sums_of_planes(const F& f, const Compute<T>* mean, Compute<T>* parts, const Channels& c, Careful<Compute<T>> (&room)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u64 packs = c.inner / V, all = c.outer * packs, every = c.parts * BLOCK;
  const Team team = {false, BLOCK, 1, 0, tid()};
  for (u64 b = bid(); b < c.channels * c.parts; b += blocks()) {
    const u64 channel = b % c.channels, part = b / c.channels;
    const C m = mean ? mean[channel] : (C)0;
    Careful<C> sum[F::K] = {};
    for (u64 at = part * BLOCK + tid(); at < all; at += FETCH * every) {
      P x[FETCH], y[FETCH];
#pragma unroll
      for (u32 j = 0; j < FETCH; j++) {
        const u64 k = at + j * every < all ? at + j * every : at;
        const u64 place = (k / packs * c.channels + channel) * packs + k % packs;
        x[j] = ((const P*)f.in)[place];
        y[j] = F::K == 1 ? x[j] : ((const P*)second(f))[place];
      }
#pragma unroll
      for (int k = 0; k < F::K; k++) {
        C e[FETCH * V];
#pragma unroll
        for (u32 i = 0; i < FETCH * V; i++) e[i] = at + i / V * every < all ? f.of(k, x[i / V].at[i % V], y[i / V].at[i % V], m) : (C)0;
        sum[k].add(sum_of(e));
      }
    }
#pragma unroll
    for (int k = 0; k < F::K; k++) {
      const C total = together<Total<C>>(sum[k], team, room).sum;
      if (tid() == 0) parts[(part * F::K + k) * c.channels + channel] = total;
    }
  }
}

// A block takes a share of some channels: rows of packs of V channels, in teams of threads.
template <int V, class T, class F> DEV void sums_of_columns(const F& f, const Compute<T>* mean, Compute<T>* parts, const Channels& c, Careful<Compute<T>> (&room)[BLOCK]) {
  typedef Compute<T> C;
  typedef Pack<T, V> P;
  const u64 packs = c.channels / V, rows = c.outer * c.inner;
  u32 width = 1;
  while (width < 32 && width < packs) width *= 2;
  const u32 deep = BLOCK / width, row = tid() / width;
  const u64 tiles = (packs + width - 1) / width, every = c.parts * deep;
  for (u64 b = bid(); b < tiles * c.parts; b += blocks()) {
    const u64 part = b / tiles, pack = b % tiles * width + tid() % width;
    const bool mine = pack < packs;
    C m[V];
#pragma unroll
    for (int v = 0; v < V; v++) m[v] = mean && mine ? mean[pack * V + v] : (C)0;
    Careful<C> sum[F::K][V] = {};
    for (u64 at = part * deep + row; mine && at < rows; at += FETCH * every) {
      P x[FETCH], y[FETCH];
      fetch(x, (const P*)f.in + pack, at, rows, every, (i64)packs);
      if (F::K > 1) fetch(y, (const P*)second(f) + pack, at, rows, every, (i64)packs);
#pragma unroll
      for (int k = 0; k < F::K; k++)
#pragma unroll
        for (int v = 0; v < V; v++) {
          C e[FETCH];
#pragma unroll
          for (u32 j = 0; j < FETCH; j++) e[j] = at + j * every < rows ? f.of(k, x[j].at[v], F::K > 1 ? y[j].at[v] : x[j].at[v], m[v]) : (C)0;
          sum[k][v].add(sum_of(e));
        }
    }
#pragma unroll
    for (int k = 0; k < F::K; k++)
#pragma unroll
      for (int v = 0; v < V; v++) {
        room[tid()] = sum[k][v];
        sync();
        if (row == 0 && mine) {
          Careful<C> s = room[tid()];
          for (u32 r = 1; r < deep; r++) Total<C>::merge(s, room[r * width + tid()]);
          parts[(part * F::K + k) * c.channels + pack * V + v] = s.sum;
        }
        sync();
      }
  }
}

template <class T, class F> DEV void channel_sums(const F& f, const Compute<T>* mean, Compute<T>* parts, const Channels& c) {
  SHARED Careful<Compute<T>> room[BLOCK];
  const int V = RowPack<T>::V;
  const bool whole = aligned<V>(f.in) && aligned<V>(second(f));
  if (c.last && whole && c.channels % V == 0)
    sums_of_columns<V, T>(f, mean, parts, c, room);
  else if (c.last)
    sums_of_columns<1, T>(f, mean, parts, c, room);
  else if (whole && c.inner % V == 0)
    sums_of_planes<V, T>(f, mean, parts, c, room);
  else
    sums_of_planes<1, T>(f, mean, parts, c, room);
}

// Eight adjacent sums and 32 parts at a time.
template <class C> DEV void channel_totals(const C* parts, C* out, u64 count, u64 sums, f64 scale) {
  const u32 COLUMNS = 8, DEEP = BLOCK / COLUMNS;
  SHARED Careful<C> room[BLOCK];
  for (u64 c0 = (u64)bid() * COLUMNS; c0 < sums; c0 += (u64)blocks() * COLUMNS) {
    const u64 c = c0 + tid() % COLUMNS;
    Careful<C> s = {0, 0};
    if (c < sums)
      for (u64 k = tid() / COLUMNS; k < count; k += FETCH * DEEP) {
        C e[FETCH];
        fetch(e, parts + c, k, count, DEEP, (i64)sums);
#pragma unroll
        for (u32 j = 0; j < FETCH; j++)
          if (k + j * DEEP < count) s.add(e[j]);
      }
    room[tid()] = s;
    sync();
    if (tid() < COLUMNS && c < sums) {
      for (u32 k = 1; k < DEEP; k++) Total<C>::merge(s, room[k * COLUMNS + tid()]);
      out[c] = (C)scale * s.sum;
    }
    sync();
  }
}

#define CHANNEL_SUMS(T) \
  KERNEL channel_sums_##T(const T* in, const Compute<T>* mean, Compute<T>* parts, Channels c) { \
    channel_sums<T>(Sums<T>{in, mean != nullptr}, mean, parts, c); \
  }
#define CHANNEL_PRODUCTS(T) \
  KERNEL channel_products_##T(const T* in, const T* grad, const Compute<T>* mean, Compute<T>* parts, Channels c) { \
    channel_sums<T>(Products<T>{in, grad}, mean, parts, c); \
  }
#define CHANNEL_TOTALS(T) \
  KERNEL channel_totals_##T(const T* parts, T* out, u64 count, u64 sums, f64 scale) { channel_totals(parts, out, count, sums, scale); }
