package host

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/tensor/internal/openblas"
)

// Number is the type of an element.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// simple has what own code does for all types, and engine all that is done with one matrix. Methods that return an int
// report with 0 that they succeeded.
type simple[T Number] interface {
	// lu replaces a [m n] by its factors and returns 1 + the index of the first pivot that is 0. pivots[i] is the row
	// that was swapped with row i.
	lu(a []T, m, n int, pivots []int32) int
	// cholesky replaces the lower triangle of a [n n] by the factor L and returns 1 + the index of the first leading
	// minor that is not positive. The rest of a is arbitrary.
	cholesky(a []T, n int) int
	// solve replaces b [n k] by the solution x of op(t)·x = b.
	solve(t, b []T, n, k int, f Form)
}

// transposer is a simple that factors the transpose of a square matrix without moving its elements.
type transposer[T Number] interface {
	luTransposed(a []T, m, n int, pivots []int32) int
}

type engine[T Number] interface {
	simple[T]
	// qr sets q [m cols] to the first columns of Q and r [cols n] to the first rows of R, which is zero before. a [m n]
	// is lost.
	qr(a, q, r []T, m, n, cols int)
	// svd sets s to the singular values of a [m n], which is lost, u to [m cols] and vh to [rows n]. Without vectors
	// both are nil.
	svd(a, u, vh []T, s []float64, m, n, cols, rows int) int
	// eigh sets w to the eigenvalues and, with vectors, a [n n] to the eigenvectors. It reads the lower triangle.
	eigh(a []T, w []float64, n int, vectors bool) int
	// eig sets w to the eigenvalues and, unless v is nil, v [n n] to the eigenvectors. a [n n] is lost.
	eig(a []T, w, v []complex128, n int) int
	// schur replaces a [n n] by T of its Schur form Z·T·Zᴴ, and sets z [n n].
	schur(a, z []T, n int) int
}

// Form says which triangle of a matrix is meant, and what is done with it.
type Form struct {
	Upper, Transposed, Conjugated bool // conjugated and transposed, where Conjugated
	Unit                          bool // the diagonal is 1 and not read
}

// smallest is the size from which on a library is faster than own code for LU, Cholesky and triangular systems.
const smallest = 24

// simpleFor chooses what factors matrices of a size.
func simpleFor[T Number](n int) simple[T] {
	if n < smallest {
		return own[T]()
	}
	return engineFor[T]()
}

// The longest sides of matrices for which own code is faster than a library, as BenchmarkTiny measures: the calls of
// LAPACK for one matrix take microseconds.
const (
	tinyQR   = 16
	tinySVD  = 7
	tinyEigh = 5
)

// engineUpTo chooses an engine for matrices of one shape, with n as their longest side: own code up to a limit.
func engineUpTo[T Number](limit, n int) engine[T] {
	if n > limit {
		return engineFor[T]()
	}
	return tinyFor(engineFor[T]())
}

// engineFor returns an engine for matrices of one shape.
func engineFor[T Number]() engine[T] {
	l := openblas.LoadLAPACK()
	if l == nil {
		return withoutLAPACK[T]()
	}
	var e any
	switch any(*new(T)).(type) {
	case float32:
		e = realLAPACK[float32]{&l.S, new(sizes)}
	case float64:
		e = realLAPACK[float64]{&l.D, new(sizes)}
	case complex64:
		e = complexLAPACK[complex64, float32]{&l.C, new(sizes)}
	default:
		e = complexLAPACK[complex128, float64]{&l.Z, new(sizes)}
	}
	return e.(engine[T])
}

func withoutLAPACK[T Number]() engine[T] {
	var e any
	switch any(*new(T)).(type) {
	case float32:
		e = wider[float32, float64]{gonum{}, converted[float64, float32], converted[float32, float64]}
	case float64:
		e = gonum{}
	case complex64:
		e = wider[complex64, complex128]{ownComplex{own[complex128]()}, widened, narrowed}
	default:
		e = ownComplex{own[complex128]()}
	}
	return e.(engine[T])
}

// each calls f for every matrix of a batch, on several goroutines where the work is worth it. cost is about the number
// of multiplications for one matrix.
func each(batch, cost int, f func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), batch)
	one := func() {
		for i := range batch {
			f(i)
		}
	}
	// large matrices: LAPACK shares the work itself
	if workers == 1 || batch*cost < 1<<16 || batch < 8 && cost > 1<<24 {
		const alone = 1 << 22 // multiplications that LAPACK's threads do not hasten: they wait for one another
		if l := openblas.LoadLAPACK(); l != nil && cost >= 1<<12 && cost < alone && batch < 64 {
			l.Single(one)
			return
		}
		one()
		return
	}
	run := func() {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < batch; i = int(next.Add(1)) - 1 {
					f(i)
				}
			})
		}
		wg.Wait()
	}
	if l := openblas.LoadLAPACK(); l != nil {
		l.Single(run)
		return
	}
	run()
}

// part is matrix i of a batch of matrices with so many elements.
func part[E any](a []E, i, elements int) []E {
	if a == nil {
		return nil
	}
	return a[i*elements : (i+1)*elements : (i+1)*elements]
}

// LU replaces each matrix [m n] of a by its factors: L below the diagonal, whose own diagonal is 1, and U. It returns
// the rows [batch min(m,n)] with which rows were swapped, in that order, and for each matrix 0, or 1 + the index of the
// first pivot that is 0. If rows is false it may factor the transpose in place of the matrix, and reports that: a has
// the transposes of the factors then.
func LU[T Number](a []T, batch, m, n int, rows bool) (pivots, info []int32, transposed bool) {
	k := min(m, n)
	pivots, info = make([]int32, batch*k), make([]int32, batch)
	e := simpleFor[T](max(m, n))
	factor := e.lu
	if t, ok := e.(transposer[T]); ok && !rows && m == n {
		factor, transposed = t.luTransposed, true
	}
	each(batch, m*n*k, func(i int) { info[i] = int32(factor(part(a, i, m*n), m, n, part(pivots, i, k))) })
	return pivots, info, transposed
}

// Order returns the permutations [batch m] that the pivots of LU make of rows: row i of L·U is row order[i] of the
// matrix, or of its transpose; inverse is the inverse of that.
func Order(pivots []int32, batch, m, n int) (order, inverse []int64) {
	order, inverse = make([]int64, batch*m), make([]int64, batch*m)
	k := min(m, n)
	for i := range batch {
		rows := part(order, i, m)
		for r := range rows {
			rows[r] = int64(r)
		}
		for r, other := range part(pivots, i, k) {
			rows[r], rows[other] = rows[other], rows[r]
		}
		for r, from := range rows {
			inverse[i*m+int(from)] = int64(r)
		}
	}
	return order, inverse
}

// LUForms are the forms of the two triangular matrices that solve A·x = b in turn, or Aᴴ·x = b with adjoint, where the
// factors are those of A, or of its transpose. before says that rows are permuted before these, to those of order: A is
// P·L·U, and Aᴴ that of the factors of the transpose; otherwise rows are permuted back after them.
func LUForms(transposed, adjoint bool) (first, second Form, before bool) {
	first, second = Form{Unit: !transposed}, Form{Upper: true, Unit: transposed}
	if adjoint {
		first.Transposed, first.Conjugated, second.Transposed, second.Conjugated = true, true, true, true
		first, second = second, first
	}
	return first, second, transposed == adjoint
}

// SolveLU replaces b [batch n k] by the solutions x of A·x = b, or Aᴴ·x = b with adjoint, from the factors of LU and
// the order [batch n] of rows in their product.
func SolveLU[T Number](lu, b []T, order []int64, batch, n, k int, transposed, adjoint bool) {
	e := simpleFor[T](n)
	first, second, before := LUForms(transposed, adjoint)
	each(batch, 2*n*n*k, func(i int) {
		f, x, order := part(lu, i, n*n), part(b, i, n*k), part(order, i, n)
		rows := make([]T, n*k)
		if before {
			for r, from := range order {
				copy(rows[r*k:(r+1)*k], x[int(from)*k:])
			}
			e.solve(f, rows, n, k, first)
			e.solve(f, rows, n, k, second)
			copy(x, rows)
			return
		}
		e.solve(f, x, n, k, first)
		e.solve(f, x, n, k, second)
		for r, to := range order {
			copy(rows[int(to)*k:int(to+1)*k], x[r*k:])
		}
		copy(x, rows)
	})
}

// Cholesky replaces each Hermitian matrix [n n] of a, whose lower triangle is read, by its lower factor. It returns for
// each 0, or 1 + the index of the first leading minor that is not positive.
func Cholesky[T Number](a []T, batch, n int) (info []int32) {
	info = make([]int32, batch)
	e := simpleFor[T](n)
	each(batch, n*n*n/3, func(i int) {
		x := part(a, i, n*n)
		info[i] = int32(e.cholesky(x, n))
		for r := range n {
			clear(x[r*n+r+1 : (r+1)*n])
		}
	})
	return info
}

// QR sets q [batch m cols] and r [batch cols n], which is zero before, to the factors of matrices [m n], of which cols
// is the smaller size, or m for full factors. a is lost.
func QR[T Number](a, q, r []T, batch, m, n, cols int) {
	e := engineUpTo[T](tinyQR, max(m, n))
	each(batch, 2*m*n*cols, func(i int) { e.qr(part(a, i, m*n), part(q, i, m*cols), part(r, i, cols*n), m, n, cols) })
}

// SVD returns the singular values s [batch k] of matrices [m n], descending, where k is the smaller size. Unless they
// are nil, it sets u [batch m cols] and vh [batch rows n], where cols and rows are k, or m and n for full factors. a is
// lost. info is 0 for each matrix whose factors were found.
func SVD[T Number](a, u, vh []T, batch, m, n, cols, rows int) (s []float64, info []int32) {
	k := min(m, n)
	s, info = make([]float64, batch*k), make([]int32, batch)
	e := engineUpTo[T](tinySVD, max(m, n))
	each(batch, 16*m*n*k, func(i int) {
		x := part(a, i, m*n)
		if !finite(x) { // LAPACK would not end, or fail without saying so
			info[i] = 1
			return
		}
		info[i] = int32(e.svd(x, part(u, i, m*cols), part(vh, i, rows*n), part(s, i, k), m, n, cols, rows))
	})
	return s, info
}

// Eigh returns the eigenvalues w [batch n], ascending, of Hermitian matrices whose lower triangle is read. With vectors
// it replaces a by the eigenvectors, which are columns. info is as of SVD.
func Eigh[T Number](a []T, batch, n int, vectors bool) (w []float64, info []int32) {
	w, info = make([]float64, batch*n), make([]int32, batch)
	e := engineUpTo[T](tinyEigh, n)
	each(batch, 8*n*n*n, func(i int) {
		x := part(a, i, n*n)
		for r := range n {
			if !finite(x[r*n : r*n+r+1]) {
				info[i] = 1
				return
			}
		}
		info[i] = int32(e.eigh(x, part(w, i, n), n, vectors))
	})
	return w, info
}

// Eig returns the eigenvalues w [batch n] of matrices, and with vectors the eigenvectors, which are the columns of
// v [batch n n]. a is lost. info is as of SVD.
func Eig[T Number](a []T, batch, n int, vectors bool) (w, v []complex128, info []int32) {
	w, info = make([]complex128, batch*n), make([]int32, batch)
	if vectors {
		v = make([]complex128, batch*n*n)
	}
	e := engineFor[T]()
	each(batch, 20*n*n*n, func(i int) {
		x := part(a, i, n*n)
		if !finite(x) {
			info[i] = 1
			return
		}
		info[i] = int32(e.eig(x, part(w, i, n), part(v, i, n*n), n))
	})
	return w, v, info
}

// Schur replaces matrices a [batch n n] by T of their Schur form Z·T·Zᴴ, and returns z [batch n n]. info is as of SVD.
func Schur[T Number](a []T, batch, n int) (z []T, info []int32) {
	z, info = make([]T, batch*n*n), make([]int32, batch)
	e := engineFor[T]()
	each(batch, 25*n*n*n, func(i int) {
		x := part(a, i, n*n)
		if !finite(x) {
			info[i] = 1
			return
		}
		info[i] = int32(e.schur(x, part(z, i, n*n), n))
	})
	return z, info
}

// SolveTriangular replaces b [batch n k] by the solutions x of op(t)·x = b. Where t is singular they are infinite or
// NaN.
func SolveTriangular[T Number](t, b []T, batch, n, k int, f Form) {
	e := simpleFor[T](n)
	each(batch, n*n*k, func(i int) { e.solve(part(t, i, n*n), part(b, i, n*k), n, k, f) })
}

// finite reports whether no element is infinite or NaN.
func finite[T Number](a []T) bool {
	for _, x := range a {
		if x-x != 0 {
			return false
		}
	}
	return true
}
