// Factors of matrices, each by one group of 32 threads or by one block: batches [batch m n] of dense rows, to dense results.
//   lu_W_T(in, lu, i32* pivots, i32* info, u32 m, u32 n, Spread, work)      L below the diagonal, whose ones are left out, and U; row k was exchanged
//                                                                          with row pivots[k] ≥ k; info: 0, or 1 + the first index of a zero pivot
//   lu_rows_T      as lu_groups_T, for real numbers and up to 32 rows and columns: each thread has a row in registers
//   cholesky_W_T(in, l, i32* info, u32 n, Spread, work)                    A = L·Lᴴ from the lower triangle; 0 above; info: 0, or 1 + the index of the
//                                                                          first pivot that is not positive
//   qr_W_T(in, q, r, u32 m, u32 n, u32 columns, Spread, work)              A = Q·R, with so many columns of Q and rows of R: min(m, n) or m
// W is groups, block or memory: where the matrix lies (factor.h).
//   lu_order(i32* pivots, i64* order, i64* inverse, u64 batch, u32 m, u32 k)   the permutations of k exchanges of m rows: row i of L·U is row order[i]
//                                                                          of the matrix; one thread for each row
//   triangular_wide_T, triangular_narrow_T(t, b, x, u64 batch, u32 n, u32 k, u32 flags)   op(T)·X = B, B and X [n k]; wide: a thread has a column,
//                                                                          narrow: 32 threads have one
//   clear_triangle_T(x, u64 elements, u32 m, u32 n, u32 above)             sets what is above, or below, the diagonals of matrices to 0
//   not_finite_T(in, i32* flags, u64 batch, u32 m, u32 n, u32 lower)       sets flags of matrices with infinities or NaN, in their lower triangles alone or not,
//                                                                          to 1. Grid: x matrices, y rows by BLOCK / LANES
//
// LU and Cholesky update the rest of the matrix by each column in turn (right-looking); QR applies Householder's reflections, as LAPACK's geqr2 and
// org2r do, in place. Sums are made with fma in the type of the elements, in an order that depends on the sizes alone.

template <class T> struct LU {
  const T* in;
  T* lu;
  i32 *pivots, *info;
  u32 m, n;

  // The index of the pivot of column k: the first of those with the largest |re| + |im|, as in LAPACK.
  DEV u32 pivot(const T* w, u32 ld, u32 k) const {
    Largest<Real<T>> best = {-1, k};
    for (u32 i = k + lane(); i < m; i += LANES) {
      const Largest<Real<T>> x = {size1(w[(u64)i * ld + k]), i};
      if (before(x, best)) best = x;
    }
    return largest_group(best).at;
  }

  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    load_matrix<Team>(w, ld, in + at * m * n, m, n);
    Team::barrier();
    const u32 least = m < n ? m : n;
    i32 singular = 0;
#pragma unroll 1
    for (u32 k = 0; k < least; k++) {
      const u32 p = pivot(w, ld, k);
      T* row = w + (u64)k * ld;
      Team::barrier();
      if (p != k)
        for (u32 j = Team::rank(); j < n; j += Team::SIZE) {
          T* other = w + (u64)p * ld + j;
          const T x = row[j];
          row[j] = *other;
          *other = x;
        }
      Team::barrier();
      const T d = row[k];
      if (Team::rank() == 0) pivots[at * least + k] = (i32)p;
      if (size1(d) == 0) {  // so is all below it
        if (singular == 0) singular = (i32)k + 1;
        continue;
      }
      for (u32 i = k + 1 + Team::rank(); i < m; i += Team::SIZE) w[(u64)i * ld + k] = over(w[(u64)i * ld + k], d);
      Team::barrier();
      for (u32 j = k + 1 + lane(); j < n; j += LANES) add_column<Team>(w, ld, k + 1, m, j, k, neg(row[j]));
      Team::barrier();
    }
    if (Team::rank() == 0) info[at] = singular;
    T* out = lu + at * m * n;
    for (u32 i = Team::row(); i < m; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) out[(u64)i * n + j] = w[(u64)i * ld + j];
  }
};

// The value of x in another thread of the group.
template <class T> DEV T value_of(T x, u32 lane) {
  union { u32 words[sizeof(T) / 4]; T value; } u;
  u.value = x;
#pragma unroll
  for (u32 i = 0; i < sizeof(T) / 4; i++) u.words[i] = word_of(u.words[i], lane);
  return u.value;
}

DEV u32 lowest(u32 bits) { return ones((bits & -bits) - 1); }  // the number of the lowest bit that is 1

// The threads of a group that have the largest |x|, of those that take part; NaN is larger than all others.
DEV u32 with_largest(f32 x, bool takes_part) {
  const u32 key = takes_part ? 1 + (x != x ? 0x7fffffffu : bitcast<u32>(x) & 0x7fffffffu) : 0;
  return ballot(key == max_word(key));
}
DEV u32 with_largest(f64 x, bool takes_part) {
  const u64 bits = x != x ? 0x7fffffffffffffffull : bitcast<u64>(x) & 0x7fffffffffffffffull;
  const u32 key = takes_part ? 1 + (u32)(bits >> 32) : 0, most = max_word(key), low = key == most ? (u32)bits : 0, most_low = max_word(low);
  return ballot(key == most && low == most_low);
}

// A row of a matrix in registers, and what a thread knows of the factorisation so far.
template <class T> struct Row {
  T x[LANES];
  u32 place, pivot;  // of the row in the result; that of the step whose number is the lane's
  i32 singular;
};

// Step K of least, and those after it. Rows stay where they are.
template <class T, u32 K> struct LUStep {
  MEMBER void run(Row<T>& r, u32 m, u32 least) {
    if (K >= least) return;
    const u32 largest = with_largest(r.x[K], r.place >= K && lane() < m);
    // of the rows with it the one whose place is first, as in LAPACK
    const u32 to = ~max_word(largest >> lane() & 1 ? ~r.place : 0), from = lowest(ballot(r.place == to));
    if (lane() == K) r.pivot = to;
    r.place = lane() == from ? K : r.place == K ? to : r.place;
    const T d = value_of(r.x[K], from);
    if (d == 0) {  // so is all below it
      if (r.singular == 0) r.singular = (i32)K + 1;
    } else {
      const bool below = r.place > K;
      if (below) r.x[K] = r.x[K] / d;
#pragma unroll
      for (u32 j = K + 1; j < LANES; j++) {
        const T y = fma(r.x[K], -value_of(r.x[j], from), r.x[j]);
        if (below) r.x[j] = y;
      }
    }
    LUStep<T, K + 1>::run(r, m, least);
  }
};
template <class T> struct LUStep<T, LANES> {
  MEMBER void run(Row<T>&, u32, u32) {}
};

// LU of real matrices with up to 32 rows and columns, each by a group whose threads have a row each.
template <class T> struct LURows {
  const T* in;
  T* lu;
  i32 *pivots, *info;
  u32 m, n;

  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    load_matrix<Team>(w, ld, in + at * m * n, m, n);
    Team::barrier();
    const u32 least = m < n ? m : n;
    Row<T> r;
    r.place = lane(), r.pivot = 0, r.singular = 0;
#pragma unroll
    for (u32 j = 0; j < LANES; j++) r.x[j] = lane() < m && j < n ? w[lane() * ld + j] : (T)0;
    LUStep<T, 0>::run(r, m, least);
    Team::barrier();
#pragma unroll
    for (u32 j = 0; j < LANES; j++)
      if (lane() < m && j < n) w[r.place * ld + j] = r.x[j];
    Team::barrier();
    if (lane() < least) pivots[at * least + lane()] = (i32)r.pivot;
    if (lane() == 0) info[at] = r.singular;
    T* out = lu + at * m * n;
    for (u32 i = 0; i < m; i++)
      if (lane() < n) out[i * n + lane()] = w[i * ld + lane()];
  }
};

#define LU_ROWS(T) FACTOR_KERNEL_GROUPS(lu_rows_##T, LURows<T>, T)

// Each thread follows one row of a matrix through the exchanges. What is no row is ignored: a library may find no pivot among NaN.
DEV void order_rows(const i32* pivots, i64* order, i64* inverse, u64 batch, u32 m, u32 k) {
  for (u64 e = first(); e < batch * m; e += stride()) {
    const u64 at = e / m;
    const u32 row = (u32)(e - at * m);
    const i32* swaps = pivots + at * k;
    u32 to = row;
#pragma unroll 4
    for (u32 i = 0; i < k; i++) {
      const u32 other = (u32)swaps[i];
      if (other < m) to = to == i ? other : to == other ? i : to;
    }
    inverse[e] = to;
    order[at * m + to] = row;
  }
}

#define LU_ORDER() \
  KERNEL lu_order(const i32* pivots, i64* order, i64* inverse, u64 batch, u32 m, u32 k) { order_rows(pivots, order, inverse, batch, m, k); }

template <class T> struct Cholesky {
  const T* in;
  T* l;
  i32* info;
  u32 n;

  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    const T* from = in + at * n * n;
    for (u32 i = Team::row(); i < n; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) w[(u64)i * ld + j] = j <= i ? from[(u64)i * n + j] : number<T>(0);
    Team::barrier();
    i32 failed = 0;
#pragma unroll 1
    for (u32 k = 0; k < n; k++) {
      T* row = w + (u64)k * ld;
      const Real<T> d = real(row[k]);
      if (!(d > 0)) {
        failed = (i32)k + 1;
        break;
      }
      const Real<T> root = sqrt(d);
      Team::barrier();
      if (Team::rank() == 0) row[k] = number<T>(root);
      for (u32 i = k + 1 + Team::rank(); i < n; i += Team::SIZE) {
        const T x = divided(w[(u64)i * ld + k], root);
        w[(u64)i * ld + k] = x;
        row[i] = conj(x);  // in the upper triangle, as a row that is read faster
      }
      Team::barrier();
      for (u32 c = k + 1; c < n; c += LANES)  // above the diagonal, too, in the rows of a group of columns: what is there is not used
        if (c + lane() < n) add_column<Team>(w, ld, c, n, c + lane(), k, neg(row[c + lane()]));
      Team::barrier();
    }
    if (Team::rank() == 0) info[at] = failed;
    T* out = l + at * n * n;
    for (u32 i = Team::row(); i < n; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) out[(u64)i * n + j] = j > i ? number<T>(0) : w[(u64)i * ld + j];
  }
};

template <class T> struct QR {
  typedef Real<T> R;
  const T* in;
  T *q, *r;
  u32 m, n, columns;

  // The reflection I - tau·v·vᴴ, v[0] = 1, whose conjugate transpose makes column j of w zero below the diagonal. v is stored there, beta on the
  // diagonal. All groups of a team compute the same.
  template <class Team> DEV T reflect(T* w, u32 ld, u32 j) const {
    const T alpha = w[(u64)j * ld + j];
    R top = 0;
    for (u32 i = j + 1 + lane(); i < m; i += LANES) top = larger(size1(w[(u64)i * ld + j]), top);
    top = max_group(top);
    if (top == 0 && imag(alpha) == 0) return number<T>(0);
    top = larger(top, size1(alpha));
    R sum = 0;  // of squares, relative to the largest element
    for (u32 i = j + 1 + lane(); i < m; i += LANES) sum += square(divided(w[(u64)i * ld + j], top));
    sum = sum_group(sum) + square(divided(alpha, top));
    const R beta = real(alpha) > 0 ? -top * sqrt(sum) : top * sqrt(sum);
    const T tau = number<T>((beta - real(alpha)) / beta, -imag(alpha) / beta), d = plus(alpha, number<T>(-beta));
    Team::barrier();
    for (u32 i = j + 1 + Team::rank(); i < m; i += Team::SIZE) w[(u64)i * ld + j] = over(w[(u64)i * ld + j], d);
    if (Team::rank() == 0) w[(u64)j * ld + j] = number<T>(beta);
    return tau;
  }

  // w[j:, from:to] -= f·v·(vᴴ·w[j:, from:to]), with v in column j
  template <class Team> DEV void apply(T* w, u32 ld, u32 j, u32 from, u32 to, T f) const {
#pragma unroll 1
    for (u32 c0 = from; c0 < to; c0 += LANES) {
      const u32 c = c0 + lane();
      T sum = number<T>(0);
      if (c < to) {
        if (Team::row() == 0) sum = w[(u64)j * ld + c];
#pragma unroll 4
        for (u32 i = j + 1 + Team::row(); i < m; i += Team::ROWS) sum = muladd(conj(w[(u64)i * ld + j]), w[(u64)i * ld + c], sum);
      }
      sum = Team::sum_rows(sum);
      sum = muladd(neg(f), sum, number<T>(0));
      if (c >= to) continue;
      if (Team::row() == 0) w[(u64)j * ld + c] = plus(w[(u64)j * ld + c], sum);
      add_column<Team>(w, ld, j + 1, m, c, j, sum);
    }
  }

  // The factors of reflections are behind the matrix, in row m of w.
  template <class Team> DEV void run(u64 at, T* w, u32 ld) const {
    load_matrix<Team>(w, ld, in + at * m * n, m, n);
    Team::barrier();
    const u32 least = m < n ? m : n;
    T* taus = w + (u64)m * ld;
#pragma unroll 1
    for (u32 j = 0; j < least; j++) {
      const T tau = reflect<Team>(w, ld, j);
      if (Team::rank() == 0) taus[j] = tau;
      Team::barrier();
      apply<Team>(w, ld, j, j + 1, n, conj(tau));
      Team::barrier();
    }
    T* upper = r + at * columns * n;
    for (u32 i = Team::row(); i < columns; i += Team::ROWS)
      for (u32 j = lane(); j < n; j += LANES) upper[(u64)i * n + j] = j < i ? number<T>(0) : w[(u64)i * ld + j];
    Team::barrier();
    make_q<Team>(w, ld, least, taus);
    T* out = q + at * m * columns;
    for (u32 i = Team::row(); i < m; i += Team::ROWS)
      for (u32 j = lane(); j < columns; j += LANES) out[(u64)i * columns + j] = w[(u64)i * ld + j];
  }

  // Q, from the last reflection to the first; column j contains its vector until it is applied.
  template <class Team> DEV void make_q(T* w, u32 ld, u32 least, const T* taus) const {
    for (u32 i = Team::row(); i < m; i += Team::ROWS)
      for (u32 j = least + lane(); j < columns; j += LANES) w[(u64)i * ld + j] = number<T>(i == j ? 1 : 0);
    Team::barrier();
#pragma unroll 1
    for (u32 j = least; j-- > 0;) {
      const T tau = taus[j];
      apply<Team>(w, ld, j, j + 1, columns, tau);
      Team::barrier();
      for (u32 i = Team::rank(); i < m; i += Team::SIZE) {
        T* x = w + (u64)i * ld + j;
        *x = i < j ? number<T>(0) : i == j ? plus(number<T>(1), neg(tau)) : muladd(neg(tau), *x, number<T>(0));
      }
      Team::barrier();
    }
  }
};

// ---- triangular systems

const u32 UPPER = 1, TRANSPOSED = 2, CONJUGATED = 4, UNIT = 8, TILE = 4;

template <class T> struct Triangle {
  const T *t, *b;
  T* x;
  u64 batch;
  u32 n, k, flags;

  DEV bool forward() const { return ((flags & UPPER) != 0) == ((flags & TRANSPOSED) != 0); }
  // Element (i, j) of op(T), in the order of the solution: that of a lower triangle.
  DEV T element(const T* t, u32 i, u32 j) const {
    const u32 r = place(i), c = place(j);
    const T e = flags & TRANSPOSED ? t[(u64)c * n + r] : t[(u64)r * n + c];
    return flags & CONJUGATED ? conj(e) : e;
  }
  DEV u32 place(u32 i) const { return forward() ? i : n - 1 - i; }
  DEV T solved(const T* t, u32 i, T sum) const { return flags & UNIT ? sum : over(sum, element(t, i, i)); }

  // Rows from i on, COUNT of them, of one column.
  template <u32 COUNT> DEV void rows(const T* t, const T* b, T* x, u32 i) const {
    T sum[COUNT];
#pragma unroll
    for (u32 r = 0; r < COUNT; r++) sum[r] = b[(u64)place(i + r) * k];
    for (u32 j = 0; j < i; j++) {
      const T known = neg(x[(u64)place(j) * k]);
#pragma unroll
      for (u32 r = 0; r < COUNT; r++) sum[r] = muladd(element(t, i + r, j), known, sum[r]);
    }
#pragma unroll
    for (u32 r = 0; r < COUNT; r++) {
      const T value = solved(t, i + r, sum[r]);
      x[(u64)place(i + r) * k] = value;
#pragma unroll
      for (u32 s = r + 1; s < COUNT; s++) sum[s] = muladd(element(t, i + s, i + r), neg(value), sum[s]);
    }
  }

  DEV void wide() const {
    const u64 parts = (k + LANES - 1) / LANES;
    for (u64 g = first() / LANES; g < batch * parts; g += stride() / LANES) {
      const u64 at = g / parts, col = g % parts * LANES + lane();
      if (col >= k) continue;
      const T* of = t + at * n * n;
      const u64 from = at * n * k + col;
      u32 i = 0;
      for (; i + TILE <= n; i += TILE) rows<TILE>(of, b + from, x + from, i);
      for (; i < n; i++) rows<1>(of, b + from, x + from, i);
    }
  }

  DEV void narrow() const {
    for (u64 g = first() / LANES; g < batch * k; g += stride() / LANES) {
      const u64 at = g / k, from = at * n * k + g % k;
      const T* of = t + at * n * n;
      for (u32 i = 0; i < n; i++) {
        T sum = number<T>(0);
        for (u32 j = lane(); j < i; j += LANES) sum = muladd(element(of, i, j), x[from + (u64)place(j) * k], sum);
        sum = sum_group(sum);
        if (lane() == 0) x[from + (u64)place(i) * k] = solved(of, i, plus(b[from + (u64)place(i) * k], neg(sum)));
        sync_lanes();
      }
    }
  }
};

#define TRIANGULAR_WIDE(T) KERNEL triangular_wide_##T(Triangle<T> op) { op.wide(); }
#define TRIANGULAR_NARROW(T) KERNEL triangular_narrow_##T(Triangle<T> op) { op.narrow(); }

// ---- parts of matrices

template <class T> DEV void clear_triangle(T* x, u64 elements, u32 m, u32 n, bool above) {
  for (u64 e = first(); e < elements; e += stride()) {
    const u64 row = e / n;
    const u32 i = (u32)(row % m), j = (u32)(e - row * n);
    if (above ? j > i : j < i) x[e] = number<T>(0);
  }
}

template <class T> DEV void not_finite(const T* in, i32* flags, u64 batch, u32 m, u32 n, bool lower) {
  for (u64 at = bid(); at < batch; at += blocks())
    for (u32 i = bid_y() * Whole::ROWS + Whole::row(); i < m; i += blocks_y() * Whole::ROWS) {
      bool found = false;
      for (u32 j = lane(); j < n && (!lower || j <= i); j += LANES) {
        const Real<T> size = larger_part(in[(at * m + i) * n + j]);
        found |= size - size != 0;
      }
      if (found) flags[at] = 1;
    }
}

#define NOT_FINITE(T) \
  KERNEL not_finite_##T(const T* in, i32* flags, u64 batch, u32 m, u32 n, u32 lower) { not_finite(in, flags, batch, m, n, lower); }
#define CLEAR_TRIANGLE(T) \
  KERNEL clear_triangle_##T(T* x, u64 elements, u32 m, u32 n, u32 above) { clear_triangle(x, elements, m, n, above); }
