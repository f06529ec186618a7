package distributions_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/stats/distributions"
)

type (
	array = *tensor.Tensor
	dist  = *distributions.Distribution
)

var cpu = tensor.CPU()

// makers make distributions of numbers.
var makers = map[string]func(p ...any) dist{
	"Normal":           func(p ...any) dist { return distributions.Normal(p[0], p[1]) },
	"LogNormal":        func(p ...any) dist { return distributions.LogNormal(p[0], p[1]) },
	"Uniform":          func(p ...any) dist { return distributions.Uniform(p[0], p[1]) },
	"Exponential":      func(p ...any) dist { return distributions.Exponential(p[0]) },
	"Gamma":            func(p ...any) dist { return distributions.Gamma(p[0], p[1]) },
	"Beta":             func(p ...any) dist { return distributions.Beta(p[0], p[1]) },
	"ChiSquared":       func(p ...any) dist { return distributions.ChiSquared(p[0]) },
	"StudentT":         func(p ...any) dist { return distributions.StudentT(p[0], p[1], p[2]) },
	"F":                func(p ...any) dist { return distributions.F(p[0], p[1]) },
	"Laplace":          func(p ...any) dist { return distributions.Laplace(p[0], p[1]) },
	"Cauchy":           func(p ...any) dist { return distributions.Cauchy(p[0], p[1]) },
	"Weibull":          func(p ...any) dist { return distributions.Weibull(p[0], p[1]) },
	"Logistic":         func(p ...any) dist { return distributions.Logistic(p[0], p[1]) },
	"Gumbel":           func(p ...any) dist { return distributions.Gumbel(p[0], p[1]) },
	"Pareto":           func(p ...any) dist { return distributions.Pareto(p[0], p[1]) },
	"Bernoulli":        func(p ...any) dist { return distributions.Bernoulli(p[0]) },
	"Binomial":         func(p ...any) dist { return distributions.Binomial(p[0], p[1]) },
	"Poisson":          func(p ...any) dist { return distributions.Poisson(p[0]) },
	"Geometric":        func(p ...any) dist { return distributions.Geometric(p[0]) },
	"NegativeBinomial": func(p ...any) dist { return distributions.NegativeBinomial(p[0], p[1]) },
}

// record is a line of a recorded file.
type record struct {
	name, what string
	parameters []float64
	x, want    []float64
}

func records(t *testing.T, file string) (list []record) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(s string) (list []float64) {
		for _, f := range strings.Fields(s) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, v)
		}
		return list
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "|")
		name, rest, _ := strings.Cut(f[0], " ")
		list = append(list, record{name, f[1], numbers(rest), numbers(f[2]), numbers(f[3])})
	}
	return list
}

// call returns a function of a distribution at x.
func call(d dist, what string, x array) array {
	switch what {
	case "LogProb":
		return d.LogProb(x)
	case "CDF":
		return d.CDF(x)
	case "Survival":
		return d.Survival(x)
	case "Quantile":
		return d.Quantile(x)
	case "Upper":
		return d.Upper(x)
	case "Mean":
		return d.Mean()
	case "Variance":
		return d.Variance()
	}
	return d.Entropy()
}

func near(got, want, relative float64) bool {
	return got == want || got != got && want != want || math.Abs(got-want) <= relative*(math.Abs(want)+1e-300)
}

// wrong are values of SciPy 1.17 that are wrong by more than the tolerance, as mpmath shows, or NaN; and where ours is
// another convention: the quantile of 0 is the least count and not one less, Cauchy's mean does not exist.
func wrong(r record, x, want float64) bool {
	of := r.name + " " + strconv.FormatFloat(r.parameters[0], 'g', -1, 64)
	isQuantile := r.what == "Quantile" || r.what == "Upper"
	switch {
	case isQuantile && (want == r.parameters[0] && x < 1e-10 || math.IsNaN(want) || x == 1e-300 || of == "Geometric 1"):
		return true
	case r.what == "Quantile" && x == 0 || r.what == "Upper" && x == 1:
		return want < 1
	case of == "StudentT 1":
		return x == 1e-9 || r.what == "Mean"
	case of == "Binomial 1e+06":
		return true
	case r.what == "Entropy":
		return of == "Geometric 1" || of == "NegativeBinomial 40"
	}
	return of == "Bernoulli 0"
}

// TestSciPy compares with values of SciPy 1.17, in F64 on every device and in F32.
func TestSciPy(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, r := range records(t, "scipy.txt") {
			var parameters []any
			for _, p := range r.parameters {
				parameters = append(parameters, dev.Full(tensor.F64, p))
			}
			got := call(makers[r.name](parameters...), r.what, dev.New(r.x)).FlattenAll().Float64s()
			for i, w := range r.want {
				may := 2e-11
				if r.what == "Entropy" || r.what == "LogProb" {
					may = may * (1 + 1/(math.Abs(w)+1e-300)) // absolute
				}
				x := math.NaN()
				if i < len(r.x) {
					x = r.x[i]
				}
				if !near(got[i], w, may) && !wrong(r, x, w) {
					t.Errorf("%s%v: %s of %v is %v, want %v", r.name, r.parameters, r.what, x, got[i], w)
				}
			}
		}
	})
}

// TestExact: what SciPy does not compute to its digits, by mpmath.
func TestExact(t *testing.T) {
	for name, c := range map[string]struct {
		got  array
		want float64
	}{
		"binomial":       {distributions.Binomial(1000000, cpu.Full(tensor.F64, 1e-5)).LogProb(6), -2.763745654106661},
		"its function":   {distributions.Binomial(1000000, cpu.Full(tensor.F64, 1e-5)).CDF(6), 0.1301401597696446},
		"student":        {distributions.StudentT(cpu.Full(tensor.F64, 1e6), 0, 1).CDF(-6), 9.869249061772173e-10},
		"its tail":       {distributions.StudentT(cpu.Full(tensor.F64, 1e6), 0, 1).Survival(15), 3.71813238360524e-51},
		"its entropy":    {distributions.StudentT(cpu.Full(tensor.F64, 1e6), 0, 1).Entropy(), 1.4189395332049227},
		"cauchy by t":    {distributions.StudentT(cpu.Full(tensor.F64, 1), 0, 1).CDF(1e-9), 0.5 + 1e-9/math.Pi},
		"beta quantile":  {distributions.Beta(cpu.Full(tensor.F64, 2), 7).Quantile(1e-300), 1.8898223650461362e-151},
		"poisson tail":   {distributions.Poisson(cpu.Full(tensor.F64, 4)).Upper(1e-20), 34},
		"no surprise":    {distributions.Geometric(1).Entropy(), 0},
		"large negative": {distributions.NegativeBinomial(cpu.Full(tensor.F64, 40), 0.01).Entropy(), 7.855137469832218},
	} {
		if got := c.got.ToScalar(); !near(got, c.want, 1e-12) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// vectors make the distributions of torch.txt whose parameters are vectors.
func vectors(dev *tensor.Device, name string, second bool) (d dist, v []array) {
	a := dev.New([]float64{0.5, 2, 3})
	if second {
		a = dev.New([]float64{2, 1, 0.25})
	}
	v = []array{tensor.NewVar(a)}
	switch name {
	case "Dirichlet":
		return distributions.Dirichlet(v[0]), v
	case "Categorical":
		return distributions.Categorical(v[0]), v
	case "Multinomial":
		return distributions.Multinomial(7, v[0]), v
	}
	m, c := dev.New([]float64{1, 2}), dev.New([][]float64{{2, 0.5}, {0.5, 1}})
	if second {
		m, c = dev.New([]float64{0, -1}), dev.New([][]float64{{1, -0.3}, {-0.3, 3}})
	}
	v = []array{tensor.NewVar(m), tensor.NewVar(c)}
	return distributions.MultivariateNormal(v[0], v[1]), v
}

// TestTorch compares logarithms of densities, divergences and gradients with PyTorch 2.15.
func TestTorch(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		variables := func(list []float64) (v []array, as []any) {
			for _, p := range list {
				x := tensor.NewVar(dev.Full(tensor.F64, p))
				v, as = append(v, x), append(as, x)
			}
			return v, as
		}
		for _, r := range records(t, "torch.txt") {
			var p, q dist
			var pv, qv []array
			x := dev.New(r.x)
			if len(r.parameters) > 0 {
				v, as := variables(r.parameters)
				p, pv = makers[r.name](as...), v
				if strings.HasPrefix(r.what, "KL") {
					v, as := variables(r.x)
					q, qv = makers[r.name](as...), v
				}
			} else {
				p, pv = vectors(dev, r.name, false)
				q, qv = vectors(dev, r.name, true)
				switch {
				case r.name == "Categorical" && len(r.x) > 0:
					x = x.Get(0)
				case r.name == "MultivariateNormal" && len(r.x) > 0:
					x = x.Reshape(2, 2)
				}
			}
			var got []float64
			switch r.what {
			case "KL":
				got = distributions.KL(p, q).FlattenAll().Float64s()
			case "KLGradient":
				grads := distributions.KL(p, q).Sum().Backward()
				for _, v := range append(pv, qv...) {
					got = append(got, grads.Get(v).FlattenAll().Float64s()...)
				}
			case "GradientX":
				v := tensor.NewVar(x)
				got = p.LogProb(v).Sum().Backward().Get(v).Float64s()
			case "Gradient0", "Gradient1", "Gradient2":
				v := pv[r.what[8]-'0']
				g := p.LogProb(x).Sum().Backward().Get(v)
				if g.Rank() == 2 { // of a symmetric matrix
					g = g.Add(g.T()).Mul(0.5)
				}
				got = g.FlattenAll().Float64s()
			default:
				got = call(p, r.what, x).FlattenAll().Float64s()
			}
			for i, w := range r.want {
				may := 1e-11
				if r.what == "KLGradient" {
					may = 1e-9 // torch's trigamma
				}
				if !(math.Abs(got[i]-w) <= may*(1+math.Abs(w))) {
					t.Errorf("%s%v: %s of %v is %v, want %v", r.name, r.parameters, r.what, r.x, got, r.want)
					break
				}
			}
		}
	})
}
