package distributions_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestExtremes: at infinities, zeros, subnormal and huge numbers, NaN and the ends of supports distributions give what
// SciPy gives, on every device.
func TestExtremes(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		every := 3
		if dev.IsCPU() {
			every = 1
		}
		for _, r := range thorough.Sample(records(t, "extremes.txt"), every, 0) {
			var parameters []any
			for _, p := range r.parameters {
				parameters = append(parameters, dev.Full(tensor.F64, p))
			}
			d := makers[r.name](parameters...)
			got := call(d, r.what, dev.New(r.x)).Float64s()
			beside0 := r.name != "Uniform" && r.name != "Beta" && r.name != "Pareto" // where numbers are dense
			if beside0 && (r.what == "Quantile" || r.what == "Upper") {
				inverse(t, d, r.what == "Upper")
			}
			for i, want := range r.want {
				may := 1e-11
				if r.what == "LogProb" {
					may = may * (1 + 1/(math.Abs(want)+1e-300)) // absolute
				}
				if !near(got[i], want, may) {
					t.Errorf("%s%v: %s of %v is %v, want %v", r.name, r.parameters, r.what, r.x[i], got[i], want)
				}
			}
			if dev.IsCPU() {
				inF32(t, r)
			}
		}
	})
}

// inverse checks quantiles of probabilities down to subnormal ones by the functions whose inverse they are: of counts,
// that they are the smallest that are enough.
func inverse(t *testing.T, d dist, upper bool) {
	q := d.Mean().Device().New([]float64{1e-310, 1e-300, 1e-200, 1e-20, 0.1, 0.3, 0.5, 0.7, 1 - 0x1p-30, 1 - 0x1p-53})
	lower, x := d.CDF, d.Quantile(q)
	other := d.Survival
	if upper {
		lower, other, x = d.Survival, d.CDF, d.Upper(q)
	}
	to, rest := lower(x).Float64s(), other(x).Float64s() // p and 1-p
	before, restBefore := lower(x.Sub(1)).Float64s(), other(x.Sub(1)).Float64s()
	at := x.Float64s()
	for i, q := range q.Float64s() {
		relative := func(p, rest float64) float64 { // how far p is from q, beside the smaller one of q and 1-q
			if q <= 0.5 {
				return p/q - 1
			}
			return 1 - rest/(1-q)
		}
		least := 0.0
		if d.Sample([]int{}, random.New(1)).DType() != tensor.I64 {
			isNear := math.Abs(relative(to[i], rest[i])) < 1e-9
			if !isNear && math.Abs(at[i]) > 1e-290 && math.Abs(at[i]) < 1e290 && d.Std().ToScalar() > 1e-4*math.Abs(at[i]) {
				t.Errorf("%v: the quantile (upper: %v) of %v is %v, with the probability %v", d, upper, q, at[i], to[i])
			}
			continue
		}
		if strings.HasPrefix(d.String(), "Geometric") {
			least = 1
		}
		isEnough, isBefore := relative(to[i], rest[i]) >= -1e-12, relative(before[i], restBefore[i]) > 1e-12
		if upper {
			isEnough, isBefore = relative(to[i], rest[i]) <= 1e-12, relative(before[i], restBefore[i]) < -1e-12
		}
		if !isEnough || isBefore && at[i] > least || at[i] < least {
			t.Errorf("%v: the quantile (upper: %v) of %v is %v, with the probability %v, and %v before it", d, upper, q,
				at[i], to[i], before[i])
		}
	}
}

// inF32 compares F32 with F64, where the arguments and the values are those of F32.
func inF32(t *testing.T, r record) {
	narrow := func(list []float64) []float64 { return tensor.CPU().New(list).ToDType(tensor.F32).Float64s() }
	var small, large []any
	for _, p := range narrow(r.parameters) {
		if p == 0 && !strings.HasPrefix(r.name, "B") && !strings.HasPrefix(r.name, "P") && len(large) > 0 || math.IsInf(p, 0) {
			return // a scale that F32 does not have
		}
		small, large = append(small, tensor.CPU().Full(tensor.F32, p)), append(large, tensor.CPU().Full(tensor.F64, p))
	}
	x := tensor.CPU().New(r.x).ToDType(tensor.F32)
	var got, want []float64
	err := tensor.Catch(func() error {
		want = call(makers[r.name](large...), r.what, x.ToDType(tensor.F64)).Float64s()
		got = call(makers[r.name](small...), r.what, x).Float64s()
		return nil
	})
	if err != nil {
		if !slices.Contains(narrow(r.parameters), 0) { // what F32 rounds to 0 is no scale
			t.Errorf("%s%v of F32: %s: %v", r.name, narrow(r.parameters), r.what, err)
		}
		return
	}
	for i, w := range narrow(want) {
		may := 1e-5*math.Abs(w) + 2e-38
		if r.what == "LogProb" {
			may += 1e-5
		}
		if g := got[i]; g != w && !(g != g && w != w) && !(math.Abs(g-w) <= may) {
			t.Errorf("%s%v of F32: %s of %v is %v, want %v", r.name, narrow(r.parameters), r.what, r.x[i], g, w)
		}
	}
}
