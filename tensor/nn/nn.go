package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Softmax returns exp(x) / Σ exp(x) along a dim, computed without overflow. It takes float types only.
func Softmax(x *tensor.Tensor, dim int) *tensor.Tensor { return x.Softmax(dim) }

// SoftmaxLastDim is Softmax along the last dim.
func SoftmaxLastDim(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) }

// LogSoftmax returns the logarithm of Softmax, without losing small values.
func LogSoftmax(x *tensor.Tensor, dim int) *tensor.Tensor { return x.LogSoftmax(dim) }

// Sigmoid returns 1/(1 + exp(-x)) for every element.
func Sigmoid(x *tensor.Tensor) *tensor.Tensor { return x.Sigmoid() }

// Silu returns x·sigmoid(x) for every element, also known as swish.
func Silu(x *tensor.Tensor) *tensor.Tensor { return x.Silu() }

// Swiglu halves the last dim, whose size must be even, and returns Silu of the first half times the second.
// It panics with ErrShape when there are no halves.
func Swiglu(x *tensor.Tensor) *tensor.Tensor {
	if x.Rank() == 0 || x.Dim(-1)%2 != 0 {
		extend.Shape("swiglu", []*tensor.Tensor{x}, "want a last dim of even size, not shape %v", x.Dims())
	}
	n := x.Dim(-1)
	return x.Narrow(-1, 0, n/2).SiluMul(x.Narrow(-1, n/2, n-n/2))
}

// RmsNorm divides the rows of the last dim by the root of the mean of their squares plus eps, and multiplies by alpha,
// a vector as long as a row.
func RmsNorm(x, alpha *tensor.Tensor, eps float64) *tensor.Tensor { return x.RmsNorm(alpha, eps) }

// LayerNorm takes the mean from the rows of the last dim, divides them by the root of their variance (divided by n)
// plus eps, multiplies by alpha and adds beta, vectors as long as a row.
func LayerNorm(x, alpha, beta *tensor.Tensor, eps float64) *tensor.Tensor {
	return x.LayerNorm(alpha, beta, eps)
}

// Rope turns the pairs of x [batch heads positions size] by the angles whose cosines and sines are given, as
// [positions' size/2] or [batch positions' size/2]: a rotary embedding. Element i of a row is paired with element i +
// size/2.
func Rope(x, cos, sin *tensor.Tensor) *tensor.Tensor { return x.Rope(cos, sin) }

// RopeI is Rope in which elements 2i and 2i + 1 of a row are a pair.
func RopeI(x, cos, sin *tensor.Tensor) *tensor.Tensor { return x.RopeI(cos, sin) }

// RopeThd is Rope for x [batch positions heads size].
func RopeThd(x, cos, sin *tensor.Tensor) *tensor.Tensor { return x.RopeThd(cos, sin) }
