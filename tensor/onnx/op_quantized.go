package onnx

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
)

var quantizedOps = []operator{
	{name: "DequantizeLinear", attrs: "axis block_size output_dtype", in: [2]int{2, 3}, run: dequantize},
	{name: "DynamicQuantizeLinear", in: [2]int{1, 1}, run: dynamicQuantize},
	{name: "QLinearConv", attrs: "auto_pad dilations group kernel_shape pads strides", in: [2]int{8, 9}, unfolded: true, run: quantizedConv},
	{name: "QLinearMatMul", in: [2]int{8, 8}, unfolded: true, run: quantizedMatMul},
	{name: "QuantizeLinear", attrs: "axis block_size output_dtype precision saturate", in: [2]int{2, 3}, run: quantize},
}

// limits are the least and the greatest number of a quantized type.
func (c *call) limits(dt tensor.DType, e elem) (lo, hi float64) {
	switch {
	case e == elemUint4:
		return 0, 15
	case e == elemInt4:
		return -8, 7
	case e == elemUint2:
		return 0, 3
	case e == elemInt2:
		return -2, 1
	case e != 0:
		c.fail("quantization to %v is not supported", e)
	case dt == tensor.U8:
		return 0, math.MaxUint8
	case dt == tensor.I8:
		return math.MinInt8, math.MaxInt8
	case dt == tensor.U16:
		return 0, math.MaxUint16
	case dt == tensor.I16:
		return math.MinInt16, math.MaxInt16
	}
	c.fail("quantization to %v is not supported", dt)
	return 0, 0
}

// perBlock is a scale or zero point in a shape that is broadcast to the input: one number, one for each element of an
// axis, or one for each block along it.
func (c *call) perBlock(t *tensor.Tensor, shape []int) *tensor.Tensor {
	if t.ElemCount() == 1 && t.Rank() <= 1 {
		return t.Reshape()
	}
	axis := c.axis(c.int("axis", 1), len(shape))
	size := c.int("block_size", 0)
	if size == 0 {
		if t.Rank() != 1 || t.Dim(0) != shape[axis] {
			c.fail("a scale or zero point has the shape %s for axis %d of shape %s", shapeText(t.Dims()), axis, shapeText(shape))
		}
		return along(t, len(shape), axis)
	}
	if size < 0 || t.Rank() != len(shape) || (shape[axis]+size-1)/size != t.Dim(axis) {
		c.fail("blocks of %d along axis %d do not fit scales of shape %s", size, axis, shapeText(t.Dims()))
	}
	return t.RepeatInterleave(min(size, max(shape[axis], 1)), axis).Narrow(axis, 0, shape[axis])
}

func quantize(c *call) tensors {
	x, dt, e := c.x(0), tensor.U8, elem(0)
	switch a := c.attrs["output_dtype"]; {
	case c.has(2):
		dt, e = c.in[2].t.DType(), c.in[2].elem
	case a != nil && a.i != 0:
		row, ok := elems[elem(a.i)]
		if dt = row.dtype; !ok || row.value != nil {
			e = elem(a.i)
		}
	}
	scale := c.perBlock(c.x(1), x.Dims())
	wide := tensor.F32
	if x.DType() == tensor.F64 {
		wide = tensor.F64
	}
	y := x.ToDType(wide).Div(scale.ToDType(wide))
	if dt == tensor.F8E4M3 && e == 0 {
		if c.int("saturate", 1) == 0 {
			c.fail("saturate 0 is not supported")
		}
		if c.has(2) {
			y = y.Add(c.perBlock(c.x(2), x.Dims()).ToDType(wide))
		}
		return one(y.ToDType(dt))
	}
	lo, hi := c.limits(dt, e)
	y = roundEven(y)
	if c.has(2) {
		y = y.Add(c.perBlock(c.x(2), x.Dims()).ToDType(wide))
	}
	return one(y.Clamp(lo, hi).ToDType(dt))
}

// dequantize is (x - zero point)·scale, of the type of the scale.
func dequantize(c *call) tensors {
	x, scale := c.x(0), c.x(1)
	out := c.elemAttr("output_dtype", scale.DType())
	if a := c.attrs["output_dtype"]; a != nil && a.i == 0 {
		out = scale.DType()
	}
	wide := tensor.F32
	if x.DType() == tensor.I32 { // whose differences F32 does not hold
		wide = tensor.F64
	}
	y := x.ToDType(wide)
	if c.has(2) {
		y = y.Sub(c.perBlock(c.x(2), x.Dims()).ToDType(wide))
	}
	scaled := y.Mul(c.perBlock(scale, x.Dims()).ToDType(wide))
	return one(scaled.ToDType(out))
}

// dynamicQuantize chooses the scale and the zero point so that the range of the elements, with 0, becomes that of U8.
func dynamicQuantize(c *call) tensors {
	x := c.x(0)
	if x.ElemCount() == 0 {
		c.fail("there are no elements whose range could be found")
	}
	lo, hi := x.Min().Minimum(0), x.Max().Maximum(0)
	scale := hi.Sub(lo).Div(255)
	divisor := scale.Eq(0).WhereCond(1, scale)
	zero := roundEven(lo.Neg().Div(divisor).Clamp(0, 255))
	y := roundEven(x.Div(divisor)).Add(zero).Clamp(0, 255)
	return tensors{y.ToDType(tensor.U8), scale, zero.ToDType(tensor.U8)}
}

// requantize makes the bytes of a result of sums in I32.
func (c *call) requantize(sums, factor, zero *tensor.Tensor) tensors {
	dt := zero.DType()
	lo, hi := c.limits(dt, 0)
	y := roundEven(sums.ToDType(tensor.F32).Mul(factor.ToDType(tensor.F32))).Add(zero.ToDType(tensor.F32))
	return one(y.Clamp(lo, hi).ToDType(dt))
}

// quantizedMatMul has the inputs a, its scale and zero point, those of b, and the scale and zero point of the result.
func quantizedMatMul(c *call) tensors {
	rank := max(c.x(0).Rank(), c.x(3).Rank())
	sums := c.centred(0, 2, -2).MatMul(c.centred(3, 5, -1))
	factor := along(c.x(1), rank, -2).Mul(along(c.x(4), rank, -1)).Div(c.x(6).Reshape())
	return c.requantize(sums, factor, c.x(7).Reshape())
}

// quantizedConv is quantizedMatMul for convolutions. The bias is in I32, of the scale of the products.
func quantizedConv(c *call) tensors {
	var bias *tensor.Tensor
	if c.has(8) {
		bias = c.x(8)
	}
	sums := c.convolve(c.centred(0, 2, 0), c.centred(3, 5, 0), bias)
	factor := c.x(1).Reshape().Mul(along(c.x(4), sums.Rank(), 1)).Div(c.x(6).Reshape())
	return c.requantize(sums, factor, c.x(7).Reshape())
}
