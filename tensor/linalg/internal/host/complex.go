package host

import (
	"math/cmplx"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// ownComplex factors C128 without a library but for bidiagonal and tridiagonal matrices, to which it reduces others by
// reflections. They are real, and gonum has their singular values and eigenvalues.
type ownComplex struct{ ownSimple[complex128] }

func (ownComplex) qr(a, q, r []complex128, m, n, cols int) {
	var hs []reflector
	for c := range min(m, n) {
		h, beta := reflect(column(a, m, n, c, c))
		a[c*n+c] = complex(beta, 0)
		h.left(a, n, c, c+1, false)
		hs = append(hs, h)
	}
	for i := range min(cols, m) {
		copy(r[i*n+min(i, n):(i+1)*n], a[i*n+min(i, n):(i+1)*n])
	}
	copy(q, product(hs, m, cols, 0))
}

// product returns the first columns of the unitary matrix that is the product of adjoint reflections, of which the
// first begins at row `from`.
func product(hs []reflector, m, cols, from int) []complex128 {
	q := unit(m, cols)
	for i := len(hs) - 1; i >= 0; i-- {
		if from+i < cols {
			hs[i].left(q, cols, from+i, from+i, true)
		} else {
			hs[i].left(q, cols, from+i, 0, true)
		}
	}
	return q
}

// svd reduces a to bidiagonal form by reflections from both sides: A = Q·B·Pᴴ. Source: G. H. Golub and C. F. Van Loan,
// Matrix Computations, section 5.4.8.
func (o ownComplex) svd(a, u, vh []complex128, s []float64, m, n, cols, rows int) int {
	if m < n { // Aᴴ = V·S·Uᴴ
		var v, uh []complex128
		if u != nil {
			v, uh = make([]complex128, n*rows), make([]complex128, cols*m)
		}
		info := o.svd(adjoint(a, m, n), v, uh, s, n, m, rows, cols)
		if u != nil {
			copy(u, adjoint(uh, cols, m))
			copy(vh, adjoint(v, n, rows))
		}
		return info
	}
	e := make([]float64, max(n-1, 0))
	var left, right []reflector
	for c := range n {
		h, beta := reflect(column(a, m, n, c, c))
		s[c], left = beta, append(left, h)
		h.left(a, n, c, c+1, false)
		if c == n-1 {
			break
		}
		row := make([]complex128, n-c-1)
		for j := range row {
			row[j] = cmplx.Conj(a[c*n+c+1+j])
		}
		h, beta = reflect(row)
		e[c], right = beta, append(right, h)
		h.right(a, m, n, c+1, c+1, false)
	}
	if u == nil {
		return failed(routines.Dbdsqr(blas.Upper, n, 0, 0, 0, s, e, nil, 1, nil, 1, nil, 1, make([]float64, 4*n)))
	}
	vt, ub := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		vt[i*n+i], ub[i*n+i] = 1, 1
	}
	ok := routines.Dbdsqr(blas.Upper, n, n, n, 0, s, e, vt, n, ub, n, nil, 1, make([]float64, 4*n))
	copy(u, product(left, m, cols, 0))
	times(u, ub, m, cols, n)
	v := product(right, n, n, 1)
	times(v, transposed(vt, n, n), n, n, n)
	copy(vh, adjoint(v, n, n))
	return failed(ok)
}

// times replaces the first n columns of x [m cols] by their product with y [n n].
func times(x []complex128, y []float64, m, cols, n int) {
	row := make([]complex128, n)
	for i := range m {
		clear(row)
		to := x[i*cols : i*cols+n]
		for k, z := range to {
			for j, w := range y[k*n : (k+1)*n] {
				row[j] += complex(real(z)*w, imag(z)*w)
			}
		}
		copy(to, row)
	}
}

func adjoint(a []complex128, m, n int) []complex128 {
	t := transposed(a, m, n)
	for i, x := range t {
		t[i] = cmplx.Conj(x)
	}
	return t
}

// hessenberg replaces a [n n] by H = Qᴴ·A·Q, which is 0 below its subdiagonal, whose elements are real. That of a
// Hermitian matrix is tridiagonal and real.
func hessenberg(a []complex128, n int, vectors bool) (q []complex128) {
	var hs []reflector
	for c := range n - 1 {
		h, beta := reflect(column(a, n, n, c+1, c))
		a[(c+1)*n+c] = complex(beta, 0)
		for r := c + 2; r < n; r++ {
			a[r*n+c] = 0
		}
		h.left(a, n, c+1, c+1, false)
		h.right(a, n, n, 0, c+1, false)
		hs = append(hs, h)
	}
	if vectors {
		q = product(hs, n, n, 1)
	}
	return q
}

func (ownComplex) eigh(a []complex128, w []float64, n int, vectors bool) int {
	for i := range n {
		a[i*n+i] = complex(real(a[i*n+i]), 0)
		for j := range i {
			a[j*n+i] = cmplx.Conj(a[i*n+j])
		}
	}
	q := hessenberg(a, n, vectors)
	e := make([]float64, max(n-1, 0))
	for i := range n {
		w[i] = real(a[i*n+i])
		if i+1 < n {
			e[i] = real(a[(i+1)*n+i])
		}
	}
	if !vectors {
		return failed(routines.Dsterf(n, w, e))
	}
	z := make([]float64, n*n)
	ok := routines.Dsteqr(lapack.EVTridiag, n, w, e, z, max(n, 1), make([]float64, max(1, 2*n-2)))
	times(q, z, n, n, n)
	copy(a, q)
	return failed(ok)
}
