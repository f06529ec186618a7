package special_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special"
)

var cpu = tensor.CPU()

type array = *tensor.Tensor

func of1(f func(x array) array) func([]array) array {
	return func(x []array) array { return f(x[0]) }
}
func of2(f func(x, y array) array) func([]array) array {
	return func(x []array) array { return f(x[0], x[1]) }
}
func of3(f func(x, y, z array) array) func([]array) array {
	return func(x []array) array { return f(x[0], x[1], x[2]) }
}

// functions are those with kernels, by the names of these, with arguments at which gradients are compared, and the
// operands that have none.
var functions = map[string]struct {
	f    func(x []array) array
	at   [][]float64 // of each operand
	none int
}{
	"gamma_density":        {of2(special.GammaDensity), [][]float64{{0.3, 2, 700}, {0.1, 3, 650}}, 0},
	"gamma_lower":          {of2(special.LogGammaInc), [][]float64{{0.3, 2, 700}, {0.1, 3, 650}}, 1},
	"gamma_upper":          {of2(special.LogGammaIncC), [][]float64{{0.3, 2, 700}, {0.1, 3, 650}}, 1},
	"gamma_quantile":       {of2(special.LogGammaIncInv), [][]float64{{0.3, 2, 700}, {0.1, 0.6, 0.98}}, 1},
	"gamma_quantile_upper": {of2(special.LogGammaIncCInv), [][]float64{{0.3, 2, 700}, {0.1, 0.6, 0.98}}, 1},
	"beta_odds":            {of3(special.BetaDensity), [][]float64{{0.3, 2, 700}, {1.5, 9, 80}, {0.2, 0.3, 8}}, 0},
	"beta_lower":           {of3(special.LogBetaInc), [][]float64{{0.3, 2, 700}, {1.5, 9, 80}, {0.2, 0.3, 8}}, 2},
	"beta_logit":           {of3(special.BetaIncInvLogit), [][]float64{{0.3, 2, 700}, {1.5, 9, 80}, {0.02, 0.3, 0.9}}, 2},
	"log_beta":             {of2(special.LogBeta), [][]float64{{0.3, 2, 70}, {0.1, 3, 50}}, 0},
	"zeta":                 {of2(special.Zeta), [][]float64{{1.3, 2, 7}, {0.3, 3, 50}}, 1},
	"gamma":                {of1(special.Gamma), [][]float64{{0.3, 2, 20.5, -1.7}}, 0},
	"log_ndtr":             {of1(special.LogNdtr), [][]float64{{-30, -1, 2, 5}}, 0},
	"ndtri":                {of1(special.Ndtri), [][]float64{{0.01, 0.4, 0.99}}, 0},
	"expi":                 {of1(special.Expi), [][]float64{{-3, 0.4, 20, 50}}, 0},
	"exp1":                 {of1(special.Exp1), [][]float64{{0.1, 1.5, 20}}, 0},
	"bessel_j0":            {of1(special.J0), [][]float64{{-3, 0, 7, 40}}, 0},
	"bessel_j1":            {of1(special.J1), [][]float64{{-3, 0, 7, 40}}, 0},
	"bessel_i0e":           {of1(special.I0e), [][]float64{{-3, 0.1, 7, 200}}, 0},
	"bessel_i1e":           {of1(special.I1e), [][]float64{{-3, 0.1, 7, 200}}, 0},
	"bessel_k0e":           {of1(special.K0e), [][]float64{{0.1, 3, 40}}, 0},
	"bessel_k1e":           {of1(special.K1e), [][]float64{{0.1, 3, 40}}, 0},
}

// TestDevices compares the kernels with the functions on the host, at the points of mpmath.json.
func TestDevices(t *testing.T) {
	text, err := os.ReadFile("../../special/testdata/mpmath.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string][][]float64
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rocm", "cuda"} {
		dev, err := tensor.NewDevice(name)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		for name, f := range functions {
			points := cases[name]
			if points == nil { // densities and quantiles
				for i := range f.at[0] {
					var row []float64
					for _, list := range f.at {
						row = append(row, list[i])
					}
					points = append(points, append(row, 0))
				}
			}
			columns := make([][]float64, len(f.at))
			for _, p := range append(points, []float64{math.NaN(), 1, 1, 0}[:len(f.at)+1], []float64{-1, -1, -1, 0}[:len(f.at)+1]) {
				for k := range columns {
					columns[k] = append(columns[k], p[k])
				}
			}
			var host, device []array
			for _, c := range columns {
				host, device = append(host, cpu.New(c)), append(device, dev.New(c))
			}
			want, got := f.f(host).Float64s(), f.f(device).Float64s()
			for i, w := range want {
				off := math.Abs(got[i] - w)
				if !(off <= 2e-14*(1+math.Abs(w)) || off <= 2e-14*math.Abs(w)) && !(got[i] == w || w != w && got[i] != got[i]) {
					t.Errorf("%v: %s of element %d is %v, on the host %v", dev, name, i, got[i], w)
				}
			}
		}
	}
}

// TestGradients compares derivatives with differences, and has those that do not exist refused.
func TestGradients(t *testing.T) {
	for name, f := range functions {
		for k := range f.at {
			vars := make([]array, len(f.at))
			for i, list := range f.at {
				vars[i] = cpu.New(list)
			}
			vars[k] = tensor.NewVar(vars[k])
			grads, err := tensor.Try(func() array { return f.f(vars).Sum().Backward().Get(vars[k]) })
			if k < f.none {
				if err == nil {
					t.Errorf("%s: a gradient by operand %d", name, k+1)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := grads.Float64s()
			for i, x := range f.at[k] {
				h := 1e-5 * max(math.Abs(x), 1e-2)
				if x > 0.9 && x < 1 {
					h = 1e-6
				}
				shifted := func(by float64) float64 {
					moved := make([]array, len(f.at))
					for j, list := range f.at {
						moved[j] = cpu.New([]float64{list[i]})
					}
					moved[k] = cpu.New([]float64{x + by})
					return f.f(moved).Float64s()[0]
				}
				want := (shifted(h) - shifted(-h)) / (2 * h)
				if !(math.Abs(got[i]-want) <= 1e-6*(math.Abs(want)+1e-3)) {
					t.Errorf("%s: the derivative by operand %d at %v is %v, differences give %v", name, k+1, x, got[i], want)
				}
			}
		}
	}
}

// TestBroadcast: a gradient has the shape of its operand.
func TestBroadcast(t *testing.T) {
	a, x := tensor.NewVar(cpu.New([][]float64{{1}, {2}})), cpu.New([]float64{1, 2, 3})
	y := special.GammaDensity(a, x)
	grad := y.Sum().Backward().Get(a)
	if d := y.Dims(); len(d) != 2 || d[0] != 2 || d[1] != 3 {
		t.Errorf("the shape is %v", d)
	}
	if d := grad.Dims(); len(d) != 2 || d[0] != 2 || d[1] != 1 {
		t.Errorf("the gradient has the shape %v", d)
	}
	if _, err := tensor.Try(func() array { return special.GammaDensity(x, cpu.New([]float64{1, 2})) }); err == nil {
		t.Error("shapes [3] and [2] were broadcast")
	}
}

// TestRuns: where a parameter repeats and changes again, each element has the value that it has alone.
func TestRuns(t *testing.T) {
	a, b := []float64{2, 2, math.NaN(), 2, 3, 3, 3}, []float64{5, 5, 5, 5, 5, 4, 4}
	x := []float64{0.5, 1, 1, 2, 3, 3, 4}
	for name, f := range map[string]func(a, b, x array) array{
		"log gammainc":  func(a, _, x array) array { return special.LogGammaInc(a, x) },
		"log gammaincc": func(a, _, x array) array { return special.LogGammaIncC(a, x) },
		"log betainc":   special.LogBetaInc,
		"beta density":  special.BetaDensity,
	} {
		got := f(cpu.New(a), cpu.New(b), cpu.New(x)).Float64s()
		for i := range x {
			want := f(cpu.New(a[i]), cpu.New(b[i]), cpu.New(x[i])).Float64s()[0]
			if got[i] != want && !(math.IsNaN(a[i]) && math.IsNaN(got[i])) {
				t.Errorf("%s: element %d is %v, alone %v", name, i, got[i], want)
			}
		}
	}
}
