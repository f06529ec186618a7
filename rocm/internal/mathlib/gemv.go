package mathlib

import "github.com/gorocm/gorocm/rocm/internal/driver"

// multiplyByVector multiplies a matrix by one row or column with the library's call for vectors, which is limited by
// memory bandwidth alone: calls for matrices work in tiles. It returns false where the library has no such call, or has
// failed in it; then Multiply uses the call for matrices.
func (b *BLAS) multiplyByVector(d Device, g *Gemm, x, y layout) (bool, error) {
	field, call := b.lib.vectorCall(g.Elem, g.Batch > 1)
	if call == nil {
		return false, nil
	}
	kind := g.Elem + " by vectors"
	if g.Batch > 1 {
		kind += " in batches"
	}
	return b.product(d, field, kind, g.Elem, call, func() []uintptr { return b.lib.kind.gemv(g, b.handle, x, y) })
}

// vectorCall is the call for elements of a type. For f16 and bf16 there are only batched ones.
func (l *blasLibrary) vectorCall(elem string, batched bool) (field string, call driver.Call) {
	switch {
	case elem == "f16":
		return "batched16", l.batched16
	case elem == "bf16":
		return "batchedBF16", l.batchedBF16
	case elem == "f64" && batched:
		return "batched64", l.batched64
	case elem == "f64":
		return "gemv64", l.gemv64
	case batched:
		return "batched32", l.batched32
	}
	return "gemv32", l.gemv32
}

// gemv returns the arguments of a product by a column, y = A·x, or by a row, y = Bᵀ·x. BLAS is column-major: a matrix
// of dense rows is transposed. The libraries agree on the order of the arguments.
func (kind *blasKind) gemv(g *Gemm, handle uintptr, a, b layout) []uintptr {
	matrix, form, vector, inc, out := g.A, a, g.B, g.B.Row, g.C.Row
	rows, cols, transposed := g.M, g.K, !a.transposed
	if g.N != 1 {
		matrix, form, vector, inc, out = g.B, b, g.A, g.A.Col, g.C.Col
		rows, cols, transposed = g.N, g.K, b.transposed
	}
	if transposed { // the sizes are those before transposing
		rows, cols = cols, rows
	}
	one, zero := scalars(g.Elem)
	batched := g.Batch > 1 || g.Elem == "f16" || g.Elem == "bf16"
	args := append(make([]uintptr, 0, 16), handle, kind.op(transposed), uintptr(rows), uintptr(cols), one)
	operand := func(m Matrix, step int) {
		args = append(args, m.Ptr, uintptr(step))
		if batched {
			args = append(args, uintptr(m.Batch))
		}
	}
	operand(matrix, form.leadingDim)
	operand(vector, max(1, inc)) // a vector of one element may have any stride
	args = append(args, zero)
	operand(g.C, max(1, out))
	if batched {
		args = append(args, uintptr(g.Batch))
	}
	return args
}
