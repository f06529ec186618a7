package tensor_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestNormGradientOfZeros: a norm has a kink where all elements are 0. The gradient there is 0, as in PyTorch.
func TestNormGradientOfZeros(t *testing.T) {
	for _, p := range []float64{0, 0.5, 1, 2, 3} {
		x := tensor.NewVar(tensor.Zeros(2))
		if g := x.NormP(p).Backward().Get(x).Float64s(); !slices.Equal(g, []float64{0, 0}) {
			t.Errorf("p = %v: got %v, want zeros", p, g)
		}
	}
}

// TestReductionMistakes: what reductions refuse, with the facts.
func TestReductionMistakes(t *testing.T) {
	x, none := tensor.Of(1, 2), tensor.Zeros(0)
	rows := tensor.Of(1, 2, 3, 4).Reshape(2, 2)
	for _, c := range []struct {
		run  func() *tensor.Tensor
		kind error
		want string
	}{
		{func() *tensor.Tensor { return x.Quantile(1.5) }, tensor.ErrShape, "1.5: want a number from 0 to 1"},
		{func() *tensor.Tensor { return x.Quantile(75) }, tensor.ErrShape, "x.Quantile(0.75) is that percentile"},
		{func() *tensor.Tensor { return x.Quantile(math.NaN()) }, tensor.ErrShape, "NaN: want a number from 0 to 1"},
		{func() *tensor.Tensor { return x.NormP(math.NaN()) }, tensor.ErrShape, "the order of the norm is NaN"},
		{func() *tensor.Tensor { return none.Median() }, tensor.ErrShape, "no elements to choose from"},
		{func() *tensor.Tensor { return x.Std(0, 0) }, tensor.ErrShape, "dim 0 is named twice"},
		{func() *tensor.Tensor { return rows.ArgMax(0, 1) }, tensor.ErrShape, "an index belongs to one dim"},
		{func() *tensor.Tensor { return x.Diff(-1, 0) }, tensor.ErrShape, "-1 differences in succession"},
		{func() *tensor.Tensor { return rows.SearchSorted(x, false) }, tensor.ErrShape, "rows of shape [2 2]"},
		{func() *tensor.Tensor { return x.Bucketize(rows, false) }, tensor.ErrShape, "boundaries are not a vector"},
		{func() *tensor.Tensor { return x.Bucketize(nil, false) }, tensor.ErrShape, "boundaries are not a vector"},
	} {
		_, err := tensor.Try(c.run)
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) ||
			!strings.Contains(strings.Join(append(e.Notes, e.Message), "\n"), c.want) {
			t.Errorf("got %+v, want %v: %s", err, c.kind, c.want)
		}
	}
}

// TestRoundTo: numbers are rounded to decimals as NumPy has them, and large ones stay what they are.
func TestRoundTo(t *testing.T) {
	for _, c := range []struct {
		dt       tensor.DType
		decimals int
		x, want  []float64
	}{
		{tensor.F64, 5, []float64{2.0000000000000004, 0.285, 123456789, 1e300, math.Inf(-1), -2.5e-6},
			[]float64{2, 0.285, 123456789, 1e300, math.Inf(-1), 0}},
		{tensor.F64, 2, []float64{0.285, 1.005, 2.675, -0.126}, []float64{0.28, 1, 2.68, -0.13}},
		{tensor.F64, -3, []float64{123456789, 250, 1e300, -1500}, []float64{123457000, 0, 1e300, -2000}},
		{tensor.F64, 400, []float64{0.5, 1e-300, 7}, []float64{0.5, 1e-300, 7}},
		{tensor.F64, -400, []float64{0.5, 1e300}, []float64{0, 0}},
		{tensor.F32, 70, []float64{1.25, 1 << 100}, []float64{1.25, 1 << 100}},
		{tensor.F16, 7, []float64{1.25, 60000}, []float64{1.25, 60000}},
	} {
		if got := tensor.New(c.x).ToDType(c.dt).RoundTo(c.decimals).Float64s(); !slices.Equal(got, c.want) {
			t.Errorf("%v, %d decimals of %v: %v, want %v", c.dt, c.decimals, c.x, got, c.want)
		}
	}
}
