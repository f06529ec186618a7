package mathlib

import "math"

// Gemm is a product of matrices at addresses of the device's memory. See rocm.Gemm.
type Gemm struct {
	Elem           string
	M, N, K, Batch int
	A, B, C        Matrix
}

// Matrix says where a matrix, or a batch of matrices, lies.
type Matrix struct {
	Ptr             uintptr // of the first element
	Row, Col, Batch int     // from one row, column and matrix to the next, in elements
}

// elemSizes are the bytes of an element of the types that libraries multiply.
var elemSizes = map[string]int{"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "f8e4m3": 1}

// ElemSize is the bytes of an element of a type, 0 for one that libraries do not multiply.
func ElemSize(elem string) int { return elemSizes[elem] }

// Regular reports whether libraries may take a product of such types, sizes and strides.
func (g *Gemm) Regular() bool {
	_, _, _, ok := g.forms()
	return ok && elemSizes[g.Elem] != 0 && max(g.M, g.N, g.K, g.Batch) <= math.MaxInt32 && min(g.M, g.N, g.K, g.Batch) >= 1
}

// forms are those of the operands. The result has dense rows.
func (g *Gemm) forms() (a, b, c gemmForm, ok bool) {
	a, okA := g.A.form(g.M, g.K)
	b, okB := g.B.form(g.K, g.N)
	c, okC := g.C.form(g.M, g.N)
	return a, b, c, okA && okB && okC && !c.transposed
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

// transposed is the matrix with rows for columns.
func (m Matrix) transposed() Matrix {
	m.Row, m.Col = m.Col, m.Row
	return m
}

// float8Step is what rows of f8 matrices and the addresses of their first elements are a multiple of, in bytes.
const float8Step = 16

// Float8Sizes reports whether libraries multiply f8e4m3 matrices with k columns on the left and n on the right.
func Float8Sizes(k, n int) bool { return k%float8Step == 0 && n%float8Step == 0 }

// Float8Rows reports whether a library takes the rows of an f8e4m3 matrix, or of a batch of them, as they lie: dense, and on round addresses.
func (m Matrix) Float8Rows(rows, cols, batch int) bool {
	f, ok := m.form(rows, cols)
	return ok && !f.transposed && (uintptr(f.lead)|m.Ptr)%float8Step == 0 && (batch == 1 || m.Batch%float8Step == 0)
}

// TakesFloat8 reports whether the operands of a product of f8e4m3 are rows of A, columns of B and rows of C as Float8Rows wants them.
func (g *Gemm) TakesFloat8() bool {
	return g.A.Float8Rows(g.M, g.K, g.Batch) && g.B.transposed().Float8Rows(g.N, g.K, g.Batch) && g.C.Float8Rows(g.M, g.N, g.Batch)
}
