package govalue

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Scalar converts a Go number or bool to a scalar of dt. An integer type takes only whole numbers within its range,
// and Bool only 0 and 1; a real type takes no imaginary part.
func Scalar(v any, dt kernels.DType) (backend.Scalar, error) {
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
			if dt != kernels.U64 && !dt.IsFloat() && !dt.IsComplex() {
				return s, NotOf(v, dt)
			}
			return s, nil
		}
	case rv.CanFloat():
		s.Float = rv.Float()
		whole = s.Float == math.Trunc(s.Float) && math.Abs(s.Float) < 1<<63
		switch {
		case whole:
			s.Int = int64(s.Float)
		case dt == kernels.U64 && s.Float >= 1<<63 && s.Float < 1<<64:
			return backend.Scalar{Int: int64(uint64(s.Float))}, nil
		}
	case rv.CanComplex():
		c := rv.Complex()
		if dt.IsComplex() {
			return backend.Scalar{Float: real(c), Imag: imag(c)}, nil
		}
		if imag(c) != 0 {
			err := NotOf(v, dt)
			err.Note = "tensors of c64 and c128 hold complex numbers, as x.ToDType(tensor.C64)"
			return s, err
		}
		return Scalar(real(c), dt)
	default:
		return s, &Error{Message: fmt.Sprintf("want a tensor or a number, not a %T", v), DTypes: []kernels.DType{dt}}
	}
	if !dt.IsFloat() && !dt.IsComplex() {
		low, high := backend.IntRange(dt)
		if !whole || s.Int < low || s.Int > 0 && uint64(s.Int) > high {
			return s, NotOf(v, dt)
		}
	}
	return s, nil
}
