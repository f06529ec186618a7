package nn

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// shapes panics with a shape error about tensors, as the methods of package tensor do.
func shapes(op string, ts []*tensor.Tensor, format string, args ...any) {
	fail(op, tensor.ErrShape, ts, "", format, args...)
}

// shapesNoting is shapes that says what to do about it, unless the note is empty.
func shapesNoting(op string, ts []*tensor.Tensor, note, format string, args ...any) {
	fail(op, tensor.ErrShape, ts, note, format, args...)
}

// dtypes is shapes for a wrong dtype.
func dtypes(op string, ts []*tensor.Tensor, format string, args ...any) {
	fail(op, tensor.ErrDType, ts, "", format, args...)
}

func fail(op string, kind error, ts []*tensor.Tensor, note, format string, args ...any) {
	e := &tensor.Error{Op: op, Kind: kind, Message: fmt.Sprintf(format, args...)}
	if note != "" {
		e.Notes = []string{note}
	}
	for _, t := range ts {
		e.Shapes, e.DTypes, e.Devices = append(e.Shapes, t.Dims()), append(e.DTypes, t.DType()),
			append(e.Devices, t.Device().Location())
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
