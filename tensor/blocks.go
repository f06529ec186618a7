package tensor

import "github.com/gorocm/gorocm/tensor/internal/backend"

// Blocks are the dense runs of storage that a layout covers: Len elements from each of Starts on, in row-major order.
type Blocks struct {
	Len    int   // elements in each block
	Starts []int // indices in the storage, in elements
}

// StridedBlocks returns the longest dense runs whose elements, one run after another, are those of the layout in
// row-major order. There is one for a contiguous layout, and one for each element at worst.
func (l Layout) StridedBlocks() Blocks { return blocksOf(l.l) }

func blocksOf(l backend.Layout) Blocks {
	length, starts := l.Blocks()
	return Blocks{length, starts}
}

// StridedBlocks returns the dense runs of storage that hold the elements, in row-major order: see
// Layout.StridedBlocks.
func (t *Tensor) StridedBlocks() Blocks { return blocksOf(t.layout) }

// StridedIndex returns the index in the storage of every element, in row-major order.
func (t *Tensor) StridedIndex() []int { return t.layout.Index() }

// StridedIndex returns the index in the storage of every element, in row-major order.
func (l Layout) StridedIndex() []int { return l.l.Index() }

// IsFortranContiguous reports whether the elements are in column-major order without gaps, at any offset.
func (l Layout) IsFortranContiguous() bool { return l.l.IsFortranContiguous() }

// IsFortranContiguous reports whether the elements are in column-major order without gaps.
func (t *Tensor) IsFortranContiguous() bool { return t.layout.IsFortranContiguous() }

// NormalizeAxis returns the number of a dim that may count from the end. It panics with ErrShape when there is no such
// dim.
func (t *Tensor) NormalizeAxis(dim int) int {
	d, err := t.axis("normalize axis", dim)
	check(err)
	return d
}
