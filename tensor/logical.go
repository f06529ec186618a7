package tensor

import (
	"math"
	"reflect"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

// Operations whose result is Bool, besides comparisons. Where an operand is not Bool, what is not 0 counts as true.

// truth returns t as Bool.
func (t *Tensor) truth(op string) (*Tensor, error) { return t.toDType(op, Bool) }

func (t *Tensor) logical(op, row string, y any) (*Tensor, error) {
	a, err := t.truth(op)
	if err != nil {
		return nil, err
	}
	switch o, ok := y.(*Tensor); {
	case ok && o != nil:
		if y, err = o.truth(op); err != nil {
			return nil, err
		}
	case govalue.IsNumber(y):
		y = !reflect.ValueOf(y).IsZero()
	}
	a, b, err := a.pair(op, y)
	if err != nil {
		return nil, err
	}
	return a.result(op, Bool, func() (backend.Storage, error) {
		return a.dev.backend.Binary(backend.BinaryOps[row], a.deferrable(), b.deferrable())
	})
}

func (t *Tensor) and(y any) (*Tensor, error) { return t.logical("and", "bitand", y) }

func (t *Tensor) or(y any) (*Tensor, error) { return t.logical("or", "bitor", y) }

func (t *Tensor) xor(y any) (*Tensor, error) { return t.logical("xor", "bitxor", y) }

func (t *Tensor) not() (*Tensor, error) { return t.compare("eq", 0) }

func (t *Tensor) isNaN() (*Tensor, error) { return t.compare("ne", t) }

func (t *Tensor) isInf() (*Tensor, error) { return t.compareAbs("is inf", "eq", "bitor") }

func (t *Tensor) isFinite() (*Tensor, error) { return t.compareAbs("is finite", "lt", "bitand") }

// compareAbs compares absolute values with infinity. For complex elements, join combines the results of both parts.
func (t *Tensor) compareAbs(op, compare, join string) (*Tensor, error) {
	switch {
	case t.dtype.IsComplex():
		return Try(func() *Tensor {
			re, im := must(t.Real().compareAbs(op, compare, join)), must(t.Imag().compareAbs(op, compare, join))
			return must(re.binary(join, im))
		})
	case !t.dtype.IsFloat():
		return full(op, compare == "lt", t.layout.Shape, Bool, t.dev)
	}
	return Try(func() *Tensor { return must(t.Abs().compare(compare, math.Inf(1))) })
}

// isClose computes in F64 where integers or small floats would lose the tolerance.
func (t *Tensor) isClose(y any, rtol, atol float64) (*Tensor, error) {
	const op = "is close"
	a, b, err := t.pair(op, y)
	if err != nil {
		return nil, err
	}
	return Try(func() *Tensor {
		if wide := dtypes.Common(a.dtype, F64); a.dtype != F32 {
			a, b = a.ToDType(wide), b.ToDType(wide)
		}
		near := a.Sub(b).Abs().Le(b.Abs().Mul(rtol).Add(atol))
		return near.And(b.IsFinite()).Or(a.Eq(b)) // an infinity is close to itself alone
	})
}

// AllClose reports whether all elements of t are close to those of y, as IsClose says. It waits for the device.
func (t *Tensor) AllClose(y any, rtol, atol float64) bool {
	return must(t.isClose(y, rtol, atol)).every()
}

// Equal reports whether t and y have the same shape and elements that are equal as Eq compares them, in the type that
// Promote gives; NaN equals nothing. It waits for the device.
func (t *Tensor) Equal(y *Tensor) bool {
	if y == nil || !slices.Equal(t.layout.Shape, y.layout.Shape) {
		return false
	}
	return t.Eq(y).every()
}

// every reports whether no element of a Bool is false.
func (t *Tensor) every() bool {
	return t.ElemCount() == 0 || t.Min().ToScalar() == 1
}
