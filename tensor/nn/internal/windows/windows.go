// Package windows says how windows move over the spatial dims of tensors [batch channels …], and convolves by them.
// Convolutions, pools and columns of package nn share it.
package windows

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Axis says how windows move along one spatial dim.
type Axis struct {
	Size          int // elements of a window
	Stride        int // from one window to the next
	Before, After int // padding
	Dilation      int // from one element of a window to the next
}

// Extent is the number of elements from the first of a window to the last.
func (a Axis) Extent() int { return a.Dilation*(a.Size-1) + 1 }

// Count is how many windows n elements and the padding have.
func (a Axis) Count(n int) int { return (n+a.Before+a.After-a.Extent())/a.Stride + 1 }

// Below is how many elements of window w are at positions less than end.
func (a Axis) Below(end, w int) int {
	room := end - (w*a.Stride - a.Before)
	return min(max((room+a.Dilation-1)/a.Dilation, 0), a.Size)
}

// Spread returns a number for each of n dims: one stands for all of them, and none for the default. It panics with
// ErrShape for another count, and for numbers below least.
func Spread(op, what string, x *tensor.Tensor, values []int, n, least, otherwise int) []int {
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

// Axes returns how windows of the given sizes move along the spatial dims of x [batch channels …]. Of padding there may
// be two numbers for each dim, before and after its elements.
func Axes(op string, x *tensor.Tensor, sizes, stride, padding, dilation []int) []Axis {
	n := len(sizes)
	if n == 0 || x.Rank() != n+2 {
		extend.Shape(op, []*tensor.Tensor{x}, "windows %v have %d dims: want [batch channels …] of rank %d, not shape %v",
			sizes, n, n+2, x.Dims())
	}
	all := make([]Axis, n)
	size := Spread(op, "window", x, sizes, n, 1, 1)
	step, apart := Spread(op, "stride", x, stride, n, 1, 1), Spread(op, "dilation", x, dilation, n, 1, 1)
	sides := padding
	if len(padding) != 2*n {
		sides = nil
		for _, p := range Spread(op, "padding", x, padding, n, 0, 0) {
			sides = append(sides, p, p)
		}
	}
	sides = Spread(op, "padding", x, sides, 2*n, 0, 0)
	for i := range all {
		all[i] = Axis{size[i], step[i], sides[2*i], sides[2*i+1], apart[i]}
	}
	return all
}

// Fits panics with ErrShape when x with its padding is smaller than a window.
func Fits(op string, x *tensor.Tensor, all []Axis) {
	for i, a := range all {
		if n := x.Dim(2+i) + a.Before + a.After; n < a.Extent() {
			extend.Shape(op, []*tensor.Tensor{x}, "a window of %d elements does not fit dim %d, which has %d with its padding",
				a.Extent(), 2+i, n)
		}
	}
}

// Pad puts the padding around x.
func Pad(x *tensor.Tensor, all []Axis, mode any) *tensor.Tensor {
	for i, a := range all {
		if a.Before+a.After > 0 {
			x = x.Pad(2+i, a.Before, a.After, mode)
		}
	}
	return x
}

// Bare returns the axes of what Pad returns.
func Bare(all []Axis) []Axis {
	bare := make([]Axis, len(all))
	for i, a := range all {
		a.Before, a.After = 0, 0
		bare[i] = a
	}
	return bare
}

// Of returns a view of the windows along a dim of x, without padding: the dim becomes the number of windows, and
// a new last dim has their elements.
func Of(x *tensor.Tensor, dim int, a Axis) *tensor.Tensor {
	w := x.Unfold(dim, a.Extent(), a.Stride)
	if a.Dilation > 1 {
		w = w.Unfold(-1, 1, a.Dilation).Squeeze(-1)
	}
	return w
}

// Crop removes the padding from y, whose dims then have the given sizes. Elements after the last one are 0.
func Crop(y *tensor.Tensor, all []Axis, sizes []int) *tensor.Tensor {
	for i, a := range all {
		if n := y.Dim(2 + i); n < a.Before+sizes[i] {
			y = y.Pad(2+i, 0, a.Before+sizes[i]-n, 0)
		}
		y = y.Narrow(2+i, a.Before, sizes[i])
	}
	return y
}

// Dims returns the numbers from a to b-1.
func Dims(a, b int) []int {
	var numbers []int
	for i := a; i < b; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}
