package tensor

import (
	"fmt"
	"math"
	"reflect"
)

// number turns a Go number into a scalar of dt. An integer type takes only whole numbers within its range: silently
// truncating 0.5 to 0 would make x.Mul(0.5) all zeros.
func number(op string, v any, dt DType) (scalar, error) {
	var s scalar
	whole := true
	switch rv := reflect.ValueOf(v); {
	case rv.CanInt():
		s = scalar{rv.Int(), float64(rv.Int())}
	case rv.CanUint():
		if rv.Uint() > math.MaxInt64 && dt.IsInt() {
			return s, scalarError(op, v, dt)
		}
		s = scalar{int64(rv.Uint()), float64(rv.Uint())}
	case rv.CanFloat():
		s.f = rv.Float()
		whole = s.f == math.Trunc(s.f) && math.Abs(s.f) < 1<<63
		if whole {
			s.i = int64(s.f)
		}
	default:
		return s, &Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("a %T is no tensor and no number", v), DTypes: []DType{dt}}
	}
	if dt.IsInt() && (!whole || s.i < ranges[dt][0] || s.i > ranges[dt][1]) {
		return s, scalarError(op, v, dt)
	}
	return s, nil
}

func scalarError(op string, v any, dt DType) *Error {
	return &Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("%v is not a value of %v", v, dt), DTypes: []DType{dt}}
}

// operandNumber is number for an operand of a method of t.
func (t *Tensor) operandNumber(op string, v any) (scalar, error) {
	s, err := number(op, v, t.dtype)
	if e, ok := err.(*Error); ok && isNumber(v) {
		e.note("a number takes the dtype of the tensor beside it; convert that first, as in %s", converted("x", dtypeFor(v, t.dtype)))
	}
	return s, err
}

// dtypeFor is a type that holds the values of the integers dt and a number: I64 for a whole number, so that products do not wrap soon.
func dtypeFor(v any, dt DType) DType {
	s, err := number("", v, I64)
	switch wide := floatFor(dt); {
	case err == nil:
		return I64
	case math.Abs(s.f) > math.MaxFloat32:
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
