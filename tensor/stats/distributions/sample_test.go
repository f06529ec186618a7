package distributions_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
	"github.com/gorocm/gorocm/tensor/stats/distributions"
)

var samples = []dist{
	distributions.Normal(1, 2), distributions.LogNormal(0.5, 0.7), distributions.Uniform(-1, 3), distributions.Exponential(2),
	distributions.Gamma(0.4, 3), distributions.Beta(2, 0.5), distributions.ChiSquared(3), distributions.StudentT(4, 1, 2),
	distributions.F(5, 9), distributions.Laplace(1, 2), distributions.Cauchy(1, 2), distributions.Weibull(1.5, 2),
	distributions.Logistic(1, 2), distributions.Gumbel(1, 2), distributions.Pareto(3, 2), distributions.Bernoulli(0.3),
	distributions.Binomial(20, 0.3), distributions.Poisson(6), distributions.Geometric(0.2),
	distributions.NegativeBinomial(2.5, 0.3), distributions.Categorical(tensor.Of(1, 0, 3, 2)),
}

// TestSample is Kolmogorov and Smirnov's test: the distance √n·D from the distribution function exceeds 1.95 with a
// probability of at most 0.001.
func TestSample(t *testing.T) {
	const n = 20000
	for _, d := range samples {
		x := d.Sample([]int{n}, random.New(3))
		if !slices.Equal(x.Dims(), []int{n}) {
			t.Fatalf("%v: the shape is %v", d, x.Dims())
		}
		values := x.Float64s()
		slices.Sort(values)
		cdf := d.CDF(cpu.New(values)).Float64s()
		distance := 0.0
		for i := range values {
			if i+1 == n || values[i+1] != values[i] {
				distance = max(distance, math.Abs(cdf[i]-float64(i+1)/n))
			}
		}
		if s := distance * math.Sqrt(n); !(s < 1.95) {
			t.Errorf("%v: the distance is %.2f", d, s)
		}
	}
}

// TestVectorSamples compares means and variances.
func TestVectorSamples(t *testing.T) {
	const n = 40000
	for _, d := range []dist{
		distributions.Multinomial(7, tensor.Of(1, 0, 3, 2)), distributions.Dirichlet(tensor.Of(0.5, 2, 1)),
		distributions.MultivariateNormal(tensor.Of(1, -2), cpu.New([][]float32{{2, 0.5}, {0.5, 1}})),
	} {
		x := d.Sample([]int{n}, random.New(4)).ToDType(tensor.F64)
		mean, variance := d.Mean().Float64s(), d.Variance().Float64s()
		for i, m := range x.Mean(0).Float64s() {
			if math.Abs(m-mean[i]) > 4*math.Sqrt(variance[i]/n)+1e-12 {
				t.Errorf("%v: mean %d is %v, want %v", d, i, m, mean[i])
			}
		}
		for i, v := range x.Var(0).Float64s() {
			if math.Abs(v-variance[i]) > 0.05*variance[i] {
				t.Errorf("%v: variance %d is %v, want %v", d, i, v, variance[i])
			}
		}
	}
}

// TestBatches: parameters of several shapes are broadcast, in values and samples, and gradients reach them.
func TestBatches(t *testing.T) {
	mean := tensor.NewVar(cpu.New([]float64{0, 1, 2}))
	d := distributions.Normal(mean, cpu.New([][]float64{{1}, {2}}))
	x := d.Sample([]int{5}, random.New(1))
	if !slices.Equal(x.Dims(), []int{5, 2, 3}) || x.DType() != tensor.F64 {
		t.Errorf("got %v of %v", x.Dims(), x.DType())
	}
	if g := x.Sum().Backward().Get(mean).Float64s(); !slices.Equal(g, []float64{10, 10, 10}) {
		t.Errorf("the gradient of a sample is %v", g)
	}
	if y := d.LogProb(0.5); !slices.Equal(y.Dims(), []int{2, 3}) {
		t.Errorf("the logarithms are %v", y.Dims())
	}
	categories := distributions.Categorical(cpu.New([][]float64{{1, 1}, {0, 1}}))
	if x := categories.Sample([]int{4, 3}, random.New(1)); !slices.Equal(x.Dims(), []int{4, 3, 2}) ||
		x.Narrow(2, 1, 1).Min().ToScalar() != 1 {
		t.Errorf("got %v", x)
	}
	if y := categories.LogProb(1).Exp().Float64s(); !slices.Equal(y, []float64{0.5, 1}) {
		t.Errorf("got %v", y)
	}
	if got := distributions.CategoricalLogits(tensor.Of(0, math.Log(3))).Prob(1).ToScalar(); math.Abs(got-0.75) > 1e-7 {
		t.Errorf("got %v", got)
	}
	if s := distributions.Normal(0, mean.Detach().Add(1)).String(); s != "Normal(mean 0, standard deviation [3])" {
		t.Errorf("it is %q", s)
	}
	half := distributions.Gamma(cpu.New([]float64{2}).ToDType(tensor.F16), 3).CDF(4)
	if half.DType() != tensor.F16 || math.Abs(half.Float64s()[0]-0.3849) > 1e-3 {
		t.Errorf("got %v", half)
	}
}

// TestMistakes: errors name the parameter and the number.
func TestMistakes(t *testing.T) {
	d := distributions.Normal(0, 1)
	for want, f := range map[string]func() array{
		"normal: the standard deviation is 0: want numbers above 0": func() array { return distributions.Normal(0, 0).Mean() },
		"gamma: alpha is -1: want numbers above 0": func() array {
			return distributions.Gamma(tensor.Of(1, -1), 1).Mean()
		},
		"binomial: the number of trials is 1.5: want whole numbers from 0 to": func() array {
			return distributions.Binomial(1.5, 0.5).Mean()
		},
		"bernoulli: the probability is 1.5: want numbers from 0 to 1": func() array { return distributions.Bernoulli(1.5).Mean() },
		"uniform: the upper bound is not above":                       func() array { return distributions.Uniform(1, 1).Mean() },
		"categorical: the weight is -1":                               func() array { return distributions.Categorical(tensor.Of(1, -1)).Mean() },
		"categorical: the sum of the weights is 0":                    func() array { return distributions.Categorical(tensor.Of(0, 0)).Mean() },
		"dirichlet distribution function: the distribution has no": func() array {
			return distributions.Dirichlet(tensor.Of(1, 1)).CDF(tensor.Of(0.5, 0.5))
		},
		"normal sample: the generator is nil": func() array { return d.Sample([]int{2}, nil) },
		"kl: the divergence of":               func() array { return distributions.KL(d, distributions.Gumbel(0, 1)) },
		"kl: the divergence of counts of different numbers": func() array {
			return distributions.KL(distributions.Binomial(3, 0.5), distributions.Binomial(4, 0.5))
		},
		"cholesky": func() array {
			return distributions.MultivariateNormal(tensor.Of(0, 0), cpu.New([][]float32{{1, 2}, {2, 1}})).Mean()
		},
		"gammainc: there is no gradient by operand 1": func() array {
			a := tensor.NewVar(cpu.New([]float64{2}))
			return distributions.Gamma(a, 1).CDF(1).Sum().Backward().Get(a)
		},
	} {
		_, err := tensor.Try(f)
		var e *tensor.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
