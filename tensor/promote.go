package tensor

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Operations do not convert their operands. Errors say which conversion keeps the values.

// byRange lists the element types so that the first one that holds the values of two is the smallest.
var byRange = []DType{U8, I16, U32, I32, I64, F8E4M3, BF16, F16, F32, F64}

// common is the smallest element type that holds all values of both; F64 also for what no type holds.
func common(a, b DType) DType {
	for _, dt := range byRange {
		if holds(dt, a) && holds(dt, b) {
			return dt
		}
	}
	return F64
}

// holds reports whether every value of small is one of wide.
func holds(wide, small DType) bool {
	switch {
	case wide == small:
		return true
	case wide.IsInt():
		return small.IsInt() && backend.IntRanges[wide][0] <= backend.IntRanges[small][0] &&
			backend.IntRanges[small][1] <= backend.IntRanges[wide][1]
	case small.IsInt():
		low, high := float64(backend.IntRanges[small][0]), float64(backend.IntRanges[small][1])
		return kernels.Round(wide, low) == low && kernels.Round(wide, high) == high && small != I64
	}
	return wide == F64 || wide == F32 && small != F64 || wide != F8E4M3 && small == F8E4M3
}

// floatFor is the smaller of F32 and F64 that holds the values of dt.
func floatFor(dt DType) DType { return common(dt, F32) }

// converted is the code that converts the variable of a name.
func converted(name string, dt DType) string {
	return fmt.Sprintf("%s.ToDType(tensor.%s)", name, upper(dt))
}

// dtypesDiffer is the error for x and y, which the program calls by these names. It proposes the conversion that
// keeps the values of both.
func dtypesDiffer(op string, x, y *Tensor, nameX, nameY string) *Error {
	e := fault(op, ErrDType, []*Tensor{x, y}, "dtypes differ: %v and %v", x.dtype, y.dtype)
	switch dt := common(x.dtype, y.dtype); dt {
	case x.dtype:
		return e.note("convert one of them first, as in %s", converted(nameY, dt))
	case y.dtype:
		return e.note("convert one of them first, as in %s", converted(nameX, dt))
	default:
		return e.note("%v holds the values of both: convert them first, as in %s and %s", dt, converted(nameX, dt),
			converted(nameY, dt))
	}
}

// dtypesDifferInto is the error for src, whose elements are to be written to t.
func (t *Tensor) dtypesDifferInto(op string, src *Tensor) *Error {
	e := fault(op, ErrDType, []*Tensor{t, src}, "dtypes differ: %v and %v", t.dtype, src.dtype)
	if dt := common(t.dtype, src.dtype); dt != t.dtype {
		return e.note("%v does not hold all values of %v: a tensor of %v does, such as %s", t.dtype, src.dtype, dt,
			converted("t", dt))
	}
	return e.note("convert the other one first, as in %s", converted("src", t.dtype))
}

// upper is how a dtype is spelled in Go names: F32.
func upper(dt DType) string { return strings.ToUpper(dt.String()) }
