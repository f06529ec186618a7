package rocm

import (
	"cmp"
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// Span is device memory from an offset on, in bytes. Its zero value is none.
type Span struct {
	Buffer *Buffer
	Offset int
}

// Factor is one step of the factorisation of a column-major matrix with M rows and N columns, which begin every M
// elements, as routines of LAPACK do it. The matrix A is overwritten:
//
//	getrf   by L and U; Pivots are I32, from 1 on
//	potrf   by a triangle of Cholesky's factor: the one that is read, Upper or not; M = N
//	geqrf   by R and Householder's vectors, whose factors are Tau
//	orgqr   by the first N columns of Q, from K such vectors
//	gesvd   by anything; Values, U [M min(M,N)] and VH [min(M,N) N] are the results, U and VH square if Full, and unused
//	        without Vectors; M ≥ N
//	gesvdj  as by gesvd, but VH is V, [N min(M,N)]: by Jacobi's rotations, which cuSOLVER has
//	syevd   by eigenvectors with Vectors, of the matrix whose triangle is Upper or not; Values are the results; M = N
//
// The type is that of the elements, and the real one for Values. Info, one I32, is what LAPACK's is; geqrf and orgqr
// may leave it as it is.
type Factor struct {
	Routine                             string // by LAPACK's name for real matrices
	Elem                                string // f32, f64, c64 or c128
	M, N, K                             int
	Upper, Vectors, Full                bool
	A, Pivots, Tau, Values, U, VH, Info Span
}

// Factor puts a step on the device's stream if the device has a library that takes it, rocSOLVER or cuSOLVER, and
// reports whether it did; Solver says why not. It does not while a capture is under way: the libraries allocate memory.
// It is an error, of kind ErrInvalid, when elements are outside of a buffer, or a buffer was freed or is on another
// device.
func (d *Device) Factor(f *Factor) (bool, error) {
	if d.Emulated() || d.recording() != nil || f.M > math.MaxInt32/f.N || !d.solver.Open(libraryHost{d}) {
		return false, nil // the libraries count elements in 32 bits
	}
	if err := f.check(d); err != nil {
		return false, err
	}
	done, err := d.solver.Run(libraryHost{d}, &mathlib.Factor{
		Routine: f.Routine, Elem: f.Elem, M: f.M, N: f.N, K: f.K, Upper: f.Upper, Vectors: f.Vectors, Full: f.Full,
		A: f.A.pointer(), Pivots: f.Pivots.pointer(), Tau: f.Tau.pointer(), Values: f.Values.pointer(), U: f.U.pointer(),
		VH: f.VH.pointer(), Info: f.Info.pointer(),
	})
	runtime.KeepAlive(f)
	return done, err
}

// check says whether the operands of a routine are in live buffers of the device.
func (f *Factor) check(d *Device) error {
	size, real := mathlib.FactorSize(f.Elem)
	least := min(f.M, f.N)
	rows, columns := least, least // of VH and U
	if f.Full {
		rows, columns = f.N, f.M
	}
	err := cmp.Or(f.A.check(d, f.M*f.N*size), f.Info.check(d, 4))
	switch {
	case f.Routine == "getrf":
		err = cmp.Or(err, f.Pivots.check(d, least*4))
	case f.Routine == "geqrf":
		err = cmp.Or(err, f.Tau.check(d, least*size))
	case f.Routine == "orgqr":
		err = cmp.Or(err, f.Tau.check(d, f.K*size))
	case (f.Routine == "gesvd" || f.Routine == "gesvdj") && f.Vectors:
		err = cmp.Or(err, f.Values.check(d, least*real), f.U.check(d, f.M*columns*size), f.VH.check(d, rows*f.N*size))
	case f.Routine != "potrf":
		err = cmp.Or(err, f.Values.check(d, least*real))
	}
	return err
}

// check says whether n bytes are in a live buffer of the device.
func (s Span) check(d *Device, n int) error {
	if s.Buffer == nil || s.Buffer.device != d {
		return invalid("factor", "an operand is not on %v", d)
	}
	return s.Buffer.check("factor", s.Offset, n)
}

func (s Span) pointer() uintptr {
	if s.Buffer == nil {
		return 0
	}
	return s.Buffer.Ptr() + uintptr(s.Offset)
}

// Solver says which library factors matrices on the device. It loads it.
func (d *Device) Solver() LibraryInfo {
	d.solver.Open(libraryHost{d})
	return LibraryInfo(d.solver.Info())
}

// Triangular is a triangular system of column-major matrices, X·op(T) = B: T has N rows and columns, B, which X
// replaces, M rows and N columns, both without gaps between columns.
type Triangular struct {
	Elem                          string // f32, f64, c64 or c128
	M, N                          int
	Upper, Transposed, Conjugated bool // op transposes, or transposes and conjugates
	Unit                          bool // the diagonal is not read: it has ones
	T, B                          Span
}

// SolveTriangular puts a triangular system on the device's stream if the device has a BLAS library that takes it, and
// reports whether it did, as Gemm does.
func (d *Device) SolveTriangular(t *Triangular) (bool, error) {
	capturing := d.recording()
	if d.Emulated() || t.Conjugated && !t.Transposed || max(t.M, t.N) > math.MaxInt32/t.N ||
		capturing != nil && !d.blas.Recordable() || !d.blas.Open(libraryHost{d}) {
		return false, nil
	}
	size, _ := mathlib.FactorSize(t.Elem)
	if err := cmp.Or(t.T.check(d, t.N*t.N*size), t.B.check(d, t.M*t.N*size)); err != nil {
		return false, err
	}
	done, err := d.blas.SolveTriangular(libraryHost{d}, &mathlib.Triangular{
		Elem: t.Elem, M: t.M, N: t.N, Upper: t.Upper, Transposed: t.Transposed, Conjugated: t.Conjugated, Unit: t.Unit,
		T: t.T.pointer(), B: t.B.pointer(),
	})
	if done && capturing != nil {
		capturing.addLibrary("a solver of a library", t.T.Buffer, t.B.Buffer)
	}
	runtime.KeepAlive(t)
	return done, err
}
