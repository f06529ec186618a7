package onnx

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/linalg"
)

var productOps = []operator{
	{name: "Det", in: [2]int{1, 1}, run: of(linalg.Det)},
	{name: "Einsum", attrs: "equation", in: [2]int{1, -1}, unfolded: true, run: einsum},
	{name: "Gemm", attrs: "alpha beta transA transB", in: [2]int{2, 3}, unfolded: true, run: gemm},
	{name: "MatMul", in: [2]int{2, 2}, unfolded: true, run: pairwise(func(c *call, x, y *tensor.Tensor) *tensor.Tensor { return x.MatMul(y) })},
	{name: "MatMulInteger", in: [2]int{2, 4}, unfolded: true, run: matMulInteger},
}

func einsum(c *call) tensors {
	ts := make(tensors, len(c.in))
	for i := range ts {
		ts[i] = c.x(i)
	}
	return one(linalg.Einsum(c.text("equation", ""), ts...))
}

// gemm is alpha·A·B + beta·C, of matrices that may be transposed.
func gemm(c *call) tensors {
	a, b := c.x(0), c.x(1)
	if a.Rank() != 2 || b.Rank() != 2 {
		c.fail("Gemm multiplies matrices")
	}
	if c.int("transA", 0) != 0 {
		a = a.T()
	}
	if c.int("transB", 0) != 0 {
		b = b.T()
	}
	y := a.MatMul(b)
	if alpha := c.float("alpha", 1); alpha != 1 {
		y = scaled(y, alpha)
	}
	if bias := c.opt(2); bias != nil {
		if beta := c.float("beta", 1); beta != 1 {
			bias = scaled(bias, beta)
		}
		y = y.Add(bias)
	}
	return one(y)
}

// scaled multiplies by a number, integers too, whose products are truncated.
func scaled(x *tensor.Tensor, by float64) *tensor.Tensor {
	if x.DType().IsInt() {
		return x.ToDType(tensor.F64).Mul(by).ToDType(x.DType())
	}
	return x.Mul(by)
}

// matMulInteger multiplies matrices of bytes, whose zero points are taken away, in I32.
func matMulInteger(c *call) tensors {
	return one(c.centred(0, 2, -2).MatMul(c.centred(1, 3, -1)))
}

// centred is an input of bytes without its zero point, as I32. A zero point of one dim has a number for each element of
// the axis.
func (c *call) centred(i, zero, axis int) *tensor.Tensor {
	x := c.x(i).ToDType(tensor.I32)
	if z := c.opt(zero); z != nil {
		x = x.Sub(along(z.ToDType(tensor.I32), x.Rank(), axis))
	}
	return x
}

// along is a scale or zero point, of one number or a vector of one for each element of an axis, in a shape that is
// broadcast to tensors of that rank.
func along(t *tensor.Tensor, rank, axis int) *tensor.Tensor {
	if t.ElemCount() == 1 {
		return t.Reshape()
	} else if t.Rank() != 1 {
		return t
	}
	shape := ones(max(rank, 1))
	shape[(axis+len(shape))%len(shape)] = t.ElemCount()
	return t.Reshape(shape...)
}
