package special

import (
	"reflect"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// call is a call of a function: its operands, F64 on one device, and the type of its result.
type call struct {
	x     []*tensor.Tensor
	dtype tensor.DType
}

// operands takes tensors and Go numbers. Without a tensor the result is on DefaultDevice.
func operands(op string, values ...any) call {
	c := call{make([]*tensor.Tensor, len(values)), tensor.DefaultDType()}
	dev, seen := tensor.DefaultDevice(), false
	for i, v := range values {
		t, ok := v.(*tensor.Tensor)
		if !ok {
			continue
		}
		extend.SameDevice(op, t)
		if t.DType().IsComplex() {
			extend.DType(op, []*tensor.Tensor{t}, "operand %d is complex", i+1)
		}
		dt := t.DType()
		if !dt.IsFloat() {
			dt = tensor.DefaultDType()
		}
		if seen {
			dt = dtypes.Common(c.dtype, dt)
		}
		c.x[i], c.dtype, dev, seen = t, dt, t.Device(), true
	}
	for i, v := range values {
		if c.x[i] == nil {
			c.x[i] = dev.Full(tensor.F64, number(op, i, v))
		}
		c.x[i] = c.x[i].ToDType(tensor.F64)
	}
	extend.SameDevice(op, c.x...)
	return c
}

func number(op string, i int, v any) float64 {
	switch x := reflect.ValueOf(v); {
	case x.IsValid() && x.CanInt():
		return float64(x.Int())
	case x.IsValid() && x.CanUint():
		return float64(x.Uint())
	case x.IsValid() && x.CanFloat():
		return x.Float()
	}
	extend.DType(op, nil, "operand %d is a %T: want a Go number or a tensor", i+1, v)
	return 0
}

// by1, by2 and by3 round what functions of F64 return.

func by1(op string, f func(x *tensor.Tensor) *tensor.Tensor, x any) *tensor.Tensor {
	c := operands(op, x)
	return f(c.x[0]).ToDType(c.dtype)
}

func by2(op string, f func(x, y *tensor.Tensor) *tensor.Tensor, x, y any) *tensor.Tensor {
	c := operands(op, x, y)
	return f(c.x[0], c.x[1]).ToDType(c.dtype)
}

func by3(op string, f func(x, y, z *tensor.Tensor) *tensor.Tensor, x, y, z any) *tensor.Tensor {
	c := operands(op, x, y, z)
	return f(c.x[0], c.x[1], c.x[2]).ToDType(c.dtype)
}
