package host

import (
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/openblas"
)

// realLAPACK and complexLAPACK factor with the system's LAPACK, which sees a row-major matrix as its transpose.

type realLAPACK[T float32 | float64] struct {
	*openblas.Real[T]
	work *sizes
}

type complexLAPACK[T complex64 | complex128, R float32 | float64] struct {
	*openblas.Complex[T, R]
	work *sizes
}

// sizes is how much memory routines want for matrices of one shape, 0 where that is not known yet.
type sizes struct{ geqrf, orgqr, gesdd, geev, gees atomic.Int32 }

func (l realLAPACK[T]) lu(a []T, m, n int, pivots []int32) int {
	return lu(&l.Routines, a, m, n, pivots)
}

func (l complexLAPACK[T, R]) lu(a []T, m, n int, pivots []int32) int {
	return lu(&l.Routines, a, m, n, pivots)
}

func (l realLAPACK[T]) luTransposed(a []T, m, n int, pivots []int32) int {
	return luTransposed(&l.Routines, a, m, n, pivots)
}

func (l complexLAPACK[T, R]) luTransposed(a []T, m, n int, pivots []int32) int {
	return luTransposed(&l.Routines, a, m, n, pivots)
}

// luTransposed factors what LAPACK sees.
func luTransposed[T Number](l *openblas.Routines[T], a []T, m, n int, pivots []int32) int {
	var info int32
	l.Getrf(number(n), number(m), first(a), number(n), first(pivots), &info)
	for i := range pivots {
		pivots[i]--
	}
	return int(info)
}

func lu[T Number](l *openblas.Routines[T], a []T, m, n int, pivots []int32) int {
	x := transposed(a, m, n)
	info := luTransposed(l, x, n, m, pivots)
	transpose(a, x, n, m)
	return info
}

func (l realLAPACK[T]) cholesky(a []T, n int) int { return cholesky(&l.Routines, a, n) }

func (l complexLAPACK[T, R]) cholesky(a []T, n int) int { return cholesky(&l.Routines, a, n) }

// cholesky: what LAPACK sees is conj(A) = Uᴴ·U, and the transpose of U is L.
func cholesky[T Number](l *openblas.Routines[T], a []T, n int) int {
	var info int32
	l.Potrf(letter('U'), number(n), first(a), number(n), &info)
	return int(info)
}

func (l realLAPACK[T]) qr(a, q, r []T, m, n, cols int) {
	qr(&l.Routines, l.work, a, q, r, m, n, cols)
}

func (l complexLAPACK[T, R]) qr(a, q, r []T, m, n, cols int) {
	qr(&l.Routines, l.work, a, q, r, m, n, cols)
}

func qr[T Number](l *openblas.Routines[T], sizes *sizes, a, q, r []T, m, n, cols int) {
	k := min(m, n)
	x, tau := make([]T, m*max(n, cols)), make([]T, k)
	transpose(x, a, m, n)
	var info int32
	withWork(&sizes.geqrf, func(work *T, size *int32) {
		l.Geqrf(number(m), number(n), first(x), number(m), first(tau), work, size, &info)
	})
	for i := range cols {
		for j := i; j < n; j++ {
			r[i*n+j] = x[j*m+i]
		}
	}
	withWork(&sizes.orgqr, func(work *T, size *int32) {
		l.Orgqr(number(m), number(cols), number(k), first(x), number(m), first(tau), work, size, &info)
	})
	transpose(q, x, cols, m)
}

// svd: what LAPACK sees is Aᵀ = conj(V)·S·Uᵀ, so its factors are the other's, in row-major order.
func (l realLAPACK[T]) svd(a, u, vh []T, s []float64, m, n, cols, rows int) int {
	job := job(u != nil, cols, rows)
	values, iwork := make([]T, len(s)), make([]int32, 8*len(s)+1)
	var info int32
	withWork(&l.work.gesdd, func(work *T, size *int32) {
		l.Gesdd(letter(job), number(n), number(m), first(a), number(n), first(values), first(vh), number(n), first(u),
			number(cols), work, size, first(iwork), &info)
	})
	widen(s, values)
	return int(info)
}

func (l complexLAPACK[T, R]) svd(a, u, vh []T, s []float64, m, n, cols, rows int) int {
	job := job(u != nil, cols, rows)
	k, long := min(m, n), max(m, n)
	values, iwork := make([]R, k), make([]int32, 8*k+1)
	rwork := make([]R, 1+max(5*k*k+7*k, 2*long*k+2*k*k+k))
	var info int32
	withWork(&l.work.gesdd, func(work *T, size *int32) {
		l.Gesdd(letter(job), number(n), number(m), first(a), number(n), first(values), first(vh), number(n), first(u),
			number(cols), work, size, first(rwork), first(iwork), &info)
	})
	widen(s, values)
	return int(info)
}

// job says which vectors gesdd returns: none, as many as there are singular values, or all.
func job(vectors bool, cols, rows int) byte {
	switch {
	case !vectors:
		return 'N'
	case cols == rows:
		return 'S'
	}
	return 'A'
}

// eigh: what LAPACK sees is conj(A), whose eigenvectors are the conjugates.
func (l realLAPACK[T]) eigh(a []T, w []float64, n int, vectors bool) int {
	job, values := vectorsJob(vectors), make([]T, n)
	var info int32
	var size, isize int32 = -1, -1
	var best T
	var ibest int32
	l.Syevd(letter(job), letter('U'), number(n), first(a), number(n), first(values), &best, &size, &ibest, &isize,
		&info)
	size, isize = length(float64(best)), ibest
	work, iwork := make([]T, size), make([]int32, isize)
	l.Syevd(letter(job), letter('U'), number(n), first(a), number(n), first(values), first(work), &size, first(iwork),
		&isize, &info)
	widen(w, values)
	if vectors {
		copy(a, transposed(a, n, n))
	}
	return int(info)
}

func (l complexLAPACK[T, R]) eigh(a []T, w []float64, n int, vectors bool) int {
	job, values := vectorsJob(vectors), make([]R, n)
	var info int32
	var size, rsize, isize int32 = -1, -1, -1
	var best T
	var rbest R
	var ibest int32
	l.Heevd(letter(job), letter('U'), number(n), first(a), number(n), first(values), &best, &size, &rbest, &rsize,
		&ibest,
		&isize, &info)
	size, rsize, isize = length(real(complex128(best))), length(float64(rbest)), ibest
	work, rwork, iwork := make([]T, size), make([]R, rsize), make([]int32, isize)
	l.Heevd(letter(job), letter('U'), number(n), first(a), number(n), first(values), first(work), &size, first(rwork),
		&rsize, first(iwork), &isize, &info)
	widen(w, values)
	if vectors {
		copy(a, transposed(a, n, n))
		conjugate := arithmeticOf[T]().conj
		for i, x := range a {
			a[i] = conjugate(x)
		}
	}
	return int(info)
}

func (l realLAPACK[T]) eig(a []T, w, v []complex128, n int) int {
	x, re, im := transposed(a, n, n), make([]T, n), make([]T, n)
	var vectors []T
	if v != nil {
		vectors = make([]T, n*n)
	}
	var info int32
	withWork(&l.work.geev, func(work *T, size *int32) {
		l.Geev(letter('N'), letter(vectorsJob(v != nil)), number(n), first(x), number(n), first(re), first(im), nil,
			number(n), first(vectors), number(n), work, size, &info)
	})
	for i := range w {
		w[i] = complex(float64(re[i]), float64(im[i]))
	}
	if v != nil {
		unpackPairs(w, v, transposed(vectors, n, n), n)
	}
	return int(info)
}

// unpackPairs makes complex eigenvectors of LAPACK's real columns: those of a pair of conjugate eigenvalues are the
// real and the imaginary part of the first one's vector.
func unpackPairs[T float32 | float64](w, v []complex128, columns []T, n int) {
	for j := 0; j < n; j++ {
		if imag(w[j]) == 0 || j+1 == n {
			for i := range n {
				v[i*n+j] = complex(float64(columns[i*n+j]), 0)
			}
			continue
		}
		for i := range n {
			z := complex(float64(columns[i*n+j]), float64(columns[i*n+j+1]))
			v[i*n+j], v[i*n+j+1] = z, complex(real(z), -imag(z))
		}
		j++
	}
}

func (l complexLAPACK[T, R]) eig(a []T, w, v []complex128, n int) int {
	x, values, rwork := transposed(a, n, n), make([]T, n), make([]R, 2*n)
	var vectors []T
	if v != nil {
		vectors = make([]T, n*n)
	}
	var info int32
	withWork(&l.work.geev, func(work *T, size *int32) {
		l.Geev(letter('N'), letter(vectorsJob(v != nil)), number(n), first(x), number(n), first(values), nil, number(n),
			first(vectors), number(n), work, size, first(rwork), &info)
	})
	for i, x := range values {
		w[i] = complex128(x)
	}
	if v != nil {
		for i, x := range transposed(vectors, n, n) {
			v[i] = complex128(x)
		}
	}
	return int(info)
}

func (l realLAPACK[T]) schur(a, z []T, n int) int {
	x, re, im, vectors := transposed(a, n, n), make([]T, n), make([]T, n), make([]T, n*n)
	var info, selected int32
	withWork(&l.work.gees, func(work *T, size *int32) {
		l.Gees(letter('V'), letter('N'), 0, number(n), first(x), number(n), &selected, first(re), first(im),
			first(vectors), number(n), work, size, nil, &info)
	})
	transpose(a, x, n, n)
	transpose(z, vectors, n, n)
	return int(info)
}

func (l complexLAPACK[T, R]) schur(a, z []T, n int) int {
	x, values, vectors, rwork := transposed(a, n, n), make([]T, n), make([]T, n*n), make([]R, n)
	var info, selected int32
	withWork(&l.work.gees, func(work *T, size *int32) {
		l.Gees(letter('V'), letter('N'), 0, number(n), first(x), number(n), &selected, first(values), first(vectors),
			number(n), work, size, first(rwork), nil, &info)
	})
	transpose(a, x, n, n)
	transpose(z, vectors, n, n)
	return int(info)
}

func (l realLAPACK[T]) solve(t, b []T, n, k int, f Form) { trsm(&l.Routines, t, b, n, k, f) }

func (l complexLAPACK[T, R]) solve(t, b []T, n, k int, f Form) { trsm(&l.Routines, t, b, n, k, f) }

// trsm: T·X = B for row-major matrices is Xᵀ·Tᵀ = Bᵀ for those that BLAS sees.
func trsm[T Number](l *openblas.Routines[T], t, b []T, n, k int, f Form) {
	uplo, trans, diag := byte('U'), byte('N'), byte('N')
	if f.Upper {
		uplo = 'L'
	}
	switch {
	case f.Conjugated:
		trans = 'C'
	case f.Transposed:
		trans = 'T'
	}
	if f.Unit {
		diag = 'U'
	}
	one := T(1)
	l.Trsm(letter('R'), letter(uplo), letter(trans), letter(diag), number(k), number(n), &one, first(t), number(n),
		first(b), number(max(k, 1)))
}

// withWork calls a routine with the memory that it wants. If the size is not known, it asks the routine first.
func withWork[T Number](known *atomic.Int32, call func(work *T, size *int32)) {
	size := known.Load()
	if size == 0 {
		var best T
		ask := int32(-1)
		call(&best, &ask)
		size = length(arithmeticOf[T]().abs(best))
		known.Store(size)
	}
	call(first(make([]T, size)), &size)
}

// length is the size that a routine has asked for. The number may have been rounded down.
func length(x float64) int32 { return int32(x*(1+1e-6)) + 1 }

func vectorsJob(vectors bool) byte {
	if vectors {
		return 'V'
	}
	return 'N'
}

// Fortran takes the addresses of its arguments.

func number(n int) *int32 {
	x := int32(n)
	return &x
}

func letter(c byte) *byte { return &c }

func first[E any](s []E) *E { return unsafe.SliceData(s) }

func widen[R float32 | float64](to []float64, from []R) {
	for i, x := range from {
		to[i] = float64(x)
	}
}

// transpose sets to [n m] to the transpose of from [m n], in blocks that fit a cache.
func transpose[T any](to, from []T, m, n int) {
	const block = 32
	for i0 := 0; i0 < m; i0 += block {
		for j0 := 0; j0 < n; j0 += block {
			for i := i0; i < min(i0+block, m); i++ {
				for j := j0; j < min(j0+block, n); j++ {
					to[j*m+i] = from[i*n+j]
				}
			}
		}
	}
}

func transposed[T any](a []T, m, n int) []T {
	t := make([]T, m*n)
	transpose(t, a, m, n)
	return t
}
