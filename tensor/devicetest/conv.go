package devicetest

import (
	"errors"
	"fmt"
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// convCases are images and kernels. For transposed cases the last two dims of both are swapped in memory.
var convCases = []struct {
	name                                         string
	in, kernel                                   []int
	padding, stride, dilation, groups, outputPad int
	transposed                                   bool
}{
	{"plain", []int{2, 3, 7, 5}, []int{4, 3, 3, 2}, 0, 1, 1, 1, 0, false},
	{"padding", []int{1, 2, 5, 6}, []int{3, 2, 3, 3}, 2, 1, 1, 1, 0, false},
	{"stride", []int{2, 2, 9, 7}, []int{3, 2, 3, 2}, 1, 2, 1, 1, 1, false},
	{"dilation", []int{1, 2, 9, 8}, []int{2, 2, 3, 3}, 1, 1, 2, 1, 0, false},
	{"everything", []int{2, 4, 11, 9}, []int{6, 2, 3, 3}, 2, 3, 2, 2, 2, false},
	{"groups", []int{1, 6, 5, 5}, []int{9, 2, 2, 2}, 0, 1, 1, 3, 0, false},
	{"depthwise", []int{2, 3, 7, 6}, []int{3, 1, 3, 3}, 1, 2, 1, 3, 1, false},
	{"depthwise with two results each", []int{2, 3, 5, 6}, []int{6, 1, 2, 3}, 1, 1, 2, 3, 0, false},
	{"single taps", []int{2, 5, 4, 3}, []int{7, 5, 1, 1}, 0, 1, 1, 1, 0, false},
	{"transposed", []int{2, 3, 7, 5}, []int{4, 3, 3, 2}, 1, 2, 1, 1, 0, true},
}

func (k kit) conv(t T) {
	for i, dt := range kernels.Numbers {
		for _, c := range some(k, convCases, len(kernels.Numbers), i) {
			view := asIs
			if c.transposed {
				view = func(t *tensor.Tensor) *tensor.Tensor { return t.T() }
			}
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				in, devIn := k.input(dt, c.in, 100, 1, false)
				in, devIn = view(in), view(devIn)
				w, devW := k.input(dt, c.kernel, 101, 1, false)
				w, devW = view(w), view(devW)
				want := newConvSum(in, c.kernel[0], convOut(in.Dim(2), w.Dim(2), c.padding, c.stride, c.dilation),
					convOut(in.Dim(3), w.Dim(3), c.padding, c.stride, c.dilation))
				outs, ins := c.kernel[0]/c.groups, c.kernel[1]
				want.walk(w, func(o, i, ky, kx int) (from, y0, x0 int) {
					return o/outs*ins + i, ky*c.dilation - c.padding, kx*c.dilation - c.padding
				}, c.stride)
				got := devIn.Conv2d(devW, c.padding, c.stride, c.dilation, c.groups)
				want.check(t, got, dt)
			})
			run(t, fmt.Sprintf("%v/%s, transposed", dt, c.name), func(t T) {
				// A kernel for a transposed convolution has the channels of its input first.
				shape := []int{c.in[1], c.kernel[0] / c.groups, c.kernel[2], c.kernel[3]}
				if c.transposed {
					shape[2], shape[3] = shape[3], shape[2]
				}
				in, devIn := k.input(dt, c.in, 102, 1, false)
				w, devW := k.input(dt, shape, 103, 1, false)
				checkTransposed(t, dt, view(in), view(devIn), view(w), view(devW), c.padding, c.outputPad, c.stride,
					c.dilation, c.groups)
			})
		}
	}
	k.depthwise(t)
	k.convErrors(t)
}

func convOut(n, taps, padding, stride, dilation int) int {
	return (n+2*padding-dilation*(taps-1)-1)/stride + 1
}

// convSum is a convolution by definition, in float64, with the sum of the magnitudes of the terms.
type convSum struct {
	in          *tensor.Tensor
	shape       []int
	sums, sizes []float64
}

func newConvSum(in *tensor.Tensor, channels, h, w int) *convSum {
	s := &convSum{in: in, shape: []int{in.Dim(0), channels, h, w}}
	s.sums, s.sizes = make([]float64, count(s.shape)), make([]float64, count(s.shape))
	return s
}

// walk adds, for every result and every element o, i, ky, kx of the kernel, the product with the element that place
// names: its channel, and where it is for place 0 0 of the result.
func (s *convSum) walk(kernel *tensor.Tensor, place func(o, i, ky, kx int) (from, y0, x0 int), stride int) {
	x, w, kd, id := near0(s.in).Float64s(), near0(kernel).Float64s(), kernel.Dims(), s.in.Dims()
	for b := range s.shape[0] {
		for e, weight := range w {
			kx, ky, i, o := e%kd[3], e/kd[3]%kd[2], e/kd[3]/kd[2]%kd[1], e/kd[3]/kd[2]/kd[1]
			from, y0, x0 := place(o, i, ky, kx)
			for r := range s.shape[2] {
				for c := range s.shape[3] {
					iy, ix := r*stride+y0, c*stride+x0
					if iy >= 0 && iy < id[2] && ix >= 0 && ix < id[3] {
						s.add(((b*s.shape[1]+o)*s.shape[2]+r)*s.shape[3]+c,
							x[((b*id[1]+from)*id[2]+iy)*id[3]+ix]*weight)
					}
				}
			}
		}
	}
}

func (s *convSum) add(at int, v float64) {
	s.sums[at] += v
	s.sizes[at] += math.Abs(v)
}

func (s *convSum) check(t T, got *tensor.Tensor, dt tensor.DType) {
	t.Helper()
	expect(t, got, s.shape, dt)
	eps := ulp(tensor.F32, 1)
	if dt == tensor.F64 {
		eps = ulp(dt, 1)
	}
	closeTo(t, got, s.sums, 1, func(i int) float64 { return 16 * eps * s.sizes[i] },
		func(i int) string { return fmt.Sprint("result ", i) })
}

// checkTransposed adds every element of the input to the result, as the definition says.
func checkTransposed(
	t T, dt tensor.DType, in, devIn, w, devW *tensor.Tensor, padding, outputPad, stride, dilation, groups int,
) {
	id, kd := in.Dims(), w.Dims()
	size := func(n, taps int) int { return (n-1)*stride - 2*padding + dilation*(taps-1) + outputPad + 1 }
	if groups > 1 { // two dims have no groups in Candle: one image line at a time
		in, devIn, w, devW = in.Narrow(2, 0, 1).Squeeze(2), devIn.Narrow(2, 0, 1).Squeeze(2),
			w.Narrow(2, 0, 1).Squeeze(2), devW.Narrow(2, 0, 1).Squeeze(2)
		got := devIn.ConvTranspose1d(devW, padding, outputPad, stride, dilation, groups)
		s := newConvSum(in.Unsqueeze(2), kd[1]*groups, 1, size(id[3], kd[3]))
		s.spread(w.Unsqueeze(2), groups, 0, padding, stride, dilation)
		s.check(t, got.Unsqueeze(2), dt)
		return
	}
	got := devIn.ConvTranspose2d(devW, padding, outputPad, stride, dilation)
	s := newConvSum(in, kd[1], size(id[2], kd[2]), size(id[3], kd[3]))
	s.spread(w, 1, padding, padding, stride, dilation)
	s.check(t, got, dt)
}

func (s *convSum) spread(kernel *tensor.Tensor, groups, padY, padX, stride, dilation int) {
	x, w, kd, id := near0(s.in).Float64s(), near0(kernel).Float64s(), kernel.Dims(), s.in.Dims()
	for p, v := range x {
		ix, iy, c, b := p%id[3], p/id[3]%id[2], p/id[3]/id[2]%id[1], p/id[3]/id[2]/id[1]
		for o := range kd[1] {
			for ky := range kd[2] {
				for kx := range kd[3] {
					oy, ox := iy*stride-padY+ky*dilation, ix*stride-padX+kx*dilation
					if oy < 0 || oy >= s.shape[2] || ox < 0 || ox >= s.shape[3] {
						continue
					}
					to := c/(id[1]/groups)*kd[1] + o
					s.add(((b*s.shape[1]+to)*s.shape[2]+oy)*s.shape[3]+ox, v*w[((c*kd[1]+o)*kd[2]+ky)*kd[3]+kx])
				}
			}
		}
	}
}

func (k kit) convErrors(t T) {
	x := k.dev.Zeros(tensor.F32, 1, 4, 5, 5)
	for name, f := range map[string]func() *tensor.Tensor{
		"channels": func() *tensor.Tensor {
			return x.Conv2d(k.dev.Zeros(tensor.F32, 2, 3, 3, 3), 0, 1,
				1, 1)
		},
		"groups": func() *tensor.Tensor {
			return x.Conv2d(k.dev.Zeros(tensor.F32, 2, 4, 3, 3), 0, 1,
				1, 3)
		},
		"too large": func() *tensor.Tensor {
			return x.Conv2d(k.dev.Zeros(tensor.F32, 2, 4, 6, 3), 0, 1,
				1, 1)
		},
		"stride": func() *tensor.Tensor {
			return x.Conv2d(k.dev.Zeros(tensor.F32, 2, 4, 3, 3), 0, 0,
				1, 1)
		},
		"rank": func() *tensor.Tensor {
			return x.Conv1d(k.dev.Zeros(tensor.F32, 2, 4, 3), 0, 1, 1,
				1)
		},
		"nil": func() *tensor.Tensor { return x.ConvTranspose2d(nil, 0, 0, 1, 1) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: got %v, want a shape error", name, err)
		}
	}
}
