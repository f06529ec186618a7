package ndimage

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// MedianFilter returns the medians of boxes around each element, as scipy.ndimage.median_filter: of an even number of
// elements the upper one of the two in the middle. Sizes has one for all dims, or one for each. A box with a NaN gives
// NaN. The result has the type of x. It panics as Correlate.
//
//	ndimage.MedianFilter(x, []int{3}, ndimage.Border{})
func MedianFilter(x *tensor.Tensor, sizes []int, b Border) *tensor.Tensor {
	const op = "median filter"
	b.check(op, x)
	offsets := grid(op, sizesOf(op, x, sizes), false)
	return ranked(x, window{offsets, b}, len(offsets)/2)
}

// PercentileFilter returns the element of boxes around each element below which a percentage of 0 to 100 of the others
// is, as scipy.ndimage.percentile_filter. It panics as MedianFilter, and with ErrValue for another percentage.
func PercentileFilter(x *tensor.Tensor, percentage float64, sizes []int, b Border) *tensor.Tensor {
	const op = "percentile filter"
	b.check(op, x)
	offsets := grid(op, sizesOf(op, x, sizes), false)
	if !(percentage >= 0 && percentage <= 100) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "want a percentage of 0 to 100, not %g", percentage)
	}
	return ranked(x, window{offsets, b}, min(int(float64(len(offsets))*percentage/100), len(offsets)-1))
}

// RankFilter returns the element of a rank among those around each element where a footprint, of the rank of x, is not
// 0, as scipy.ndimage.rank_filter: 0 is the minimum, -1 the maximum. It panics as MedianFilter, and with
// ErrValue for a rank that there is not.
func RankFilter(x *tensor.Tensor, rank int, mask *tensor.Tensor, b Border) *tensor.Tensor {
	const op = "rank filter"
	b.check(op, x)
	offsets := footprint(op, x, mask, false)
	if rank < -len(offsets) || rank >= len(offsets) {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "there is no rank %d among %d elements", rank,
			len(offsets))
	}
	return ranked(x, window{offsets, b}, (rank+len(offsets))%len(offsets))
}

// ranked returns the element of a rank of a window.
func ranked(x *tensor.Tensor, w window, rank int) *tensor.Tensor {
	if x.ElemCount() == 0 {
		return x.Copy()
	}
	if len(w.offsets) == 1 {
		return extend.Own(w.around(x)[0], x)
	}
	y := extend.Wide(x)
	if direct(y) {
		return rankedOnHost(y, w, rank).ToDType(x.DType())
	}
	views := w.around(y)
	sorted, _ := tensor.Stack(views, -1).SortLastDim(true)
	out := sorted.GetOnDim(-1, rank)
	if y.DType().IsFloat() { // NaN comes last
		out = sorted.GetOnDim(-1, len(views)-1).IsNaN().WhereCond(math.NaN(), out)
	}
	return out.ToDType(x.DType())
}

// MaximumFilter returns the maxima of boxes around each element, as scipy.ndimage.maximum_filter. NaN propagates. It
// panics as MedianFilter.
func MaximumFilter(x *tensor.Tensor, sizes []int, b Border) *tensor.Tensor {
	b.check("maximum filter", x)
	return boxes(x, sizesOf("maximum filter", x, sizes), false, b, maximum)
}

// MinimumFilter returns the minima of boxes around each element, as scipy.ndimage.minimum_filter. NaN propagates. It
// panics as MedianFilter.
func MinimumFilter(x *tensor.Tensor, sizes []int, b Border) *tensor.Tensor {
	b.check("minimum filter", x)
	return boxes(x, sizesOf("minimum filter", x, sizes), false, b, minimum)
}

func maximum(x, y *tensor.Tensor) *tensor.Tensor { return x.Maximum(y) }
func minimum(x, y *tensor.Tensor) *tensor.Tensor { return x.Minimum(y) }

// boxes returns the maxima or minima of boxes, dim by dim. Those of 2, 4, 8 … elements follow from one another, and
// the last two overlap.
func boxes(x *tensor.Tensor, sizes []int, flipped bool, b Border, of func(x, y *tensor.Tensor) *tensor.Tensor,
) *tensor.Tensor {
	y := x
	if x.ElemCount() == 0 {
		return x.Copy()
	}
	for d, size := range sizes {
		if size == 1 {
			continue
		}
		before, after := make([]int, x.Rank()), make([]int, x.Rank())
		before[d], after[d] = size/2, size-1-size/2
		if flipped {
			before[d], after[d] = after[d], before[d]
		}
		n := y.Dim(d)
		y = b.extended(y, before, after)
		have := 1
		for have < size {
			step := min(have, size-have)
			left := y.Dim(d) - step
			y = of(y.Narrow(d, 0, left), y.Narrow(d, step, left))
			have += step
		}
		y = y.Narrow(d, 0, n)
	}
	return extend.Own(y, x)
}
