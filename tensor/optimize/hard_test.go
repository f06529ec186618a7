package optimize_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/optimize"
)

// TestStops: a search that cannot converge says so, with the best point that it found.
func TestStops(t *testing.T) {
	thorough.Slow(t)
	x0 := tensor.Of(-1.2, 1)
	for m := optimize.BFGS; m <= optimize.TrustNCG; m++ {
		r, err := optimize.Minimize(rosenbrock, x0, optimize.Options{Method: m, MaxIter: 3})
		fails(t, m.String()+": three iterations", err, optimize.ErrNotConverged)
		if r.Iterations != 3 || r.Message != err.Error() || !(r.F < 24.2) {
			t.Error(m, r)
		}
		_, err = optimize.Minimize(logs, tensor.Of(-1, 1), optimize.Options{Method: m})
		fails(t, m.String()+": NaN", err, optimize.ErrNotFinite)
		_, err = optimize.Minimize(func(x *tensor.Tensor) *tensor.Tensor { return x.Sum() }, x0, optimize.Options{Method: m, MaxIter: 3000})
		if !errors.Is(err, optimize.ErrNotConverged) && !errors.Is(err, optimize.ErrUnbounded) {
			t.Errorf("%v: a line has a minimum: %v", m, err)
		}
		flat, err := optimize.MinimizeFunc(func(x []float64) float64 { return 7 }, []float64{1, 2}, optimize.Options{Method: m})
		if err != nil || flat.F != 7 || m != optimize.NelderMead && flat.Iterations != 0 {
			t.Error(m, flat, err)
		}
		calls := 0
		r, err = optimize.Minimize(rosenbrock, x0, optimize.Options{Method: m, Callback: func(r optimize.Result) bool {
			calls++
			return r.Iterations == 2
		}})
		if err != nil || calls != 2 || r.Iterations != 2 || !strings.Contains(r.Message, "Callback") {
			t.Error(m, calls, r, err)
		}
	}
}

// TestKinks: functions with jumps and kinks have no silent failures.
func TestKinks(t *testing.T) {
	abs := func(x []float64) float64 { return math.Abs(x[0]-1) + 3*math.Abs(x[1]+2) }
	r, err := optimize.MinimizeFunc(abs, []float64{0, 0}, optimize.Options{Method: optimize.NelderMead, XTol: 1e-8, FTol: 1e-8})
	if near(t, "kink", r.X.ToVec1(), []float64{1, -2}, 1e-6); err != nil {
		t.Error(err)
	}
	for _, m := range []optimize.Method{optimize.BFGS, optimize.LBFGS, optimize.CG, optimize.TrustNCG} {
		r, err := optimize.MinimizeFunc(abs, []float64{0, 0}, optimize.Options{Method: m})
		if err == nil && !(r.F < 1e-4) {
			t.Errorf("%v stopped at %v without an error", m, r)
		}
	}
	barrier := func(x *tensor.Tensor) *tensor.Tensor { // NaN outside of 0 to 1
		return x.Sum().Sub(x.Log().Add(x.Affine(-1, 1).Log()).Sum().Mul(0.01))
	}
	for m := optimize.BFGS; m <= optimize.TrustNCG; m++ {
		r, err := optimize.Minimize(barrier, tensor.Of(0.5, 0.9), optimize.Options{Method: m})
		if near(t, m.String(), r.X.ToVec1(), []float64{0.0098999803, 0.0098999803}, 1e-4); err != nil {
			t.Error(m, err)
		}
	}
	// NaN beyond 2: steps get shorter
	walled := func(x []float64) float64 { return math.Sqrt(2-x[0]) - 2*math.Log(x[0]) }
	r, err = optimize.MinimizeFunc(walled, []float64{0.5}, optimize.Options{Method: optimize.LBFGSB, Bounds: [][2]float64{{0.1, 1.9}}})
	if near(t, "wall", r.X.ToVec1(), []float64{1.9}, 1e-9); err != nil {
		t.Error(err)
	}
}

// TestScalarFails: wrong brackets, jumps and NaN.
func TestScalarFails(t *testing.T) {
	none := optimize.ScalarOptions{}
	_, err := optimize.BrentQ(func(x float64) float64 { return x*x + 1 }, -1, 2, none)
	fails(t, "no sign change", err, optimize.ErrBracket)
	if !strings.Contains(fmt.Sprint(err), "2 at -1, 5 at 2") {
		t.Error(err)
	}
	_, err = optimize.BrentQ(math.Log, -1, 2, none)
	fails(t, "NaN at an end", err, optimize.ErrNotFinite)
	_, err = optimize.BrentQ(func(x float64) float64 {
		if x > -0.9 && x < 1.9 {
			return math.NaN()
		}
		return x
	}, -1, 2, none)
	fails(t, "NaN inside", err, optimize.ErrNotFinite)
	_, err = optimize.BrentQ(func(x float64) float64 { return math.Pow(x-1, 9) }, -5, 4, none)
	fails(t, "flat", err, optimize.ErrNotConverged)
	r, err := optimize.BrentQ(func(x float64) float64 { return math.Copysign(1, x-0.3) }, -5, 4, none)
	if near(t, "jump", []float64{r.X}, []float64{0.3}, 1e-11); err != nil || math.Abs(r.F) != 1 {
		t.Error(r, err)
	}
	r, err = optimize.BrentQ(math.Sin, 0, 1, none)
	if err != nil || r.X != 0 || r.Calls != 2 {
		t.Error(r, err)
	}
	_, err = optimize.MinimizeScalar(func(x float64) float64 { return -x }, none)
	fails(t, "downhill", err, optimize.ErrUnbounded)
	_, err = optimize.MinimizeScalar(func(x float64) float64 { return x - math.Inf(1) + math.Inf(1) }, none)
	fails(t, "NaN", err, optimize.ErrNotFinite)
	_, err = optimize.MinimizeScalar(math.Log, optimize.ScalarOptions{Bounds: &[2]float64{-1, 1}})
	fails(t, "NaN in bounds", err, optimize.ErrNotFinite)
	_, err = optimize.MinimizeScalar(math.Cos, optimize.ScalarOptions{MaxIter: 2})
	fails(t, "two iterations", err, optimize.ErrNotConverged)
	flat, err := optimize.MinimizeScalar(func(x float64) float64 { return 1 }, none)
	if err != nil || flat.F != 1 {
		t.Error(flat, err)
	}
	panics(t, "NaN interval", tensor.ErrValue, func() { optimize.BrentQ(math.Sin, math.NaN(), 1, none) })
	panics(t, "empty bounds", tensor.ErrValue, func() {
		optimize.MinimizeScalar(math.Sin, optimize.ScalarOptions{Bounds: &[2]float64{1, 1}})
	})
}

// TestFitFails: equations without solutions, parameters that the data does not determine, NaN.
func TestFitFails(t *testing.T) {
	one := tensor.Of(1, 1)
	_, err := optimize.Root(func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Add(1) }, one, optimize.RootOptions{})
	fails(t, "no solution", err, optimize.ErrNotConverged)
	_, err = optimize.Root((*tensor.Tensor).Log, tensor.Of(-1, 2), optimize.RootOptions{})
	fails(t, "NaN", err, optimize.ErrNotFinite)
	_, err = optimize.Root(circle, tensor.Of(1, -1.7), optimize.RootOptions{MaxIter: 1})
	fails(t, "one iteration", err, optimize.ErrNotConverged)
	r, err := optimize.Root(func(x *tensor.Tensor) *tensor.Tensor { return x.Powf(3) }, one, optimize.RootOptions{})
	if err != nil || !(r.F < 1e-8) { // a zero of order three
		t.Error(r, err)
	}
	panics(t, "three equations", tensor.ErrShape, func() {
		optimize.Root(func(x *tensor.Tensor) *tensor.Tensor { return x.Repeat(2) }, one, optimize.RootOptions{})
	})
	x := tensor.Linspace(0, 1, 9)
	sum := func(x, p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(0).Add(p.Get(1))) }
	fit, err := optimize.CurveFit(sum, x, x.Mul(3), tensor.Of(1, 1), optimize.CurveOptions{})
	fails(t, "two parameters for one", err, optimize.ErrIndeterminate)
	if near(t, "their sum", []float64{fit.X.Sum().ToScalar()}, []float64{3}, 1e-6); !math.IsInf(fit.Cov.Float64s()[0], 1) {
		t.Error(fit.Cov)
	}
	line := func(x, p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(0)).Add(p.Get(1)) }
	exact, err := optimize.CurveFit(line, tensor.Of(1, 2), tensor.Of(1, 3), one, optimize.CurveOptions{})
	near(t, "through two points", exact.X.ToVec1(), []float64{2, -1}, 1e-6)
	if err != nil || !math.IsInf(exact.Cov.Float64s()[0], 1) { // no point is left to estimate a variance
		t.Error(exact, err)
	}
	panics(t, "NaN in y", tensor.ErrValue, func() {
		optimize.CurveFit(line, one, tensor.Of(1, math.NaN()), one, optimize.CurveOptions{})
	})
	panics(t, "one point", tensor.ErrShape, func() {
		optimize.CurveFit(line, tensor.Of(1), tensor.Of(1), one, optimize.CurveOptions{})
	})
	panics(t, "another shape", tensor.ErrShape, func() {
		optimize.CurveFit(line, tensor.Of(1, 2, 3), one, one, optimize.CurveOptions{})
	})
	_, err = optimize.LeastSquares((*tensor.Tensor).Log, tensor.Of(-1), optimize.FitOptions{})
	fails(t, "NaN residuals", err, optimize.ErrNotFinite)
}

// TestMistakes: what a function or options do wrong is an error that says so.
func TestMistakes(t *testing.T) {
	x := tensor.Of(1, 2)
	options := func(o optimize.Options) func() { return func() { optimize.Minimize(rosenbrock, x, o) } }
	for _, c := range []struct {
		name string
		kind error
		f    func()
	}{
		{"vector", tensor.ErrShape, func() { optimize.Minimize((*tensor.Tensor).Sqr, x, optimize.Options{}) }},
		{"constant", tensor.ErrGradient, func() {
			optimize.Minimize(func(x *tensor.Tensor) *tensor.Tensor { return tensor.Of(x.Sum().ToScalar()).Sum() }, x, optimize.Options{})
		}},
		{"nil", tensor.ErrShape, func() {
			optimize.Minimize(func(x *tensor.Tensor) *tensor.Tensor { return nil }, x, optimize.Options{})
		}},
		{"no point", tensor.ErrShape, func() { optimize.Minimize(rosenbrock, nil, optimize.Options{}) }},
		{"empty", tensor.ErrShape, func() { optimize.Minimize(rosenbrock, tensor.Zeros(0), optimize.Options{}) }},
		{"complex", tensor.ErrDType, func() { optimize.Minimize(rosenbrock, tensor.Complex(x, x), optimize.Options{}) }},
		{"bounds of BFGS", tensor.ErrValue, options(optimize.Options{Method: optimize.BFGS, Bounds: [][2]float64{{0, 1}, {0, 1}}})},
		{"one bound", tensor.ErrShape, options(optimize.Options{Bounds: [][2]float64{{0, 1}}})},
		{"upside down", tensor.ErrValue, options(optimize.Options{Bounds: [][2]float64{{1, 0}, {0, 1}}})},
		{"NaN bound", tensor.ErrValue, options(optimize.Options{Bounds: [][2]float64{{math.NaN(), 0}, {0, 1}}})},
		{"GTol", tensor.ErrValue, options(optimize.Options{GTol: -1})},
		{"method", tensor.ErrValue, options(optimize.Options{Method: 99})},
		{"gradient", tensor.ErrValue, options(optimize.Options{Gradient: func(x []float64) []float64 { return x }})},
		{"short gradient", tensor.ErrShape, func() {
			optimize.MinimizeFunc(numbers(rosenbrock), []float64{1, 2},
				optimize.Options{Gradient: func(x []float64) []float64 { return x[:1] }})
		}},
		{"rows of the Jacobian", tensor.ErrShape, func() {
			optimize.LeastSquaresFunc(func(x []float64) []float64 { return x }, []float64{1, 2},
				optimize.FitOptions{Jacobian: func(x []float64) [][]float64 { return [][]float64{{1, 0}} }})
		}},
		{"linprog rows", tensor.ErrShape, func() { optimize.Linprog([]float64{1}, optimize.LinearProgram{BUb: []float64{1}}) }},
		{"linprog NaN", tensor.ErrValue, func() { optimize.Linprog([]float64{math.NaN()}, optimize.LinearProgram{}) }},
		{"loss", tensor.ErrValue, func() { optimize.LeastSquares((*tensor.Tensor).Sqr, x, optimize.FitOptions{Loss: 9}) }},
	} {
		panics(t, c.name, c.kind, c.f)
	}
}

// TestPanic: a panic of the function is the caller's, and ends the search with its goroutine.
func TestPanic(t *testing.T) {
	before := runtime.NumGoroutine()
	err := tensor.Catch(func() error {
		n := 0
		_, err := optimize.Minimize(func(x *tensor.Tensor) *tensor.Tensor {
			if n++; n > 3 {
				x = x.Reshape(3)
			}
			return rosenbrock(x)
		}, tensor.Of(-1.2, 1), optimize.Options{})
		return err
	})
	fails(t, "a panic", err, tensor.ErrShape)
	for tries := 0; runtime.NumGoroutine() > before; tries++ {
		if tries == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestShapes: parameters of any shape, of which variables and integers are the values.
func TestShapes(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		target := dev.Arange(tensor.F64, 6).Reshape(2, 3)
		f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sub(target).Sqr().Sum() }
		for _, x0 := range []*tensor.Tensor{dev.Zeros(tensor.F16, 2, 3), dev.Zeros(tensor.I64, 2, 3),
			tensor.NewVar(dev.Ones(tensor.F32, 2, 3))} {
			r, err := optimize.Minimize(f, x0, optimize.Options{})
			if err != nil || !r.X.AllClose(target, 1e-6, 1e-6) || r.X.DType() != tensor.F64 || r.X.TrackOp() {
				t.Error(r, err)
			}
		}
	})
}

// TestExtremes: searches without a minimum, at the edge of where a function is a number, and of extreme scales.
func TestExtremes(t *testing.T) {
	falls := func(x []float64) float64 { return -x[0] - x[1] }
	if r, err := optimize.MinimizeFunc(falls, []float64{1, 1}, optimize.Options{Method: optimize.LBFGSB}); err == nil {
		t.Errorf("a function that decreases without end has the minimum %v", r)
	}
	edge := func(x []float64) float64 { // least at (0.5, 0)
		if x[0] < 0.5 {
			return math.NaN()
		}
		return x[0]*x[0] + x[1]*x[1]
	}
	r, err := optimize.MinimizeFunc(edge, []float64{1, 1}, optimize.Options{Method: optimize.LBFGSB})
	if err == nil && math.Abs(r.F-0.25) > 1e-4 {
		t.Errorf("at the edge of numbers: %v", r)
	}
	for _, unit := range []float64{1e-300, 1e-200, 1, 1e200, 1e300} {
		r, err := optimize.RootFunc(func(x []float64) []float64 {
			return []float64{unit * (x[0]*x[0] - 9), unit * (x[1] - x[0])}
		}, []float64{1, 1}, optimize.RootOptions{})
		if x := r.X.ToVec1(); err != nil || math.Abs(x[0]-3) > 1e-7 || math.Abs(x[1]-3) > 1e-7 || r.F > 1e-6*unit {
			t.Errorf("equations times %g: %v, %v", unit, r, err)
		}
		_, err = optimize.RootFunc(func(x []float64) []float64 { return []float64{unit * (x[0]*x[0] + 1)} }, []float64{1},
			optimize.RootOptions{})
		if !errors.Is(err, optimize.ErrNotConverged) {
			t.Errorf("an equation without a solution, times %g: %v", unit, err)
		}
	}
	wide := [2]float64{-1.7e308, 1.7e308}
	panics(t, "a wide interval", tensor.ErrValue, func() {
		optimize.BrentQ(func(x float64) float64 { return x - 1 }, wide[0], wide[1], optimize.ScalarOptions{})
	})
	panics(t, "wide bounds", tensor.ErrValue, func() {
		optimize.MinimizeScalar(math.Abs, optimize.ScalarOptions{Bounds: &wide})
	})
}
