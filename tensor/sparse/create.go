package sparse

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/sparse/internal/csr"
)

// FromCOO returns the rows × cols matrix whose element at row rowIDs[k] and column colIDs[k] is values[k]. The three
// are vectors of the same length on one device, the indices integers; they may be in any order. Values at the same
// position are added in their order. It panics with ErrIndex when an index is out of range.
func FromCOO(rowIDs, colIDs, values *tensor.Tensor, rows, cols int) *Matrix {
	const op = "from coo"
	checkSize(op, rows, cols)
	all := []*tensor.Tensor{rowIDs, colIDs, values}
	extend.SameDevice(op, all...)
	for _, t := range all {
		if t.Rank() != 1 || t.Dim(0) != values.Dim(0) {
			extend.Shape(op, all, "want vectors of the same length, not %v, %v and %v", rowIDs.Dims(), colIDs.Dims(),
				values.Dims())
		}
	}
	checkType(op, values)
	return fromPositions(index(op, "row", rowIDs, rows), index(op, "column", colIDs, cols), values, rows, cols)
}

// checkSize: positions in a row are U32, and keys I64.
func checkSize(op string, rows, cols int) {
	const most = math.MaxUint32 - 1
	if min(rows, cols) < 0 || max(rows, cols) > most || rows > 0 && cols > math.MaxInt64/rows {
		extend.Shape(op, nil,
			"%d rows and %d columns: want sizes from 0 to below 2³², and less than 2⁶³ elements", rows, cols)
	}
}

// index returns indices as U32. It waits for their extremes.
func index(op, name string, ids *tensor.Tensor, size int) *tensor.Tensor {
	if !ids.DType().IsInt() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{ids}, "ids.ToDType(tensor.I64) are integers",
			"indices are integers, not %v", ids.DType())
	}
	if ids.ElemCount() == 0 {
		return ids.ToDType(tensor.U32)
	}
	for _, extreme := range []*tensor.Tensor{ids.Min(), ids.Max()} {
		if i := tensor.ToScalar[int64](extreme.ToDType(tensor.I64)); i < 0 || i >= int64(size) {
			extend.Fail(op, tensor.ErrIndex, []*tensor.Tensor{ids}, "", "%s %d of %d", name, i, size)
		}
	}
	return ids.ToDType(tensor.U32)
}

// fromPositions returns a matrix from the positions of its elements, U32. Values at the same position are added.
func fromPositions(rowIDs, colIDs, values *tensor.Tensor, rows, cols int) *Matrix {
	p, order, slot := csr.Positions{Rows: rows, Cols: cols, RowIDs: rowIDs, ColIDs: colIDs}.Sorted()
	if order != nil {
		values = values.IndexSelect(order, 0)
	}
	if slot != nil {
		values = sumAt(p.RowIDs.ElemCount(), slot, values)
	}
	return &Matrix{newPattern(rows, cols, p.RowIDs, p.ColIDs), values}
}

// FromCSR returns the matrix with so many columns whose row i has the elements values[k] in the columns colIDs[k],
// for k from offsets[i] to below offsets[i+1]: compressed rows, as those of scipy.sparse.csr_matrix. offsets are
// integers in ascending order from 0 to the number of elements, one more than there are rows. Columns of a row may be
// in any order; values at the same position are added. It panics with ErrIndex for other offsets, and when a column
// is out of range.
func FromCSR(offsets, colIDs, values *tensor.Tensor, cols int) *Matrix {
	const op = "from csr"
	all := []*tensor.Tensor{offsets, colIDs, values}
	extend.SameDevice(op, all...)
	if offsets.Rank() != 1 || offsets.Dim(0) == 0 || colIDs.Rank() != 1 || values.Rank() != 1 ||
		colIDs.Dim(0) != values.Dim(0) {
		extend.Shape(op, all, "want vectors of offsets, and of as many columns as values, not %v, %v and %v",
			offsets.Dims(), colIDs.Dims(), values.Dims())
	}
	rows, n := offsets.Dim(0)-1, values.Dim(0)
	checkSize(op, rows, cols)
	checkType(op, values)
	o, ids := offsets.ToDType(tensor.I64), index(op, "column", colIDs, cols)
	first, last := tensor.ToScalar[int64](o.Get(0)), tensor.ToScalar[int64](o.Get(rows))
	if first != 0 || last != int64(n) || rows > 0 && tensor.ToScalar[int64](o.Diff(1, 0).Min()) < 0 {
		extend.Fail(op, tensor.ErrIndex, all, "", "offsets from %d to %d: want them in ascending order from 0 to %d",
			first, last, n)
	}
	if n == 0 {
		return fromPositions(ids, ids, values, rows, cols)
	}
	return fromPositions(csr.RowIDs(o, n), ids, values, rows, cols)
}

// FromDense returns the elements of a matrix that are not 0.
func FromDense(x *tensor.Tensor) *Matrix {
	const op = "from dense"
	if x.Rank() != 2 {
		extend.Shape(op, []*tensor.Tensor{x}, "want a matrix, not shape %v", x.Dims())
	}
	checkType(op, x)
	rows, cols := x.Dim(0), x.Dim(1)
	checkSize(op, rows, cols)
	ids := x.Detach().Ne(0).Nonzero()
	p := newPattern(rows, cols, ids.Narrow(1, 0, 1).FlattenAll(), ids.Narrow(1, 1, 1).FlattenAll())
	return &Matrix{p, x.FlattenAll().IndexSelect(p.keys(), 0)}
}

// Eye returns the n×n matrix with ones on the diagonal.
func Eye(n int, dtype tensor.DType, dev *tensor.Device) *Matrix {
	return Diagonal(dev.Ones(dtype, n))
}

// Diagonal returns the square matrix with the elements of a vector on the diagonal.
func Diagonal(values *tensor.Tensor) *Matrix {
	const op = "diagonal"
	if values.Rank() != 1 {
		extend.Shape(op, []*tensor.Tensor{values}, "want a vector, not shape %v", values.Dims())
	}
	checkType(op, values)
	n := values.Dim(0)
	checkSize(op, n, n)
	ids := values.Device().Arange(tensor.U32, float64(n))
	return &Matrix{newPattern(n, n, ids, ids), values}
}
