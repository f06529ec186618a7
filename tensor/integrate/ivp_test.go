package integrate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/integrate"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

var methods = []integrate.Method{integrate.RK45, integrate.RK23, integrate.DOP853, integrate.Radau}

// lotka is a system of preys and predators, or many of them.
func lotka(t float64, y *tensor.Tensor) *tensor.Tensor {
	a, b := y.I("..., 0"), y.I("..., 1")
	ab := a.Mul(b)
	return tensor.Stack([]*tensor.Tensor{a.Mul(1.5).Sub(ab), ab.Sub(b.Mul(3))}, -1)
}

func rober(t float64, y *tensor.Tensor) *tensor.Tensor {
	a, b, c := y.I("..., 0"), y.I("..., 1"), y.I("..., 2")
	slow, back, fast := a.Mul(0.04), b.Mul(c).Mul(1e4), b.Sqr().Mul(3e7)
	return tensor.Stack([]*tensor.Tensor{back.Sub(slow), slow.Sub(back).Sub(fast), fast}, -1)
}

// TestSolveIVP compares solutions with those of SciPy's steps.
func TestSolveIVP(t *testing.T) {
	thorough.Slow(t)
	want := testutil.SciPy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, m := range methods {
			if m == integrate.RK23 && !dev.IsCPU() {
				continue // as RK45, with more steps
			}
			o := integrate.IVPOptions{Method: m, RTol: 1e-5, ATol: 1e-7, TEval: []float64{0, 0.3, 1, 2.5, 4}}
			s, err := integrate.SolveIVP(lotka, 0, 4, dev.New([]float64{10, 5}), o)
			tol := 1e-9 // of rounding; steps and errors are the same
			if m == integrate.Radau {
				tol = 2e-5 // SciPy's Jacobian is one of differences
			}
			if near(t, "lotka "+m.String(), s.Y, want["lotka "+m.String()], tol); err != nil {
				t.Error(m, err)
			}
		}
	})
	for _, m := range methods {
		forced := func(t float64, y []float64) []float64 { return []float64{y[1], -y[0] + math.Cos(2*t)} }
		o := integrate.IVPOptions{Method: m, RTol: 1e-6, ATol: 1e-8, TEval: []float64{3, 1.7, -1}, Dense: true}
		s, err := integrate.SolveIVPFunc(forced, 3, -1, []float64{1, 0}, o)
		tol := 1e-9
		if m == integrate.Radau {
			tol = 1e-7
		}
		if near(t, "forced "+m.String(), s.Y, want["forced "+m.String()], tol); err != nil || s.Steps < 5 || s.Calls < s.Steps {
			t.Error(m, s, err)
		}
		near(t, "at", s.At(3, 1.7, -1), want["forced "+m.String()], tol)
	}
}

// TestBatch: many systems are solved at once, each within the tolerance, stiff ones too, in F32 and F64.
func TestBatch(t *testing.T) {
	thorough.Slow(t)
	want := testutil.SciPy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			y0 := dev.New([][]float64{{10, 5}, {4, 2}, {1, 9}}).ToDType(dt)
			s, err := integrate.SolveIVP(lotka, 0, 4, y0, integrate.IVPOptions{RTol: 1e-5, ATol: 1e-6, TEval: []float64{4}})
			if err != nil || s.Y.DType() != dt {
				t.Fatal(err)
			}
			for k := range 3 {
				near(t, fmt.Sprint(dt, " ", k), s.Y.Get(0).Get(k), want[fmt.Sprintf("lotka exact %d", k)], 1e-3)
			}
		}
		y0 := dev.New([][][]float64{{{1, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {0.9, 0, 0.1}}})
		o := integrate.IVPOptions{Method: integrate.Radau, RTol: 1e-6, ATol: 1e-10, TEval: []float64{1, 1e3, 1e5}}
		if !dev.IsCPU() {
			o.RTol, o.ATol = 1e-4, 1e-8 // fewer steps
		}
		s, err := integrate.SolveIVP(rober, 0, 1e5, y0, o)
		if err != nil || s.Steps > 250 {
			t.Fatal(s, err)
		}
		near(t, "stiff", s.Y.I(":, 1, 0"), want["rober"], 10*o.RTol)
	})
}

// TestEvents: a ball is thrown, and hits the ground.
func TestEvents(t *testing.T) {
	want := testutil.SciPy(t)
	ball := func(t float64, y []float64) []float64 { return []float64{y[1], -9.81 - 0.1*y[1]} }
	height := func(k int) func(t float64, y *tensor.Tensor) float64 {
		return func(t float64, y *tensor.Tensor) float64 { return y.Get(k).ToScalar() }
	}
	o := integrate.IVPOptions{RTol: 1e-10, ATol: 1e-10, Events: []integrate.Event{
		{F: height(0), Terminal: true, Direction: -1}, {F: height(1)}, {F: height(1), Direction: 1}}}
	s, err := integrate.SolveIVPFunc(ball, 0, 100, []float64{0, 20}, o)
	if err != nil || len(s.TEvents[0]) != 1 || len(s.TEvents[1]) != 1 || len(s.TEvents[2]) != 0 || s.YEvents[2] != nil {
		t.Fatal(s, err)
	}
	close(t, "hit", s.TEvents[0][0], want["hit"].Values[0], 1e-9)
	close(t, "top", s.TEvents[1][0], want["top"].Values[0], 1e-9)
	near(t, "hit y", s.YEvents[0], want["hit y"], 1e-8)
	if last := s.T[len(s.T)-1]; last != s.TEvents[0][0] || !strings.Contains(s.Message, "event 0") {
		t.Error(s)
	}
	o.Dense = true
	if s, err = integrate.SolveIVPFunc(ball, 0, 100, []float64{0, 20}, o); err != nil {
		t.Fatal(err)
	}
	near(t, "end", s.At(s.TEvents[0][0]), want["hit y"], 1e-8)
	panics(t, "after the end", tensor.ErrValue, func() { s.At(s.TEvents[0][0] + 0.01) })
	o.TEval = []float64{1, 2, 90} // the last one is not reached
	s, err = integrate.SolveIVPFunc(ball, 0, 100, []float64{0, 20}, o)
	if err != nil || len(s.T) != 2 || s.Y.Dim(0) != 2 {
		t.Error(s, err)
	}
}

// TestGradients: those of a solution with respect to its first state and to a parameter are those of differences.
func TestGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, m := range methods[:3] {
			o := integrate.IVPOptions{Method: m, RTol: 1e-9, ATol: 1e-9, TEval: []float64{1}}
			if m == integrate.RK23 {
				o.RTol, o.ATol = 1e-6, 1e-6
			}
			y0, rate := tensor.NewVar(dev.New([]float64{2, 3})), tensor.NewVar(dev.New([]float64{0.7}).Squeeze(0))
			s, err := integrate.SolveIVP(func(t float64, y *tensor.Tensor) *tensor.Tensor { return y.Mul(rate).Neg() }, 0, 1, y0, o)
			if err != nil {
				t.Fatal(err)
			}
			grads := s.Y.Sum().Backward() // of (y0 + y1)·exp(-rate)
			e := math.Exp(-0.7)
			near(t, "state", grads.Get(y0), vector(e, e), 1e-5)
			near(t, "rate", grads.Get(rate), testutil.Array{Values: []float64{-5 * e}}, 1e-5)
		}
	})
	y0 := tensor.NewVar(tensor.Of(1))
	panics(t, "Radau", tensor.ErrGradient, func() {
		integrate.SolveIVP(lotka, 0, 1, y0, integrate.IVPOptions{Method: integrate.Radau})
	})
	panics(t, "Radau with a parameter", tensor.ErrGradient, func() {
		integrate.SolveIVP(func(t float64, y *tensor.Tensor) *tensor.Tensor { return y.Mul(y0) }, 0, 1, tensor.Of(1),
			integrate.IVPOptions{Method: integrate.Radau})
	})
}

// TestIVPFails: what keeps a solution from its end is an error that says so, with the solution so far.
func TestIVPFails(t *testing.T) {
	square := func(t float64, y []float64) []float64 { return []float64{y[0] * y[0]} } // is infinite at t = 1
	for _, m := range methods {
		s, err := integrate.SolveIVPFunc(square, 0, 2, []float64{1}, integrate.IVPOptions{Method: m})
		if fails(t, "singularity", err, integrate.ErrStepSize); len(s.T) < 5 || math.Abs(s.T[len(s.T)-1]-1) > 0.01 || s.Message == "" {
			t.Error(m, s.T, s.Message)
		}
		_, err = integrate.SolveIVPFunc(func(t float64, y []float64) []float64 { return []float64{math.NaN()} }, 0, 2,
			[]float64{1}, integrate.IVPOptions{Method: m})
		fails(t, "NaN", err, integrate.ErrNotFinite)
		_, err = integrate.SolveIVPFunc(func(t float64, y []float64) []float64 { return []float64{math.Sqrt(0.5 - t)} }, 0, 2,
			[]float64{1}, integrate.IVPOptions{Method: m})
		fails(t, "NaN later", err, integrate.ErrStepSize)
	}
	stiff := func(t float64, y []float64) []float64 { return []float64{-1e6 * (y[0] - math.Cos(t))} }
	_, err := integrate.SolveIVPFunc(stiff, 0, 10, []float64{0}, integrate.IVPOptions{MaxSteps: 100})
	if fails(t, "stiff", err, integrate.ErrNotConverged); !strings.Contains(fmt.Sprint(err), "integrate.Radau") {
		t.Error(err)
	}
	s, err := integrate.SolveIVPFunc(stiff, 0, 10, []float64{0}, integrate.IVPOptions{Method: integrate.Radau, MaxSteps: 100})
	if close(t, "stiff", s.Y.I("-1").ToVec1()[0], math.Cos(10), 1e-3); err != nil {
		t.Error(err)
	}
	y, none := tensor.Of(1, 2), integrate.IVPOptions{}
	solve := func(t1 float64, y0 *tensor.Tensor, o integrate.IVPOptions) func() {
		return func() { integrate.SolveIVP(lotka, 0, t1, y0, o) }
	}
	for _, c := range []struct {
		name string
		kind error
		f    func()
	}{
		{"shape", tensor.ErrShape, func() {
			integrate.SolveIVP(func(t float64, y *tensor.Tensor) *tensor.Tensor { return y.Sum() }, 0, 1, y, none)
		}},
		{"count", tensor.ErrShape, func() { integrate.SolveIVPFunc(square, 0, 1, []float64{1, 2}, none) }},
		{"empty", tensor.ErrShape, solve(1, tensor.Zeros(0), none)},
		{"integers", tensor.ErrDType, solve(1, y.ToDType(tensor.I64), none)},
		{"half", tensor.ErrDType, solve(1, y.ToDType(tensor.F16), none)},
		{"no time", tensor.ErrValue, solve(0, y, none)},
		{"infinite time", tensor.ErrValue, solve(inf, y, none)},
		{"tolerance of F32", tensor.ErrValue, solve(1, y, integrate.IVPOptions{RTol: 1e-9})},
		{"negative tolerance", tensor.ErrValue, solve(1, y, integrate.IVPOptions{ATol: -1})},
		{"method", tensor.ErrValue, solve(1, y, integrate.IVPOptions{Method: 9})},
		{"times", tensor.ErrValue, solve(1, y, integrate.IVPOptions{TEval: []float64{0.5, 0.2}})},
		{"later times", tensor.ErrValue, solve(1, y, integrate.IVPOptions{TEval: []float64{0.5, 2}})},
		{"scalar", tensor.ErrShape, solve(1, tensor.Of(1).Sum(), integrate.IVPOptions{Method: integrate.Radau})},
		{"not dense", tensor.ErrValue, func() { integrate.Solution{}.At(1) }},
		{"outside", tensor.ErrValue, func() {
			s, _ := integrate.SolveIVP(lotka, 0, 1, y, integrate.IVPOptions{Dense: true})
			s.At(1.5)
		}},
	} {
		panics(t, c.name, c.kind, c.f)
	}
	scalar, err := integrate.SolveIVP(func(t float64, y *tensor.Tensor) *tensor.Tensor { return y.Neg() }, 0, 1,
		tensor.CPU().New([]float64{1}).Sum(), integrate.IVPOptions{RTol: 1e-8, ATol: 1e-8})
	if close(t, "scalar", scalar.Y.I("-1").ToScalar(), math.Exp(-1), 1e-7); err != nil {
		t.Error(err)
	}
}
