package nn

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// shapes panics with a shape error about tensors, as the methods of package tensor do.
func shapes(op string, ts []*tensor.Tensor, format string, args ...any) {
	e := &tensor.Error{Op: op, Kind: tensor.ErrShape, Message: fmt.Sprintf(format, args...)}
	for _, t := range ts {
		e.Shapes, e.DTypes, e.Devices = append(e.Shapes, t.Dims()), append(e.DTypes, t.DType()), append(e.Devices, t.Device().Location())
	}
	panic(e)
}

// wide returns small floats as F32, for what is computed in several steps and rounded once.
func wide(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsSmallFloat() {
		return x.ToDType(tensor.F32)
	}
	return x
}
