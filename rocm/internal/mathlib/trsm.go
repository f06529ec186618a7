package mathlib

import "unsafe"

// Triangular is a triangular system of column-major matrices, X·op(T) = B: T is N × N, and B, which X replaces, M × N,
// both without gaps between columns. Addresses are of device memory.
type Triangular struct {
	Elem                          string // f32, f64, c64 or c128
	M, N                          int
	Upper, Transposed, Conjugated bool // op transposes, or transposes and conjugates
	Unit                          bool // the diagonal is not read: it has ones
	T, B                          uintptr
}

// triangularEnums are the numbers of a library for what a triangular system is.
type triangularEnums struct {
	left, right, lower, upper, conjugate, notUnit, unit uintptr
}

// The complex scalar 1, in memory that does not move.
var (
	oneC64  complex64  = 1
	oneC128 complex128 = 1
)

// SolveTriangular puts a triangular system on the stream. It reports whether the library took it, as Multiply does.
func (b *BLAS) SolveTriangular(d Device, t *Triangular) (bool, error) {
	field, call, one := "trsm32", b.lib.trsm32, uintptr(unsafe.Pointer(&one32))
	switch t.Elem {
	case "f64":
		field, call, one = "trsm64", b.lib.trsm64, uintptr(unsafe.Pointer(&one64))
	case "c64":
		field, call, one = "trsmC64", b.lib.trsmC64, uintptr(unsafe.Pointer(&oneC64))
	case "c128":
		field, call, one = "trsmC128", b.lib.trsmC128, uintptr(unsafe.Pointer(&oneC128))
	}
	return b.product(d, field, t.Elem+" triangular systems", t.Elem, call, func() []uintptr {
		return b.lib.kind.trsm(t, b.handle, one)
	})
}

// trsm returns the arguments, on whose order the libraries agree. A single row is solved as a column, op(T)ᵀ·Xᵀ = Bᵀ.
func (kind *blasKind) trsm(t *Triangular, handle, one uintptr) []uintptr {
	e := kind.triangular
	op, fill, unit, side, m, n := kind.noTranspose, e.lower, e.notUnit, e.right, t.M, t.N
	column := t.M == 1 && !t.Conjugated
	if column {
		side, m, n = e.left, t.N, 1
	}
	switch {
	case t.Conjugated:
		op = e.conjugate
	case t.Transposed != column:
		op = kind.transpose
	}
	if t.Upper {
		fill = e.upper
	}
	if t.Unit {
		unit = e.unit
	}
	return []uintptr{handle, side, fill, op, unit, uintptr(m), uintptr(n), one, t.T, uintptr(t.N), t.B,
		uintptr(m)}
}
