package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// ConvTranspose is the transpose of Conv, also called deconvolution: x [batch inputs …] and a kernel [inputs
// outputs/groups …] give [batch outputs …], where n elements of a dim become (n-1)·stride - padding +
// dilation·(taps-1) + OutputPadding + 1. The bias [outputs] may be nil. OutputPadding is less than the stride or the
// dilation of its dim, as in PyTorch. Integers wrap. It panics with ErrShape for sizes that do not fit, for Same, and
// for a Mode other than 0.
func ConvTranspose(x, kernel, bias *tensor.Tensor, o ConvOptions) *tensor.Tensor {
	const op = "conv transpose"
	x, kernel, bias = extend.Cast(op, x), extend.Cast(op, kernel), extend.Cast(op, bias)
	groups := convChannels(op, x, kernel, o, 0)
	checkBias(op, bias, kernel.Dim(1)*groups)
	if o.Same || o.mode() != 0 {
		extend.Shape(op, []*tensor.Tensor{x, kernel}, "a padding removes elements of the result: want neither Same nor Mode")
	}
	all := o.axes(op, x, kernel.Dims()[2:])
	extra := windows.Spread(op, "output padding", x, o.OutputPadding, len(all), 0, 0)
	for i, a := range all {
		if extra[i] >= max(a.Stride, a.Dilation) {
			extend.Shape(op, []*tensor.Tensor{x}, "output padding %d of dim %d: want less than the stride %d or the dilation %d",
				extra[i], 2+i, a.Stride, a.Dilation)
		}
		if n := a.Transposed(x.Dim(2+i), extra[i]); n < 1 {
			extend.Shape(op, []*tensor.Tensor{x, kernel}, "dim %d would have %d elements without its padding", 2+i, n)
		}
	}
	dt := x.DType()
	if _, _, ok := windows.OneStep(all); !ok || groups > 1 && len(all) > 1 { // sums of several products
		x, kernel = extend.Wide(x), extend.Wide(kernel)
	}
	return plusChannels(windows.Transpose(x, kernel, all, groups, extra).ToDType(dt), bias)
}
