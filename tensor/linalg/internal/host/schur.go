package host

import (
	"math"
	"math/cmplx"
)

// triangularise replaces a by T of its Schur form A = Z·T·Zᴴ with an upper triangular T, whose diagonal has the
// eigenvalues, and returns Z with vectors, by the QR algorithm with single shifts on the Hessenberg form. Source: G. H.
// Golub and C. F. Van Loan, Matrix Computations, section 7.5.
func triangularise(a []complex128, n int, vectors bool) (z []complex128, info int) {
	z = hessenberg(a, n, vectors)
	const perEigenvalue = 30
	for hi, steps := n-1, 0; hi > 0; {
		lo := hi
		for ; lo > 0 && !negligible(a, n, lo); lo-- {
		}
		if lo > 0 {
			a[lo*n+lo-1] = 0
		}
		if lo == hi {
			hi, steps = hi-1, 0
			continue
		}
		if steps++; steps > perEigenvalue {
			return nil, hi + 1
		}
		shift := wilkinson(a, n, hi)
		if steps%10 == 0 { // the usual shifts go in circles
			shift = a[hi*n+hi] + complex(cmplx.Abs(a[hi*n+hi-1]), 0)
		}
		qrStep(a, z, n, lo, hi, shift)
	}
	return z, 0
}

func (ownComplex) schur(a, z []complex128, n int) int {
	q, info := triangularise(a, n, true)
	copy(z, q)
	for r := range n {
		clear(a[r*n : r*n+r])
	}
	return info
}

func (ownComplex) eig(a []complex128, w, v []complex128, n int) int {
	z, info := triangularise(a, n, v != nil)
	if info != 0 {
		return info
	}
	for i := range w {
		w[i] = a[i*n+i]
	}
	if v != nil {
		triangularVectors(a, z, v, n)
	}
	return 0
}

// negligible reports whether the element left of the diagonal in row r is 0 in the precision of its neighbours.
func negligible(a []complex128, n, r int) bool {
	const eps = 0x1p-52
	near := cmplx.Abs(a[(r-1)*n+r-1]) + cmplx.Abs(a[r*n+r])
	return cmplx.Abs(a[r*n+r-1]) <= eps*near || cmplx.Abs(a[r*n+r-1]) < math.SmallestNonzeroFloat64/eps
}

// wilkinson returns that eigenvalue of the 2×2 block that ends at row r which is nearer to its last element.
func wilkinson(a []complex128, n, r int) complex128 {
	d, bc := a[r*n+r], a[(r-1)*n+r]*a[r*n+r-1]
	t := (a[(r-1)*n+r-1] - d) / 2
	s := cmplx.Sqrt(t*t + bc)
	if cmplx.Abs(t-s) > cmplx.Abs(t+s) {
		s = -s
	}
	if t+s == 0 {
		return d
	}
	return d - bc/(t+s)
}

// qrStep replaces a by G·A·Gᴴ, where G has the rotations that make rows lo to hi of A - shift upper triangular, and z
// by z·Gᴴ.
func qrStep(a, z []complex128, n, lo, hi int, shift complex128) {
	for i := lo; i <= hi; i++ {
		a[i*n+i] -= shift
	}
	rotations := make([][2]complex128, hi-lo)
	for i := range rotations {
		k := lo + i
		f, g := a[k*n+k], a[(k+1)*n+k]
		r := math.Hypot(cmplx.Abs(f), cmplx.Abs(g))
		c, s := complex128(1), complex128(0)
		if r > 0 {
			c, s = cmplx.Conj(f)/complex(r, 0), cmplx.Conj(g)/complex(r, 0)
		}
		rotations[i] = [2]complex128{c, s}
		above, below := a[k*n:(k+1)*n], a[(k+1)*n:(k+2)*n]
		for j := k; j < n; j++ {
			x, y := above[j], below[j]
			above[j], below[j] = c*x+s*y, cmplx.Conj(c)*y-cmplx.Conj(s)*x
		}
	}
	for i, g := range rotations {
		k := lo + i
		rotateColumns(a, n, min(k+2, hi+1), k, g)
		if z != nil {
			rotateColumns(z, n, n, k, g)
		}
	}
	for i := lo; i <= hi; i++ {
		a[i*n+i] += shift
	}
}

// rotateColumns multiplies columns k and k+1 of the first rows by Gᴴ from the right.
func rotateColumns(a []complex128, n, rows, k int, g [2]complex128) {
	for r := range rows {
		x, y := a[r*n+k], a[r*n+k+1]
		a[r*n+k], a[r*n+k+1] = x*cmplx.Conj(g[0])+y*cmplx.Conj(g[1]), y*g[0]-x*g[1]
	}
}

// triangularVectors sets the columns of v to z times the eigenvectors of the upper triangular t, of length 1 and with a
// real largest element.
func triangularVectors(t, z, v []complex128, n int) {
	var norm float64
	for _, x := range t {
		norm = max(norm, cmplx.Abs(x))
	}
	least := max(norm*0x1p-52, math.SmallestNonzeroFloat64)
	x := make([]complex128, n)
	for k := range n {
		clear(x)
		x[k] = 1
		for i := k - 1; i >= 0; i-- {
			var sum complex128
			for j := i + 1; j <= k; j++ {
				sum += t[i*n+j] * x[j]
			}
			d := t[i*n+i] - t[k*n+k]
			if cmplx.Abs(d) < least { // equal eigenvalues: the vector nearly becomes that of the other
				d = complex(least, 0)
			}
			x[i] = -sum / d
			if size := cmplx.Abs(x[i]); size > 1e100 { // only the direction counts
				for j := i; j <= k; j++ {
					x[j] /= complex(size, 0)
				}
			}
		}
		setVector(v, z, x, n, k)
	}
}

func setVector(v, z, x []complex128, n, k int) {
	var norm float64
	var largest complex128
	for i := range n {
		var sum complex128
		for j := range k + 1 {
			sum += z[i*n+j] * x[j]
		}
		v[i*n+k] = sum
		norm = math.Hypot(norm, cmplx.Abs(sum))
		if cmplx.Abs(sum) > cmplx.Abs(largest) {
			largest = sum
		}
	}
	scale := cmplx.Conj(largest) / complex(cmplx.Abs(largest)*norm, 0)
	for i := range n {
		v[i*n+k] *= scale
	}
}
