package csr

import "github.com/gorocm/gorocm/tensor"

// Positions are those of the elements of a matrix with so many rows and columns: U32, in any order.
type Positions struct {
	Rows, Cols     int
	RowIDs, ColIDs *tensor.Tensor
}

// Sorted returns the positions row by row, and in each row by column, without repetition. order says which element
// comes at each position, and is nil if they were in order; slot says to which of the positions each element then
// belongs, I64, and is nil if none is repeated.
func (p Positions) Sorted() (sorted Positions, order, slot *tensor.Tensor) {
	if p.RowIDs.ElemCount() < 2 {
		return p, nil, nil
	}
	if !isGPU(p.RowIDs.Device()) && countable(p.Rows, p.RowIDs) && countable(p.Cols, p.ColIDs) {
		return p.sortedOnHost()
	}
	steps, least := p.distances()
	if least < 0 {
		order = Order(p.ColIDs, p.Cols)
		order = order.IndexSelect(Order(p.RowIDs.IndexSelect(order, 0), p.Rows), 0)
		p.RowIDs, p.ColIDs = p.RowIDs.IndexSelect(order, 0), p.ColIDs.IndexSelect(order, 0)
		steps, least = p.distances()
	}
	if least == 0 {
		isNew := tensor.Cat([]*tensor.Tensor{steps.Device().Ones(tensor.I64, 1), steps}, 0).Ne(0)
		slot = isNew.ToDType(tensor.I64).CumSum(0).Sub(1)
		p.RowIDs, p.ColIDs = p.RowIDs.MaskedSelect(isNew), p.ColIDs.MaskedSelect(isNew)
	}
	return p, order, slot
}

// Keys are the indices of the elements in a dense matrix, I64.
func (p Positions) Keys() *tensor.Tensor {
	return p.RowIDs.ToDType(tensor.I64).Mul(p.Cols).Add(p.ColIDs.ToDType(tensor.I64))
}

// distances returns how far each element of a dense matrix is behind the one before, and the least distance.
func (p Positions) distances() (steps *tensor.Tensor, least int64) {
	steps = p.Keys().Diff(1, 0)
	return steps, tensor.ToScalar[int64](steps.Min())
}

// Order returns which of some ids, U32 below size, comes at each position when they are sorted; equal ones stay in
// order.
func Order(ids *tensor.Tensor, size int) *tensor.Tensor {
	if isGPU(ids.Device()) || !countable(size, ids) {
		return ids.ArgSortLastDim(true)
	}
	out := ids.Device().Empty(tensor.U32, ids.Dims()...)
	countingSort(data[uint32](ids), nil, size, out.Data().([]uint32))
	return out
}
