package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
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
	extra := spread(op, "output padding", x, o.OutputPadding, len(all), 0, 0)
	for i, a := range all {
		if extra[i] >= max(a.stride, a.dilation) {
			extend.Shape(op, []*tensor.Tensor{x}, "output padding %d of dim %d: want less than the stride %d or the dilation %d",
				extra[i], 2+i, a.stride, a.dilation)
		}
		if n := a.transposed(x.Dim(2+i), extra[i]); n < 1 {
			extend.Shape(op, []*tensor.Tensor{x, kernel}, "dim %d would have %d elements without its padding", 2+i, n)
		}
	}
	dt := x.DType()
	if _, _, ok := oneStep(all); !ok || groups > 1 && len(all) > 1 { // sums of several products
		x, kernel = extend.Wide(x), extend.Wide(kernel)
	}
	return plusChannels(convolveTransposed(x, kernel, all, groups, extra).ToDType(dt), bias)
}

// transposed is the number of elements that n become.
func (a axis) transposed(n, extra int) int {
	return (n-1)*a.stride - a.before - a.after + a.extent() + extra
}

// convolveTransposed computes ConvTranspose: by the method for one stride and dilation, with groups as a convolution of
// spaced elements, otherwise for the dims after the first, with the taps of the first dim as channels, which are then
// added where they belong.
func convolveTransposed(x, kernel *tensor.Tensor, all []axis, groups int, extra []int) *tensor.Tensor {
	sizes := make([]int, len(all))
	for i, a := range all {
		sizes[i] = a.transposed(x.Dim(2+i), extra[i])
	}
	p, more := evenPadding(all), slices.Max(extra)
	stride, dilation, ok := oneStep(all)
	if ok && len(all) == 1 {
		return cropped(x.ConvTranspose1d(kernel, p, more, stride, dilation, groups), withoutPadding(all, p), sizes)
	} else if ok && groups == 1 {
		return cropped(x.ConvTranspose2d(kernel, p, more, stride, dilation), withoutPadding(all, p), sizes)
	}
	if groups > 1 { // with one group, the products of channels below take half the time
		return cropped(transposedBySpacing(x, kernel, all, groups), all, sizes)
	}
	a, b, n := all[0], x.Dim(0), x.Dim(2)
	rows := x.Permute(join([]int{0, 2, 1}, dims(3, x.Rank()))...)
	k := kernel.Dims()
	y := convolveTransposed(rows.Reshape(join([]int{b * n, x.Dim(1)}, x.Dims()[3:])...),
		kernel.Reshape(join([]int{k[0], k[1] * k[2]}, k[3:])...), all[1:], 1, extra[1:])
	out, rest := k[1], y.Dims()[2:]
	y = y.Reshape(join([]int{b, n, out, a.size}, rest)...)
	y = y.Permute(join([]int{0, 2, 1, 3}, dims(4, y.Rank()))...).Reshape(join([]int{b, out, n * a.size}, rest)...)
	ids := make([]int64, 0, n*a.size)
	for i := range n {
		for t := range a.size {
			ids = append(ids, int64(i*a.stride+t*a.dilation))
		}
	}
	sums := y.Device().Zeros(y.DType(), join([]int{b, out, (n-1)*a.stride + a.extent()}, rest)...)
	return cropped(sums.IndexAdd(y.Device().New(ids), y, 2), all[:1], sizes)
}

// transposedBySpacing computes ConvTranspose without padding as a convolution: of x with zeros between its elements,
// and the kernel [inputs outputs/groups …] reversed, as [outputs inputs/groups …].
func transposedBySpacing(x, kernel *tensor.Tensor, all []axis, groups int) *tensor.Tensor {
	k := kernel.Dims()
	kernel = kernel.Reshape(join([]int{groups, k[0] / groups}, k[1:])...).Transpose(1, 2).
		Reshape(join([]int{groups * k[1], k[0] / groups}, k[2:])...).Flip(dims(2, len(k))...)
	wide := make([]axis, len(all))
	for i, a := range all {
		if n := x.Dim(2 + i); a.stride > 1 {
			x = x.Unsqueeze(3+i).Pad(3+i, 0, a.stride-1, 0).Flatten(2+i, 3+i).Narrow(2+i, 0, (n-1)*a.stride+1)
		}
		wide[i] = axis{a.size, 1, a.extent() - 1, a.extent() - 1, a.dilation}
	}
	return convolve(x, kernel, wide, groups)
}
