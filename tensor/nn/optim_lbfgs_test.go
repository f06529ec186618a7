package nn_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestLBFGS: a valley and a quadratic form have their minima where they should be, after few evaluations.
func TestLBFGS(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range everywhere(t) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			within := map[tensor.DType]float64{tensor.F64: 1e-6, tensor.F32: 5e-3}[dt]
			x := tensor.NewVar(tensor.Of(-1.2).ToDType(dt).ToDevice(dev))
			y := tensor.NewVar(tensor.Of(1).ToDType(dt).ToDevice(dev))
			unused := tensor.NewVar(tensor.Of(7).ToDType(dt).ToDevice(dev))
			calls, last := 0, math.Inf(1)
			valley := func() *tensor.Tensor { // Rosenbrock's
				calls++
				return x.Neg().Add(1).Sqr().Add(y.Sub(x.Sqr()).Sqr().Mul(100)).Sum()
			}
			c := nn.DefaultLBFGS()
			c.ChangeTolerance = 1e-14
			o := nn.NewLBFGS([]*tensor.Tensor{x, y, unused}, c)
			for range 3 {
				before := o.Step(valley)
				if before > last {
					t.Errorf("%v, %v: the loss has grown from %v to %v", dev, dt, last, before)
				}
				last = before
			}
			if a, b := x.ToVec1()[0], y.ToVec1()[0]; math.Abs(a-1) > within || math.Abs(b-1) > within || calls > 100 {
				t.Errorf("%v, %v: a minimum at %v, %v after %d evaluations", dev, dt, a, b, calls)
			}
			if unused.ToVec1()[0] != 7 {
				t.Errorf("a variable without a gradient has become %v", unused)
			}
		}
	}
	w := tensor.NewVar(tensor.CPU().Linspace(tensor.F64, -3, 5, 20))
	scale := tensor.CPU().Linspace(tensor.F64, 1, 1000, 20)
	o := nn.NewLBFGS([]*tensor.Tensor{w}, nn.DefaultLBFGS())
	form := func() *tensor.Tensor { return w.Sub(2).Sqr().Mul(scale).Sum() }
	for range 3 {
		o.Step(form)
	}
	if far := w.Sub(2).Abs().Max().ToScalar(); far > 1e-6 {
		t.Errorf("the minimum of a quadratic form is missed by %v", far)
	}
}
