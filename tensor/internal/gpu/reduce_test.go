package gpu_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestReductionsAreOneLaunch: rows side by side have a kernel of their own, and rows that blocks share need no second
// one.
func TestReductionsAreOneLaunch(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseNever)
	x, long, deep := dev.Ones(tensor.F32, 64, 96), dev.Ones(tensor.F32, 2, 70000),
		dev.Ones(tensor.F32, 1000, 40)
	tests := []struct {
		f    func() *tensor.Tensor
		want string
		sum  float64
	}{
		{func() *tensor.Tensor { return x.Sum(0) }, "sum_columns_f32", 64},
		{func() *tensor.Tensor { return x.Sum(-1) }, "sum_f32", 96},
		{func() *tensor.Tensor { return x.T().Sum(-1) }, "sum_columns_f32", 64},
		{func() *tensor.Tensor { return x.Narrow(1, 0, 7).Sum(0) }, "sum_f32", 64}, // too few side by side
		{func() *tensor.Tensor { return deep.Sum(0) }, "sum_columns_f32", 1000},
		{func() *tensor.Tensor { return deep.Mean(0) }, "mean_columns_f32", 1},
		{func() *tensor.Tensor { return deep.Sum() }, "sum_f32", 40000},
		{func() *tensor.Tensor { return long.Sum(-1) }, "sum_f32", 70000},
		{func() *tensor.Tensor { return long.Mean(-1) }, "mean_f32", 1},
		{func() *tensor.Tensor { return long.ArgMax(-1) }, "argmax_f32", 0},
		{func() *tensor.Tensor { return deep.ArgMin(0) }, "argmin_columns_f32", 0},
	}
	for _, test := range tests {
		*launched = nil
		y := test.f()
		expectLaunches(t, launched, test.want)
		if got := y.Float64s()[0]; got != test.sum {
			t.Errorf("%s: %v, want %v", test.want, got, test.sum)
		}
	}
}
