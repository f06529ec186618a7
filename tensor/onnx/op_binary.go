package onnx

import (
	"github.com/gorocm/gorocm/tensor"
)

var binaryOps = []operator{
	{name: "Add", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
	{name: "And", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.And(y) })},
	{name: "BitShift", attrs: "direction", in: [2]int{2, 2}, broadcast: true, run: pairwise(bitShift)},
	{name: "BitwiseAnd", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.BitAnd(y) })},
	{name: "BitwiseOr", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.BitOr(y) })},
	{name: "BitwiseXor", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.BitXor(y) })},
	{name: "Div", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Div(y) })},
	{name: "Equal", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Eq(y) })},
	{name: "Greater", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Gt(y) })},
	{name: "GreaterOrEqual", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Ge(y) })},
	{name: "Less", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Lt(y) })},
	{name: "LessOrEqual", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Le(y) })},
	{name: "Max", in: [2]int{1, -1}, broadcast: true, run: variadic(func(x, y *tensor.Tensor) *tensor.Tensor { return x.Maximum(y) })},
	{name: "Mean", in: [2]int{1, -1}, broadcast: true, run: func(c *call) tensors {
		return one(sum(c)[0].Div(len(c.in)))
	}},
	{name: "Min", in: [2]int{1, -1}, broadcast: true, run: variadic(func(x, y *tensor.Tensor) *tensor.Tensor { return x.Minimum(y) })},
	{name: "Mod", attrs: "fmod", in: [2]int{2, 2}, broadcast: true, run: pairwise(mod)},
	{name: "Mul", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Mul(y) })},
	{name: "Or", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Or(y) })},
	{name: "PRelu", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, slope *tensor.Tensor) *tensor.Tensor {
		if c.version < 7 && slope.Rank() == 1 { // one for each channel
			slope = along(slope, x.Rank(), 1)
		}
		return c.shaped(x.Lt(0).WhereCond(x.Mul(slope), x), x)
	})},
	{name: "Pow", in: [2]int{2, 2}, broadcast: true, run: pairwise(power)},
	{name: "Sub", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Sub(y) })},
	{name: "Sum", in: [2]int{1, -1}, broadcast: true, run: sum},
	{name: "Where", in: [2]int{3, 3}, broadcast: true, run: func(c *call) tensors { return one(c.x(0).WhereCond(c.x(1), c.x(2))) }},
	{name: "Xor", in: [2]int{2, 2}, broadcast: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.Xor(y) })},
}

func sum(c *call) tensors {
	return variadic(func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })(c)
}

func bitShift(c *call, x, y *tensor.Tensor) *tensor.Tensor {
	switch direction := c.text("direction", ""); direction {
	case "LEFT":
		return x.ShiftLeft(y)
	case "RIGHT":
		return x.ShiftRight(y)
	default:
		c.fail("there is no direction %q", direction)
		return nil
	}
}

// mod has the sign of the divisor, or with fmod of the dividend.
func mod(c *call, x, y *tensor.Tensor) *tensor.Tensor {
	if c.int("fmod", 0) != 0 {
		return x.Fmod(y)
	}
	if x.DType().IsFloat() && c.version < 28 {
		c.fail("Mod of floats needs fmod 1")
	}
	return x.Mod(y)
}

// power has the type of the base. Integers are raised as F64, exactly up to 2⁵³.
func power(c *call, x, y *tensor.Tensor) *tensor.Tensor {
	dt := x.DType()
	switch {
	case dt.IsInt():
		return x.ToDType(tensor.F64).Pow(y.ToDType(tensor.F64)).ToDType(dt)
	case y.DType() != dt:
		y = y.ToDType(dt)
	}
	if y.ElemCount() == 1 && y.Device().IsCPU() { // squares and roots are common, and cost less
		if shape := y.Dims(); len(shape) <= x.Rank() {
			return x.Powf(y.Float64s()[0])
		}
	}
	return x.Pow(y)
}
