package autograd_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/linalg"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestSecondDerivatives: Hessians, also where elements are zero or equal, are central differences of gradients, and the
// gradients are those of the function.
func TestSecondDerivatives(t *testing.T) {
	one := func(x *tensor.Tensor) *tensor.Tensor { return x }
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
		t.Run(c.name, func(t *testing.T) { checkSecond(t, c.f, c.x) })
	}
}

// TestSecondDerivativesOfTies: functions that have derivatives of every order have them too where elements are equal, or
// equal to the maximum, and the rest is far below.
func TestSecondDerivativesOfTies(t *testing.T) {
	rows := func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(2, 2) }
	labels := tensor.New([]int64{1, 0})
	for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"LogSumExp":          func(x *tensor.Tensor) *tensor.Tensor { return x.LogSumExp() },
		"LogSumExp of rows":  func(x *tensor.Tensor) *tensor.Tensor { return rows(x).LogSumExp(1) },
		"LogSumExp of cells": func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(1, 2, 2).LogSumExp(0, 2) },
		"LogCumSumExp":       func(x *tensor.Tensor) *tensor.Tensor { return x.LogCumSumExp(0) },
		"LogAddExp":          func(x *tensor.Tensor) *tensor.Tensor { return x.Narrow(0, 0, 2).LogAddExp(x.Narrow(0, 2, 2)) },
		"Softmax":            func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(0) },
		"LogSoftmax":         func(x *tensor.Tensor) *tensor.Tensor { return x.LogSoftmax(0) },
		"CrossEntropy":       func(x *tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(rows(x), labels) },
		"Mean":               func(x *tensor.Tensor) *tensor.Tensor { return x.Mean().Exp() },
		"Var":                func(x *tensor.Tensor) *tensor.Tensor { return x.Var() },
		"Prod":               func(x *tensor.Tensor) *tensor.Tensor { return x.Prod() },
		"CumProd":            func(x *tensor.Tensor) *tensor.Tensor { return x.CumProd(0) },
		"LayerNorm": func(x *tensor.Tensor) *tensor.Tensor {
			return x.LayerNorm(tensor.New([]float64{1, 2, 3, 4}), tensor.New([]float64{1, 0, 0, 1}), 0.5)
		},
	} {
		for _, x := range [][]float64{{2, 2, 1, -1}, {0, 0, 0, 0}, {3, 3, 3, 1}, {1, 40, 40, -40}, {-1, 2, -1, 2}} {
			t.Run(fmt.Sprint(name, x), func(t *testing.T) { checkSecond(t, f, x) })
		}
	}
}

// TestSecondDerivativesAtZero: functions whose gradients divide by what is zero, where they have second derivatives all
// the same.
func TestSecondDerivativesAtZero(t *testing.T) {
	norm := func(p float64) func(x *tensor.Tensor) *tensor.Tensor {
		return func(x *tensor.Tensor) *tensor.Tensor { return x.NormP(p) }
	}
	checkSecond(t, func(x *tensor.Tensor) *tensor.Tensor { return x.I0() }, []float64{0, 1, -2})
	checkSecond(t, func(x *tensor.Tensor) *tensor.Tensor { return x.I1() }, []float64{0, 1, -2})
	checkSecond(t, func(x *tensor.Tensor) *tensor.Tensor { return x.Sinc() }, []float64{0, 0.5, -2})
	checkSecond(t, norm(3), []float64{0, 2, -1})
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, p := range []float64{2.5, 3, 4} { // as PyTorch has it: 0 where all elements are
			near(t, fmt.Sprint("norm ", p), autograd.Hessian(norm(p), dev.New([]float64{0, 0})), 0, 0, 0, 0)
		}
		// That of an element which is zero is infinite for orders below 2, and has no number; the others have theirs.
		with := autograd.Hessian(norm(1.5), dev.New([]float64{0, 2, 0.5})).Float64s()
		without := autograd.Hessian(norm(1.5), dev.New([]float64{2, 0.5})).Float64s()
		for i, at := range []int{4, 5, 7, 8} {
			if math.Abs(with[at]-without[i]) > 1e-12 {
				t.Errorf("second derivative %d is %v beside a zero, and %v without", i, with[at], without[i])
			}
		}
		if v := with[0]; v-v == 0 {
			t.Errorf("the second derivative of a zero is %v", v)
		}
	})
}

// checkSecond compares the gradient and the Hessian of a weighted sum of the results with central differences.
func checkSecond(t *testing.T, of func(x *tensor.Tensor) *tensor.Tensor, at []float64) {
	t.Helper()
	weights := tensor.New([]float64{0.3, -1.1, 0.7, 2.1, -0.4, 0.9, 1.7})
	f := func(x *tensor.Tensor) *tensor.Tensor {
		y := of(x)
		if y.DType().IsComplex() {
			y = y.ViewAsReal()
		}
		y = y.FlattenAll()
		return y.Mul(weights.Repeat(y.ElemCount()/7+1).Narrow(0, 0, y.ElemCount())).Sum()
	}
	x := tensor.New(at)
	got, n := autograd.Hessian(f, x).Float64s(), len(at)
	grad := autograd.Grad(f, x).Float64s()
	const step = 1e-5
	for i := range n {
		moved := func(d float64) *tensor.Tensor {
			values := slices.Clone(at)
			values[i] += d
			return tensor.New(values)
		}
		if w := (f(moved(step)).ToScalar() - f(moved(-step)).ToScalar()) / (2 * step); !(math.Abs(grad[i]-w) <= 1e-6*(1+math.Abs(w))) {
			t.Errorf("derivative %d is %v, want %v", i, grad[i], w)
		}
		up, down := autograd.Grad(f, moved(step)).Float64s(), autograd.Grad(f, moved(-step)).Float64s()
		for j := range n {
			want := (up[j] - down[j]) / (2 * step)
			if !(math.Abs(got[i*n+j]-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("element [%d %d] is %v, want %v", i, j, got[i*n+j], want)
			}
		}
	}
}

// TestEqualElements: the deviation of equal elements has the gradient 0, as PyTorch has it, and its own is 0 too.
func TestEqualElements(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
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
