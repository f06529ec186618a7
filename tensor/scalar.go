package tensor

import (
	"math"
	"reflect"

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
			converted("x", dtypeFor(v, t.dtype)))
	}
	return s, err
}

// dtypeFor is a type that holds a number and the values of the integer type dt: I64 for a whole number, so that
// products do not wrap soon.
func dtypeFor(v any, dt DType) DType {
	s, err := govalue.Scalar(v, I64)
	switch wide := floatFor(dt); {
	case err == nil:
		return I64
	case math.Abs(s.Float) > math.MaxFloat32:
		return F64
	default:
		return wide
	}
}

// typeBeside is the element type of results of elements of dt and a Go number, which counts by its kind alone.
func typeBeside(v any, dt DType) DType {
	switch rv := reflect.ValueOf(v); {
	case rv.CanComplex() && !dt.IsComplex():
		if dt.IsFloat() {
			return complexOf(dt)
		}
		return complexOf(DefaultDType())
	case rv.CanFloat() && !dt.IsFloat() && !dt.IsComplex():
		return DefaultDType()
	case dt == Bool && rv.Kind() != reflect.Bool:
		return I64
	}
	return dt
}
