package quant

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// MatMul returns x·wᵀ for a QTensor w [rows cols] and x [… cols] on the same device: the product of a linear layer. As
// in ggml, x is rounded to a block format of eight bits first, and multiplied with the packed elements of w as whole
// numbers; the sums of those are added in F32. Of F16, BF16 and F32 x is rounded to the type itself. The result is […
// rows], of F32. It panics with ErrShape when columns differ, and with ErrDevice when devices do.
func (q *QTensor) MatMul(x *tensor.Tensor) *tensor.Tensor { return q.MatMulAs(x, tensor.F32) }

// MatMulAs is MatMul whose sums are rounded to a dtype. Where that is F16 or BF16 and the type of x, a GPU with a BLAS
// library has it multiply many rows of x, as in a prompt, with w unpacked to the same type: neither is rounded to eight
// bits then, and the unpacked w is freed again.
func (q *QTensor) MatMulAs(x *tensor.Tensor, dt tensor.DType) *tensor.Tensor {
	q.checkProduct(x)
	return x.ApplyOp1(product{q, dt})
}

// checkProduct panics when x cannot be multiplied with q.
func (q *QTensor) checkProduct(x *tensor.Tensor) {
	const op = "quantized matmul"
	if len(q.shape) != 2 || x.Rank() == 0 || x.Dim(-1) != q.shape[1] {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrShape, Shapes: [][]int{x.Dims(), q.shape},
			Message: fmt.Sprintf("%v × %vᵀ: want as many columns in both, and a matrix on the right", x.Dims(),
				q.shape)})
	}
	if !x.DType().IsFloat() {
		panic(&tensor.Error{Op: op, Kind: tensor.ErrDType, DTypes: []tensor.DType{x.DType()},
			Message: fmt.Sprintf("not defined for %v: it takes floats", x.DType()),
			Notes:   []string{"x.ToDType(tensor.F32) is a tensor of floats"}})
	}
	q.sameDevice(op, x)
}

// MatMulCat returns the products of x with several matrices, whose formats may differ, one beside the other along the
// last dim: tensor.Cat of their MatMul, of F32. On the host x is rounded once, and few rows of x are multiplied in one
// loop over the rows of all matrices. It panics as MatMul does, and with ErrShape without matrices.
func MatMulCat(x *tensor.Tensor, ws ...*QTensor) *tensor.Tensor {
	if len(ws) == 0 {
		panic(&tensor.Error{Op: "quantized matmul", Kind: tensor.ErrShape,
			Message: "there is no matrix to multiply with"})
	}
	together := x.Device().IsCPU() && !x.TrackOp()
	for _, w := range ws {
		w.checkProduct(x)
		together = together && w.format != F32
	}
	if together {
		return hostProducts(ws, x)
	}
	var all []*tensor.Tensor
	for _, w := range ws {
		all = append(all, w.MatMul(x))
	}
	return tensor.Cat(all, -1)
}

// product is MatMul as an operation with a gradient, which takes no notice of the rounding: g·w.
type product struct {
	q  *QTensor
	dt tensor.DType // of the result
}

func (product) Name() string { return "quantized matmul" }

func (p product) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error) { return p.forward(x) }

func (p product) ROCmForward(x *tensor.Tensor) (*tensor.Tensor, error) { return p.forward(x) }

func (p product) forward(x *tensor.Tensor) (*tensor.Tensor, error) {
	q := p.q
	return tensor.Try(func() *tensor.Tensor {
		switch dt, floats := plain[q.format]; {
		case floats && q.packed != nil && q.format != F32:
			return floatProduct(q.packed, x, p.dt)
		case floats && (q.packed != nil || q.format == F32):
			return x.ToDType(dt).ToDType(tensor.F32).MatMul(q.Dequantize(q.dev).T()).ToDType(p.dt)
		case q.packed != nil:
			return deviceProduct(q.format, q.packed, q.shape[0], q.shape[1], x, p.dt)
		}
		return hostProducts([]*QTensor{q}, x).ToDType(p.dt)
	})
}

func (p product) Backward(x, _, grad *tensor.Tensor) (*tensor.Tensor, error) {
	return tensor.Try(func() *tensor.Tensor {
		dt := tensor.F32
		if g := grad.DType(); !p.q.dev.IsCPU() && (g == tensor.F16 || g == tensor.BF16) {
			dt = g // as the gradient of a dense layer
		}
		return grad.ToDType(dt).MatMul(p.q.DequantizeAs(dt, p.q.dev)).ToDType(x.DType())
	})
}
