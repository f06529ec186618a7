package tensor

import (
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

// number converts a Go number or bool to a scalar of dt.
func number(op string, v any, dt DType) (backend.Scalar, error) {
	s, err := govalue.Scalar(v, dt)
	if err != nil {
		return s, faultBelow(op, err)
	}
	return s, nil
}

// operandNumber is number for an operand of a method of t.
func (t *Tensor) operandNumber(op string, v any) (backend.Scalar, error) {
	s, err := number(op, v, t.dtype)
	if e, ok := err.(*Error); ok && govalue.IsNumber(v) {
		e.note("a whole number takes the dtype of the integers beside it; convert them first, as in %s",
			converted("x", govalue.ForNumber(v, t.dtype)))
	}
	return s, err
}
