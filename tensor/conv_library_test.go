package tensor

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/internal/gpu/gputest"
)

// TestDNN convolves and pools through the stand-ins, which compute in C.
func TestDNN(t *testing.T) {
	gputest.StandIns(t, "..", "TestDNNChild")
	gputest.StandIns(t, "..", "TestDNNChild", "GOROCM_DNN=find")
}

func TestDNNChild(t *testing.T) {
	dev, launched := onStandIns(t)
	gpu.MinLibraryWork = 0
	for _, dt := range []DType{F32, F16, BF16} {
		in, kernel := smallNumbers([]int{2, 4, 7, 6}, 3, dt), smallNumbers([]int{6, 2, 3, 2}, 7, dt)
		back := smallNumbers([]int{2, 6, 4, 3}, 2, dt) // the gradient of a result
		line, taps := smallNumbers([]int{2, 4, 9}, 3, dt), smallNumbers([]int{3, 4, 3}, 7, dt)
		transposed := smallNumbers([]int{4, 3, 2, 3}, 7, dt)
		images := smallNumbers([]int{2, 3, 4, 6}, 3, dt).Mul(4).ToDType(dt)
		py, px := convParams{Padding: 1, Stride: 2, Dilation: 1}, convParams{Padding: 1, Stride: 2, Dilation: 2}
		for _, c := range []struct {
			name, launched string
			run            func(on func(*Tensor) *Tensor) *Tensor
		}{
			{"conv2d", "convolution forward",
				func(on func(*Tensor) *Tensor) *Tensor { return on(in).Conv2d(on(kernel), 1, 2, 1, 2) }},
			{"two steps", "convolution forward",
				func(on func(*Tensor) *Tensor) *Tensor {
					return must(on(in).convolve("conv", 4, on(kernel), 2, py, px))
				}},
			{"conv1d", "convolution forward",
				func(on func(*Tensor) *Tensor) *Tensor { return on(line).Conv1d(on(taps), 2, 1, 2, 1) }},
			{"transposed", "convolution data",
				func(on func(*Tensor) *Tensor) *Tensor { return on(in).ConvTranspose2d(on(transposed), 1, 1, 2, 1) }},
			{"gradient of images", "convolution data", func(on func(*Tensor) *Tensor) *Tensor {
				return must(on(back).convolve("conv", 4, on(kernel), 2, py.Adjoint(7, 3, 4), px.Adjoint(6, 2, 3)))
			}},
			{"gradient of weights", "convolution weights", func(on func(*Tensor) *Tensor) *Tensor {
				return must(on(in).kernelGradient("conv", on(back), []int{6, 2, 3, 2}, 2, py, px))
			}},
			{"averages", "pool", func(on func(*Tensor) *Tensor) *Tensor { return on(images).AvgPool2d(2, 2) }},
		} {
			t.Run(fmt.Sprintf("%s/%v", c.name, dt), func(t *testing.T) {
				*launched = nil
				got := c.run(func(x *Tensor) *Tensor { return x.ToDevice(dev) })
				if want := fmt.Sprintf("[%s %v]", c.launched, dt); fmt.Sprint(*launched) != want {
					t.Errorf("launched %v, want %s", *launched, want)
				}
				want := c.run(func(x *Tensor) *Tensor { return x })
				if g, w := fmt.Sprint(got.Dims(), got.DType(), got.Float64s()),
					fmt.Sprint(want.Dims(), want.DType(), want.Float64s()); g != w {
					t.Errorf("got %s, want %s", g, w)
				}
			})
		}
	}
}

// TestConvOnGPU compares convolutions and their gradients on GPUs, by the library there is or by the kernels with
// GOROCM_DNN=go, with those of F64 on the host.
func TestConvOnGPU(t *testing.T) {
	py, px := convParams{Padding: 1, Stride: 2, Dilation: 1}, convParams{Padding: 1, Stride: 2, Dilation: 1}
	halves, whole, in, out := []int{48, 16, 3, 3}, []int{48, 32, 3, 3}, []int{4, 32, 60, 66}, []int{4, 48, 30, 33}
	cases := []struct {
		name     string
		operands [2][]int
		run      func(x, y *Tensor) *Tensor
	}{
		{"groups", [2][]int{in, halves}, func(x, w *Tensor) *Tensor { return x.Conv2d(w, 1, 2, 1, 2) }},
		{"one group", [2][]int{in, whole}, func(x, w *Tensor) *Tensor { return x.Conv2d(w, 1, 2, 1, 1) }},
		{"channels last", [2][]int{in, whole}, func(x, w *Tensor) *Tensor {
			return x.Permute(lastDims...).Contiguous().Permute(firstDims...).Conv2d(w, 1, 2, 1, 1)
		}},
		{"gradient of images", [2][]int{out, whole}, func(g, w *Tensor) *Tensor {
			return must(g.convolve("conv", 4, w, 1, py.Adjoint(in[2], 3, out[2]), px.Adjoint(in[3], 3, out[3])))
		}},
		{"gradient of weights", [2][]int{in, out},
			func(x, g *Tensor) *Tensor { return must(x.kernelGradient("conv", g, whole, 1, py, px)) }},
	}
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := NewDevice(spec)
			if err != nil || dev.Emulated() {
				t.Skipf("no GPU: %v", err)
			}
			for _, dt := range []DType{F32, F64, F16, BF16} {
				sum, end := 0x1p-24, map[DType]float64{F32: 0x1p-24, F64: 0x1p-53, F16: 0x1p-11, BF16: 0x1p-8}[dt]
				if dt == F64 {
					sum = 0x1p-53
				}
				for _, c := range cases {
					t.Run(fmt.Sprintf("%s/%v", c.name, dt), func(t *testing.T) {
						x, y := CPU().Randn(F64, c.operands[0]...).ToDType(dt),
							CPU().Randn(F64, c.operands[1]...).ToDType(dt)
						want := c.run(x.ToDType(F64), y.ToDType(F64)).Float64s()
						sizes := c.run(x.ToDType(F64).Abs(), y.ToDType(F64).Abs()).Float64s()
						for i, got := range c.run(x.ToDevice(dev), y.ToDevice(dev)).Float64s() {
							limit := 16*sum*sizes[i] + 1.01*end*max(want[i], -want[i])
							if diff := max(got-want[i], want[i]-got); !(diff <= limit) {
								t.Fatalf("element %d is %v, want %v, off by %.3g of %.3g", i, got, want[i], diff, limit)
							}
						}
					})
				}
			}
			t.Logf("%+v", dev.gpu().DNN())
		})
	}
}
