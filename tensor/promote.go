package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
)

// Promote returns the element type of a result whose operands have the types a and b: PyTorch's promotion. Bool gives
// way to integers, integers to floats, floats to complex numbers, a smaller type to a larger one of its kind; F16 with
// BF16 gives F32, F64 with C64 gives C128, and an unsigned with a signed integer the smallest signed type that holds
// the values of both.
//
// The error is for U64 with a signed type, which no integer type holds, and for F8E4M3 with any other number type:
// convert one of the operands first.
//
// Binary operations, comparisons, WhereCond, Cat and Stack convert their operands to this type. There, a Go number or
// a tensor of rank 0 changes the type only by its kind: an F16 plus 1.5 is an F16, an I32 plus 1.5 a DefaultDType, and
// a Bool plus 1 an I64. The tensor of rank 0 is converted as by ToDType, so that an integer out of range wraps, but not
// where the result has no integers (comparisons, Atan2, Hypot); a Go number out of range is an error.
//
// U32, the type of the indices that ArgMax, ArgSort and others return, does not wrap below zero: Sub of U32 and Neg are
// I64, and so is a U32 beside a negative Go number or a signed tensor of rank 0.
func Promote(a, b DType) (DType, error) {
	if dt, ok := dtypes.Promote(a, b); ok {
		return dt, nil
	}
	e := &Error{Op: "promote", Kind: ErrDType, DTypes: []DType{a, b}}
	e.Message = fmt.Sprintf("no dtype holds the results of %v and %v", a, b)
	return 0, e.note("convert first: %v holds the values of both", dtypes.Common(a, b))
}

// resultType is Promote for operands, of which those of rank 0 count by their kind alone.
func resultType(op string, x, y *Tensor, nameX, nameY string) (DType, error) {
	dt, err := promotedType(op, x, y, nameX, nameY)
	return dtypes.BelowZero(op, dt), err
}

func promotedType(op string, x, y *Tensor, nameX, nameY string) (DType, error) {
	if x.dtype == y.dtype {
		return x.dtype, nil
	}
	a, b := x, y
	if a.Rank() == 0 {
		a, b = b, a
	}
	if b.Rank() == 0 && a.Rank() > 0 && b.dtype.Kind() <= a.dtype.Kind() && !(b.dtype.IsInt() && a.dtype.IsInt() &&
		(a.dtype == U32 && dtypes.IsSigned(b.dtype) || backend.GivesNoIntegers(op, a.dtype))) {
		return a.dtype, nil
	}
	if b.Rank() == 0 && a.Rank() > 0 && b.dtype.IsComplex() && a.dtype.IsFloat() {
		return dtypes.ComplexOf(a.dtype), nil
	}
	if dt, ok := dtypes.Promote(x.dtype, y.dtype); ok {
		return dt, nil
	}
	return 0, dtypesDiffer(op, x, y, nameX, nameY)
}

// promoteAll converts tensors to the type of their result.
func promoteAll(op string, ts []*Tensor, name func(i int) string) ([]*Tensor, error) {
	dt := ts[0].dtype
	for i, t := range ts {
		common, ok := dtypes.Promote(dt, t.dtype)
		if !ok {
			return nil, dtypesDiffer(op, ts[0], t, name(0), name(i))
		}
		dt = common
	}
	out := make([]*Tensor, len(ts))
	for i, t := range ts {
		var err error
		if out[i], err = t.toDType(op, dt); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// converted is the code that converts the variable of a name.
func converted(name string, dt DType) string {
	return fmt.Sprintf("%s.ToDType(tensor.%s)", name, dtypes.GoName(dt))
}

// dtypesDiffer is the error for x and y, which the program calls by these names. It proposes the conversion that
// keeps the values of both.
func dtypesDiffer(op string, x, y *Tensor, nameX, nameY string) *Error {
	e := fault(op, ErrDType, []*Tensor{x, y}, "dtypes differ: %v and %v", x.dtype, y.dtype)
	switch dt := dtypes.Common(x.dtype, y.dtype); dt {
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
	if dt := dtypes.Common(t.dtype, src.dtype); dt != t.dtype {
		return e.note("%v does not hold all values of %v: a tensor of %v does, such as %s", t.dtype, src.dtype, dt,
			converted("t", dt))
	}
	return e.note("convert the other one first, as in %s", converted("src", t.dtype))
}
