package extend

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// Fail panics with an error about tensors, as the methods of package tensor do. The note says what to do, unless it is
// empty.
func Fail(op string, kind error, ts []*tensor.Tensor, note, format string, args ...any) {
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

// Shape is Fail for shapes that do not fit.
func Shape(op string, ts []*tensor.Tensor, format string, args ...any) {
	Fail(op, tensor.ErrShape, ts, "", format, args...)
}

// ShapeNoting is Shape with a note.
func ShapeNoting(op string, ts []*tensor.Tensor, note, format string, args ...any) {
	Fail(op, tensor.ErrShape, ts, note, format, args...)
}

// DType is Fail for a wrong dtype.
func DType(op string, ts []*tensor.Tensor, format string, args ...any) {
	Fail(op, tensor.ErrDType, ts, "", format, args...)
}

// SameDevice panics when a tensor is nil or was freed, and when tensors are on different devices.
func SameDevice(op string, ts ...*tensor.Tensor) {
	for i, t := range ts {
		if t == nil {
			Shape(op, nil, "operand %d is nil", i+1)
		}
	}
	access.SameDevice(op, anys(ts))
}
