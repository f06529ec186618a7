package autograd_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestSecondDerivatives: Hessians, also where elements are zero or equal, are central differences of gradients, and the
// gradients are those of the function.
func TestSecondDerivatives(t *testing.T) {
	one := func(x *tensor.Tensor) *tensor.Tensor { return x }
	weights := tensor.New([]float64{0.3, -1.1, 0.7, 2.1, -0.4, 0.9, 1.7})
	weigh := func(y *tensor.Tensor) *tensor.Tensor {
		if y.DType().IsComplex() {
			y = y.ViewAsReal()
		}
		y = y.FlattenAll()
		return y.Mul(weights.Repeat(y.ElemCount()/7+1).Narrow(0, 0, y.ElemCount())).Sum()
	}
	for _, c := range []struct {
		name string
		x    []float64
		f    func(x *tensor.Tensor) *tensor.Tensor
	}{
		{"products so far", []float64{1, 0, 3, -2, 0, 5}, func(x *tensor.Tensor) *tensor.Tensor { return x.CumProd(0) }},
		{"products of columns", []float64{1, 0, 3, -2, 4, 5},
			func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(3, 2).CumProd(0) }},
		{"product", []float64{1, 0, 3, 0}, func(x *tensor.Tensor) *tensor.Tensor { return x.Prod() }},
		{"sums so far", []float64{1, 2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().CumSum(0) }},
		{"logarithms of sums", []float64{1, -2, 3}, func(x *tensor.Tensor) *tensor.Tensor { return x.LogCumSumExp(0) }},
		{"deviation", []float64{1, 2, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Std() }},
		{"norm", []float64{1, 2, 4}, func(x *tensor.Tensor) *tensor.Tensor { return x.Norm() }},
		{"fft", []float64{1, 2, 4, 5, 6}, func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x.Sqr().Mul(x)) }},
		{"rfft", []float64{1, 2, 4, 5}, func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x).Abs().Sqr() }},
		{"irfft", []float64{1, 2, 4, 5, 2, 3},
			func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x.Reshape(3, 2).ViewAsComplex(), 5).Sqr() }},
		{"convolution", []float64{1, 2, 4, 5, 3}, func(x *tensor.Tensor) *tensor.Tensor {
			return fft.Convolve(x, x.Narrow(0, 0, 2), fft.Full)
		}},
		{"solution", []float64{4, 1, 2, 5, 3, 1}, func(x *tensor.Tensor) *tensor.Tensor {
			return linalg.Solve(x.Narrow(0, 0, 4).Reshape(2, 2), x.Narrow(0, 4, 2))
		}},
		{"CTC", []float64{0.5, 2, 1, -1, 0.3, 2, 1, 0.2, 0.4, -2, 1, 0}, func(x *tensor.Tensor) *tensor.Tensor {
			return nn.CTC(x.Reshape(4, 1, 3).LogSoftmax(-1), tensor.New([]int64{1, 1}).Unsqueeze(0), nn.CTCOptions{})
		}},
		{"itself", []float64{0, 1}, one},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := func(x *tensor.Tensor) *tensor.Tensor { return weigh(c.f(x)) }
			x := tensor.New(c.x)
			got, n := autograd.Hessian(f, x).Float64s(), len(c.x)
			grad := autograd.Grad(f, x).Float64s()
			const step = 1e-5
			for i := range n {
				at := func(d float64) *tensor.Tensor {
					moved := append([]float64(nil), c.x...)
					moved[i] += d
					return tensor.New(moved)
				}
				if w := (f(at(step)).ToScalar() - f(at(-step)).ToScalar()) / (2 * step); !(math.Abs(grad[i]-w) <= 1e-6*(1+math.Abs(w))) {
					t.Errorf("derivative %d is %v, want %v", i, grad[i], w)
				}
				up, down := autograd.Grad(f, at(step)).Float64s(), autograd.Grad(f, at(-step)).Float64s()
				for j := range n {
					want := (up[j] - down[j]) / (2 * step)
					if !(math.Abs(got[i*n+j]-want) <= 1e-6*(1+math.Abs(want))) {
						t.Errorf("element [%d %d] is %v, want %v", i, j, got[i*n+j], want)
					}
				}
			}
		})
	}
}

// TestEqualElements: the deviation of equal elements has the gradient 0, as PyTorch has it, and its own is 0 too.
func TestEqualElements(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *tensor.Device) {
		for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
			"std":                    func(x *tensor.Tensor) *tensor.Tensor { return x.Std() },
			"std without correction": func(x *tensor.Tensor) *tensor.Tensor { return x.StdWith(0) },
			"nan std":                func(x *tensor.Tensor) *tensor.Tensor { return x.NanStd() },
		} {
			x := dev.New([]float64{1, 1, 1})
			near(t, name, autograd.Grad(f, x), 0, 0, 0)
			near(t, "gradient of the gradient of "+name, autograd.Hessian(f, x), make([]float64, 9)...)
		}
	})
}
