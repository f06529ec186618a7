package rocm

import (
	"cmp"
	"math"
	"runtime"
)

// Gemm is a product of matrices, or of each pair in a batch of them: C = A·B. A has M rows and K columns, B has K rows and N columns.
type Gemm struct {
	Elem           string // the type of all elements: f16, bf16, f32 or f8e4m3, whose products are added in f32, or f64
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
var gemmSizes = map[string]int{"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "f8e4m3": 1}

// Gemm puts a product on the device's stream if the device has a BLAS library that takes it, and reports whether it did. Where it did
// not, the caller's own kernels have to multiply; BLAS says why. Rows or columns of A and B must be dense for a library, and rows of C.
// For f8e4m3, of which BLASLt says why, they must be rows of A and columns of B, and K, N and all steps and addresses multiples of 16.
// It is an error, of kind ErrInvalid, when elements are outside of a buffer, or a buffer was freed or is on another device.
func (d *Device) Gemm(g *Gemm) (bool, error) {
	a, okA := g.A.form(g.M, g.K)
	b, okB := g.B.form(g.K, g.N)
	c, okC := g.C.form(g.M, g.N)
	size := gemmSizes[g.Elem]
	if size == 0 || !okA || !okB || !okC || c.transposed || max(g.M, g.N, g.K, g.Batch) > math.MaxInt32 || min(g.M, g.N, g.K, g.Batch) < 1 {
		return false, nil
	}
	if g.Elem == "f8e4m3" {
		return d.float8(g)
	}
	capturing := d.recording()
	if capturing != nil && !d.blas.recordable() {
		return false, nil
	}
	lib := d.blas.open(d)
	if lib == nil {
		return false, nil
	}
	if err := g.check(d, size); err != nil {
		return false, err
	}
	done, err := lib.multiply(d, g, a, b, c)
	if done && capturing != nil {
		capturing.add(g.A.Buffer, g.B.Buffer, g.C.Buffer, lib.space)
	}
	runtime.KeepAlive(g)
	return done, err
}

// check says whether all elements of the operands are in live buffers of the device.
func (g *Gemm) check(d *Device, size int) error {
	return cmp.Or(g.A.check(d, size, g.M, g.K, g.Batch), g.B.check(d, size, g.K, g.N, g.Batch), g.C.check(d, size, g.M, g.N, g.Batch))
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

// transposed is the matrix with rows for columns.
func (m Matrix) transposed() Matrix {
	m.Row, m.Col = m.Col, m.Row
	return m
}

// pointer is the address of the first element.
func (m Matrix) pointer() uintptr { return m.Buffer.Ptr() + uintptr(m.Offset) }
