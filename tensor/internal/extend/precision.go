package extend

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

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

// Loss is the name of all losses for Cast.
const Loss = scope.Loss

// Cast returns t, which may be nil, in the type in which an operation computes inside of nn.Autocast.
func Cast(op string, t *tensor.Tensor) *tensor.Tensor {
	if t == nil {
		return nil
	}
	if dt, other := scope.Cast(op, t.DType()); other {
		return t.ToDType(dt)
	}
	return t
}

// LossType is the type of a loss of operands of a type: F32 inside of nn.Autocast.
func LossType(dt tensor.DType) tensor.DType {
	dt, _ = scope.Cast(Loss, dt)
	return dt
}
