package rocm

import (
	"cmp"
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// SparseProduct is the product of a matrix [Rows Cols] in compressed rows with a dense one, X [Cols N] in row-major
// order, or with a vector if N is 1: Out [Rows N]. The Count stored elements of the matrix are Values, in the columns
// ColIDs; those of row i begin at Offsets[i] and end before Offsets[i+1]. Both are of 32 bits.
type SparseProduct struct {
	Elem                            string // the type of all elements: f32, f64, c64 or c128
	Rows, Cols, Count, N            int    // all above 0
	Offsets, ColIDs, Values, X, Out Span
}

// MultiplySparse puts a product on the device's stream if the device has a library that takes it, hipSPARSE or
// cuSPARSE, and reports whether it did; SparseLibrary says why not. It does not while a capture is under way. Sums are
// made in the type of the elements, in the same order each time. It is an error, of kind ErrInvalid, when elements are
// outside of a buffer, or a buffer was freed or is on another device.
func MultiplySparse(d *Device, p *SparseProduct) (bool, error) {
	size, _ := mathlib.FactorSize(p.Elem)
	if min(p.Rows, p.Cols, p.Count, p.N) < 1 || max(p.Cols, p.Count) > math.MaxInt32 || !HasSparse(d) {
		return false, nil
	}
	check := func(s Span, n int) error {
		if s.Buffer == nil || s.Buffer.device != d {
			return invalid("multiply sparse", "an operand is not on %v", d)
		}
		return s.Buffer.check("multiply sparse", s.Offset, n)
	}
	if err := cmp.Or(check(p.Offsets, 4*(p.Rows+1)), check(p.ColIDs, 4*p.Count), check(p.Values, size*p.Count),
		check(p.X, size*p.Cols*p.N), check(p.Out, size*p.Rows*p.N)); err != nil {
		return false, err
	}
	done, err := d.sparse.Multiply(libraryHost{d}, &mathlib.SparseProduct{
		Elem: p.Elem, Rows: p.Rows, Cols: p.Cols, Count: p.Count, N: p.N, Offsets: p.Offsets.pointer(),
		ColIDs: p.ColIDs.pointer(), Values: p.Values.pointer(), X: p.X.pointer(), Out: p.Out.pointer(),
	})
	runtime.KeepAlive(p)
	return done, err
}

// HasSparse reports whether there is a library for sparse matrices. It loads it, and reports false while a capture is
// under way.
func HasSparse(d *Device) bool {
	return !d.Emulated() && d.recording() == nil && d.sparse.Open(libraryHost{d})
}

// SparseLibrary says which library multiplies sparse matrices on the device. It loads it.
func SparseLibrary(d *Device) LibraryInfo {
	d.sparse.Open(libraryHost{d})
	return LibraryInfo(d.sparse.Info())
}
