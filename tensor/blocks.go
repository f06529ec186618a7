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
	m := backend.Coalesce(l.Shape, l.Strides)
	last := len(m.Dims) - 1
	b := Blocks{Len: 1}
	if m.Strides[0][last] == 1 || m.Dims[last] == 1 {
		b.Len = m.Dims[last]
	}
	if l.ElemCount() == 0 {
		return Blocks{}
	}
	m.EachRun(0, m.ElemCount(), func(r backend.Run) {
		for i := 0; i < r.Len; i += b.Len {
			b.Starts = append(b.Starts, l.Offset+r.Offsets[0]+i*m.Strides[0][last])
		}
	})
	return b
}

// StridedBlocks returns the dense runs of storage that hold the elements, in row-major order: see
// Layout.StridedBlocks.
func (t *Tensor) StridedBlocks() Blocks { return blocksOf(t.layout) }

// StridedIndex returns the index in the storage of every element, in row-major order.
func (t *Tensor) StridedIndex() []int { return indexOf(t.layout) }

// StridedIndex returns the index in the storage of every element, in row-major order.
func (l Layout) StridedIndex() []int { return indexOf(l.l) }

func indexOf(l backend.Layout) []int {
	b := blocksOf(l)
	index := make([]int, 0, l.ElemCount())
	for _, start := range b.Starts {
		for i := range b.Len {
			index = append(index, start+i)
		}
	}
	return index
}

// IsFortranContiguous reports whether the elements are in column-major order without gaps, at any offset.
func (l Layout) IsFortranContiguous() bool { return columnMajor(l.l) }

func columnMajor(l backend.Layout) bool {
	dims := make([]int, len(l.Shape))
	for i := range dims {
		dims[i] = len(dims) - 1 - i
	}
	return l.Permute(dims).IsContiguous()
}

// IsFortranContiguous reports whether the elements are in column-major order without gaps.
func (t *Tensor) IsFortranContiguous() bool { return columnMajor(t.layout) }

// NormalizeAxis returns the number of a dim that may count from the end. It panics with ErrShape when there is no such
// dim.
func (t *Tensor) NormalizeAxis(dim int) int {
	d, err := t.axis("normalize axis", dim)
	check(err)
	return d
}
