package rocm

import (
	"math"
	"runtime"
)

// Gemm is a product of matrices, or of each pair in a batch of them: C = A·B. A has M rows and K columns, B has K rows and N columns.
type Gemm struct {
	Elem           string // the type of all elements: f16, bf16 or f32, whose products are added in f32, or f64
	M, N, K, Batch int    // at least 1
	A, B, C        Matrix
}

// Matrix says where a matrix, or a batch of matrices, lies in device memory.
type Matrix struct {
	Buffer          *Buffer
	Offset          int // of the first element, in bytes
	Row, Col, Batch int // from one row, column and matrix to the next, in elements
}

// gemmSizes are the bytes of an element of the types that a Gemm may have.
var gemmSizes = map[string]int{"f16": 2, "bf16": 2, "f32": 4, "f64": 8}

// Gemm puts a product on the device's stream if the device has a BLAS library that takes it, and reports whether it did. Where it did
// not, the caller's own kernels have to multiply; BLAS says why. Rows or columns of A and B must be dense for a library, and rows of C.
// It is an error, of kind ErrInvalid, when elements are outside of a buffer, or a buffer was freed or is on another device.
func (d *Device) Gemm(g *Gemm) (bool, error) {
	a, okA := g.A.form(g.M, g.K)
	b, okB := g.B.form(g.K, g.N)
	c, okC := g.C.form(g.M, g.N)
	size := gemmSizes[g.Elem]
	if size == 0 || !okA || !okB || !okC || c.transposed || max(g.M, g.N, g.K, g.Batch) > math.MaxInt32 || min(g.M, g.N, g.K, g.Batch) < 1 {
		return false, nil
	}
	capturing := d.recording()
	if capturing != nil && !d.blas.recordable() {
		return false, nil
	}
	lib := d.blas.open(d)
	if lib == nil {
		return false, nil
	}
	for _, m := range []struct {
		Matrix
		rows, cols int
	}{{g.A, g.M, g.K}, {g.B, g.K, g.N}, {g.C, g.M, g.N}} {
		if err := m.check(d, size, m.rows, m.cols, g.Batch); err != nil {
			return false, err
		}
	}
	done, err := lib.multiply(d, g, a, b, c)
	if done && capturing != nil {
		capturing.add(g.A.Buffer, g.B.Buffer, g.C.Buffer, lib.space)
	}
	runtime.KeepAlive(g)
	return done, err
}

// gemmForm is how a BLAS library sees a matrix: dense rows that lie lead elements apart, or dense columns if it is transposed.
type gemmForm struct {
	transposed bool
	lead       int
}

// form is false for a matrix that has neither dense rows nor dense columns.
func (m Matrix) form(rows, cols int) (gemmForm, bool) {
	f := gemmForm{}
	switch {
	case (m.Col == 1 || cols == 1) && (m.Row >= cols || rows == 1):
		f.lead = max(cols, m.Row)
	case (m.Row == 1 || rows == 1) && (m.Col >= rows || cols == 1):
		f = gemmForm{true, max(rows, m.Col)}
	default:
		return f, false
	}
	return f, f.lead <= math.MaxInt32 && m.Batch >= 0
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
