package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// windows returns those along spatial dim i of values or indices. The padding is no maximum; where all of a window is
// -Inf, its first element has the index of the first one of x.
func (p pooling) windows(x *tensor.Tensor, i int, indices bool) *tensor.Tensor {
	a := p.all[i]
	if a.Before+a.After > 0 {
		mode := lowest(x.DType())
		if indices {
			mode = tensor.Replicate
		}
		x = x.Pad(2+i, a.Before, a.After, mode)
	}
	return windows.Of(x, 2+i, a)
}

// maxima returns the maxima of windows, and the indices of the first of each among the spatial elements of x. windows
// returns those along one spatial dim, with their elements as the last dim. Dims are reduced from the last to the
// first, so equal elements are compared in row-major order.
func maxima(
	x *tensor.Tensor, windows func(x *tensor.Tensor, i int, indices bool) *tensor.Tensor,
) (values, indices *tensor.Tensor) {
	spatial := x.Dims()[2:]
	v := paddable(x).Detach()
	indices = x.Device().Arange(tensor.I64, float64(count(spatial))).Reshape(spatial...).BroadcastAs(x.Dims()...)
	for i := len(spatial) - 1; i >= 0; i-- {
		v, indices = firstMaximum(windows(v, i, false), windows(indices, i, true))
	}
	return x.FlattenFrom(2).Gather(indices.FlattenFrom(2), 2).Reshape(indices.Dims()...), indices
}

// comparisons is the size of windows up to which comparing one element after the other takes less time than ArgMax.
const comparisons = 16

// firstMaximum returns the maxima of v along the last dim, and the elements of ids at the first of each. NaN is above
// all numbers.
func firstMaximum(v, ids *tensor.Tensor) (maximum, id *tensor.Tensor) {
	if v.Dim(-1) > comparisons {
		first := v.ArgMaxKeepDim(-1)
		return v.Gather(first, -1).Squeeze(-1), ids.Gather(first, -1).Squeeze(-1)
	}
	maximum, id = v.GetOnDim(-1, 0), ids.GetOnDim(-1, 0)
	for t := 1; t < v.Dim(-1); t++ {
		next := v.GetOnDim(-1, t)
		above := next.Gt(maximum).Or(next.Ne(next).And(maximum.Eq(maximum)))
		maximum, id = above.WhereCond(next, maximum), above.WhereCond(ids.GetOnDim(-1, t), id)
	}
	return maximum, id
}

// paddable returns x in a type that has an element below all others: F32 for F8E4M3.
func paddable(x *tensor.Tensor) *tensor.Tensor {
	if x.DType() == tensor.F8E4M3 {
		return x.ToDType(tensor.F32)
	}
	return x
}

// lowest is the number below all others of a type.
func lowest(dt tensor.DType) any {
	switch {
	case dt.IsFloat():
		return math.Inf(-1)
	case dt == tensor.I64:
		return int64(math.MinInt64)
	case dt == tensor.I32:
		return math.MinInt32
	case dt == tensor.I16:
		return math.MinInt16
	case dt == tensor.I8:
		return math.MinInt8
	}
	return 0
}
