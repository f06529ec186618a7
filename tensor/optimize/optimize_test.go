package optimize_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/optimize"
)

// recorded reads what SciPy computed.
func recorded(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func scipy(t *testing.T) map[string][]float64 {
	t.Helper()
	var all map[string][]float64
	recorded(t, "scipy.json", &all)
	return all
}

// near compares numbers, with a tolerance relative to the larger of the number and 1.
func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol*max(1, math.Abs(w))) {
			t.Errorf("%s: %.12g, want %.12g", what, got, want)
			return
		}
	}
}

// fails checks an error of a search.
func fails(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want the error %q", what, err, kind)
	}
}

// panics checks that f panics with an error of a kind.
func panics(t *testing.T, what string, kind error, f func()) {
	t.Helper()
	err := tensor.Catch(func() error { f(); return nil })
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want the error %q", what, err, kind)
	}
}

// numbers makes a function of tensors one of numbers.
func numbers(f func(x *tensor.Tensor) *tensor.Tensor) func(x []float64) float64 {
	return func(x []float64) float64 { return f(tensor.CPU().New(x)).ToScalar() }
}

func rosenbrock(x *tensor.Tensor) *tensor.Tensor {
	n := x.Dim(0)
	a, b := x.Narrow(0, 0, n-1), x.Narrow(0, 1, n-1)
	return a.Affine(-1, 1).Sqr().Add(b.Sub(a.Sqr()).Sqr().Mul(100)).Sum()
}

func booth(x *tensor.Tensor) *tensor.Tensor {
	a, b := x.Get(0), x.Get(1)
	return a.Add(b.Mul(2)).Sub(7).Sqr().Add(a.Mul(2).Add(b).Sub(5).Sqr())
}

// logs is NaN for negative numbers.
func logs(x *tensor.Tensor) *tensor.Tensor { return x.Mul(x.Log()).Sum().Add(x.Get(0).Sub(2).Sqr()) }

var inf = math.Inf(1)

// minima are functions with a minimum that SciPy has found.
var minima = []struct {
	name   string
	f      func(x *tensor.Tensor) *tensor.Tensor
	x0     []float64
	bounds [][2]float64
}{
	{"rosenbrock", rosenbrock, []float64{-1.2, 1, -1, 2}, nil},
	{"booth", booth, []float64{0, 0}, nil},
	{"rosenbrock bounds", rosenbrock, []float64{0.2, 1, 0.5, 0.2}, [][2]float64{{-2, 0.5}, {-1, 2}, {-2, 2}, {-0.5, 0.25}}},
	{"booth bounds", booth, []float64{0, 0}, [][2]float64{{0, 0.5}, {-inf, inf}}},
	{"logs bounds", logs, []float64{1, 1, 1}, [][2]float64{{1e-3, 10}, {1e-3, 10}, {1e-3, 10}}},
}

// TestMinimize compares all methods with SciPy's minima.
func TestMinimize(t *testing.T) {
	thorough.Slow(t)
	want := scipy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, c := range minima {
			for m := optimize.Auto; m <= optimize.TrustNCG; m++ {
				if c.bounds != nil && m != optimize.LBFGSB && m != optimize.NelderMead && m != optimize.Auto {
					continue
				}
				if !dev.IsCPU() && m != optimize.Auto && m != optimize.TrustNCG {
					continue // they differ in what the host computes
				}
				o := optimize.Options{Method: m, Bounds: c.bounds, GTol: 1e-7, XTol: 1e-9, FTol: 1e-16}
				r, err := optimize.Minimize(c.f, dev.New(c.x0), o)
				if err != nil {
					t.Errorf("%s, %v: %v", c.name, m, err)
					continue
				}
				check := func(r optimize.Result, tol float64) {
					near(t, c.name+" by "+m.String(), append(r.X.ToVec1(), r.F), want[c.name], tol)
				}
				check(r, 2e-6)
				if m != optimize.NelderMead && !(r.GradNorm <= 1e-4) {
					t.Errorf("%s, %v: gradient %g", c.name, m, r.GradNorm)
				}
				if dev.IsCPU() {
					o.GTol = 1e-5
					r, err := optimize.MinimizeFunc(numbers(c.f), c.x0, o)
					if err != nil {
						t.Errorf("%s, %v with differences: %v", c.name, m, err)
						continue
					}
					check(r, 2e-5)
				}
			}
		}
	})
}
