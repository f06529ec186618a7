package scalar

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// functions are those of mpmath.json, with the error that each may have relative to the value, and beside that
// absolutely: of a logarithm, of an oscillating function, next to a root.
var functions = map[string]struct {
	f                  func(x []float64) float64
	relative, absolute float64
}{
	"gamma_lower": {of2(GammaLower), 1e-14, 1e-14}, "gamma_upper": {of2(GammaUpper), 1e-14, 1e-14},
	"beta_lower": {of3(BetaLower), 2e-14, 1e-14}, "log_beta": {of2(LogBeta), 4e-15, 4e-15},
	"log_ndtr": {of1(LogNdtr), 4e-15, 0}, "ndtri": {of1(Ndtri), 4e-15, 0}, "gamma": {of1(Gamma), 4e-14, 0},
	"zeta": {of2(Zeta), 4e-15, 0}, "expi": {of1(Expi), 1e-14, 1e-15}, "exp1": {of1(Exp1), 1e-14, 0},
	"bessel_j0": {of1(BesselJ0), 1e-15, 5e-16}, "bessel_j1": {of1(BesselJ1), 1e-15, 5e-16},
	"bessel_i0e": {of1(BesselI0e), 2e-15, 0}, "bessel_i1e": {of1(BesselI1e), 2e-15, 0},
	"bessel_k0e": {of1(BesselK0e), 4e-15, 0}, "bessel_k1e": {of1(BesselK1e), 4e-15, 0},
}

func of1(f func(x float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}
func of2(f func(x, y float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1]) }
}
func of3(f func(x, y, z float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0], x[1], x[2]) }
}

func recorded(t *testing.T) map[string][][]float64 {
	text, err := os.ReadFile("../../../special/testdata/mpmath.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string][][]float64
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestRecorded compares all functions with values of mpmath, of 30 digits.
func TestRecorded(t *testing.T) {
	cases := recorded(t)
	for name, f := range functions {
		if len(cases[name]) < 50 {
			t.Errorf("%s: only %d cases", name, len(cases[name]))
		}
		worst := 0.0
		for _, c := range cases[name] {
			args, want := c[:len(c)-1], c[len(c)-1]
			got := f.f(args)
			may := f.relative*math.Abs(want) + f.absolute + 1e-307
			if name == "beta_lower" { // what the rounding of the odds is in deviations
				may += 4e-16 * math.Sqrt(min(args[0], args[1]))
			}
			if off := math.Abs(got-want) / may; !(off <= 1) {
				t.Errorf("%s of %v: got %v, want %v, off by %.3g", name, args, got, want, math.Abs(got/want-1))
			} else {
				worst = max(worst, off)
			}
		}
		t.Logf("%s: at most %.2f of its tolerance", name, worst)
	}
}

// TestQuantiles: the distribution functions of quantiles are the probabilities that they were made of, as closely as
// the rounding of the quantile allows.
func TestQuantiles(t *testing.T) {
	check := func(name string, of []float64, p, logP, density, u float64) {
		t.Helper()
		// a rounding of u by e changes the logarithm of a probability by e·density/probability
		may := 1e-13*(1+math.Abs(log(p))) + 1e-15*(1+math.Abs(u))*math.Exp(min(density-logP, 700))
		if !(math.Abs(logP-log(p)) <= may) {
			t.Errorf("%s of %v: the probability of the quantile e^%v of %v is e^%v", name, of, u, p, logP)
		}
	}
	probabilities := []float64{5e-324, 1e-300, 1e-50, 1e-9, 0.003, 0.2, 0.5, 0.77, 0.999, 1 - 1e-12}
	parameters := []float64{1e-3, 0.03, 0.5, 1, 1.5, 4, 30, 59, 61, 1e3, 1e7, 1e12}
	for _, a := range parameters {
		for _, p := range probabilities {
			if u := GammaQuantile(a, p); u > -600 {
				check("gamma", []float64{a}, p, GammaLower(a, math.Exp(u)), GammaDensity(a, math.Exp(u)), u)
			}
			if u := GammaQuantileUpper(a, p); u > -600 {
				check("upper gamma", []float64{a}, p, GammaUpper(a, math.Exp(u)), GammaDensity(a, math.Exp(u)), u)
			}
			for _, b := range parameters {
				if u := BetaLogit(a, b, p); math.Abs(u) < 600 {
					check("beta", []float64{a, b}, p, BetaLower(a, b, math.Exp(u)), BetaOdds(a, b, math.Exp(u)), u)
				}
			}
		}
	}
}
