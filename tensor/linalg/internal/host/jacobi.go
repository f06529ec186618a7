package host

import "math"

// Singular values and eigenvalues by Jacobi's rotations, as the kernels of jacobi.hip compute them: singular values by
// one-sided rotations (Hestenes 1958). With the criterion used here, small singular values of matrices with scaled
// columns are as accurate as large ones (Demmel and Veselić, "Jacobi's method is more accurate than QR", 1992).

const (
	mostSweeps = 30
	patience   = 12 // sweeps after which eigh takes for 0 what is below the unit roundoff
)

// A rotation makes the matrix [a g; conj(g) b] diagonal: its diagonal becomes a - shift and b + shift. The cosine is
// 1 - sin·half: small rotations are small corrections (Rutishauser 1966).
type rotation struct{ sin, half, shift float64 }

// rotationOf takes the absolute value of g, which is not 0.
func rotationOf(a, b, g float64) rotation {
	zeta := (b - a) / (2 * g)
	t := math.Copysign(1/(math.Abs(zeta)+math.Sqrt(zeta*zeta+1)), zeta) // 0 where g is far below the unit roundoff
	root := math.Sqrt(t*t + 1)
	return rotation{t / root, t / (root + 1), t * g}
}

// scale multiplies the elements by a power of two with which the largest becomes about 1, so that squares do not
// overflow. It returns the factor that takes results back.
func (o tiny[T, E]) scale(x []E) (back float64) {
	top := 0.0
	for _, e := range x {
		top = max(top, o.abs(e))
	}
	_, exp := math.Frexp(min(top, math.MaxFloat64))
	exp = min(max(exp, -1000), 1000)
	up := o.from(math.Ldexp(1, -exp))
	for i := range x {
		x[i] *= up
	}
	return math.Ldexp(1, exp)
}

// svd makes the columns of a tall matrix orthogonal, or the conjugate rows of a wide one. Each is a vector of `tall`
// elements; behind it is the column of the accumulated rotations.
func (o tiny[T, E]) svd(a, u, vh []T, s []float64, m, n, cols, rows int) int {
	tall, few := max(m, n), min(m, n)
	ld, want := tall+few, max(cols, rows)
	if u == nil {
		ld, want = tall, few
	}
	w := o.room(want * ld)
	defer o.work.Put(w)
	vector := func(i int) []E { return (*w)[i*ld : (i+1)*ld] }
	clear(*w)
	for i := range few {
		x := vector(i)[:tall]
		if m >= n {
			o.load(x, a[i:], n)
		} else {
			o.load(x, a[i*n:], 1)
			o.conjugate(x, 1, x)
		}
	}
	back := o.scale((*w)[:few*ld])
	for i := 0; i < few && u != nil; i++ {
		vector(i)[tall+i] = 1
	}
	info := o.orthogonalize(vector, tall, few)
	rank := o.sortByNorm(vector, s, tall, few)
	if u != nil {
		o.complete(vector, tall, rank, want)
		o.storeVectors(vector, u, vh, m, n, cols, rows)
	}
	for i := range s {
		s[i] *= back
	}
	return info
}

// orthogonalize rotates pairs of the first vectors until all are orthogonal. It reports with 0 that they are.
func (o tiny[T, E]) orthogonalize(vector func(i int) []E, tall, few int) int {
	limit := o.eps * math.Sqrt(float64(max(tall, 4)))
	for range mostSweeps {
		rotated := false
		for p := range few {
			x := vector(p)
			for q := p + 1; q < few; q++ {
				y := vector(q)
				a, b, g := o.products(x[:tall], y[:tall])
				size := o.abs(g)
				if a <= 0x1p-900 || b <= 0x1p-900 || !(size > limit*math.Sqrt(a)*math.Sqrt(b)) {
					continue
				}
				rotated = true
				r := rotationOf(a, b, size)
				o.rotate(x, y, r.sin, r.half, o.conj(g)/o.from(size))
			}
		}
		if !rotated {
			return 0
		}
	}
	return 1
}

// sortByNorm sets s to the norms of the vectors, descending, sorts those alike, and makes them unit vectors. It returns
// how many are not 0.
func (o tiny[T, E]) sortByNorm(vector func(i int) []E, s []float64, tall, few int) (rank int) {
	for i := range few {
		x := vector(i)[:tall]
		s[i] = o.norm(x)
		if s[i] <= 0x1p-450 {
			s[i] = 0
			continue
		}
		rank++
		f := o.from(1 / s[i])
		for j := range x {
			x[j] *= f
		}
	}
	sortVectors(vector, s, func(a, b float64) bool { return a > b })
	return rank
}

// sortVectors sorts values, few of them, and vectors with them.
func sortVectors[E Number](vector func(i int) []E, values []float64, before func(a, b float64) bool) {
	for i := range values {
		best := i
		for j := i + 1; j < len(values); j++ {
			if before(values[j], values[best]) {
				best = j
			}
		}
		if best == i {
			continue
		}
		values[i], values[best] = values[best], values[i]
		x, y := vector(i), vector(best)
		for k, e := range x {
			x[k], y[k] = y[k], e
		}
	}
}

// complete adds unit vectors to the first `have` until there are `want`: of each axis that is farthest from them, made
// orthogonal to them twice (Gram-Schmidt).
func (o tiny[T, E]) complete(vector func(i int) []E, tall, have, want int) {
	for c := have; c < want; c++ {
		axis, farthest := 0, -1.0
		for r := range tall {
			rest := 1.0
			for j := range c {
				size := o.abs(vector(j)[r])
				rest -= size * size
			}
			if rest > farthest {
				axis, farthest = r, rest
			}
		}
		x := vector(c)[:tall]
		clear(x)
		x[axis] = 1
		for j := range 2 * c {
			y := vector(j % c)[:tall]
			o.add(x, -o.dot(y, x), y)
		}
		f := o.from(1 / o.norm(x))
		for i := range x {
			x[i] *= f
		}
	}
}

// storeVectors stores the vectors as columns and those of the rotations as conjugate rows, or the other way round for
// wide matrices.
func (o tiny[T, E]) storeVectors(vector func(i int) []E, u, vh []T, m, n, cols, rows int) {
	tall, few := max(m, n), min(m, n)
	for i := range max(cols, rows) {
		x := vector(i)
		left, right := x[:tall], x[tall:]
		if m < n {
			left, right = right, left
		}
		if i < cols && (m >= n || i < few) {
			o.store(u[i:], cols, left)
		}
		if i < rows && (m < n || i < few) {
			o.conjugate(right, 1, right)
			o.store(vh[i*n:], 1, right)
		}
	}
}

// eigh makes a matrix diagonal. Its rows come first in the work space, then the eigenvectors.
func (o tiny[T, E]) eigh(a []T, w []float64, n int, vectors bool) int {
	room := o.room(2 * n * n)
	defer o.work.Put(room)
	h := (*room)[:n*n]
	vector := func(i int) []E { return (*room)[(n+i)*n : (n+i+1)*n] }
	for i := range n {
		row := h[i*n : i*n+i+1]
		o.load(row, a[i*n:], 1)
		row[i] = o.from(o.real(row[i]))
		o.conjugate(h[i:], n, row[:i])
		clear(vector(i))
		vector(i)[i] = 1
	}
	back := o.scale(h)
	info := 1
	for sweep := 0; sweep < mostSweeps && info != 0; sweep++ {
		info = o.diagonalize(h, vector, n, sweep, vectors)
	}
	for i := range w {
		w[i] = o.real(h[i*n+i]) * back
	}
	sortVectors(vector, w, func(a, b float64) bool { return a < b })
	for j := 0; j < n && vectors; j++ {
		o.store(a[j:], n, vector(j))
	}
	return info
}

// diagonalize is a sweep of rotations. It returns 1 if there were some.
func (o tiny[T, E]) diagonalize(h []E, vector func(i int) []E, n, sweep int, vectors bool) (rotated int) {
	floor := 0x1p-900
	if sweep >= patience {
		floor = o.eps
	}
	for p := range n {
		x := h[p*n : (p+1)*n]
		for q := p + 1; q < n; q++ {
			y := h[q*n : (q+1)*n]
			a, b, g := o.real(x[p]), o.real(y[q]), x[q]
			size := o.abs(g)
			if size <= floor || size <= o.eps*math.Sqrt(math.Abs(a))*math.Sqrt(math.Abs(b)) {
				continue
			}
			rotated = 1
			r := rotationOf(a, b, size)
			phase := g / o.from(size)
			o.rotate(x, y, r.sin, r.half, phase)
			x[p], x[q], y[p], y[q] = o.from(a-r.shift), 0, 0, o.from(b+r.shift)
			o.conjugate(h[p:], n, x)
			o.conjugate(h[q:], n, y)
			if vectors {
				o.rotate(vector(p), vector(q), r.sin, r.half, o.conj(phase))
			}
		}
	}
	return rotated
}
