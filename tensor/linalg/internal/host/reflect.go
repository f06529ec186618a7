package host

import (
	"math"
	"math/cmplx"
)

// A reflector is H = I - tau·v·vᴴ with v[0] = 1 that takes a vector x to (beta, 0, 0, …) with a real beta, as LAPACK's
// zlarfg makes it for Hᴴ: here H itself does.
type reflector struct {
	v   []complex128
	tau complex128
}

// reflect returns the reflector for a vector, which becomes its v, and beta.
func reflect(x []complex128) (h reflector, beta float64) {
	var tail float64
	for _, z := range x[1:] {
		tail = math.Hypot(tail, cmplx.Abs(z))
	}
	alpha := x[0]
	if tail == 0 && imag(alpha) == 0 {
		x[0] = 1
		return reflector{x, 0}, real(alpha)
	}
	beta = -math.Copysign(math.Hypot(cmplx.Abs(alpha), tail), real(alpha))
	tau := complex((beta-real(alpha))/beta, imag(alpha)/beta)
	scale := 1 / (alpha - complex(beta, 0))
	for i := range x {
		x[i] *= scale
	}
	x[0] = 1
	return reflector{x, tau}, beta
}

// left replaces the part of a [_ n] from row r and column c on by H·a; with adjoint, by Hᴴ·a.
func (h reflector) left(a []complex128, n, r, c int, adjoint bool) {
	tau := h.tau
	if adjoint {
		tau = cmplx.Conj(tau)
	}
	if tau == 0 {
		return
	}
	sums := make([]complex128, n-c)
	for i, v := range h.v {
		v = cmplx.Conj(v)
		for j, x := range a[(r+i)*n+c : (r+i+1)*n] {
			sums[j] += v * x
		}
	}
	for i, v := range h.v {
		v *= tau
		row := a[(r+i)*n+c : (r+i+1)*n]
		for j, s := range sums {
			row[j] -= v * s
		}
	}
}

// right replaces the part of a [m n] from row r and column c on by a·Hᴴ; with plain, by a·H.
func (h reflector) right(a []complex128, m, n, r, c int, plain bool) {
	tau := cmplx.Conj(h.tau)
	if plain {
		tau = h.tau
	}
	for i := r; i < m && tau != 0; i++ {
		row := a[i*n+c : i*n+c+len(h.v)]
		var sum complex128
		for j, v := range h.v {
			sum += row[j] * v
		}
		sum *= tau
		for j, v := range h.v {
			row[j] -= sum * cmplx.Conj(v)
		}
	}
}

// column returns a copy of column c of a [m n] from row r on.
func column(a []complex128, m, n, r, c int) []complex128 {
	x := make([]complex128, m-r)
	for i := range x {
		x[i] = a[(r+i)*n+c]
	}
	return x
}

// unit returns the first columns of the unit matrix [m cols].
func unit(m, cols int) []complex128 {
	q := make([]complex128, m*cols)
	for i := range min(m, cols) {
		q[i*cols+i] = 1
	}
	return q
}
