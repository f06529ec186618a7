package nn

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/resample"
)

// Interpolation says how Interpolate computes an element from those around its place.
type Interpolation uint8

// The kinds of Interpolate, with their names in PyTorch.
const (
	ByNearest      Interpolation = iota // nearest: the element where the new one begins
	ByNearestExact                      // nearest-exact: the element in whose area the centre of the new one is
	ByLinear                            // linear, bilinear, trilinear: of two neighbours in each dim
	ByCubic                             // bicubic: of four neighbours in each dim, and beyond their values
	ByArea                              // area: the mean of AdaptiveAvgPool
)

// String returns the name of the kind.
func (k Interpolation) String() string {
	if k > ByArea {
		return fmt.Sprintf("Interpolation(%d)", uint8(k))
	}
	return [...]string{"nearest", "nearest-exact", "linear", "cubic", "area"}[k]
}

// InterpolateOptions are those of ByLinear and ByCubic. The zero value takes elements as areas.
type InterpolateOptions struct {
	AlignCorners bool // elements are points, and the first and last of a dim keep their values
	Antialias    bool // when a dim becomes smaller, the filter becomes wider, so that all elements count
}

// Interpolate resizes the spatial dims of x [batch channels …], as many as there are sizes: of signals, images or
// volumes. Positions and weights are those of PyTorch's interpolate with a size. ByLinear and ByCubic compute F16, BF16
// and F8E4M3 in F32 and round once; integers are converted to F64, with results of DefaultDType, as for ByArea. It
// panics with ErrShape for sizes below 1 and for options that the kind does not have.
//
//	nn.Interpolate(x, []int{h, w}, nn.ByCubic, nn.InterpolateOptions{Antialias: true})
func Interpolate(x *tensor.Tensor, sizes []int, kind Interpolation, o InterpolateOptions) *tensor.Tensor {
	const op = "interpolate"
	resizable(op, x, sizes)
	switch {
	case kind > ByArea:
		extend.Shape(op, []*tensor.Tensor{x}, "there is no kind %v", kind)
	case o.AlignCorners && o.Antialias:
		extend.Shape(op, []*tensor.Tensor{x}, "AlignCorners and Antialias: want one of them")
	case (o.AlignCorners || o.Antialias) && kind != ByLinear && kind != ByCubic:
		extend.Shape(op, []*tensor.Tensor{x}, "AlignCorners and Antialias are of nn.ByLinear and nn.ByCubic, not of %v", kind)
	}
	switch kind {
	case ByArea:
		return AdaptiveAvgPool(x, sizes...)
	case ByNearest, ByNearestExact:
		rest := len(sizes)
		if kind == ByNearest {
			x, rest = byMethod(x, sizes, (*tensor.Tensor).UpsampleNearest2d)
		}
		for i, size := range sizes[:rest] {
			t := resample.Nearest(x.Dim(2+i), size, kind == ByNearestExact)
			x = resample.Select(x, 2+i, t).Squeeze(3 + i)
		}
		return x
	}
	y, dt := extend.Precise(x)
	rest := len(sizes)
	if kind == ByLinear && !o.Antialias {
		y, rest = byMethod(y, sizes, func(x *tensor.Tensor, h, w int) *tensor.Tensor {
			return x.UpsampleBilinear2d(h, w, o.AlignCorners)
		})
	}
	for i, size := range slices.Backward(sizes[:rest]) { // the last dim while there are fewer rows
		if n := x.Dim(2 + i); n != size {
			y = resample.Sum(y, 2+i, o.taps(n, size, kind))
		}
	}
	return y.ToDType(dt)
}

// byMethod resizes the last two dims of images and volumes by a method that has a kernel. It returns how many dims the
// method left.
func byMethod(
	x *tensor.Tensor, sizes []int, method func(x *tensor.Tensor, h, w int) *tensor.Tensor,
) (y *tensor.Tensor, rest int) {
	n := len(sizes)
	if n == 1 {
		return method(x.Unsqueeze(2), 1, sizes[0]).Squeeze(2), 0
	}
	return method(x, sizes[n-2], sizes[n-1]), n - 2
}

// taps returns those of a dim of n elements that becomes size. Antialiased cubic filters have Pillow's slope.
func (o InterpolateOptions) taps(n, size int, kind Interpolation) resample.Taps {
	switch {
	case o.Antialias && kind == ByLinear:
		return resample.Antialias(n, size, 1, resample.Triangle)
	case o.Antialias:
		return resample.Antialias(n, size, 2, resample.Cubic(-0.5))
	case kind == ByLinear:
		return resample.Kernel(n, size, o.AlignCorners, 1, resample.Triangle)
	}
	return resample.Kernel(n, size, o.AlignCorners, 2, resample.Cubic(-0.75))
}
