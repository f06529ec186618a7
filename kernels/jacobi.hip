// Singular values and eigenvalues by Jacobi's rotations, each matrix by one group of 32 threads or by one block: batches of dense rows, to dense
// results.
//   svd_W_T(in, u, values, vh, i32* info, u32 m, u32 n, u32 full, Spread, work)    A = U·diag(values)·Vh, values descending; U [m k] and Vh [k n] with
//                                                                                 k = min(m, n), or square if full; null for values alone
//   eigh_W_T(in, v, values, i32* info, u32 n, Spread, work)                       A·V = V·diag(values) from the lower triangle, values ascending; v is
//                                                                                 null for values alone
// W is groups, block or memory: where the matrix lies (factor.h). info is 0, or 1 for matrices with elements that are not finite, whose results are
// NaN, and for those that do not converge.
//
// svd makes the columns of the matrix orthogonal (one-sided Jacobi: Hestenes 1958); each of the small singular values of a matrix with scaled columns
// is as accurate as the large ones (Demmel and Veselić, "Jacobi's method is more accurate than QR", 1992). eigh makes the matrix diagonal, with the
// same criterion. In each of the rounds of a sweep every row or column is in one pair, as players in a tournament, so that all pairs are rotated at
// once. A power of two scales matrices so that squares do not overflow.

const u32 SWEEPS = 30, PATIENCE = 12;  // sweeps; 6 to 10 suffice; after PATIENCE ones eigh ignores what is below the unit roundoff

// Powers of two: of the largest element of svd when it is scaled; of squares of norms that svd takes for 0; of elements that eigh takes for 0. Tangents
// of rotations are then normal numbers.
template <class R> struct Range;
template <> struct Range<f32> {
  static const i32 TOP = 52, TINY = -60, FLOOR = -100;
  MEMBER f32 eps() { return 0x1p-24f; }
};
template <> struct Range<f64> {
  static const i32 TOP = 480, TINY = -900, FLOOR = -900;
  MEMBER f64 eps() { return 0x1p-53; }
};

// The pair k of a round of a tournament of an even number of players, p < q.
struct alignas(8) Pair { u32 p, q; };
DEV Pair players_of(u32 round, u32 k, u32 players) {  // in any order
  const u32 others = players - 1;
  u32 p = round + k, q = round + others - k;
  p = p >= others ? p - others : p;
  q = k == 0 ? others : q >= others ? q - others : q;
  return {p, q};
}
DEV Pair pair_of(u32 round, u32 k, u32 players) {
  const Pair i = players_of(round, k, players);
  return i.p < i.q ? i : Pair{i.q, i.p};
}

// 1/x and √x, of f32 to within two units in the last place.
DEV f32 inverse_near(f32 x) { return quick_inverse(x); }
DEV f32 root_near(f32 x) { return quick_sqrt(x); }
DEV f64 inverse_near(f64 x) { return 1.0 / x; }
DEV f64 root_near(f64 x) { return sqrt(x); }

template <class T> struct Rotation;

// x and y of a rotation with the phase f. Real numbers have their phase, 1 or -1, in s and half.
template <class R> DEV void turn(R s, R half, Complex<R> f, Complex<R>& x, Complex<R>& y) {
  typedef Complex<R> T;
  const T u = add_scaled(half, x, muladd(f, y, number<T>(0))), v = add_scaled(-half, y, muladd(conj(f), x, number<T>(0)));
  x = add_scaled(-s, u, x);
  y = add_scaled(s, v, y);
}
template <class R> DEV void turn(R s, R half, R, R& x, R& y) {
  const R u = fma(half, x, y), v = fma(-half, y, x);
  x = fma(-s, u, x);
  y = fma(s, v, y);
}
template <class R> DEV Rotation<Complex<R>> simplified(const Rotation<Complex<R>>& r) { return r; }
template <class R> DEV Rotation<R> simplified(const Rotation<R>& r) { return {r.s * r.phase, r.half * r.phase, r.shift, r.phase}; }

// The rotation by which [a g; conj(g) b] becomes diagonal: x' = c·x - s·conj(phase)·y, y' = s·phase·x + c·y for its columns. The diagonal becomes
// a - shift and b + shift. Small rotations are small corrections, whose rounding errors are small (Rutishauser 1966): c is 1 - s·half, where half is
// the tangent of half the angle.
template <class T> struct alignas(16) Rotation {  // read as a whole from shared memory
  typedef Real<T> R;
  R s, half, shift;
  T phase;  // of g

  MEMBER Rotation none() { return {0, 0, 0, number<T>(1)}; }
  MEMBER Rotation of(R a, R b, T g) {  // g is not 0
    const R size = absolute(g), zeta = (b - a) * inverse_near(size + size), z = abs(zeta);
    const bool far = z > power_of_two<R>(Range<R>::TOP);  // its square may overflow, and adds nothing
    const R t = copysign(inverse_near(far ? z + z : z + root_near(fma(z, z, (R)1))), zeta), root = root_near(fma(t, t, (R)1));
    return Rotation{t * inverse_near(root), t * inverse_near(root + (R)1), t * size, divided(g, size)}.simple();
  }
  DEV Rotation simple() const { return simplified(*this); }
  DEV void columns(T& x, T& y) const { turn(s, half, conj(phase), x, y); }
  DEV void rows(T& x, T& y) const { turn(s, half, phase, x, y); }
};

// Rotates every step-th element from i to n of two rows. Some are loaded before the first is stored.
template <class T> DEV void rotate(const Rotation<T>& turn, T* p, T* q, u32 i, u32 n, u32 step) {
  const u32 DEEP = 4;
  for (; i + (DEEP - 1) * step < n; i += DEEP * step) {
    T x[DEEP], y[DEEP];
#pragma unroll
    for (u32 r = 0; r < DEEP; r++) {
      x[r] = p[i + r * step];
      y[r] = q[i + r * step];
    }
#pragma unroll
    for (u32 r = 0; r < DEEP; r++) {
      turn.columns(x[r], y[r]);
      p[i + r * step] = x[r];
      q[i + r * step] = y[r];
    }
  }
  for (; i < n; i += step) turn.columns(p[i], q[i]);
}

// The factor, and its inverse, by which the largest element becomes about 2^to.
template <class R> struct Scale { R up, down; };
template <class R> DEV Scale<R> scale_to(R top, i32 to) {
  const i32 most = Limits<R>::BIAS - 1;
  i32 e = to - exponent_of(top);
  e = e > most ? most : e < -most ? -most : e;
  return {power_of_two<R>(e), power_of_two<R>(-e)};
}
template <class R> DEV bool is_finite(R x) { return x - x == 0; }

// order[place] = i for the i-th of n numbers when they are sorted, those that are equal by index.
template <class Team, class R> DEV void sort_numbers(const R* x, u32 step, u32 n, bool descending, u32* order) {
  for (u32 i = Team::rank(); i < n; i += Team::SIZE) {
    const R mine = x[(u64)i * step];
    u32 place = 0;
    for (u32 j = 0; j < n; j++) {
      const R other = x[(u64)j * step];
      place += (descending ? other > mine : other < mine) || (other == mine && j < i);
    }
    order[place] = i;
  }
}

template <class Team, class E> DEV void fill_with(E* to, u64 n, E x) {
  for (u64 i = Team::rank(); to && i < n; i += Team::SIZE) to[i] = x;
}

// ---- singular values

// Orthonormal vectors in memory, as columns of a matrix or as conjugate rows of one.
template <class T> struct Basis {
  T* p;
  u64 row, col;
  bool conjugated;
  DEV T get(u32 i, u32 j) const {
    const T x = p[i * row + j * col];
    return conjugated ? conj(x) : x;
  }
  DEV void put(u32 i, u32 j, T x) const { p[i * row + j * col] = conjugated ? conj(x) : x; }

  // The sum of conj(x[r])·y[r] over the rows, for two vectors of the basis.
  DEV T dot(u32 rows, u32 x, u32 y) const {
    T sum = number<T>(0);
    for (u32 r = lane(); r < rows; r += LANES) sum = muladd(conj(get(r, x)), get(r, y), sum);
    return sum_group(sum);
  }
  // The unit vector that is farthest from the first `have` vectors.
  DEV u32 farthest(u32 rows, u32 have) const {
    Largest<Real<T>> best = {-1, 0};
    for (u32 r = lane(); r < rows; r += LANES) {
      Real<T> rest = 1;
      for (u32 j = 0; j < have; j++) rest -= square(get(r, j));
      const Largest<Real<T>> x = {rest, r};
      if (before(x, best)) best = x;
    }
    return largest_group(best).at;
  }
  // Adds vectors until there are `want`: unit vectors, made orthogonal to the others twice (Gram-Schmidt). For one group.
  DEV void complete(u32 rows, u32 have, u32 want) const {
#pragma unroll 1
    for (u32 c = have; c < want; c++) {
      const u32 unit = farthest(rows, c);
      for (u32 r = lane(); r < rows; r += LANES) put(r, c, number<T>(r == unit ? 1 : 0));
      sync_lanes();
#pragma unroll 1
      for (u32 j = 0; j < 2 * c; j++) {
        const u32 x = j < c ? j : j - c;
        const T part = neg(dot(rows, x, c));
        for (u32 r = lane(); r < rows; r += LANES) put(r, c, muladd(get(r, x), part, get(r, c)));
        sync_lanes();
      }
      const Real<T> size = sqrt(real(dot(rows, c, c)));
      for (u32 r = lane(); r < rows; r += LANES) put(r, c, divided(get(r, c), size));
      sync_lanes();
    }
  }
};

// The work space has the columns of the matrix, or the conjugate rows of one that has fewer rows, as rows of `tall` elements; behind each that of the
// accumulated rotations; then two rows with norms and order.
template <class T> struct SVD {
  typedef Real<T> R;
  const T* in;
  T* u;
  R* values;
  T* vh;
  i32* info;
  u32 m, n, full;

  DEV u32 tall() const { return m < n ? n : m; }
  DEV u32 few() const { return m < n ? m : n; }
  DEV u32 length() const { return tall() + (u ? few() : 0); }

  template <class Team> DEV R load(u64 at, T* w, u32 ld) const {
    const T* from = in + at * m * n;
    R top = 0;
    for (u32 i = Team::row(); i < m; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) {
        const T x = from[(u64)i * n + j];
        w[m < n ? (u64)i * ld + j : (u64)j * ld + i] = m < n ? conj(x) : x;
      }
    Team::barrier();
    for (u32 i = 0; i < few(); i++)
      for (u32 j = lane(); j < tall(); j += LANES) top = larger(larger_part(w[(u64)i * ld + j]), top);
    Team::barrier();
    return max_group(top);
  }
  template <class Team> DEV void prepare(T* w, u32 ld, R up) const {
    for (u32 i = Team::row(); i < few(); i += Team::ROWS)
      for (u32 j = lane(); j < length(); j += LANES) {
        T* x = w + (u64)i * ld + j;
        *x = j < tall() ? scaled(*x, up) : number<T>(j - tall() == i ? 1 : 0);
      }
    Team::barrier();
  }

  // One sweep: `width` threads have a pair of columns. Reports whether any was rotated.
  template <class Team> DEV bool sweep(T* w, u32 ld, u32 players, u32 width) const {
    const R tiny = power_of_two<R>(Range<R>::TINY), limit = Range<R>::eps() * larger(sqrt((R)tall()), (R)2);
    const u32 k = Team::rank() / width, first = Team::rank() % width;
    bool rotated = false;
#pragma unroll 1
    for (u32 round = 0; round + 1 < players; round++) {
      const Pair pair = pair_of(round, k < players / 2 ? k : 0, players);
      T *p = w + (u64)pair.p * ld, *q = w + (u64)pair.q * ld;
      R a = 0, b = 0;
      T g = number<T>(0);
      if (k < players / 2 && pair.q < few())
#pragma unroll 4
        for (u32 i = first; i < tall(); i += width) {
          const T x = p[i], y = q[i];
          a = add_square(x, a);
          b = add_square(y, b);
          g = muladd(conj(x), y, g);
        }
      for (u32 d = 1; d < width; d *= 2) {
        a += across(a, d);
        b += across(b, d);
        g = plus(g, across(g, d));
      }
      if (a > tiny && b > tiny && absolute(g) > limit * sqrt(a) * sqrt(b)) {
        rotated = true;
        const Rotation<T> turn = Rotation<T>::of(a, b, g);
        rotate(turn, p, q, first, length(), width);
      }
      Team::barrier();
    }
    return Team::any(rotated);
  }

  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    const u32 players = few() + few() % 2;
    u32 width = LANES;
    while (width > 1 && width * (players / 2) > Team::SIZE) width /= 2;
    const R top = load<Team>(at, w, ld);
    if (!is_finite(top)) return give_up<Team>(at, top - top);
    const Scale<R> scale = scale_to(top, Range<R>::TOP);
    prepare<Team>(w, ld, scale.up);
    bool rotated = true;
#pragma unroll 1
    for (u32 i = 0; i < SWEEPS && rotated; i++) rotated = sweep<Team>(w, ld, players, width);
    if (Team::rank() == 0) info[at] = rotated;
    R* norms = (R*)(w + (u64)few() * ld);
    u32* order = (u32*)(w + (u64)(few() + 1) * ld);
    const u32 rank = measure<Team>(w, ld, norms);
    sort_numbers<Team>(norms, 1, few(), true, order);
    Team::barrier();
    for (u32 i = Team::rank(); i < few(); i += Team::SIZE) values[at * few() + i] = norms[order[i]] * scale.down;
    if (u) put_vectors<Team>(at, w, ld, norms, order, rank);
  }

  // The norms of the columns, and how many are not 0.
  template <class Team> DEV u32 measure(const T* w, u32 ld, R* norms) const {
    const R tiny = power_of_two<R>(Range<R>::TINY);
    for (u32 i = Team::row(); i < few(); i += Team::ROWS) {
      R a = 0;
      for (u32 j = lane(); j < tall(); j += LANES) a = add_square(w[(u64)i * ld + j], a);
      a = sum_group(a);
      if (lane() == 0) norms[i] = a > tiny ? sqrt(a) : (R)0;
    }
    Team::barrier();
    u32 rank = 0;
    for (u32 i = 0; i < few(); i++) rank += norms[i] > 0;
    return rank;
  }

  template <class Team> DEV void put_vectors(u64 at, const T* w, u32 ld, const R* norms, const u32* order, u32 rank) const {
    const u32 want = full ? tall() : few(), uc = m < n ? few() : want, vr = m < n ? want : few();
    const Basis<T> left = {u + at * m * uc, uc, 1, false}, right = {vh + at * vr * n, 1, n, true};
    const Basis<T> longs = m < n ? right : left, shorts = m < n ? left : right;
    put_basis<Team>(longs, tall(), w, ld, norms, order);
    put_basis<Team>(shorts, few(), w + tall(), ld, (const R*)0, order);
    Team::barrier();
    if (Team::row() == 0) longs.complete(tall(), rank, want);
  }

  // Rows of w in order, divided by their norms, as vectors; lanes write what is adjacent.
  template <class Team> DEV void put_basis(const Basis<T>& to, u32 rows, const T* w, u32 ld, const R* norms, const u32* order) const {
    const bool by_row = to.row == 1;
    const u32 outer = by_row ? few() : rows, inner = by_row ? rows : few();
    for (u32 o = Team::row(); o < outer; o += Team::ROWS)
      for (u32 l = lane(); l < inner; l += LANES) {
        const u32 i = by_row ? l : o, j = by_row ? o : l, from = order[j];
        const T x = w[(u64)from * ld + i];
        if (!norms)
          to.put(i, j, x);
        else if (norms[from] > 0)
          to.put(i, j, divided(x, norms[from]));
      }
  }

  template <class Team> DEV void give_up(u64 at, R nan) const {
    const u64 uc = full ? m : few(), vr = full ? n : few();
    if (Team::rank() == 0) info[at] = 1;
    fill_with<Team>(values + at * few(), few(), nan);
    fill_with<Team>(u ? u + at * m * uc : (T*)0, m * uc, number<T>(nan, nan));
    fill_with<Team>(u ? vh + at * vr * n : (T*)0, vr * n, number<T>(nan, nan));
  }
};

// ---- eigenvalues

// The work space has the matrix, with a row and a column of zeros if n is odd; if vectors are wanted, as rows, those; two rows with the rotations of
// a round; and one with the order.
template <class T> struct Eigh {
  typedef Real<T> R;
  const T* in;
  T* v;
  R* values;
  i32* info;
  u32 n, pad;

  template <class Team> DEV R load(u64 at, T* w, u32 ld, u32 players) const {
    const T* from = in + at * n * n;
    for (u32 i = Team::row(); i < players; i += Team::ROWS)
      for (u32 j = lane(); j <= i; j += LANES) {
        T x = i < n ? from[(u64)i * n + j] : number<T>(0);
        if (i == j) x = number<T>(real(x));
        w[(u64)i * ld + j] = x;
        w[(u64)j * ld + i] = conj(x);
      }
    Team::barrier();
    R top = 0;
    for (u32 i = 0; i < n; i++)
      for (u32 j = lane(); j <= i; j += LANES) top = larger(larger_part(w[(u64)i * ld + j]), top);
    Team::barrier();
    return max_group(top);
  }
  template <class Team> DEV void prepare(T* w, u32 ld, u32 players, R up) const {
    for (u32 i = Team::row(); i < (v ? 2 * players : players); i += Team::ROWS)
      for (u32 j = lane(); j < players; j += LANES) {
        T* x = w + (u64)i * ld + j;
        *x = i < players ? scaled(*x, up) : number<T>(i - players == j ? 1 : 0);
      }
    Team::barrier();
  }

  // The pairs of a round and their rotations. Reports whether the thread has one.
  template <class Team> DEV bool choose(const T* w, u32 ld, u32 players, u32 round, R floor, Rotation<T>* turns, Pair* pairs) const {
    bool rotated = false;
    for (u32 k = Team::rank(); k < players / 2; k += Team::SIZE) {
      const Pair i = pairs[k] = players_of(round, k, players);
      const R a = real(w[(u64)i.p * ld + i.p]), b = real(w[(u64)i.q * ld + i.q]);
      const T g = w[(u64)i.p * ld + i.q];
      const R size = absolute(g);
      turns[k] = Rotation<T>::none();
      if (size > floor && size > Range<R>::eps() * sqrt(abs(a)) * sqrt(abs(b))) {
        turns[k] = Rotation<T>::of(a, b, g);
        rotated = true;
      }
    }
    return rotated;
  }

  // Two pairs have four elements of the matrix in common, which no others change. `wide` threads, a power of two, have the pairs of columns, and each of
  // them pairs of rows that follow one another: then threads of a group access rows far apart, in other banks of shared memory.
  template <class Team> DEV void apply(T* w, u32 ld, u32 count, u32 wide, const Rotation<T>* turns, const Pair* pairs) const {
    const u32 parts = Team::SIZE / wide, each = (count + parts - 1) / parts;
    const u32 above = Team::rank() / wide * each, below = above + each < count ? above + each : count;
    for (u32 l = Team::rank() & (wide - 1); l < count; l += wide) {
      const Pair j = pairs[l];
      const Rotation<T> c = turns[l];
#pragma unroll 1
      for (u32 k = above; k < below; k++) {
        const Rotation<T> r = turns[k];
        if (r.s == 0 && c.s == 0) continue;
        const Pair i = pairs[k];
        T *p = w + i.p * ld, *q = w + i.q * ld;
        T a = p[j.p], b = p[j.q], d = q[j.p], f = q[j.q];
        if (k == l) {
          a = number<T>(real(a) - r.shift);
          f = number<T>(real(f) + r.shift);
          b = d = number<T>(0);
        } else {
          c.columns(a, b);
          c.columns(d, f);
          r.rows(a, d);
          r.rows(b, f);
        }
        p[j.p] = a;
        p[j.q] = b;
        q[j.p] = d;
        q[j.q] = f;
      }
    }
  }

  // The same rotations of the vectors, whose rows are below the matrix: DEEP pairs of rows at a time, all loaded before the first is stored.
  template <class Team> DEV void apply_vectors(T* v, u32 ld, u32 count, const Rotation<T>* turns, const Pair* pairs) const {
    const u32 DEEP = Team::ROWS == 1 ? 4 : 2;
#pragma unroll 1
    for (u32 k = Team::row() * DEEP; k < count; k += Team::ROWS * DEEP)
#pragma unroll 1
      for (u32 c = lane(); c < n; c += LANES) {
        T x[DEEP], y[DEEP];
        T *p[DEEP], *q[DEEP];
#pragma unroll
        for (u32 r = 0; r < DEEP; r++) {
          const Pair i = pairs[k + r < count ? k + r : k];
          p[r] = v + i.p * ld + c;
          q[r] = v + i.q * ld + c;
          x[r] = *p[r];
          y[r] = *q[r];
        }
#pragma unroll
        for (u32 r = 0; r < DEEP; r++) {
          if (k + r >= count || turns[k + r].s == 0) continue;
          turns[k + r].columns(x[r], y[r]);
          *p[r] = x[r];
          *q[r] = y[r];
        }
      }
  }

  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    const u32 players = n + n % 2, rows = v ? 2 * players : players;
    Rotation<T>* turns = (Rotation<T>*)(w + (u64)rows * ld);
    Pair* pairs = (Pair*)(w + (u64)(rows + 2) * ld);  // of the round, and later the order of the values
    const R top = load<Team>(at, w, ld, players);
    if (!is_finite(top)) {
      if (Team::rank() == 0) info[at] = 1;
      fill_with<Team>(values + at * n, n, top - top);
      fill_with<Team>(v ? v + at * n * n : (T*)0, (u64)n * n, number<T>(top - top, top - top));
      return;
    }
    const Scale<R> scale = scale_to(top, 0);
    prepare<Team>(w, ld, players, scale.up);
    u32 wide = 1;
    while (wide < players / 2 && wide < Team::SIZE) wide *= 2;
    bool rotated = true;
#pragma unroll 1
    for (u32 i = 0; i < SWEEPS && rotated; i++) {
      const R floor = i < PATIENCE ? power_of_two<R>(Range<R>::FLOOR) : Range<R>::eps();
      rotated = false;
#pragma unroll 1
      for (u32 round = 0; round + 1 < players; round++) {
        rotated |= choose<Team>(w, ld, players, round, floor, turns, pairs);
        Team::barrier();
        apply<Team>(w, ld, players / 2, wide, turns, pairs);
        if (v) apply_vectors<Team>(w + players * ld, ld, players / 2, turns, pairs);
        Team::barrier();
      }
      rotated = Team::any(rotated);
    }
    if (Team::rank() == 0) info[at] = rotated;
    put<Team>(at, w, ld, players, (u32*)pairs, scale.down);
  }

  template <class Team> DEV void put(u64 at, const T* w, u32 ld, u32 players, u32* order, R down) const {
    sort_numbers<Team>((const R*)w, (ld + 1) * sizeof(T) / sizeof(R), n, false, order);
    Team::barrier();
    for (u32 i = Team::rank(); i < n; i += Team::SIZE) values[at * n + i] = real(w[(u64)order[i] * (ld + 1)]) * down;
    if (!v) return;
    for (u32 i = Team::row(); i < n; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) v[(at * n + i) * n + j] = w[(u64)(players + order[j]) * ld + i];
  }
};
