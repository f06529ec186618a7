package special_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/special"
)

var cpu = tensor.CPU()

// TestEdges: values of SciPy 1.17 where a formula alone would give NaN, and outside of domains.
func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	of := func(x ...float64) *tensor.Tensor { return cpu.New(x) }
	for name, c := range map[string]struct {
		got  *tensor.Tensor
		want []float64
	}{
		"xlogy":       {special.XLogY(of(0, 0, 0, 0, 2, 0), of(0, nan, inf, -1, 0, 3)), []float64{0, nan, 0, 0, -inf, 0}},
		"xlog1py":     {special.XLog1PY(of(0, 0, 2, 1), of(-1, nan, 1e-20, -1)), []float64{0, nan, 2e-20, -inf}},
		"entr":        {special.Entr(of(0, 1, -1, nan, 0.5)), []float64{0, 0, -inf, nan, 0.34657359027997264}},
		"rel_entr":    {special.RelEntr(of(0, 0, 1, -1, 1, nan), of(0, 1, 0, 1, 2, 1)), []float64{0, 0, inf, inf, -math.Ln2, nan}},
		"gammainc":    {special.GammaInc(of(1, 1, 1, -1, 2), of(0, inf, -1, 1, nan)), []float64{0, 1, nan, nan, nan}},
		"gammaincc":   {special.GammaIncC(of(1, 1, 1, 0.5), of(0, inf, -1, 800)), []float64{1, 0, nan, 0}},
		"log tail":    {special.LogGammaIncC(of(0.5), 800), []float64{-803.915294833194}},
		"gammaincinv": {special.GammaIncInv(of(2, 2, 2, 2), of(0, 1, 1.5, nan)), []float64{0, inf, nan, nan}},
		"betainc":     {special.BetaInc(of(2, 2, 2, 0), 3, of(0, 1, 2, 0.5)), []float64{0, 1, nan, nan}},
		"betaincc":    {special.BetaIncC(of(2, 2, 2, 0), 3, of(0, 1, 2, 0.5)), []float64{1, 0, nan, nan}},
		"betaincinv":  {special.BetaIncInv(2, 3, of(0, 1, -1)), []float64{0, 1, nan}},
		"ndtri":       {special.Ndtri(of(0, 1, 2, 0.5)), []float64{-inf, inf, nan, 0}},
		"gamma":       {special.Gamma(of(5, -1, 0.5, 200)), []float64{24, nan, math.Sqrt(math.Pi), inf}},
		"polygamma":   {special.Polygamma(2, of(1, 0, -0.5)), []float64{-2.4041138063191885, -inf, nan}},
		"expi":        {special.ExpI(of(0, -inf, inf)), []float64{-inf, 0, inf}},
		"exp1":        {special.Exp1(of(0, -1, inf)), []float64{inf, nan, 0}},
		"k0":          {special.K0(of(0, -1, inf)), []float64{inf, nan, 0}},
		"j0":          {special.J0(of(0, inf, -inf)), []float64{1, 0, 0}},
		"multigamma":  {special.MultiGammaLn(of(3, 1, 0.5), 3), []float64{2.694924879806965, nan, nan}},
		"numbers":     {special.Beta(2, 3).Reshape(1), []float64{float64(float32(1.0 / 12))}},
	} {
		got := c.got.Float64s()
		for i, w := range c.want {
			if g := got[i]; !(g == w || math.Abs(g-w) <= 1e-14*math.Abs(w)) && !(g != g && w != w) {
				t.Errorf("%s: element %d is %v, want %v", name, i, g, w)
			}
		}
	}
}

// TestTypes: results have the type of the tensors, which are broadcast.
func TestTypes(t *testing.T) {
	x := cpu.New([]float64{1, 2, 3})
	for _, c := range []struct {
		got  *tensor.Tensor
		want tensor.DType
	}{
		{special.GammaInc(2, x.ToDType(tensor.F32)), tensor.F32},
		{special.GammaInc(x.ToDType(tensor.F16).Unsqueeze(1), x.ToDType(tensor.F32)), tensor.F32},
		{special.Ndtr(x.ToDType(tensor.I64)), tensor.F32},
		{special.J0(x.ToDType(tensor.BF16)), tensor.BF16},
		{special.Beta(x, x.ToDType(tensor.I32)), tensor.F64},
	} {
		if c.got.DType() != c.want {
			t.Errorf("got %v, want %v", c.got.DType(), c.want)
		}
	}
	for _, f := range []func() *tensor.Tensor{
		func() *tensor.Tensor { return special.J0("1") },
		func() *tensor.Tensor { return special.J0(cpu.New([]complex128{1})) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrDType) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return special.Polygamma(-1, x) }); !errors.Is(err, tensor.ErrValue) {
		t.Errorf("got %v", err)
	}
}

// TestGradients: those of PyTorch 2.15, in both operands; at 0·log 0 it has NaN for the second.
func TestGradients(t *testing.T) {
	x, y := tensor.NewVar(cpu.New([]float64{0, 0, 2})), tensor.NewVar(cpu.New([]float64{3, 0, 0.5}))
	grads := special.XLogY(x, y).Sum().Backward()
	for i, want := range [][]float64{{1.0986122886681098, 0, -0.6931471805599453}, {0, 0, 4}} {
		got := grads.Get([]*tensor.Tensor{x, y}[i]).Float64s()
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-15 {
				t.Errorf("operand %d: the gradients are %v, want %v", i+1, got, want)
			}
		}
	}
}
