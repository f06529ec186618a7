package tensor

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// number converts a Go number or bool to a scalar of dt. An integer type takes only whole numbers within its range,
// and Bool only 0 and 1; a real type takes no imaginary part.
func number(op string, v any, dt DType) (backend.Scalar, error) {
	var s backend.Scalar
	whole := true
	switch rv := reflect.ValueOf(v); {
	case rv.Kind() == reflect.Bool:
		if rv.Bool() {
			s = backend.Scalar{Int: 1, Float: 1}
		}
	case rv.CanInt():
		s = backend.Scalar{Int: rv.Int(), Float: float64(rv.Int())}
	case rv.CanUint():
		s = backend.Scalar{Int: int64(rv.Uint()), Float: float64(rv.Uint())}
		if rv.Uint() > math.MaxInt64 {
			if dt != U64 && !dt.IsFloat() && !dt.IsComplex() {
				return s, scalarError(op, v, dt)
			}
			return s, nil
		}
	case rv.CanFloat():
		s.Float = rv.Float()
		whole = s.Float == math.Trunc(s.Float) && math.Abs(s.Float) < 1<<63
		switch {
		case whole:
			s.Int = int64(s.Float)
		case dt == U64 && s.Float >= 1<<63 && s.Float < 1<<64:
			return backend.Scalar{Int: int64(uint64(s.Float))}, nil
		}
	case rv.CanComplex():
		c := rv.Complex()
		if dt.IsComplex() {
			return backend.Scalar{Float: real(c), Imag: imag(c)}, nil
		}
		if imag(c) != 0 {
			return s, scalarError(op, v, dt).note("tensors of c64 and c128 hold complex numbers, as x.ToDType(tensor.C64)")
		}
		return number(op, real(c), dt)
	default:
		return s, &Error{Op: op, Kind: ErrDType, Message: fmt.Sprintf("want a tensor or a number, not a %T", v),
			DTypes: []DType{dt}}
	}
	if !dt.IsFloat() && !dt.IsComplex() {
		low, high := backend.IntRange(dt)
		if !whole || s.Int < low || s.Int > 0 && uint64(s.Int) > high {
			return s, scalarError(op, v, dt)
		}
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
		e.note("a whole number takes the dtype of the integers beside it; convert them first, as in %s",
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

// isNumber reports whether v is a Go number or bool.
func isNumber(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.CanInt() || rv.CanUint() || rv.CanFloat() || rv.CanComplex() || rv.Kind() == reflect.Bool
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
