package sparse

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/sparse/internal/csr"
)

// Add returns the sum with a sparse matrix of the same shape and type. Elements that cancel are stored as 0.
func (m *Matrix) Add(b *Matrix) *Matrix {
	const op = "sparse add"
	rows, cols := m.Dims()
	extend.SameDevice(op, m.values, b.values)
	if r, c := b.Dims(); r != rows || c != cols {
		extend.Shape(op, nil, "shapes differ: [%d %d] and [%d %d]", rows, cols, r, c)
	}
	m.sameType(op, b.values)
	both := func(x, y *tensor.Tensor) *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{x, y}, 0) }
	if m.Device().IsCPU() {
		p, slot := csr.Merged(m.at.positions(), b.at.positions())
		values := both(m.values, b.values)
		return &Matrix{newPattern(rows, cols, p.RowIDs, p.ColIDs), sumAt(p.RowIDs.ElemCount(), slot, values)}
	}
	return fromPositions(both(m.at.rowIDs, b.at.rowIDs), both(m.at.colIDs, b.at.colIDs), both(m.values, b.values), rows,
		cols)
}

// Sub returns the difference from a sparse matrix of the same shape and type.
func (m *Matrix) Sub(b *Matrix) *Matrix { return m.Add(&Matrix{b.at, b.values.Neg()}) }

// Mul returns the elements times those of x, a Go number, or a tensor of the same type that is broadcast to the shape
// of the matrix: [rows cols], [cols], [rows 1] and so on. The result has the same positions: NaN and infinities of x
// where no element is stored are left out.
func (m *Matrix) Mul(x any) *Matrix {
	t, ok := x.(*tensor.Tensor)
	if !ok {
		return m.With(m.values.Mul(x))
	}
	const op = "sparse mul"
	extend.SameDevice(op, m.values, t)
	m.sameType(op, t)
	rows, cols := m.Dims()
	shape := slices.Concat(slices.Repeat([]int{1}, max(0, 2-t.Rank())), t.Dims())
	if len(shape) != 2 || shape[0] != 1 && shape[0] != rows || shape[1] != 1 && shape[1] != cols {
		extend.Shape(op, []*tensor.Tensor{t}, "shape %v does not broadcast to [%d %d]", t.Dims(), rows, cols)
	}
	flat := t.FlattenAll()
	switch {
	case shape[0] == 1 && shape[1] == 1:
		return m.With(m.values.Mul(flat))
	case shape[0] == 1:
		return m.With(m.values.Mul(flat.IndexSelect(m.at.colIDs, 0)))
	case shape[1] == 1:
		return m.With(m.values.Mul(flat.IndexSelect(m.at.rowIDs, 0)))
	}
	return m.With(m.values.Mul(flat.IndexSelect(m.at.keys(), 0)))
}

// Sum returns the sums of the columns for dim 0, [cols], and of the rows for dim 1, [rows], as a dense vector.
// Elements are added in order.
func (m *Matrix) Sum(dim int) *tensor.Tensor {
	switch dim {
	case 0, -2:
		return sumAt(m.at.cols, m.at.colIDs, m.values)
	case 1, -1:
		return sumAt(m.at.rows, m.at.rowIDs, m.values)
	}
	extend.Fail("sparse sum", tensor.ErrIndex, nil, "", "dim %d of a matrix", dim)
	return nil
}

// Diagonal returns the elements on the diagonal as a dense vector.
func (m *Matrix) Diagonal() *tensor.Tensor {
	n := min(m.at.rows, m.at.cols)
	on := m.at.rowIDs.Eq(m.at.colIDs).Nonzero().FlattenAll()
	return sumAt(n, m.at.rowIDs.IndexSelect(on, 0), m.values.IndexSelect(on, 0))
}
