package vector

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// references are the functions of one number, with the errors of the vector loops: relative ones, in units of 2^-53, or
// absolute ones where functions have roots.
var references = map[string]struct {
	f        func(x float64) float64
	units    float64
	absolute bool
}{
	"erf": {math.Erf, 3, false}, "erfc": {math.Erfc, 8, false},
	"ndtr":     {func(x float64) float64 { return math.Exp(scalar.LogNdtr(x)) }, 6, false},
	"log_ndtr": {scalar.LogNdtr, 6, false},
	"lgamma":   {reference("lgamma"), 6, false}, "digamma": {reference("digamma"), 6, true},
	"i0": {reference("i0"), 6, false}, "i1": {reference("i1"), 6, false},
	"bessel_i0e": {scalar.BesselI0e, 10, false}, "bessel_i1e": {scalar.BesselI1e, 10, false},
	"ndtri":     {scalar.Ndtri, 12, false},
	"expi":      {scalar.Expi, 10, true},
	"bessel_j0": {scalar.BesselJ0, 9, true}, "bessel_j1": {scalar.BesselJ1, 9, true},
}

// TestMpmath compares with values that mpmath computed with 40 digits (testdata/record.py).
func TestMpmath(t *testing.T) {
	text, err := os.ReadFile("testdata/mpmath.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string][][]float64
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for name, ref := range references {
		f, rows := Function(name), table[name]
		if f == nil {
			t.Skip("this processor has no vector loops")
		}
		x, y := make([]float64, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			x[i] = row[0]
		}
		f(y, x)
		worst, at := 0.0, 0.0
		for i, row := range rows {
			size := math.Abs(row[1])
			if ref.absolute {
				size = max(size, 1)
			}
			if e := math.Abs(y[i]-row[1]) / size * 0x1p53; !(e <= worst) {
				worst, at = e, x[i]
			}
		}
		t.Logf("%s: %.2f units at %v", name, worst, at)
		if !(worst <= ref.units) || len(rows) < 50 {
			t.Errorf("%s: the error at %v is %.2f units: want at most %v", name, at, worst, ref.units)
		}
	}
}

// TestReferences: special numbers give what functions of one number give, and no result depends on its position.
func TestReferences(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 2, 5e-324, -5e-324, 0x1p-1030, 1e-300, -1e-300, 1e-20, -1e-20,
		0x1p1021, -0x1p1021, 1e300, -1e300, 1e155, math.Inf(1), math.Inf(-1), math.NaN(), -2, -2.5, -40.25, 4,
		-4, 8, -8, 100, -100, 699, 701, -701, 1e5, 1e6, -1e6, 26.1, 26.6, 27.5, -37.1, -37.6, -38.4, -39, 37.3, 38.2, 1.5, 2.5,
		0.5, 10, 0.075, 0.074, 0.925, 0.926, 1e-11, 1 - 1e-11, 0x1p-53}
	for name, ref := range references {
		f := Function(name)
		if f == nil {
			t.Skip("this processor has no vector loops")
		}
		for shift := range 11 {
			x := make([]float64, 0, 600)
			for i := range 600 - 37*shift {
				x = append(x, odd[(i+i/len(odd)*shift+shift)%len(odd)])
			}
			y := make([]float64, len(x))
			f(y, x)
			first := map[uint64]float64{}
			for i, v := range x {
				want, got := ref.f(v), y[i]
				same := got == want && math.Signbit(got) == math.Signbit(want) || got != got && want != want
				size := math.Abs(want)
				if ref.absolute {
					size = max(size, 1)
				}
				if !same && !(math.Abs(got-want) <= 1e-12*size+5e-324) {
					t.Fatalf("%s(%v) is %v at %d of %d: want %v", name, v, got, i, len(x), want)
				}
				if f, ok := first[math.Float64bits(v)]; ok && math.Float64bits(f) != math.Float64bits(got) {
					t.Fatalf("%s(%v) is %v at %d, and %v before", name, v, got, i, f)
				}
				first[math.Float64bits(v)] = got
			}
		}
	}
}

// TestIncomplete compares with mpmath at parameters on both sides of 1.
func TestIncomplete(t *testing.T) {
	text, err := os.ReadFile("testdata/mpmath.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string][][]float64
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]func(p []float64) Loop{
		"gammainc": func(p []float64) Loop { return GammaInc(p[0]) },
		"betainc":  func(p []float64) Loop { return BetaInc(p[0], p[1]) },
	} {
		worst, at := 0.0, []float64(nil)
		for _, row := range table[name] {
			n := len(row) - 2
			f := of(row[:n])
			if f == nil && Function("erf") == nil {
				t.Skip("this processor has no vector loops")
			} else if f == nil {
				t.Fatalf("%s of %v has no loop", name, row[:n])
			}
			x, y := []float64{row[n], 0, math.Inf(1), math.NaN(), -1, 5e-324, 1e300}, make([]float64, 7)
			f(y, x)
			want := row[n+1] // a power, whose exponent is rounded
			if e := math.Abs(y[0]/want-1) / (1 - math.Log(want)/10); !(e <= worst) {
				worst, at = e, row
			}
			many := slices.Repeat([]float64{0.3, 3, 30}, 200)
			many[300] = row[n]
			if f(many, many); many[300] != y[0] {
				t.Errorf("%s of %v is %v alone and %v among others", name, row[:n+1], y[0], many[300])
			}
			if y[1] != 0 || y[2] != 1 || y[3] == y[3] || y[4] == y[4] || !(y[5] >= 0) || !(y[6] > 1-1e-13) {
				t.Errorf("%s of %v: of 0, infinity, NaN, -1, and the extremes: %v", name, row[:n], y[1:])
			}
		}
		t.Logf("%s: %.1e at %v", name, worst, at)
		if !(worst < 2e-15) || len(table[name]) < 100 {
			t.Errorf("%s: the error is %.2e at %v", name, worst, at)
		}
	}
}

// TestQuantiles: the distribution function of a quantile is its probability, as near as rounding of the quantile allows.
func TestQuantiles(t *testing.T) {
	for _, a := range []float64{0.3, 0.5, 0.9, 1, 1.4, 1.6, 2.5, 7, 30, 59.9} {
		f := LogGammaIncInv(a)
		if f == nil {
			t.Skip("this processor has no vector loops")
		}
		p := []float64{0, 1, -1, 2, math.NaN(), 5e-324, 1e-300, 1 - 0x1p-53, 1e-6, 1.1e-6}
		for i := range 2000 {
			p = append(p, math.Pow(10, -float64(i)/300), (float64(i)+0.5)/2000)
		}
		y := make([]float64, len(p))
		f(y, p)
		worst, at := 0.0, 0.0
		for i, got := range y {
			want := scalar.GammaQuantile(a, p[i])
			if got == want || got != got && want != want {
				continue
			}
			if e := math.Abs(got-want) / (1 + math.Abs(want)); !(e <= worst) {
				worst, at = e, p[i]
			}
		}
		t.Logf("%v: %.1e at %v", a, worst, at)
		if !(worst < 6e-15) {
			t.Errorf("shape %v: the quantile of %v is off by %.1e", a, at, worst)
		}
	}
}
