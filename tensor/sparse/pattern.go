package sparse

import (
	"sync"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/scope"
	"github.com/gorocm/gorocm/tensor/sparse/internal/csr"
)

// pattern is where the elements of a matrix are, row by row and in each row by column, without repetition. Matrices
// with other values share it.
type pattern struct {
	rows, cols int
	offsets    *tensor.Tensor // I64 [rows+1]: the elements of row i are those from offsets[i] to below offsets[i+1]
	rowIDs     *tensor.Tensor // U32, of each element
	colIDs     *tensor.Tensor

	shortOnce sync.Once
	short     *tensor.Tensor // offsets as I32

	transposeOnce sync.Once
	transposed    *pattern
	order         *tensor.Tensor // U32: which element is at each position of the transposed matrix
}

// keptPattern is a pattern in checkpoints of sessions, without what follows from it.
type keptPattern struct {
	Rows, Cols              int
	Offsets, RowIDs, ColIDs *tensor.Tensor
}

var _ = keep.As(func(p *pattern) (keptPattern, error) {
	return keptPattern{p.rows, p.cols, p.offsets, p.rowIDs, p.colIDs}, nil
}, func(p *pattern, kept keptPattern) error {
	p.rows, p.cols, p.offsets, p.rowIDs, p.colIDs = kept.Rows, kept.Cols, kept.Offsets, kept.RowIDs, kept.ColIDs
	return nil
})

// newPattern takes positions in order.
func newPattern(rows, cols int, rowIDs, colIDs *tensor.Tensor) *pattern {
	rowIDs, colIDs = rowIDs.ToDType(tensor.U32).Contiguous(), colIDs.ToDType(tensor.U32).Contiguous()
	return &pattern{rows: rows, cols: cols, offsets: csr.Offsets(rowIDs, rows), rowIDs: rowIDs, colIDs: colIDs}
}

// positions are those of the elements.
func (p *pattern) positions() csr.Positions {
	return csr.Positions{Rows: p.rows, Cols: p.cols, RowIDs: p.rowIDs, ColIDs: p.colIDs}
}

// count is the number of elements.
func (p *pattern) count() int { return p.rowIDs.ElemCount() }

// shortOffsets are the offsets as libraries take them. They are converted once.
func (p *pattern) shortOffsets() *tensor.Tensor {
	p.shortOnce.Do(func() {
		scope.Outside(func() { p.short = p.offsets.ToDType(tensor.I32) }) // they last as long as p
	})
	return p.short
}

// transpose returns the pattern of the transposed matrix, and the element at each of its positions. They are found
// once.
func (p *pattern) transpose() (*pattern, *tensor.Tensor) {
	p.transposeOnce.Do(func() {
		scope.Outside(func() { // they last as long as p
			order := csr.Order(p.colIDs, p.cols) // rows stay in order
			p.transposed = newPattern(p.cols, p.rows, p.colIDs.IndexSelect(order, 0), p.rowIDs.IndexSelect(order, 0))
			p.order = order
		})
	})
	return p.transposed, p.order
}

// keys are the indices of the elements in a dense matrix, I64.
func (p *pattern) keys() *tensor.Tensor {
	return p.positions().Keys()
}
