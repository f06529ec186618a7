package quant

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// MatMul returns x·wᵀ for a QTensor w [rows cols] and x [… cols]: the product of a linear layer. As in ggml, x is rounded to a block
// format of eight bits first, whose products with the packed elements of w ggml adds as whole numbers; here they are added in
// F32. The result is [… rows], of F32, on the device of x.
func (q *QTensor) MatMul(x *tensor.Tensor) *tensor.Tensor {
	if len(q.shape) != 2 || x.Rank() == 0 || x.Dim(-1) != q.shape[1] {
		panic(&tensor.Error{Op: "quantized matmul", Kind: tensor.ErrShape, Shapes: [][]int{x.Dims(), q.shape},
			Message: fmt.Sprintf("%v × %vᵀ: want as many columns in both, and a matrix on the right", x.Dims(), q.shape)})
	}
	return x.ApplyOp1(product{q})
}

// product is MatMul as an operation with a gradient, which takes no notice of the rounding: g·w.
type product struct{ q *QTensor }

func (product) Name() string { return "quantized matmul" }

func (p product) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error) { return p.forward(x) }

func (p product) ROCmForward(x *tensor.Tensor) (*tensor.Tensor, error) { return p.forward(x) }

func (p product) forward(x *tensor.Tensor) (*tensor.Tensor, error) {
	return tensor.Try(func() *tensor.Tensor {
		return rounded(x.ToDType(tensor.F32), formats[p.q.format].with).MatMul(p.q.Dequantize(x.Device()).T())
	})
}

func (p product) Backward(x, _, grad *tensor.Tensor) (*tensor.Tensor, error) {
	return tensor.Try(func() *tensor.Tensor { return grad.MatMul(p.q.Dequantize(x.Device())).ToDType(x.DType()) })
}

// rounded returns what is left of x after packing it and unpacking it again. It is computed on the device of x.
func rounded(x *tensor.Tensor, t Type) *tensor.Tensor {
	switch t {
	case F32:
		return x
	case F16:
		return x.ToDType(tensor.F16).ToDType(tensor.F32)
	case BF16:
		return x.ToDType(tensor.BF16).ToDType(tensor.F32)
	}
	blocks := x.Reshape(append(x.Dims()[:x.Rank()-1], -1, t.BlockSize()))
	high, low := blocks.MaxKeepDim(-1), blocks.MinKeepDim(-1)
	var d, scale *tensor.Tensor // codes are x·scale, and d times them is x again
	if t == Q8K {
		peak := high.Ge(low.Neg()).WhereCond(high, low)
		scale = peak.Eq(0).WhereCond(0, peak.Recip().Mul(-128))
		d = peak.Mul(-1.0 / 128)
	} else {
		d = high.Maximum(low.Neg()).Mul(1.0 / 127)
		scale = d.Eq(0).WhereCond(0, d.Recip())
		d = d.ToDType(tensor.F16).ToDType(tensor.F32) // scales are stored in half precision
	}
	return blocks.Mul(scale).Round().Minimum(127).Mul(d).Reshape(x.Dims())
}
