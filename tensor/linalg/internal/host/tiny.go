package host

import (
	"math"
	"sync"
)

// tiny factors small matrices of T with loops over elements of E: QR with reflections, SVD and eigenvalues with
// Jacobi's rotations. It allocates nothing for each matrix, and calls no library.
type tiny[T, E Number] struct {
	engine[T] // for all else
	vectors[T, E]
	arithmetic[E]
	work *sync.Pool // of *[]E
}

// tinyFor returns an engine that leaves to another what it does not compute by itself.
func tinyFor[T Number](other engine[T]) engine[T] {
	var e any
	switch other := any(other).(type) {
	case engine[float32]:
		e = tiny[float32, float64]{other, realVectors[float32](0x1p-30), realArithmetic[float64](), new(sync.Pool)}
	case engine[float64]:
		e = tiny[float64, float64]{other, realVectors[float64](0x1p-53), realArithmetic[float64](), new(sync.Pool)}
	case engine[complex64]:
		e = tiny[complex64, complex128]{other, complexVectors[complex64](0x1p-30), arithmeticOf[complex128](),
			new(sync.Pool)}
	case engine[complex128]:
		e = tiny[complex128, complex128]{other, complexVectors[complex128](0x1p-53), arithmeticOf[complex128](),
			new(sync.Pool)}
	}
	return e.(engine[T])
}

// room returns memory for n elements, which hold anything. It goes back to the pool.
func (o tiny[T, E]) room(n int) *[]E {
	w, _ := o.work.Get().(*[]E)
	if w == nil || cap(*w) < n {
		x := make([]E, n)
		w = &x
	}
	*w = (*w)[:n]
	return w
}

// norm is the length of a vector. It neither overflows nor underflows before the result does.
func (o tiny[T, E]) norm(x []E) float64 {
	if sum := o.real(o.dot(x, x)); sum > 0x1p-900 && sum < 0x1p1000 {
		return math.Sqrt(sum)
	}
	norm := 0.0
	for _, e := range x {
		norm = math.Hypot(norm, o.abs(e))
	}
	return norm
}

// reflect returns beta and the factor tau of the reflection H = I - tau·v·vᴴ, v[0] = 1, whose adjoint takes x to
// (beta, 0, 0, …) with a real beta. x becomes v.
func (o tiny[T, E]) reflect(x []E) (beta, tau E) {
	alpha, size := x[0], o.norm(x[1:])
	if top := max(size, o.abs(alpha)); top > 0 && top < 0x1p-900 { // subnormal numbers have few digits
		scale := o.from(0x1p600)
		for i := range x {
			x[i] *= scale
		}
		beta, tau = o.reflect(x)
		return beta / scale, tau
	}
	x[0] = 1
	if size == 0 && alpha == o.from(o.real(alpha)) {
		return alpha, 0
	}
	beta = o.from(-math.Copysign(math.Hypot(o.abs(alpha), size), o.real(alpha)))
	d := alpha - beta
	for i := range x[1:] {
		x[1+i] /= d
	}
	return beta, (beta - alpha) / beta
}

// qr is Householder's, with columns as vectors. Source: LAPACK's geqr2 and org2r.
func (o tiny[T, E]) qr(a, q, r []T, m, n, cols int) {
	k := min(m, n)
	w := o.room(m*max(n, cols) + k)
	defer o.work.Put(w)
	taus := (*w)[m*max(n, cols):]
	column := func(j, from int) []E { return (*w)[j*m+from : (j+1)*m] }
	for j := range n {
		o.load(column(j, 0), a[j:], n)
	}
	for j := range n {
		x := column(j, 0)
		if j >= k {
			o.store(r[j:], n, x)
			continue
		}
		beta, tau := o.reflect(x[j:])
		for c := j + 1; c < n; c++ {
			y := column(c, j)
			o.add(y, -o.conj(tau)*o.dot(x[j:], y), x[j:])
		}
		taus[j], x[j] = tau, beta
		o.store(r[j:], n, x[:j+1])
		x[j] = 1
	}
	for j := k; j < cols; j++ {
		clear(column(j, 0))
		column(j, 0)[j] = 1
	}
	for j := k - 1; j >= 0; j-- {
		v := column(j, j)
		for c := j + 1; c < cols; c++ {
			y := column(c, j)
			o.add(y, -taus[j]*o.dot(v, y), v)
		}
		for i := range v {
			v[i] *= -taus[j]
		}
		v[0]++
		clear(column(j, 0)[:j])
	}
	for j := range cols {
		o.store(q[j:], cols, column(j, 0))
	}
}
