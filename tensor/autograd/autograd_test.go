package autograd_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

func near(t *testing.T, what string, got *tensor.Tensor, want ...float64) {
	t.Helper()
	values := got.Float64s()
	if len(values) != len(want) {
		t.Fatalf("%s: shape %v, want %d elements", what, got.Dims(), len(want))
	}
	for i, w := range want {
		if !(math.Abs(values[i]-w) <= 1e-12*(1+math.Abs(w))) {
			t.Fatalf("%s: %v, want %v", what, values, want)
		}
	}
}

func cubes(x *tensor.Tensor) *tensor.Tensor { return x.Powf(3).Sum() }

// TestNested: derivatives of derivatives, up to the fourth.
func TestNested(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := dev.New([]float64{0.5, 2})
		f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sin().Mul(x.Exp()).Sum() }
		of := func(g func(x float64) float64) []float64 { return []float64{g(0.5), g(2)} }
		e := math.Exp
		want := [][]float64{
			of(func(x float64) float64 { return e(x) * (math.Sin(x) + math.Cos(x)) }),
			of(func(x float64) float64 { return 2 * e(x) * math.Cos(x) }),
			of(func(x float64) float64 { return 2 * e(x) * (math.Cos(x) - math.Sin(x)) }),
			of(func(x float64) float64 { return -4 * e(x) * math.Sin(x) }),
		}
		for order, w := range want {
			near(t, "derivative", autograd.Grad(f, x), w...)
			if order == 3 {
				break
			}
			g := f
			f = func(x *tensor.Tensor) *tensor.Tensor { return autograd.Grad(g, x).Sum() }
		}
		if x.TrackOp() || autograd.Grad(cubes, x).TrackOp() {
			t.Error("a derivative at a constant depends on variables")
		}
	})
}

// TestMatrices: Jacobians and Hessians by rows and by columns, and products with them.
func TestMatrices(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := dev.New([]float64{1, 2, 3})
		f := func(x *tensor.Tensor) *tensor.Tensor { // x0·x1, x1², x2·x0
			return tensor.Cat([]*tensor.Tensor{x.I("0:1").Mul(x.I("1:2")), x.I("1:2").Sqr(),
				x.I("2:3").Mul(x.I("0:1"))}, 0)
		}
		j := []float64{2, 1, 0, 0, 4, 0, 3, 0, 1}
		near(t, "Jacobian", autograd.Jacobian(f, x), j...)
		wide := func(x *tensor.Tensor) *tensor.Tensor { return f(x).Repeat(3) }
		tall := autograd.Jacobian(wide, x)
		if !slices.Equal(tall.Dims(), []int{9, 3}) {
			t.Fatal(tall.Dims())
		}
		near(t, "Jacobian by columns", tall, slices.Repeat(j, 3)...)
		v := dev.New([]float64{1, -1, 2})
		y, jv := autograd.JVP(f, x, v)
		near(t, "f(x)", y, 2, 4, 3)
		near(t, "J·v", jv, 1, -4, 5)
		_, vj := autograd.VJP(f, x, v)
		near(t, "v·J", vj, 8, -3, 2)
		near(t, "Hessian", autograd.Hessian(cubes, x), 6, 0, 0, 0, 12, 0, 0, 0, 18)
		g, hv := autograd.HVP(cubes, x, v)
		near(t, "gradient", g, 3, 12, 27)
		near(t, "H·v", hv, 6, -12, 36)
		shaped := autograd.Jacobian((*tensor.Tensor).T, dev.Zeros(tensor.F32, 2, 3))
		if !slices.Equal(shaped.Dims(), []int{3, 2, 2, 3}) || shaped.Sum().ToScalar() != 6 {
			t.Error(shaped)
		}
	})
}

// TestPenalty: a loss with a gradient in it has gradients for variables that the function uses.
func TestPenalty(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		w := tensor.NewVar(dev.New([]float64{2, 3}))
		x := dev.New([]float64{5, 7})
		slope := autograd.Grad(func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Mul(w.Sqr()).Sum() }, x) // 2·x·w²
		near(t, "slope", slope, 40, 126)
		near(t, "penalty", slope.Sum().Backward().Get(w), 40, 84) // 4·x·w
		gs := autograd.Grads(func(xs []*tensor.Tensor) *tensor.Tensor { return xs[0].Mul(xs[1]).Sum() }, x, w)
		near(t, "by the first", gs[0], 2, 3)
		near(t, "by the second", gs[1], 5, 7)
	})
}

// TestConstants: what a function does not use has zeros.
func TestConstants(t *testing.T) {
	x := tensor.New([]float64{1, 2})
	five := func(*tensor.Tensor) *tensor.Tensor { return tensor.New([]float64{5}) }
	near(t, "gradient", autograd.Grad(five, x), 0, 0)
	near(t, "Jacobian", autograd.Jacobian(five, x), 0, 0)
	near(t, "Hessian", autograd.Hessian(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }, x), 0, 0, 0, 0)
	_, p := autograd.JVP(five, x, x)
	near(t, "J·v", p, 0)
}

func TestHook(t *testing.T) {
	w := tensor.NewVar(tensor.Of(3))
	var seen []float64
	h := autograd.Hook(w.Sqr(), func(g *tensor.Tensor) *tensor.Tensor {
		seen = g.ToVec1()
		return g.Clamp(-1, 1)
	})
	near(t, "gradient", h.Mul(10).Sum().Backward().Get(w), 6)
	if !slices.Equal(seen, []float64{10}) {
		t.Error(seen)
	}
}

type square struct{}

func (square) Name() string                                            { return "square" }
func (square) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error)     { return x.Sqr(), nil }
func (square) Backward(x, _, g *tensor.Tensor) (*tensor.Tensor, error) { return g.Mul(x).Mul(2), nil }

type square2 struct{ square }

func (square2) BackwardByOperations() {}

// TestErrors: a gradient that has none is an error, never a wrong number.
func TestErrors(t *testing.T) {
	x := tensor.New([]float64{1, 2})
	near(t, "custom", autograd.Grad(func(x *tensor.Tensor) *tensor.Tensor { return x.ApplyOp1(square{}).Sum() }, x), 2,
		4)
	near(t, "custom, twice", autograd.Hessian(func(x *tensor.Tensor) *tensor.Tensor {
		return x.ApplyOp1(square2{}).Sum()
	},
		x), 2, 0, 0, 2)
	for want, f := range map[string]func() *tensor.Tensor{
		"backward: the gradient of square has no gradient": func() *tensor.Tensor {
			return autograd.Hessian(func(x *tensor.Tensor) *tensor.Tensor { return x.ApplyOp1(square{}).Sum() }, x)
		},
		"grad: want a function whose result is a scalar, not of shape [2]": func() *tensor.Tensor {
			return autograd.Grad((*tensor.Tensor).Sqr, x)
		},
		"grad: want float tensors: argument 1 is not one": func() *tensor.Tensor {
			return autograd.Grad(cubes, tensor.New([]int{1}))
		},
	} {
		if _, err := tensor.Try(f); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		} else if err := err.(*tensor.Error); want[0] == 'b' && !errors.Is(err, tensor.ErrGradient) {
			t.Errorf("%v is no ErrGradient", err)
		}
	}
}
