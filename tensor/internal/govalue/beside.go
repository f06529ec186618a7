package govalue

import (
	"math"
	"reflect"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
)

// ForNumber is a type that holds a Go number and the values of the integer type dt: I64 for a whole number, so that
// products do not wrap soon.
func ForNumber(v any, dt kernels.DType) kernels.DType {
	s, err := Scalar(v, kernels.I64)
	switch {
	case err == nil:
		return kernels.I64
	case math.Abs(s.Float) > math.MaxFloat32:
		return kernels.F64
	default:
		return dtypes.Common(dt, kernels.F32)
	}
}

// Outside reports whether a Go integer is below (-1) or above (1) all values of the integer type dt; otherwise it is 0.
func Outside(v any, dt kernels.DType) int {
	rv := reflect.ValueOf(v)
	if !dt.IsInt() || !rv.CanInt() && !rv.CanUint() {
		return 0
	}
	switch _, err := Scalar(v, dt); {
	case err == nil:
		return 0
	case rv.CanInt() && rv.Int() < 0:
		return -1
	}
	return 1
}

// Beside is the element type of results of elements of dt and a Go number, which counts by its kind alone. fractions is
// that of fractions beside integers. Beside U32, which indices have, a negative number gives I64.
func Beside(v any, dt, fractions kernels.DType) kernels.DType {
	switch rv := reflect.ValueOf(v); {
	case rv.CanComplex() && !dt.IsComplex():
		if dt.IsFloat() {
			return dtypes.ComplexOf(dt)
		}
		return dtypes.ComplexOf(fractions)
	case rv.CanFloat() && !dt.IsFloat() && !dt.IsComplex():
		return fractions
	case dt == kernels.Bool && rv.Kind() != reflect.Bool, dt == kernels.U32 && rv.CanInt() && rv.Int() < 0:
		return kernels.I64
	}
	return dt
}
