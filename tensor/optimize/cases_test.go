package optimize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/optimize"
)

// TestScalar compares minima and zeros of functions of one number with SciPy's.
func TestScalar(t *testing.T) {
	want := scipy(t)
	for name, f := range map[string]func(x float64) float64{
		"quartic": func(x float64) float64 { return (x - 2) * x * (x + 2) * (x + 2) },
		"cosine":  func(x float64) float64 { return math.Cos(x) + 0.1*x },
		"kink":    func(x float64) float64 { return math.Abs(x - 0.7) },
	} {
		r, err := optimize.MinimizeScalar(f, optimize.ScalarOptions{})
		near(t, name, []float64{r.X, r.F}, want["scalar "+name], 1e-8)
		b, err2 := optimize.MinimizeScalar(f, optimize.ScalarOptions{Bounds: &[2]float64{-3, 4}})
		near(t, name+" with bounds", []float64{b.X, b.F}, want["bounded "+name], 1e-5)
		if err != nil || err2 != nil || r.Calls < 3 || b.Iterations < 3 {
			t.Error(name, r, err, b, err2)
		}
	}
	for _, c := range []struct {
		name string
		f    func(x float64) float64
		a, b float64
	}{
		{"cubic", func(x float64) float64 { return x*x*x - 2*x - 5 }, 2, 3},
		{"cos", func(x float64) float64 { return math.Cos(x) - x }, 0, 1},
		{"exp", func(x float64) float64 { return math.Exp(-x) - 1e-3 }, 100, 0},
	} {
		r, err := optimize.BrentQ(c.f, c.a, c.b, optimize.ScalarOptions{})
		if near(t, c.name, []float64{r.X}, want["brentq "+c.name], 1e-11); err != nil {
			t.Error(c.name, err)
		}
	}
}

func circle(x *tensor.Tensor) *tensor.Tensor {
	a, b := x.Get(0), x.Get(1)
	return tensor.Stack([]*tensor.Tensor{a.Sqr().Add(b.Sqr()).Sub(4), a.Exp().Add(b).Sub(1)}, 0)
}

func chain(x *tensor.Tensor) *tensor.Tensor {
	padded := x.Pad(0, 1, 1, 0)
	n := x.Dim(0)
	y := x.Mul(x.Affine(-2, 3)).Sub(padded.Narrow(0, 0, n)).Sub(padded.Narrow(0, 2, n).Mul(2)).Add(1)
	return y
}

// TestRoot compares zeros of systems with SciPy's.
func TestRoot(t *testing.T) {
	want := scipy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, c := range []struct {
			name string
			f    func(x *tensor.Tensor) *tensor.Tensor
			x0   *tensor.Tensor
		}{
			{"root circle", circle, dev.New([]float64{1, -1.7})},
			{"root chain", chain, dev.Full(tensor.F32, -1, 10)},
		} {
			r, err := optimize.Root(c.f, c.x0, optimize.RootOptions{})
			near(t, c.name, r.X.ToVec1(), want[c.name], 1e-10)
			if err != nil || !(r.F < 1e-10) || r.X.DType() != tensor.F64 || r.Gradients < 2 {
				t.Error(c.name, r, err)
			}
			if dev.IsCPU() {
				f := func(x []float64) []float64 { return c.f(tensor.CPU().New(x)).ToVec1() }
				r, err := optimize.RootFunc(f, c.x0.ToVec1(), optimize.RootOptions{})
				if near(t, c.name, r.X.ToVec1(), want[c.name], 1e-9); err != nil {
					t.Error(c.name, err)
				}
			}
		}
	})
}

func decay(x, p *tensor.Tensor) *tensor.Tensor {
	return x.Mul(p.Get(1).Neg()).Exp().Mul(p.Get(0)).Add(p.Get(2))
}

// TestFits compares parameters and covariances with SciPy's.
func TestFits(t *testing.T) {
	thorough.Slow(t)
	want := scipy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x, y, sigma := dev.New(want["t"]), dev.New(want["y"]), dev.New(want["sigma"])
		residual := func(p *tensor.Tensor) *tensor.Tensor { return decay(x, p).Sub(y) }
		tight := optimize.FitOptions{XTol: 1e-13, FTol: 1e-14, GTol: 1e-11}
		for loss, name := range []string{"linear", "soft_l1", "huber", "cauchy", "arctan"} {
			if !dev.IsCPU() && loss > 1 {
				break
			}
			o := tight
			o.Loss, o.Scale = optimize.Loss(loss), 0.1
			r, err := optimize.LeastSquares(residual, tensor.Of(1, 1, 0).ToDevice(dev), o)
			near(t, name, append(r.X.ToVec1(), r.F), want["least squares "+name], 1e-5)
			if err != nil || !(r.GradNorm < 1e-5) {
				t.Error(name, r, err)
			}
		}
		o := tight
		o.Bounds = [][2]float64{{0, 2}, {0, 9}, {0.75, 9}}
		r, err := optimize.LeastSquares(residual, dev.New([]float64{1, 1, 0.8}), o)
		if near(t, "bounds", append(r.X.ToVec1(), r.F), want["least squares bounds"], 1e-6); err != nil {
			t.Error(err)
		}
		for name, o := range map[string]optimize.CurveOptions{
			"": {}, " sigma": {Sigma: sigma}, " absolute": {Sigma: sigma, AbsoluteSigma: true},
		} {
			o.FitOptions = tight
			fit, err := optimize.CurveFit(decay, x, y, dev.New([]float64{1, 1, 0}), o)
			near(t, "curve fit"+name, fit.X.ToVec1(), want["curve fit"+name], 1e-7)
			near(t, "covariance"+name, fit.Cov.Float64s(), want["covariance"+name], 1e-6)
			near(t, "errors"+name, fit.StdErr().ToVec1()[:1], []float64{math.Sqrt(want["covariance"+name][0])}, 1e-6)
			if err != nil {
				t.Error(name, err)
			}
		}
		if dev.IsCPU() {
			f := func(p []float64) []float64 { return residual(tensor.CPU().New(p)).ToVec1() }
			r, err := optimize.LeastSquaresFunc(f, []float64{1, 1, 0}, tight)
			if near(t, "differences", append(r.X.ToVec1(), r.F), want["least squares linear"], 1e-6); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestAssignment compares sums of costs with SciPy's, and checks that all rows or columns are assigned once.
func TestAssignment(t *testing.T) {
	want := scipy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, s := range [][2]int{{1, 1}, {5, 5}, {4, 9}, {9, 4}, {30, 30}, {40, 25}} {
			name := fmt.Sprintf("assignment %d %d", s[0], s[1])
			cost := dev.New(want[name]).Reshape(s[0], s[1])
			for k, sum := range want[name+" sums"] {
				rows, columns, err := optimize.LinearSumAssignment(cost, k == 1)
				if err != nil {
					t.Fatal(name, err)
				}
				few := min(s[0], s[1])
				r, _, _ := rows.Unique()
				c, _, _ := columns.Unique()
				if got := cost.I(rows, columns).Sum().ToScalar(); got != sum || r.Dim(0) != few || c.Dim(0) != few {
					t.Errorf("%s: sum %v, want %v; %v, %v", name, got, sum, rows, columns)
				}
			}
		}
	})
	cost := tensor.Of(inf, 1, inf, 2).Reshape(2, 2)
	_, _, err := optimize.LinearSumAssignment(cost, false)
	fails(t, "forbidden", err, optimize.ErrInfeasible)
	rows, columns, err := optimize.LinearSumAssignment(tensor.Of(inf, 1, 5, inf).Reshape(2, 2), false)
	if err != nil || columns.ToVec1()[0] != 1 || rows.ToVec1()[1] != 1 {
		t.Error(rows, columns, err)
	}
	rows, _, err = optimize.LinearSumAssignment(tensor.Zeros(0, 3), false)
	if err != nil || rows.ElemCount() != 0 {
		t.Error(rows, err)
	}
	panics(t, "NaN", tensor.ErrValue, func() { optimize.LinearSumAssignment(tensor.Full(math.NaN(), 2, 2), false) })
	panics(t, "vector", tensor.ErrShape, func() { optimize.LinearSumAssignment(tensor.Of(1, 2), false) })
}

// TestLinprog compares 200 programs with what SciPy says of them: their minimum, infeasible, or unbounded.
func TestLinprog(t *testing.T) {
	var programs []struct {
		C, Bub, Beq, Low, High []float64
		Aub, Aeq               [][]float64
		Status                 int
		F                      float64
	}
	recorded(t, "programs.json", &programs)
	for i, c := range programs {
		p := optimize.LinearProgram{AUb: c.Aub, BUb: c.Bub, AEq: c.Aeq, BEq: c.Beq}
		for k := range c.C {
			b := [2]float64{c.Low[k], c.High[k]}
			if b[0] == -99 {
				b[0] = -inf
			}
			if b[1] == 99 {
				b[1] = inf
			}
			p.Bounds = append(p.Bounds, b)
		}
		r, err := optimize.Linprog(c.C, p)
		switch c.Status {
		case 2:
			fails(t, fmt.Sprint("program ", i), err, optimize.ErrInfeasible)
			continue
		case 3:
			fails(t, fmt.Sprint("program ", i), err, optimize.ErrUnbounded)
			continue
		}
		if err != nil {
			t.Errorf("program %d: %v", i, err)
			continue
		}
		near(t, fmt.Sprint("program ", i), []float64{r.F}, []float64{c.F}, 1e-8)
		for k, v := range r.X {
			if b := p.Bounds[k]; v < b[0] || v > b[1] {
				t.Errorf("program %d: x[%d] = %v is not in %v", i, k, v, b)
			}
		}
		for k, s := range r.Slack {
			if s < -1e-8 {
				t.Errorf("program %d: row %d is missed by %v", i, k, s)
			}
		}
		for k, row := range c.Aeq {
			var sum float64
			for j, a := range row {
				sum += a * r.X[j]
			}
			near(t, fmt.Sprint("program ", i, ", equation"), []float64{sum}, c.Beq[k:k+1], 1e-8)
		}
	}
}

// TestLinprogScaled: programs with other units, of the unknowns, the constraints and the costs, have the same optimum.
func TestLinprogScaled(t *testing.T) {
	var programs []struct {
		C, Bub, Beq, Low, High []float64
		Aub, Aeq               [][]float64
		Status                 int
		F                      float64
	}
	recorded(t, "programs.json", &programs)
	g := rand.New(rand.NewPCG(1, 2))
	unit := func(size float64) float64 { return math.Pow(10, size*(2*g.Float64()-1)) }
	for i, c := range programs {
		for _, same := range []float64{1e-9, 1e-3, 1e6, 1e9, 1e15, 0} { // 0: another unit for each
			rows := func(a [][]float64, b, of []float64) (outA [][]float64, outB []float64) {
				for k, row := range a {
					f := same
					if same == 0 {
						f = unit(4)
					}
					r := make([]float64, len(row))
					for j, v := range row {
						r[j] = v * f * of[j]
					}
					outA, outB = append(outA, r), append(outB, b[k]*f)
				}
				return outA, outB
			}
			of, cost, f := make([]float64, len(c.C)), make([]float64, len(c.C)), same
			if same == 0 {
				f = unit(6)
			}
			var p optimize.LinearProgram
			for k := range of {
				of[k] = 1.0
				if same == 0 {
					of[k] = unit(4)
				}
				cost[k] = c.C[k] * of[k] * f
				b := [2]float64{c.Low[k] / of[k], c.High[k] / of[k]}
				if c.Low[k] == -99 {
					b[0] = -inf
				}
				if c.High[k] == 99 {
					b[1] = inf
				}
				p.Bounds = append(p.Bounds, b)
			}
			p.AUb, p.BUb = rows(c.Aub, c.Bub, of)
			p.AEq, p.BEq = rows(c.Aeq, c.Beq, of)
			name := fmt.Sprintf("program %d, times %g", i, same)
			switch r, err := optimize.Linprog(cost, p); {
			case c.Status == 2:
				fails(t, name, err, optimize.ErrInfeasible)
			case c.Status == 3:
				fails(t, name, err, optimize.ErrUnbounded)
			case err != nil:
				t.Errorf("%s: %v", name, err)
			default:
				near(t, name, []float64{r.F / f}, []float64{c.F}, 1e-8)
			}
		}
	}
}

// TestEvolution: the global minimum among many local ones, the same for the same seed.
func TestEvolution(t *testing.T) {
	rastrigin := func(x *tensor.Tensor) *tensor.Tensor {
		return x.Sqr().Sub(x.Mul(2 * math.Pi).Cos().Mul(10)).Sum(1).Add(20)
	}
	box := [][2]float64{{-5, 4}, {-4, 5}}
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		r, err := optimize.DifferentialEvolution(rastrigin, box, dev, optimize.EvolutionOptions{Seed: 3})
		near(t, "rastrigin", append(r.X.ToVec1(), r.F), []float64{0, 0, 0}, 1e-7)
		again, err2 := optimize.DifferentialEvolution(rastrigin, box, dev, optimize.EvolutionOptions{Seed: 3})
		if err != nil || err2 != nil || !again.X.Equal(r.X) || again.Calls != r.Calls {
			t.Error(err, err2, r, again)
		}
	})
	steps := func(x *tensor.Tensor) *tensor.Tensor { return x.Round().Abs().Sum(1).Detach() } // no gradient
	r, err := optimize.DifferentialEvolution(steps, box, tensor.CPU(), optimize.EvolutionOptions{})
	if err != nil || r.F != 0 {
		t.Error(r, err)
	}
	_, err = optimize.DifferentialEvolution(rastrigin, box, tensor.CPU(), optimize.EvolutionOptions{MaxIter: 2})
	fails(t, "two generations", err, optimize.ErrNotConverged)
	panics(t, "one value", tensor.ErrShape, func() {
		optimize.DifferentialEvolution(booth, box, tensor.CPU(), optimize.EvolutionOptions{})
	})
	panics(t, "infinite", tensor.ErrValue, func() {
		optimize.DifferentialEvolution(rastrigin, [][2]float64{{0, inf}}, tensor.CPU(), optimize.EvolutionOptions{})
	})
}
