package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

// windows returns those along spatial dim i of values or indices. The padding is no maximum; where all of a window is
// -Inf, its first element has the index of the first one of x.
func (p pooling) windows(x *tensor.Tensor, i int, indices bool) *tensor.Tensor {
	a := p.all[i]
	if a.before+a.after > 0 {
		mode := lowest(x.DType())
		if indices {
			mode = tensor.Replicate
		}
		x = x.Pad(2+i, a.before, a.after, mode)
	}
	return windowsOf(x, 2+i, a)
}

// maxima returns the maxima of windows, and the indices of the first of each among the spatial elements of x. windows
// returns those along one spatial dim, with their elements as the last dim. Dims are reduced from the last to the
// first, so equal elements are compared in row-major order.
func maxima(
	x *tensor.Tensor, windows func(x *tensor.Tensor, i int, indices bool) *tensor.Tensor,
) (values, indices *tensor.Tensor) {
	spatial := x.Dims()[2:]
	v := paddable(x).Detach()
	indices = tensor.Arange(0, float64(count(spatial)), tensor.I64, x.Device()).Reshape(spatial).BroadcastAs(x.Dims())
	for i := len(spatial) - 1; i >= 0; i-- {
		w := windows(v, i, false)
		first := w.ArgMaxKeepDim(-1)
		v = w.Gather(first, -1).Squeeze(-1)
		indices = windows(indices, i, true).Gather(first, -1).Squeeze(-1)
	}
	return x.FlattenFrom(2).Gather(indices.FlattenFrom(2), 2).Reshape(indices.Dims()), indices
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
