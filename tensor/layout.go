package tensor

import (
	"cmp"
	"fmt"
	"slices"
)

// Layout says where the elements of a tensor are in its storage: element (i, j, …) lies at offset + i·stride₀ + j·stride₁ + …
// Offset and strides count elements, not bytes. A stride of 0 repeats an element. A Layout never changes and knows
// neither data nor device; a view is the same storage with another Layout.
type Layout struct {
	shape   []int
	strides []int
	offset  int
}

// blank returns a layout of so many dims, whose shape and strides, 0 so far, are one allocation: views are made all the time.
func blank(rank int) Layout {
	both := make([]int, 2*rank)
	return Layout{shape: both[:rank:rank], strides: both[rank:]}
}

// denseLayout returns the row-major layout of shape at offset 0.
func denseLayout(shape []int) Layout {
	l := blank(len(shape))
	copy(l.shape, shape)
	for i, step := len(shape)-1, 1; i >= 0; i-- {
		l.strides[i] = step
		step *= shape[i]
	}
	return l
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Shape returns the size of every dim.
func (l Layout) Shape() []int { return slices.Clone(l.shape) }

// Strides returns, for every dim, how many elements of the storage lie between neighbours.
func (l Layout) Strides() []int { return slices.Clone(l.strides) }

// Offset returns the place of the first element in the storage, in elements.
func (l Layout) Offset() int { return l.offset }

// Rank returns the number of dims.
func (l Layout) Rank() int { return len(l.shape) }

// ElemCount returns the number of elements: the product of the shape, 1 for rank 0.
func (l Layout) ElemCount() int { return product(l.shape) }

// IsContiguous reports whether the elements lie in row-major order without gaps, at any offset.
// The strides of dims of size 1 do not matter; a layout without elements is contiguous.
func (l Layout) IsContiguous() bool {
	step := 1
	for i := len(l.shape) - 1; i >= 0; i-- {
		switch l.shape[i] {
		case 0:
			return true
		case 1:
			continue
		}
		if l.strides[i] != step {
			step = -1 // keep looking for a dim of size 0
			continue
		}
		step *= l.shape[i]
	}
	return step >= 0
}

// isDense is IsContiguous for strides that are those of denseLayout, those of dims of size 1 too.
func (l Layout) isDense() bool {
	step := 1
	for i := len(l.shape) - 1; i >= 0; i-- {
		if l.strides[i] != step {
			return false
		}
		step *= l.shape[i]
	}
	return true
}

// String returns shape, strides and offset.
func (l Layout) String() string {
	return fmt.Sprintf("shape %v, strides %v, offset %d", l.shape, l.strides, l.offset)
}

// The views below take dims that were checked before.

func (l Layout) permute(dims []int) Layout {
	v := blank(len(dims))
	v.offset = l.offset
	for i, d := range dims {
		v.shape[i], v.strides[i] = l.shape[d], l.strides[d]
	}
	return v
}

// copied is l with a shape and strides of its own, to be changed.
func (l Layout) copied() Layout {
	v := blank(len(l.shape))
	copy(v.shape, l.shape)
	copy(v.strides, l.strides)
	v.offset = l.offset
	return v
}

func (l Layout) transpose(a, b int) Layout {
	v := l.copied()
	v.shape[a], v.shape[b] = v.shape[b], v.shape[a]
	v.strides[a], v.strides[b] = v.strides[b], v.strides[a]
	return v
}

func (l Layout) narrow(dim, start, n int) Layout {
	v := Layout{slices.Clone(l.shape), l.strides, l.offset + start*l.strides[dim]}
	v.shape[dim] = n
	return v
}

func (l Layout) drop(dim int) Layout {
	return Layout{slices.Delete(slices.Clone(l.shape), dim, dim+1), slices.Delete(slices.Clone(l.strides), dim, dim+1), l.offset}
}

// every keeps every step-th element of a dim.
func (l Layout) every(dim, step int) Layout {
	if step == 1 {
		return l
	}
	v := l.copied()
	v.shape[dim] = (l.shape[dim] + step - 1) / step
	v.strides[dim] *= step
	return v
}

// unfold replaces the elements of a dim by the stretches that begin there, whose elements get a new last dim.
func (l Layout) unfold(dim, size, step int) Layout {
	v := Layout{append(slices.Clone(l.shape), size), append(slices.Clone(l.strides), l.strides[dim]), l.offset}
	v.shape[dim] = (l.shape[dim]-size)/step + 1
	v.strides[dim] *= step
	return v
}

// repeats reports whether two elements may be at one place. It says yes to some layouts in which none are, of no view that
// methods make other than stretched ones and those with stretches that overlap.
func (l Layout) repeats() bool {
	order := make([]int, 0, len(l.shape))
	for d, n := range l.shape {
		if n == 0 {
			return false
		}
		if n > 1 {
			order = append(order, d)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.strides[a], l.strides[b]) })
	end := 0 // of the elements along the dims so far
	for _, d := range order {
		if l.strides[d] <= end {
			return true
		}
		end += (l.shape[d] - 1) * l.strides[d]
	}
	return false
}

// insert adds a dim of size 1.
func (l Layout) insert(dim int) Layout {
	step := 1
	if dim < len(l.shape) {
		step = l.shape[dim] * l.strides[dim]
	}
	return Layout{slices.Insert(slices.Clone(l.shape), dim, 1), slices.Insert(slices.Clone(l.strides), dim, step), l.offset}
}

// broadcast stretches dims of size 1, and adds dims on the left, to get shape. It reports false when that cannot be.
func (l Layout) broadcast(shape []int) (Layout, bool) {
	lead := len(shape) - len(l.shape)
	if lead < 0 {
		return l, false
	}
	v := blank(len(shape))
	copy(v.shape, shape)
	v.offset = l.offset
	for i, d := range l.shape {
		switch {
		case d == shape[lead+i]:
			v.strides[lead+i] = l.strides[i]
		case d != 1:
			return l, false
		}
	}
	return v, true
}

// reshape gives the same elements in the same order another shape of the same count. It reports false when no strides can
// say that, so that the elements have to be copied first.
func (l Layout) reshape(shape []int) (Layout, bool) {
	if l.ElemCount() == 0 || l.IsContiguous() {
		v := denseLayout(shape)
		v.offset = l.offset
		return v, true
	}
	// Each run of old dims that merges into one must hold a whole run of new dims.
	old := merge(l.shape, l.strides)
	v := Layout{slices.Clone(shape), make([]int, len(shape)), l.offset}
	j := len(shape) - 1
	for i := len(old.dims) - 1; i >= 0; i-- {
		step, left := old.strides[0][i], old.dims[i]
		for j >= 0 && (left > 1 || shape[j] == 1) {
			if left%shape[j] != 0 {
				return l, false
			}
			v.strides[j] = step
			step *= shape[j]
			left /= shape[j]
			j--
		}
		if left != 1 {
			return l, false
		}
	}
	return v, j < 0
}
