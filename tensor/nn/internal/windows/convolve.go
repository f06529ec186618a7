package windows

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Convolve convolves x [batch inputs …] with a kernel [outputs inputs/groups …] and a padding of zeros.
func Convolve(x, kernel *tensor.Tensor, all []Axis, groups int) *tensor.Tensor {
	if stride, dilation, ok := OneStep(all); ok {
		p := evenPadding(all)
		x = Pad(x, withoutPadding(all, p), 0)
		if len(all) == 1 {
			return x.Conv1d(kernel, p, stride, dilation, groups)
		}
		return x.Conv2d(kernel, p, stride, dilation, groups)
	}
	if dense, ok := denser(all); ok {
		y := Convolve(x, kernel, dense, groups)
		for i, a := range all {
			if step := a.Stride / dense[i].Stride; step > 1 {
				y = y.Unfold(2+i, 1, step).Squeeze(-1)
			}
		}
		return y
	}
	a := all[0]
	w := Of(Pad(x, all[:1], 0), 2, a) // [batch inputs windows … taps]
	b, c, o, last := w.Dim(0), w.Dim(1), w.Dim(2), w.Rank()-1
	rest := w.Dims()[3:last]
	w = w.Permute(slices.Concat([]int{0, 2, 1, last}, Dims(3, last))...).
		Reshape(slices.Concat([]int{b * o, c * a.Size}, rest)...)
	k := kernel.Dims()
	y := Convolve(w, kernel.Reshape(slices.Concat([]int{k[0], k[1] * k[2]}, k[3:])...), all[1:], groups)
	y = y.Reshape(slices.Concat([]int{b, o}, y.Dims()[1:])...)
	return y.Permute(slices.Concat([]int{0, 2, 1}, Dims(3, y.Rank()))...)
}

// OneStep returns the stride and the dilation of at most two dims, if they are those of all, as Conv1d and Conv2d want.
// A single tap has any dilation.
func OneStep(all []Axis) (stride, dilation int, ok bool) {
	stride = all[0].Stride
	for _, a := range all {
		if a.Stride != stride || dilation > 0 && a.Size > 1 && a.Dilation != dilation {
			return 0, 0, false
		}
		if a.Size > 1 {
			dilation = a.Dilation
		}
	}
	return stride, max(dilation, 1), len(all) <= 2
}

// denser returns the axes of images with the smaller of two strides in both dims, if it divides the other at most four
// times: a convolution of which some elements are left out takes less time than one with the taps of a dim as channels.
func denser(all []Axis) (dense []Axis, ok bool) {
	if len(all) != 2 {
		return nil, false
	}
	dense = slices.Clone(all)
	small, large := min(all[0].Stride, all[1].Stride), max(all[0].Stride, all[1].Stride)
	dense[0].Stride, dense[1].Stride = small, small
	_, _, ok = OneStep(dense)
	return dense, ok && large%small == 0 && large/small <= 4
}

// evenPadding returns the padding that all sides have.
func evenPadding(all []Axis) int {
	p := all[0].Before
	for _, a := range all {
		p = min(p, a.Before, a.After)
	}
	return p
}

// withoutPadding returns axes with p elements less on each side.
func withoutPadding(all []Axis, p int) []Axis {
	rest := slices.Clone(all)
	for i := range rest {
		rest[i].Before, rest[i].After = rest[i].Before-p, rest[i].After-p
	}
	return rest
}
