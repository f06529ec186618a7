package devicetest

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// depthwiseForms are layouts of images [batch channels height width]: rows of whole packs of elements and others,
// results that are not whole strips, and images that are smaller than one.
var depthwiseForms = []form{
	{"packs", []int{2, 3, 9, 12}, asIs},
	{"packs, other results", []int{1, 2, 5, 20}, asIs},
	{"no packs", []int{2, 3, 6, 7}, asIs},
	{"packs within", []int{2, 2, 7, 24},
		func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(3, 8, 12).Narrow(2, 1, 5) }},
	{"between packs", []int{2, 2, 7, 24},
		func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(3, 7, 12).Narrow(2, 1, 5) }},
	{"channels last", []int{2, 6, 11, 5}, func(t *tensor.Tensor) *tensor.Tensor { return t.Permute(0, 3, 1, 2) }},
	{"transposed", []int{2, 3, 8, 5}, func(t *tensor.Tensor) *tensor.Tensor { return t.Transpose(2, 3) }},
	{"one image for all", []int{1, 1, 5, 8},
		func(t *tensor.Tensor) *tensor.Tensor { return t.BroadcastAs(2, 3, 5, 8) }},
	{"one element", []int{2, 1, 1, 1}, asIs},
}

// depthwise runs the convolutions of channels that GPUs have special kernels for, and compares each with the same
// convolution with taps transposed in memory, which those kernels do not take: the same products are added in the
// same order.
func (k kit) depthwise(t T) {
	for _, dt := range kernels.Numbers {
		for _, taps := range []int{3, 5, 7} {
			for _, stride := range []int{1, 2} {
				run(t, fmt.Sprintf("%v/depthwise %d×%d, stride %d", dt, taps, taps, stride), func(t T) {
					for i, f := range depthwiseForms {
						in, devIn := k.input(dt, f.shape, 110+uint64(i), 1, false)
						in, devIn = f.view(in), f.view(devIn)
						for padding := range taps/2 + 1 {
							if min(in.Dim(2), in.Dim(3))+2*padding >= taps {
								k.depthwiseCase(t, f.name, in, devIn, taps, padding, stride, 1+i%2)
							}
						}
					}
				})
			}
		}
	}
}

func (k kit) depthwiseCase(t T, name string, in, devIn *tensor.Tensor, taps, padding, stride, multiplier int) {
	channels := in.Dim(1)
	w, devW := k.input(in.DType(), []int{channels * multiplier, 1, taps, taps}, 130, 1, false)
	want := newConvSum(in, channels*multiplier, convOut(in.Dim(2), taps, padding, stride, 1),
		convOut(in.Dim(3), taps, padding, stride, 1))
	want.walk(w, func(o, i, ky, kx int) (from, y0, x0 int) { return o / multiplier, ky - padding, kx - padding },
		stride)
	got := devIn.Conv2d(devW, padding, stride, 1, channels)
	want.check(t, got, in.DType())
	transposed := devW.Transpose(2, 3).Contiguous().Transpose(2, 3)
	same(t, name, got, devIn.Conv2d(transposed, padding, stride, 1, channels))
}
