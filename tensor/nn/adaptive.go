package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/resample"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// AdaptiveAvgPool returns the means of windows that divide each spatial dim of x [batch channels …] into the given
// number of parts, as equal as possible: part i of n elements in o is from ⌊i·n/o⌋ to ⌈(i+1)·n/o⌉. Sizes of 1 take the
// mean of all elements, a global pool. Types are those of AvgPool. It panics with ErrShape for sizes below 1, and for a
// dim without elements.
//
//	nn.AdaptiveAvgPool(x, 1, 1).FlattenFrom(1) // one number for each channel of images
func AdaptiveAvgPool(x *tensor.Tensor, sizes ...int) *tensor.Tensor {
	const op = "adaptive avg pool"
	if o, equal := parts(op, x, sizes); equal {
		return AvgPool(x, o, PoolOptions{})
	}
	y, dt := extend.Precise(x)
	for i, o := range sizes {
		y = resample.Sum(y, 2+i, resample.Area(x.Dim(2+i), o))
	}
	return y.ToDType(dt)
}

// AdaptiveMaxPool returns the maxima of the windows of AdaptiveAvgPool. NaN propagates.
func AdaptiveMaxPool(x *tensor.Tensor, sizes ...int) *tensor.Tensor {
	if o, equal := parts("adaptive max pool", x, sizes); equal {
		return MaxPool(x, o, PoolOptions{})
	}
	values, _ := AdaptiveMaxPoolIndices(x, sizes...)
	return values
}

// AdaptiveMaxPoolIndices returns the maxima of AdaptiveMaxPool and their positions, as MaxPoolIndices has them.
func AdaptiveMaxPoolIndices(x *tensor.Tensor, sizes ...int) (values, indices *tensor.Tensor) {
	parts("adaptive max pool", x, sizes)
	return maxima(x, func(x *tensor.Tensor, i int, indices bool) *tensor.Tensor {
		w := resample.Select(x, 2+i, resample.Area(x.Dim(2+i), sizes[i]))
		order := append(windows.Dims(0, 3+i), windows.Dims(4+i, w.Rank())...)
		return w.Permute(append(order, 3+i)...)
	})
}

// parts returns the windows that divide the spatial dims of x into parts of equal sizes, if there are any.
func parts(op string, x *tensor.Tensor, sizes []int) (windows []int, equal bool) {
	resizable(op, x, sizes)
	equal = true
	for i, o := range sizes {
		n := x.Dim(2 + i)
		windows = append(windows, n/o)
		equal = equal && n%o == 0
	}
	return windows, equal
}

// resizable panics with ErrShape unless x is [batch channels …] with elements in as many dims as there are sizes, which
// are above 0.
func resizable(op string, x *tensor.Tensor, sizes []int) {
	if len(sizes) == 0 || x.Rank() != len(sizes)+2 {
		extend.Shape(op, []*tensor.Tensor{x}, "sizes %v are of %d dims: want [batch channels …] of rank %d, not shape %v",
			sizes, len(sizes), len(sizes)+2, x.Dims())
	}
	for i, o := range sizes {
		if o < 1 || x.Dim(2+i) < 1 {
			extend.Shape(op, []*tensor.Tensor{x}, "from sizes %v to %v: want at least one element", x.Dims()[2:], sizes)
		}
		extend.Room(op, tensor.F64, o, 8) // the taps of each element
	}
}
