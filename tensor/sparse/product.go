package sparse

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/sparse/internal/csr"
)

// MatMul returns the product with a dense vector [cols] or matrix [cols n], of the same type: [rows] or [rows n]. Sums
// are made in F64, by the libraries of GPUs' makers in the type of the elements. It panics with ErrShape for other
// shapes, and with ErrDType for another type.
func (m *Matrix) MatMul(x *tensor.Tensor) *tensor.Tensor {
	const op = "sparse matmul"
	rows, cols := m.Dims()
	extend.SameDevice(op, m.values, x)
	if r := x.Rank(); r != 1 && r != 2 || x.Dim(0) != cols {
		note := ""
		if (r == 1 || r == 2) && x.Dim(0) == rows {
			note = fmt.Sprintf("m.T() has shape [%d %d]; m.T().MatMul(x) is a product", cols, rows)
		}
		extend.ShapeNoting(op, []*tensor.Tensor{x}, note, "inner sizes differ: [%d %d] × %v", rows, cols, x.Dims())
	}
	m.sameType(op, x)
	y := csr.MatMul(op, m.plain(), x.Detach())
	ofValues, ofX := extend.Tracked(m.values), extend.Tracked(x)
	return extend.ByOperations(y, op, []*tensor.Tensor{m.values, x},
		func(g, _ *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
			grads := make([]*tensor.Tensor, 2)
			if ofValues {
				grads[0] = m.at.sampled(op, g, operands[1])
			}
			if ofX {
				grads[1] = m.With(operands[0]).H().MatMul(g)
			}
			return grads
		})
}

// plain is the matrix as package csr takes it.
func (m *Matrix) plain() csr.Matrix {
	return csr.Matrix{Rows: m.at.rows, Offsets: m.at.offsets, Short: m.at.shortOffsets, Cols: m.at.colIDs,
		Values: m.values.Detach()}
}

// sampled returns the elements of a·bᴴ at the positions of a pattern, for vectors or matrices with rows of the same
// length.
func (p *pattern) sampled(op string, a, b *tensor.Tensor) *tensor.Tensor {
	if a.Rank() == 1 {
		a, b = a.Unsqueeze(1), b.Unsqueeze(1)
	}
	y := csr.Sampled(op, p.rowIDs, p.colIDs, a.Detach(), b.Detach())
	return extend.ByOperations(y, op, []*tensor.Tensor{a, b},
		func(g, _ *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor {
			m := &Matrix{p, g}
			return []*tensor.Tensor{m.MatMul(operands[1]), m.H().MatMul(operands[0])}
		})
}

func (m *Matrix) sameType(op string, x *tensor.Tensor) {
	if x.DType() != m.DType() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x},
			fmt.Sprintf("x.ToDType(tensor.%s) has the type of the matrix", strings.ToUpper(m.DType().String())),
			"the matrix has type %v, the operand %v", m.DType(), x.DType())
	}
}

// T returns the transposed matrix.
func (m *Matrix) T() *Matrix {
	t, order := m.at.transpose()
	return &Matrix{t, m.values.IndexSelect(order, 0)}
}

// H returns the conjugate transpose.
func (m *Matrix) H() *Matrix {
	t := m.T()
	if t.DType().IsComplex() {
		t.values = t.values.Conj()
	}
	return t
}

// Product returns the product with a sparse matrix of the same type, as a sparse matrix. Elements that cancel are
// stored as 0. On GPUs, and for gradients, it takes memory for as many products as there are, each with its position.
func (m *Matrix) Product(b *Matrix) *Matrix {
	const op = "sparse product"
	rows, inner := m.Dims()
	others, cols := b.Dims()
	extend.SameDevice(op, m.values, b.values)
	if inner != others {
		extend.Shape(op, nil, "inner sizes differ: [%d %d] × [%d %d]", rows, inner, others, cols)
	}
	m.sameType(op, b.values)
	checkSize(op, rows, cols)
	none := func() *Matrix {
		ids := m.Device().Zeros(tensor.U32, 0)
		return fromPositions(ids, ids, m.values.Narrow(0, 0, 0), rows, cols)
	}
	if m.ElemCount() == 0 || b.ElemCount() == 0 {
		return none()
	}
	if m.Device().IsCPU() && !extend.Tracked(m.values) && !extend.Tracked(b.values) {
		p, values := csr.Product(m.plain(), b.plain(), cols)
		return &Matrix{newPattern(rows, cols, p.RowIDs, p.ColIDs), values}
	}
	// each element of m is multiplied with all elements of a row of b
	begin := b.at.offsets.IndexSelect(m.at.colIDs, 0)
	count := b.at.offsets.IndexSelect(m.at.colIDs.ToDType(tensor.I64).Add(1), 0).Sub(begin)
	end := count.CumSum(0)
	total := tensor.ToScalar[int64](end.Get(m.ElemCount() - 1))
	if total == 0 {
		return none()
	}
	each := m.Device().Arange(tensor.I64, float64(total))
	left := end.SearchSorted(each, true)
	right := each.Sub(end.Sub(count).IndexSelect(left, 0)).Add(begin.IndexSelect(left, 0))
	values := m.values.IndexSelect(left, 0).Mul(b.values.IndexSelect(right, 0))
	return fromPositions(m.at.rowIDs.IndexSelect(left, 0), b.at.colIDs.IndexSelect(right, 0), values, rows, cols)
}
