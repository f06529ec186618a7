package tensor

import (
	"fmt"
	"slices"
	"testing"
)

// TestDepthwiseBack: convolutions that lead gradients back to the images take the same kernels where the stride is 1,
// with the last tap first.
func TestDepthwiseBack(t *testing.T) {
	dev, watch := watched(t)
	for _, c := range []struct {
		taps, padding, stride int
		want                  string
	}{{3, 1, 1, "depthwise_3_1_f32"}, {3, 2, 1, "depthwise_3_1_f32"}, {5, 2, 1, "depthwise_5_1_f32"},
		{3, 0, 1, "depthwise_f32"}, {3, 1, 2, "depthwise_f32"}} {
		x := CPU().Arange(F32, 2*3*6*8).Reshape(2, 3, 6, 8) // sums of whole numbers are exact
		w := CPU().Arange(F32, float64(3*c.taps*c.taps)).Reshape(3, 1, c.taps, c.taps)
		p := convParams{Padding: c.padding, Stride: c.stride, Dilation: 1, Transposed: true}
		back := func(x, w *Tensor) *Tensor { return must(x.convolve("back", 4, w, 3, p, p)) }
		devX, devW := x.ToDevice(dev), w.ToDevice(dev)
		dev.Synchronize()
		got, launched := watch(func() *Tensor { return back(devX, devW) })
		if fmt.Sprint(launched) != "["+c.want+"]" {
			t.Errorf("%+v: launched %v", c, launched)
		}
		if want := back(x, w); !slices.Equal(got.Float64s(), want.Float64s()) {
			t.Errorf("%+v: %v\nwant %v", c, got, want)
		}
	}
}

// TestDepthwiseKernels: which kernel makes the results of a convolution of channels. The conformance kit says that they
// are right.
func TestDepthwiseKernels(t *testing.T) {
	dev, watch := watched(t)
	lasts := func(x *Tensor) *Tensor { return x.Permute(0, 3, 1, 2) }
	wider := func(x *Tensor) *Tensor { return x.Narrow(3, 1, 12) }
	transposed := func(w *Tensor) *Tensor { return w.T() }
	as := func(x *Tensor) *Tensor { return x }
	for _, c := range []struct {
		name                      string
		dt                        DType
		in, kernel                []int
		padding, stride, dilation int
		image, taps               func(*Tensor) *Tensor
		want                      string
	}{
		{"three", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 1, 1, 1, as, as, "depthwise_3_1_f32"},
		{"every other of five", F16, []int{2, 3, 6, 8}, []int{6, 1, 5, 5}, 2, 2, 1, as, as, "depthwise_5_2_f16"},
		{"seven, less padding", F64, []int{2, 3, 9, 9}, []int{3, 1, 7, 7}, 1, 1, 1, as, as, "depthwise_7_1_f64"},
		{"one channel", F32, []int{2, 1, 6, 8}, []int{1, 1, 3, 3}, 1, 1, 1, as, as, "depthwise_3_1_f32"},
		{"channels last", BF16, []int{2, 6, 8, 3}, []int{3, 1, 3, 3}, 1, 1, 1, lasts, as, "depthwise_3_1_bf16"},
		{"part of a row", F32, []int{2, 3, 6, 16}, []int{3, 1, 3, 3}, 1, 2, 1, wider, as, "depthwise_3_2_f32"},
		{"integers, three", U8, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 1, 1, 1, as, as, "depthwise_3_1_u8"},
		{"integers, five", U8, []int{2, 3, 6, 8}, []int{3, 1, 5, 5}, 1, 1, 1, as, as, "depthwise_u8"},
		{"four", F32, []int{2, 3, 6, 8}, []int{3, 1, 4, 4}, 1, 1, 1, as, as, "depthwise_f32"},
		{"three by five", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 5}, 1, 1, 1, as, as, "depthwise_f32"},
		{"steps of three", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 1, 3, 1, as, as, "depthwise_f32"},
		{"dilation", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 1, 1, 2, as, as, "depthwise_f32"},
		{"more padding", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 2, 1, 1, as, as, "depthwise_f32"},
		{"transposed taps", F32, []int{2, 3, 6, 8}, []int{3, 1, 3, 3}, 1, 1, 1, as, transposed, "depthwise_f32"},
	} {
		x, w := c.image(dev.Ones(c.dt, c.in...)), c.taps(dev.Ones(c.dt, c.kernel...))
		dev.Synchronize()
		_, launched := watch(func() *Tensor { return x.Conv2d(w, c.padding, c.stride, c.dilation, x.Dim(1)) })
		if fmt.Sprint(launched) != "["+c.want+"]" {
			t.Errorf("%s: launched %v, want %s", c.name, launched, c.want)
		}
	}
}
