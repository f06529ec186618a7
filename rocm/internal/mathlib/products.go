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

// ElemSize is the bytes of an element of a type, 0 for a type that libraries do not multiply.
func ElemSize(elem string) int { return elemSizes[elem] }

// Regular reports whether the types, sizes and strides are such that a library may take the product.
func (g *Gemm) Regular() bool {
	_, _, _, ok := g.layouts()
	return ok && elemSizes[g.Elem] != 0 && max(g.M, g.N, g.K, g.Batch) <= math.MaxInt32 &&
		min(g.M, g.N, g.K, g.Batch) >= 1
}

// layouts are those of the operands. ok is false unless all are dense, and the result has dense rows.
func (g *Gemm) layouts() (a, b, c layout, ok bool) {
	a, okA := g.A.layout(g.M, g.K)
	b, okB := g.B.layout(g.K, g.N)
	c, okC := g.C.layout(g.M, g.N)
	return a, b, c, okA && okB && okC && !c.transposed
}

// layout is how a BLAS library sees a matrix: rows of contiguous elements, leadingDim elements apart, or such columns
// if it is transposed.
type layout struct {
	transposed bool
	leadingDim int
}

// layout is the layout of a matrix. ok is false for one that has neither dense rows nor dense columns.
func (m Matrix) layout(rows, cols int) (layout, bool) {
	f := layout{}
	switch {
	case (m.Col == 1 || cols == 1) && (m.Row >= cols || rows == 1):
		f.leadingDim = max(cols, m.Row)
	case (m.Row == 1 || rows == 1) && (m.Col >= rows || cols == 1):
		f = layout{true, max(rows, m.Col)}
	default:
		return f, false
	}
	return f, f.leadingDim <= math.MaxInt32 && m.Batch >= 0
}

// transposed is the transposed matrix.
func (m Matrix) transposed() Matrix {
	m.Row, m.Col = m.Col, m.Row
	return m
}

// float8Alignment is the alignment of rows of f8 matrices, in bytes.
const float8Alignment = 16

// Float8Sizes reports whether libraries multiply f8e4m3 matrices with k columns on the left and n on the right.
func Float8Sizes(k, n int) bool { return k%float8Alignment == 0 && n%float8Alignment == 0 }

// Float8Rows reports whether the rows of an f8e4m3 matrix, or of a batch of them, are dense and aligned as libraries
// require.
func (m Matrix) Float8Rows(rows, cols, batch int) bool {
	f, ok := m.layout(rows, cols)
	return ok && !f.transposed && (uintptr(f.leadingDim)|m.Ptr)%float8Alignment == 0 &&
		(batch == 1 || m.Batch%float8Alignment == 0)
}

// TakesFloat8 reports whether rows of A, columns of B and rows of C are as Float8Rows requires.
func (g *Gemm) TakesFloat8() bool {
	return g.A.Float8Rows(g.M, g.K, g.Batch) && g.B.transposed().Float8Rows(g.N, g.K, g.Batch) &&
		g.C.Float8Rows(g.M, g.N, g.Batch)
}
