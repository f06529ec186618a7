package host

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	impl "gonum.org/v1/gonum/lapack/gonum"
)

// gonum factors F64 with gonum's LAPACK, which is row-major.
type gonum struct{}

var routines impl.Implementation

func (gonum) lu(a []float64, m, n int, pivots []int32) int {
	p := make([]int, len(pivots))
	routines.Dgetrf(m, n, a, n, p)
	for i, x := range p {
		pivots[i] = int32(x)
	}
	return zeroPivot(a, m, n)
}

// zeroPivot returns 1 + the index of the first pivot that is 0, and 0 if there is none.
func zeroPivot[T Number](lu []T, m, n int) int {
	for i := range min(m, n) {
		if lu[i*n+i] == 0 {
			return i + 1
		}
	}
	return 0
}

// cholesky: gonum does not say which minor was not positive, so own code looks for it.
func (gonum) cholesky(a []float64, n int) int {
	x := make([]float64, n*n)
	copy(x, a)
	if routines.Dpotrf(blas.Lower, n, a, n) {
		return 0
	}
	return own[float64]().cholesky(x, n)
}

func (gonum) qr(a, q, r []float64, m, n, cols int) {
	k := min(m, n)
	tau := make([]float64, k)
	withSize(func(work []float64, size int) { routines.Dgeqrf(m, n, a, n, tau, work, size) })
	for i := range cols {
		for j := i; j < n; j++ {
			r[i*n+j] = a[i*n+j]
		}
		if i < k {
			for row := i + 1; row < m; row++ {
				q[row*cols+i] = a[row*n+i]
			}
		}
	}
	withSize(func(work []float64, size int) { routines.Dorgqr(m, cols, k, q, cols, tau, work, size) })
}

func (gonum) svd(a, u, vh, s []float64, m, n, cols, rows int) int {
	job := lapack.SVDNone
	switch {
	case u != nil && cols == rows:
		job = lapack.SVDStore
	case u != nil:
		job = lapack.SVDAll
	}
	ok := false
	withSize(func(work []float64, size int) {
		ok = routines.Dgesvd(job, job, m, n, a, n, s, u, cols, vh, n, work, size)
	})
	return failed(ok)
}

func (gonum) eigh(a, w []float64, n int, vectors bool) int {
	job := lapack.EVNone
	if vectors {
		job = lapack.EVCompute
	}
	ok := false
	withSize(func(work []float64, size int) { ok = routines.Dsyev(job, blas.Lower, n, a, n, w, work, size) })
	return failed(ok)
}

func (gonum) eig(a []float64, w, v []complex128, n int) int {
	re, im := make([]float64, n), make([]float64, n)
	job := lapack.RightEVNone
	var vectors []float64
	if v != nil {
		job, vectors = lapack.RightEVCompute, make([]float64, n*n)
	}
	first := 0
	withSize(func(work []float64, size int) {
		first = routines.Dgeev(lapack.LeftEVNone, job, n, a, n, re, im, nil, 1, vectors, max(n, 1), work, size)
	})
	for i := range w {
		w[i] = complex(re[i], im[i])
	}
	if v != nil {
		unpackPairs(w, v, vectors, n)
	}
	return first
}

func (gonum) schur(a, z []float64, n int) int {
	tau := make([]float64, max(n-1, 0))
	withSize(func(work []float64, size int) { routines.Dgehrd(n, 0, n-1, a, n, tau, work, size) })
	copy(z, a)
	withSize(func(work []float64, size int) { routines.Dorghr(n, 0, n-1, z, n, tau, work, size) })
	for r := 2; r < n; r++ { // where the reflectors were
		clear(a[r*n : r*n+r-1])
	}
	re, im, unconverged := make([]float64, n), make([]float64, n), 0
	withSize(func(work []float64, size int) {
		unconverged = routines.Dhseqr(lapack.EigenvaluesAndSchur, lapack.SchurOrig, n, 0, n-1, a, n, re, im, z, n,
			work, size)
	})
	return unconverged
}

func (gonum) solve(t, b []float64, n, k int, f Form) {
	uplo, trans, diag := blas.Lower, blas.NoTrans, blas.NonUnit
	if f.Upper {
		uplo = blas.Upper
	}
	if f.Transposed {
		trans = blas.Trans
	}
	if f.Unit {
		diag = blas.Unit
	}
	blas64.Trsm(blas.Left, trans, 1, blas64.Triangular{N: n, Stride: n, Data: t, Uplo: uplo, Diag: diag},
		blas64.General{Rows: n, Cols: k, Stride: max(k, 1), Data: b})
}

// withSize calls a routine twice: to be told how much memory it wants, and with that memory.
func withSize(call func(work []float64, size int)) {
	ask := make([]float64, 1)
	call(ask, -1)
	size := int(ask[0])
	call(make([]float64, size), size)
}

func failed(ok bool) int {
	if ok {
		return 0
	}
	return 1
}
