package extend

import "github.com/gorocm/gorocm/tensor"

// Wide returns small floats as F32, for what is computed in several steps and rounded once.
func Wide(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsSmallFloat() {
		return x.ToDType(tensor.F32)
	}
	return x
}

// Precise returns x in the type in which operations of several steps compute, and the type of their results: F16, BF16
// and F8E4M3 are computed in F32, integers in F64 with results of DefaultDType.
func Precise(x *tensor.Tensor) (*tensor.Tensor, tensor.DType) {
	switch dt := x.DType(); {
	case !dt.IsFloat() && !dt.IsComplex():
		return x.ToDType(tensor.F64), tensor.DefaultDType()
	case dt.IsSmallFloat():
		return x.ToDType(tensor.F32), dt
	default:
		return x, dt
	}
}
