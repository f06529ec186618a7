package backend

// Blocks returns the longest dense runs whose elements, one run after another, are those of the layout in row-major
// order: the length of each, and the indices in the storage at which they begin. There is one for a contiguous layout,
// and one for each element at worst.
func (l Layout) Blocks() (length int, starts []int) {
	if l.ElemCount() == 0 {
		return 0, nil
	}
	m := Coalesce(l.Shape, l.Strides)
	last := len(m.Dims) - 1
	length = 1
	if m.Strides[0][last] == 1 || m.Dims[last] == 1 {
		length = m.Dims[last]
	}
	m.EachRun(0, m.ElemCount(), func(r Run) {
		for i := 0; i < r.Len; i += length {
			starts = append(starts, l.Offset+r.Offsets[0]+i*m.Strides[0][last])
		}
	})
	return length, starts
}

// Index returns the index in the storage of every element, in row-major order.
func (l Layout) Index() []int {
	length, starts := l.Blocks()
	index := make([]int, 0, l.ElemCount())
	for _, start := range starts {
		for i := range length {
			index = append(index, start+i)
		}
	}
	return index
}

// IsFortranContiguous reports whether the elements are in column-major order without gaps, at any offset.
func (l Layout) IsFortranContiguous() bool {
	dims := make([]int, len(l.Shape))
	for i := range dims {
		dims[i] = len(dims) - 1 - i
	}
	return l.Permute(dims).IsContiguous()
}
