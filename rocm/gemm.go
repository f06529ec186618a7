package rocm

import (
	"cmp"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// Gemm is a product of matrices, or of each pair in a batch of them: C = A·B. A has M rows and K columns, B has K rows
// and N columns.
type Gemm struct {
	Elem           string // the type of all elements: f16, bf16, f32 or f8e4m3, whose products are added in f32, or f64
	M, N, K, Batch int    // at least 1
	A, B, C        Matrix
}

// Matrix says where a matrix, or a batch of matrices, lies in device memory.
type Matrix struct {
	Buffer          *Buffer
	Offset          int // of the first element, in bytes
	Row, Col, Batch int // strides between rows, columns and matrices, in elements
}

// Gemm puts a product on the device's stream if the device has a BLAS library that takes it, and reports whether it
// did. Where it did not, the caller's own kernels have to multiply; BLAS says why. Rows or columns of A and B must be
// dense for a library, and rows of C. For f8e4m3, where BLASLt says why, they must be rows of A and columns of B, and
// K, N and all strides and addresses multiples of 16. It is an error, of kind ErrInvalid, when elements are outside of
// a buffer, or a buffer was freed or is on another device.
func (d *Device) Gemm(g *Gemm) (bool, error) {
	p := g.product()
	if !p.Regular() {
		return false, nil
	}
	float8 := g.Elem == "f8e4m3"
	if float8 && (!p.TakesFloat8() || !d.Float8(g.K, g.N)) {
		return false, nil
	}
	capturing := d.recording()
	if !float8 && (capturing != nil && !d.blas.Recordable() || !d.blas.Open(libraryHost{d})) {
		return false, nil
	}
	if err := g.check(d, mathlib.ElemSize(g.Elem)); err != nil {
		return false, err
	}
	p.A.Ptr, p.B.Ptr, p.C.Ptr = g.A.pointer(), g.B.pointer(), g.C.pointer()
	var done bool
	var err error
	if float8 {
		done, err = d.blasLt.Multiply(libraryHost{d}, &p)
	} else {
		done, err = d.blas.Multiply(libraryHost{d}, &p)
	}
	if done && capturing != nil {
		capturing.addLibrary("a product of a library", g.A.Buffer, g.B.Buffer, g.C.Buffer)
	}
	runtime.KeepAlive(g)
	return done, err
}

// product converts g for a library. Its addresses are offsets, until the buffers are checked.
func (g *Gemm) product() mathlib.Gemm {
	return mathlib.Gemm{Elem: g.Elem, M: g.M, N: g.N, K: g.K, Batch: g.Batch, A: g.A.operand(), B: g.B.operand(),
		C: g.C.operand()}
}

func (m Matrix) operand() mathlib.Matrix {
	return mathlib.Matrix{Ptr: uintptr(m.Offset), Row: m.Row, Col: m.Col, Batch: m.Batch}
}

// check says whether all elements of the operands are in live buffers of the device.
func (g *Gemm) check(d *Device, size int) error {
	return cmp.Or(g.A.check(d, size, g.M, g.K, g.Batch), g.B.check(d, size, g.K, g.N, g.Batch),
		g.C.check(d, size, g.M, g.N, g.Batch))
}

// check says whether all elements are in a live buffer of the device.
func (m Matrix) check(d *Device, size, rows, cols, batch int) error {
	if m.Buffer == nil || m.Buffer.device != d {
		return invalid("multiply", "a matrix is not on %v", d)
	}
	last := (rows-1)*m.Row + (cols-1)*m.Col + (batch-1)*m.Batch
	return m.Buffer.check("multiply", m.Offset, (last+1)*size)
}

// pointer is the address of the first element.
func (m Matrix) pointer() uintptr { return m.Buffer.Ptr() + uintptr(m.Offset) }

// Float8 reports whether a library can multiply f8e4m3 matrices with k columns on the left and n on the right, where
// they are as Gemm requires. It loads the library, unless a capture is under way.
func (d *Device) Float8(k, n int) bool {
	if d.Emulated() || !mathlib.Float8Sizes(k, n) || d.recording() != nil && !d.blasLt.Ready() {
		return false
	}
	return d.blasLt.Open(libraryHost{d})
}

// Float8Rows reports whether a library takes the rows of an f8e4m3 matrix, or of a batch of them, as they lie: dense,
// and on round addresses.
func (m Matrix) Float8Rows(rows, cols, batch int) bool {
	return m.operand().Float8Rows(rows, cols, batch)
}

// BLAS says which library multiplies matrices on the device. It loads it.
func (d *Device) BLAS() LibraryInfo {
	d.blas.Open(libraryHost{d})
	return LibraryInfo(d.blas.Info())
}

// BLASLt says which library multiplies f8e4m3 matrices on the device. It loads it.
func (d *Device) BLASLt() LibraryInfo {
	d.blasLt.Open(libraryHost{d})
	return LibraryInfo(d.blasLt.Info())
}
