package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// ConvOptions says how a kernel moves over the spatial dims of its input. Of Stride, Padding, Dilation and
// OutputPadding there is one number for all dims, or one for each of them in the order of the dims; of Padding there
// may be two for each dim, before and after its elements: top, bottom, left, right of an image. The zero value is a
// stride and a dilation of 1, no padding, and one group.
type ConvOptions struct {
	Stride   []int
	Padding  []int
	Dilation []int
	Groups   int // 0 is 1
	// Same pads so that a result of stride 1 has the sizes of its input; of an odd padding the larger part is after
	// the elements.
	Same bool
	// Mode says what the padding is, as for Pad: a Go number, tensor.Replicate, tensor.Reflect or tensor.Circular.
	// nil is 0.
	Mode any
	// OutputPadding makes results of ConvTranspose longer at the end of each dim.
	OutputPadding []int
}

// axes returns how a kernel of the given sizes moves over x.
func (o ConvOptions) axes(op string, x *tensor.Tensor, sizes []int) []windows.Axis {
	all := windows.Axes(op, x, sizes, o.Stride, o.Padding, o.Dilation)
	if !o.Same {
		return all
	}
	for i, a := range all {
		if a.Stride != 1 || a.Before+a.After > 0 {
			extend.Shape(op, []*tensor.Tensor{x}, "Same with stride %v and padding %v: want neither", o.Stride, o.Padding)
		}
		all[i].Before, all[i].After = (a.Extent()-1)/2, a.Extent()/2
	}
	return all
}

// mode is that of Pad.
func (o ConvOptions) mode() any {
	if o.Mode == nil {
		return 0
	}
	return o.Mode
}

// Conv convolves x [batch inputs …] with a kernel [outputs inputs/groups …] to [batch outputs …]. As many dims follow
// in both: one for signals, two for images, three for volumes. Each of them becomes (n + padding - dilation·(taps-1) -
// 1)/stride + 1 elements. As in PyTorch the kernel is not flipped. The bias [outputs] may be nil. Signals, and images
// whose dims have equal strides and dilations, take the kernels of Conv1d and Conv2d; for other images and volumes the
// taps of the first dim become channels of a convolution over the others. Integers wrap. It panics with ErrShape for
// sizes that do not fit, and with ErrDType when x and kernel have different dtypes.
func Conv(x, kernel, bias *tensor.Tensor, o ConvOptions) *tensor.Tensor {
	const op = "conv"
	x, kernel, bias = extend.Cast(op, x), extend.Cast(op, kernel), extend.Cast(op, bias)
	groups := convChannels(op, x, kernel, o, 1)
	checkBias(op, bias, kernel.Dim(0))
	all := o.axes(op, x, kernel.Dims()[2:])
	windows.Fits(op, x, all)
	if o.mode() != 0 {
		x, all = windows.Pad(x, all, o.Mode), windows.Bare(all)
	}
	return plusChannels(windows.Convolve(x, kernel, all, groups), bias)
}

// convChannels checks what Conv and ConvTranspose have in common, and returns the number of groups. The kernel's dim
// inputs is that of the input channels: 1, of those of one group, or 0, of all.
func convChannels(op string, x, kernel *tensor.Tensor, o ConvOptions, inputs int) int {
	groups, both := max(o.Groups, 1), []*tensor.Tensor{x, kernel}
	extend.SameDevice(op, both...)
	if kernel.Rank() < 3 || x.Rank() != kernel.Rank() {
		extend.Shape(op, both, "want x [batch inputs …] and a kernel with as many dims, not shapes %v and %v", x.Dims(),
			kernel.Dims())
	}
	if x.DType() != kernel.DType() {
		extend.DType(op, both, "want x and a kernel of one dtype, not %v and %v", x.DType(), kernel.DType())
	}
	want := kernel.Dim(inputs)
	if inputs == 1 {
		want *= groups
	}
	if o.Groups < 0 || kernel.Dim(0)%groups != 0 || x.Dim(1) != want {
		extend.Shape(op, both, "%d channels in %d groups do not fit a kernel of shape %v", x.Dim(1), o.Groups,
			kernel.Dims())
	}
	return groups
}

// checkBias panics with ErrShape when a bias is neither nil nor a vector of so many elements.
func checkBias(op string, bias *tensor.Tensor, outputs int) {
	if bias != nil && !slices.Equal(bias.Dims(), []int{outputs}) {
		extend.Shape(op, []*tensor.Tensor{bias}, "want a bias of shape [%d], not %v", outputs, bias.Dims())
	}
}
