package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// axis says how windows move along one spatial dim: convolutions, pools and columns share it.
type axis struct {
	size          int // elements of a window
	stride        int // from one window to the next
	before, after int // padding
	dilation      int // from one element of a window to the next
}

// extent is the number of elements from the first of a window to the last.
func (a axis) extent() int { return a.dilation*(a.size-1) + 1 }

// windows is how many of them n elements and the padding have.
func (a axis) windows(n int) int { return (n+a.before+a.after-a.extent())/a.stride + 1 }

// spread returns a number for each of n dims: one stands for all of them, and none for the default. It panics with
// ErrShape for another count, and for numbers below least.
func spread(op, what string, x *tensor.Tensor, values []int, n, least, otherwise int) []int {
	if len(values) > 1 && len(values) != n {
		extend.Shape(op, []*tensor.Tensor{x}, "%s %v: want one number, or one for each of %d dims", what, values, n)
	}
	all := make([]int, n)
	for i := range all {
		switch len(values) {
		case 0:
			all[i] = otherwise
		case 1:
			all[i] = values[0]
		default:
			all[i] = values[i]
		}
		if all[i] < least {
			extend.Shape(op, []*tensor.Tensor{x}, "%s %v: want at least %d", what, values, least)
		}
	}
	return all
}

// axes returns how windows of the given sizes move along the spatial dims of x [batch channels …]. Of padding there may
// be two numbers for each dim, before and after its elements.
func axes(op string, x *tensor.Tensor, sizes, stride, padding, dilation []int) []axis {
	n := len(sizes)
	if n == 0 || x.Rank() != n+2 {
		extend.Shape(op, []*tensor.Tensor{x}, "windows %v have %d dims: want [batch channels …] of rank %d, not shape %v",
			sizes, n, n+2, x.Dims())
	}
	all := make([]axis, n)
	size := spread(op, "window", x, sizes, n, 1, 1)
	step, apart := spread(op, "stride", x, stride, n, 1, 1), spread(op, "dilation", x, dilation, n, 1, 1)
	sides := padding
	if len(padding) != 2*n {
		sides = nil
		for _, p := range spread(op, "padding", x, padding, n, 0, 0) {
			sides = append(sides, p, p)
		}
	}
	sides = spread(op, "padding", x, sides, 2*n, 0, 0)
	for i := range all {
		all[i] = axis{size[i], step[i], sides[2*i], sides[2*i+1], apart[i]}
	}
	return all
}

// fits panics with ErrShape when x with its padding is smaller than a window.
func fits(op string, x *tensor.Tensor, all []axis) {
	for i, a := range all {
		if n := x.Dim(2+i) + a.before + a.after; n < a.extent() {
			extend.Shape(op, []*tensor.Tensor{x}, "a window of %d elements does not fit dim %d, which has %d with its padding",
				a.extent(), 2+i, n)
		}
	}
}

// padded puts the padding around x.
func padded(x *tensor.Tensor, all []axis, mode any) *tensor.Tensor {
	for i, a := range all {
		if a.before+a.after > 0 {
			x = x.Pad(2+i, a.before, a.after, mode)
		}
	}
	return x
}

// unpadded returns the axes of what padded returns.
func unpadded(all []axis) []axis {
	bare := make([]axis, len(all))
	for i, a := range all {
		a.before, a.after = 0, 0
		bare[i] = a
	}
	return bare
}

// windowsOf returns a view of the windows along a dim of x, without padding: the dim becomes the number of windows, and
// a new last dim has their elements.
func windowsOf(x *tensor.Tensor, dim int, a axis) *tensor.Tensor {
	w := x.Unfold(dim, a.extent(), a.stride)
	if a.dilation > 1 {
		w = w.Unfold(-1, 1, a.dilation).Squeeze(-1)
	}
	return w
}

// cropped removes the padding from y, whose dims then have the given sizes. Elements after the last one are 0.
func cropped(y *tensor.Tensor, all []axis, sizes []int) *tensor.Tensor {
	for i, a := range all {
		if n := y.Dim(2 + i); n < a.before+sizes[i] {
			y = y.Pad(2+i, 0, a.before+sizes[i]-n, 0)
		}
		y = y.Narrow(2+i, a.before, sizes[i])
	}
	return y
}

// join returns one shape of several parts.
func join(parts ...[]int) []int {
	var shape []int
	for _, p := range parts {
		shape = append(shape, p...)
	}
	return shape
}

// dims returns the numbers from a to b-1.
func dims(a, b int) []int {
	var numbers []int
	for i := a; i < b; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}
