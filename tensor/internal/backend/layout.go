package backend

import (
	"cmp"
	"fmt"
	"slices"
)

// Layout maps the indices of a tensor's elements to its storage: element (i, j, …) is at offset + i·stride₀ +
// j·stride₁ + … Offset and strides count elements, not bytes. A stride of 0 repeats an element. A Layout knows
// neither data nor device; a view is the same storage with another Layout. Layouts share slices, so their elements
// are never changed.
type Layout struct {
	Shape   []int
	Strides []int
	Offset  int
}

// blank returns a layout of so many dims, all 0. Shape and strides are one allocation, because views are made all the
// time.
func blank(rank int) Layout {
	both := make([]int, 2*rank)
	return Layout{Shape: both[:rank:rank], Strides: both[rank:]}
}

// Dense returns the row-major layout of shape at offset 0.
func Dense(shape []int) Layout {
	l := blank(len(shape))
	copy(l.Shape, shape)
	for i, step := len(shape)-1, 1; i >= 0; i-- {
		l.Strides[i] = step
		step *= shape[i]
	}
	return l
}

func Product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Rank returns the number of dims.
func (l Layout) Rank() int { return len(l.Shape) }

// ElemCount returns the number of elements: the product of the shape, 1 for rank 0.
func (l Layout) ElemCount() int { return Product(l.Shape) }

// IsContiguous reports whether the elements lie in row-major order without gaps, at any offset.
// The strides of dims of size 1 do not matter; a layout without elements is contiguous.
func (l Layout) IsContiguous() bool {
	step := 1
	for i := len(l.Shape) - 1; i >= 0; i-- {
		switch l.Shape[i] {
		case 0:
			return true
		case 1:
			continue
		}
		if l.Strides[i] != step {
			step = -1 // go on: there may be a dim of size 0
			continue
		}
		step *= l.Shape[i]
	}
	return step >= 0
}

// IsDense is IsContiguous for layouts whose strides are exactly those of Dense, even for dims of size 1.
func (l Layout) IsDense() bool {
	step := 1
	for i := len(l.Shape) - 1; i >= 0; i-- {
		if l.Strides[i] != step {
			return false
		}
		step *= l.Shape[i]
	}
	return true
}

// String returns shape, strides and offset.
func (l Layout) String() string {
	return fmt.Sprintf("shape %v, strides %v, offset %d", l.Shape, l.Strides, l.Offset)
}

// The views below take dims that have been checked.

func (l Layout) Permute(dims []int) Layout {
	v := blank(len(dims))
	v.Offset = l.Offset
	for i, d := range dims {
		v.Shape[i], v.Strides[i] = l.Shape[d], l.Strides[d]
	}
	return v
}

// Clone returns l with a shape and strides of its own, which may be changed.
func (l Layout) Clone() Layout {
	v := blank(len(l.Shape))
	copy(v.Shape, l.Shape)
	copy(v.Strides, l.Strides)
	v.Offset = l.Offset
	return v
}

func (l Layout) Transpose(a, b int) Layout {
	v := l.Clone()
	v.Shape[a], v.Shape[b] = v.Shape[b], v.Shape[a]
	v.Strides[a], v.Strides[b] = v.Strides[b], v.Strides[a]
	return v
}

func (l Layout) Narrow(dim, start, n int) Layout {
	v := Layout{slices.Clone(l.Shape), l.Strides, l.Offset + start*l.Strides[dim]}
	v.Shape[dim] = n
	return v
}

func (l Layout) DropDim(dim int) Layout {
	return Layout{slices.Delete(slices.Clone(l.Shape), dim, dim+1), slices.Delete(slices.Clone(l.Strides), dim, dim+1),
		l.Offset}
}

// Subsample keeps every step-th element of a dim.
func (l Layout) Subsample(dim, step int) Layout {
	if step == 1 {
		return l
	}
	v := l.Clone()
	v.Shape[dim] = (l.Shape[dim] + step - 1) / step
	v.Strides[dim] *= step
	return v
}

// Unfold replaces the elements of a dim by the windows that begin there. Their elements are a new last dim.
func (l Layout) Unfold(dim, size, step int) Layout {
	v := Layout{append(slices.Clone(l.Shape), size), append(slices.Clone(l.Strides), l.Strides[dim]), l.Offset}
	v.Shape[dim] = (l.Shape[dim]-size)/step + 1
	v.Strides[dim] *= step
	return v
}

// MayOverlap reports whether two indices may share an element of memory. It is true for some layouts in which none
// do; of the views that methods make, only for broadcast ones and for windows that overlap.
func (l Layout) MayOverlap() bool {
	order := make([]int, 0, len(l.Shape))
	for d, n := range l.Shape {
		if n == 0 {
			return false
		}
		if n > 1 {
			order = append(order, d)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(l.Strides[a], l.Strides[b]) })
	end := 0 // end of the elements along the dims so far
	for _, d := range order {
		if l.Strides[d] <= end {
			return true
		}
		end += (l.Shape[d] - 1) * l.Strides[d]
	}
	return false
}

// InsertDim adds a dim of size 1.
func (l Layout) InsertDim(dim int) Layout {
	step := 1
	if dim < len(l.Shape) {
		step = l.Shape[dim] * l.Strides[dim]
	}
	return Layout{slices.Insert(slices.Clone(l.Shape), dim, 1), slices.Insert(slices.Clone(l.Strides), dim, step),
		l.Offset}
}

// Broadcast repeats dims of size 1 and adds dims on the left to get shape. It reports false when the shapes do not
// fit.
func (l Layout) Broadcast(shape []int) (Layout, bool) {
	lead := len(shape) - len(l.Shape)
	if lead < 0 {
		return l, false
	}
	v := blank(len(shape))
	copy(v.Shape, shape)
	v.Offset = l.Offset
	for i, d := range l.Shape {
		switch {
		case d == shape[lead+i]:
			v.Strides[lead+i] = l.Strides[i]
		case d != 1:
			return l, false
		}
	}
	return v, true
}

// Reshape gives the same elements in the same order another shape of the same count. It reports false when no strides
// express that, so that the elements have to be copied first.
func (l Layout) Reshape(shape []int) (Layout, bool) {
	if l.ElemCount() == 0 || l.IsContiguous() {
		v := Dense(shape)
		v.Offset = l.Offset
		return v, true
	}
	// Each run of old dims that coalesces must hold a whole run of new dims.
	old := Coalesce(l.Shape, l.Strides)
	v := Layout{slices.Clone(shape), make([]int, len(shape)), l.Offset}
	j := len(shape) - 1
	for i := len(old.Dims) - 1; i >= 0; i-- {
		step, left := old.Strides[0][i], old.Dims[i]
		for j >= 0 && (left > 1 || shape[j] == 1) {
			if left%shape[j] != 0 {
				return l, false
			}
			v.Strides[j] = step
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

func StridesWithout(l Layout, d int) []int { return slices.Delete(slices.Clone(l.Strides), d, d+1) }

// InStrideOrder is the layout of the same elements in their order in memory.
func (l Layout) InStrideOrder() Layout {
	out := Layout{Offset: l.Offset}
	dims := make([]int, l.Rank())
	for i := range dims {
		dims[i] = i
	}
	slices.SortStableFunc(dims, func(a, b int) int { return l.Strides[b] - l.Strides[a] })
	for _, d := range dims {
		out.Shape, out.Strides = append(out.Shape, l.Shape[d]), append(out.Strides, l.Strides[d])
	}
	return out
}

// Spread is the layout of about `count` elements at equal distances. The steps are odd, so that they do not follow the
// powers of two that sizes often are.
func (l Layout) Spread(count int) Layout {
	l = l.Clone()
	for total := l.ElemCount(); total > count; {
		longest := 0
		for d, n := range l.Shape {
			if n > l.Shape[longest] {
				longest = d
			}
		}
		step := max(2, min((total+count-1)/count, (l.Shape[longest]+7)/8))
		if step%2 == 0 {
			step++
		}
		total /= l.Shape[longest]
		l.Shape[longest] = (l.Shape[longest] + step - 1) / step
		l.Strides[longest] *= step
		total *= l.Shape[longest]
	}
	return l
}

// LastTwo is the layout of the first matrix of a batch.
func (l Layout) LastTwo() Layout {
	r := len(l.Shape)
	return Layout{Shape: l.Shape[r-2:], Strides: l.Strides[r-2:], Offset: l.Offset}
}
