package windows

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Transposed is the number of elements that n become in Transpose.
func (a Axis) Transposed(n, extra int) int {
	return (n-1)*a.Stride - a.Before - a.After + a.Extent() + extra
}

// Transpose computes the transpose of Convolve for x [batch inputs …] and a kernel [inputs outputs/groups …]: by the
// method for one stride and dilation, with groups as a convolution of spaced elements, otherwise for the dims after the
// first, with the taps of the first dim as channels, which are then added where they belong.
func Transpose(x, kernel *tensor.Tensor, all []Axis, groups int, extra []int) *tensor.Tensor {
	sizes := make([]int, len(all))
	for i, a := range all {
		sizes[i] = a.Transposed(x.Dim(2+i), extra[i])
	}
	p, more := evenPadding(all), slices.Max(extra)
	stride, dilation, ok := OneStep(all)
	if ok && len(all) == 1 {
		return Crop(x.ConvTranspose1d(kernel, p, more, stride, dilation, groups), withoutPadding(all, p), sizes)
	} else if ok && groups == 1 {
		return Crop(x.ConvTranspose2d(kernel, p, more, stride, dilation), withoutPadding(all, p), sizes)
	}
	if groups > 1 { // with one group, the products of channels below take half the time
		return Crop(transposedBySpacing(x, kernel, all, groups), all, sizes)
	}
	a, b, n := all[0], x.Dim(0), x.Dim(2)
	rows := x.Permute(slices.Concat([]int{0, 2, 1}, Dims(3, x.Rank()))...)
	k := kernel.Dims()
	y := Transpose(rows.Reshape(slices.Concat([]int{b * n, x.Dim(1)}, x.Dims()[3:])...),
		kernel.Reshape(slices.Concat([]int{k[0], k[1] * k[2]}, k[3:])...), all[1:], 1, extra[1:])
	out, rest := k[1], y.Dims()[2:]
	y = y.Reshape(slices.Concat([]int{b, n, out, a.Size}, rest)...)
	y = y.Permute(slices.Concat([]int{0, 2, 1, 3}, Dims(4, y.Rank()))...).
		Reshape(slices.Concat([]int{b, out, n * a.Size}, rest)...)
	ids := make([]int64, 0, n*a.Size)
	for i := range n {
		for t := range a.Size {
			ids = append(ids, int64(i*a.Stride+t*a.Dilation))
		}
	}
	sums := y.Device().Zeros(y.DType(), slices.Concat([]int{b, out, (n-1)*a.Stride + a.Extent()}, rest)...)
	return Crop(sums.IndexAdd(y.Device().New(ids), y, 2), all[:1], sizes)
}

// transposedBySpacing computes Transpose without padding as a convolution: of x with zeros between its elements,
// and the kernel [inputs outputs/groups …] reversed, as [outputs inputs/groups …].
func transposedBySpacing(x, kernel *tensor.Tensor, all []Axis, groups int) *tensor.Tensor {
	k := kernel.Dims()
	kernel = kernel.Reshape(slices.Concat([]int{groups, k[0] / groups}, k[1:])...).Transpose(1, 2).
		Reshape(slices.Concat([]int{groups * k[1], k[0] / groups}, k[2:])...).Flip(Dims(2, len(k))...)
	wide := make([]Axis, len(all))
	for i, a := range all {
		if n := x.Dim(2 + i); a.Stride > 1 {
			x = x.Unsqueeze(3+i).Pad(3+i, 0, a.Stride-1, 0).Flatten(2+i, 3+i).Narrow(2+i, 0, (n-1)*a.Stride+1)
		}
		wide[i] = Axis{a.Size, 1, a.Extent() - 1, a.Extent() - 1, a.Dilation}
	}
	return Convolve(x, kernel, wide, groups)
}
