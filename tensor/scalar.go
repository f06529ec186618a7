package tensor

import (
	"fmt"
	"math"
	"reflect"
)

// ranges holds the smallest and the largest value of every integer type.
var ranges = map[DType][2]int64{
	U8: {0, math.MaxUint8}, U32: {0, math.MaxUint32}, I16: {math.MinInt16, math.MaxInt16},
	I32: {math.MinInt32, math.MaxInt32}, I64: {math.MinInt64, math.MaxInt64},
}

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

// bits returns the representation of s as an element of dt, in the low bits.
func (s scalar) bits(dt DType) uint64 {
	switch dt {
	case F64:
		return math.Float64bits(s.f)
	case F32:
		return uint64(math.Float32bits(float32(s.f)))
	case F16:
		return uint64(halfOf(toOdd(s.f)))
	case BF16:
		return uint64(bfloatOf(toOdd(s.f)))
	case F8E4M3:
		return uint64(float8Of(toOdd(s.f)))
	}
	return uint64(s.i) & (1<<(8*dt.Size()-1)<<1 - 1)
}
