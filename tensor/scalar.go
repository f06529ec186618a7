package tensor

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// number converts a Go number to a scalar of dt. An integer type takes only whole numbers within its range: silently
// truncating 0.5 to 0 would make x.Mul(0.5) all zeros.
func number(op string, v any, dt DType) (backend.Scalar, error) {
	var s backend.Scalar
	whole := true
	switch rv := reflect.ValueOf(v); {
	case rv.CanInt():
		s = backend.Scalar{Int: rv.Int(), Float: float64(rv.Int())}
	case rv.CanUint():
		if rv.Uint() > math.MaxInt64 && dt.IsInt() {
			return s, scalarError(op, v, dt)
		}
		s = backend.Scalar{Int: int64(rv.Uint()), Float: float64(rv.Uint())}
	case rv.CanFloat():
		s.Float = rv.Float()
		whole = s.Float == math.Trunc(s.Float) && math.Abs(s.Float) < 1<<63
		if whole {
			s.Int = int64(s.Float)
		}
	default:
		return s, &Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("want a tensor or a number, not a %T", v),
			DTypes: []DType{dt}}
	}
	if dt.IsInt() && (!whole || s.Int < backend.IntRanges[dt][0] || s.Int > backend.IntRanges[dt][1]) {
		return s, scalarError(op, v, dt)
	}
	return s, nil
}

func scalarError(op string, v any, dt DType) *Error {
	return &Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("%v is not a value of %v", v, dt), DTypes: []DType{dt}}
}

// operandNumber is number for an operand of a method of t.
func (t *Tensor) operandNumber(op string, v any) (backend.Scalar, error) {
	s, err := number(op, v, t.dtype)
	if e, ok := err.(*Error); ok && isNumber(v) {
		e.note("a number takes the dtype of the tensor beside it; convert that first, as in %s",
			converted("x", dtypeFor(v, t.dtype)))
	}
	return s, err
}

// dtypeFor is a type that holds a number and the values of the integer type dt: I64 for a whole number, so that
// products do not wrap soon.
func dtypeFor(v any, dt DType) DType {
	s, err := number("", v, I64)
	switch wide := floatFor(dt); {
	case err == nil:
		return I64
	case math.Abs(s.Float) > math.MaxFloat32:
		return F64
	default:
		return wide
	}
}

// isNumber reports whether v is a Go number.
func isNumber(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.CanInt() || rv.CanUint() || rv.CanFloat()
}
