package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
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
func (o ConvOptions) axes(op string, x *tensor.Tensor, sizes []int) []axis {
	all := axes(op, x, sizes, o.Stride, o.Padding, o.Dilation)
	if !o.Same {
		return all
	}
	for i, a := range all {
		if a.stride != 1 || a.before+a.after > 0 {
			extend.Shape(op, []*tensor.Tensor{x}, "Same with stride %v and padding %v: want neither", o.Stride, o.Padding)
		}
		all[i].before, all[i].after = (a.extent()-1)/2, a.extent()/2
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
	fits(op, x, all)
	if o.mode() != 0 {
		x, all = padded(x, all, o.Mode), unpadded(all)
	}
	return plusChannels(convolve(x, kernel, all, groups), bias)
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

// convolve convolves with a padding of zeros.
func convolve(x, kernel *tensor.Tensor, all []axis, groups int) *tensor.Tensor {
	if stride, dilation, ok := oneStep(all); ok {
		p := evenPadding(all)
		x = padded(x, withoutPadding(all, p), 0)
		if len(all) == 1 {
			return x.Conv1d(kernel, p, stride, dilation, groups)
		}
		return x.Conv2d(kernel, p, stride, dilation, groups)
	}
	if dense, ok := denser(all); ok {
		y := convolve(x, kernel, dense, groups)
		for i, a := range all {
			if step := a.stride / dense[i].stride; step > 1 {
				y = y.Unfold(2+i, 1, step).Squeeze(-1)
			}
		}
		return y
	}
	a := all[0]
	w := windowsOf(padded(x, all[:1], 0), 2, a) // [batch inputs windows … taps]
	b, c, o, last := w.Dim(0), w.Dim(1), w.Dim(2), w.Rank()-1
	rest := w.Dims()[3:last]
	w = w.Permute(join([]int{0, 2, 1, last}, dims(3, last))...).Reshape(join([]int{b * o, c * a.size}, rest)...)
	k := kernel.Dims()
	y := convolve(w, kernel.Reshape(join([]int{k[0], k[1] * k[2]}, k[3:])...), all[1:], groups)
	y = y.Reshape(join([]int{b, o}, y.Dims()[1:])...)
	return y.Permute(join([]int{0, 2, 1}, dims(3, y.Rank()))...)
}

// oneStep returns the stride and the dilation of at most two dims, if they are those of all, as Conv1d and Conv2d want.
// A single tap has any dilation.
func oneStep(all []axis) (stride, dilation int, ok bool) {
	stride = all[0].stride
	for _, a := range all {
		if a.stride != stride || dilation > 0 && a.size > 1 && a.dilation != dilation {
			return 0, 0, false
		}
		if a.size > 1 {
			dilation = a.dilation
		}
	}
	return stride, max(dilation, 1), len(all) <= 2
}

// denser returns the axes of images with the smaller of two strides in both dims, if it divides the other at most four
// times: a convolution of which some elements are left out takes less time than one with the taps of a dim as channels.
func denser(all []axis) (dense []axis, ok bool) {
	if len(all) != 2 {
		return nil, false
	}
	dense = slices.Clone(all)
	small, large := min(all[0].stride, all[1].stride), max(all[0].stride, all[1].stride)
	dense[0].stride, dense[1].stride = small, small
	_, _, ok = oneStep(dense)
	return dense, ok && large%small == 0 && large/small <= 4
}

// evenPadding returns the padding that all sides have.
func evenPadding(all []axis) int {
	p := all[0].before
	for _, a := range all {
		p = min(p, a.before, a.after)
	}
	return p
}

// withoutPadding returns axes with p elements less on each side.
func withoutPadding(all []axis, p int) []axis {
	rest := slices.Clone(all)
	for i := range rest {
		rest[i].before, rest[i].after = rest[i].before-p, rest[i].after-p
	}
	return rest
}
