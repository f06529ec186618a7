package random_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// distribution is a call of a generator and the distribution that it should have.
type distribution struct {
	name string
	draw func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor
	cdf  func(x float64) float64
}

var cpu = tensor.CPU()

func continuous() []distribution {
	type d = distribution
	truncated := func(lo, hi float64) distribution {
		n := distuv.UnitNormal
		below := func(x float64) float64 { // Φ(x) without cancellation on the right, where bounds are positive
			if lo > 0 {
				return -n.Survival(x)
			}
			return n.CDF(x)
		}
		return d{fmt.Sprintf("truncated normal from %v to %v", lo, hi),
			func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
				return g.TruncatedNormal(1, 2, 1+2*lo, 1+2*hi, []int{n}, dt, cpu)
			},
			func(x float64) float64 { return (below((x-1)/2) - below(lo)) / (below(hi) - below(lo)) }}
	}
	list := []distribution{
		{"uniform", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Uniform(-1, 3, []int{n}, dt, cpu)
		}, distuv.Uniform{Min: -1, Max: 3}.CDF},
		{"normal", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Normal(1, tensor.Of(2), []int{n}, dt, cpu)
		}, distuv.Normal{Mu: 1, Sigma: 2}.CDF},
		{"log normal", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.LogNormal(0.5, 0.7, []int{n}, dt, cpu)
		}, distuv.LogNormal{Mu: 0.5, Sigma: 0.7}.CDF},
		{"exponential", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Exponential(2, []int{n}, dt, cpu)
		}, distuv.Exponential{Rate: 0.5}.CDF},
		{"laplace", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Laplace(1, 2, []int{n}, dt, cpu)
		}, distuv.Laplace{Mu: 1, Scale: 2}.CDF},
		{"cauchy", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Cauchy(1, 2, []int{n}, dt, cpu)
		}, func(x float64) float64 { return 0.5 + math.Atan((x-1)/2)/math.Pi }},
		{"weibull", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Weibull(1.7, tensor.Of(2), []int{n}, dt, cpu)
		}, distuv.Weibull{K: 1.7, Lambda: 2}.CDF},
		{"pareto", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Pareto(2.5, 3, []int{n}, dt, cpu)
		}, distuv.Pareto{Xm: 3, Alpha: 2.5}.CDF},
		{"logistic", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Logistic(1, 2, []int{n}, dt, cpu)
		}, func(x float64) float64 { return 1 / (1 + math.Exp(-(x-1)/2)) }},
		{"gumbel", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Gumbel(1, 2, []int{n}, dt, cpu)
		}, distuv.GumbelRight{Mu: 1, Beta: 2}.CDF},
		{"rayleigh", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Rayleigh(3, []int{n}, dt, cpu)
		}, func(x float64) float64 { return -math.Expm1(-x * x / 18) }},
		{"triangular", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Triangular(-1, 0, tensor.Of(3), []int{n}, dt, cpu)
		}, distuv.NewTriangle(-1, 3, 0, nil).CDF},
		{"chi squared", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.ChiSquared(5, []int{n}, dt, cpu)
		}, distuv.ChiSquared{K: 5}.CDF},
		{"f", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.F(3, 7, []int{n}, dt, cpu)
		}, distuv.F{D1: 3, D2: 7}.CDF},
		{"multivariate normal", func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			covariance := cpu.New([][]float64{{4, 1}, {1, 9}}).ToDType(dt)
			x := g.MultivariateNormal(tensor.Of(1, -1), covariance, []int{n})
			return x.Narrow(1, 0, 1).Add(x.Narrow(1, 1, 1)).FlattenAll()
		}, distuv.Normal{Mu: 0, Sigma: math.Sqrt(15)}.CDF},
		truncated(-1, 0.5), truncated(-3, 4), truncated(math.Inf(-1), 0.3), truncated(2, math.Inf(1)),
		truncated(3, 3.1), truncated(-9, -8), truncated(0, 1),
	}
	for _, k := range []float64{0, 1e-3, 0.7, 5, 1e4} {
		list = append(list, d{fmt.Sprint("von mises ", k), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.VonMises(0, k, []int{n}, dt, cpu)
		}, vonMises(k)}, d{fmt.Sprint("von mises around 3, ", k), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			x := g.VonMises(3, k, []int{n}, tensor.F64, cpu)
			if x.Abs().Max().ToScalar() > math.Pi {
				panic("an angle is beyond π")
			}
			return x.Sub(3).Add(math.Pi).Mod(2 * math.Pi).Sub(math.Pi).ToDType(dt)
		}, vonMises(k)})
	}
	for _, a := range []float64{0.05, 0.5, 1, 2.5, 40, 3000} {
		list = append(list, d{fmt.Sprint("gamma ", a), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
			return g.Gamma(a, 3, []int{n}, dt, cpu)
		}, distuv.Gamma{Alpha: a, Beta: 1.0 / 3}.CDF},
			d{fmt.Sprint("student t ", a), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
				return g.StudentT(a, []int{n}, dt, cpu)
			}, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: a}.CDF},
			d{fmt.Sprint("beta ", a), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
				return g.Beta(a, 1.5, []int{n}, dt, cpu)
			}, distuv.Beta{Alpha: a, Beta: 1.5}.CDF},
			d{fmt.Sprint("dirichlet ", a), func(g *random.Generator, n int, dt tensor.DType) *tensor.Tensor {
				x := g.Dirichlet(tensor.Of(a, 0.5, 1), []int{n}, dt)
				if sum := x.Sum(-1).Sub(1).Abs().Max().ToScalar(); sum > 1e-6 {
					panic(fmt.Sprint("the sum of a vector is off by ", sum))
				}
				return x.Narrow(1, 0, 1).FlattenAll()
			}, distuv.Beta{Alpha: float64(float32(a)), Beta: 1.5}.CDF})
	}
	return list
}

// vonMises integrates the density by the midpoints of a grid over where it is not tiny.
func vonMises(k float64) func(x float64) float64 {
	const n = 1 << 16
	half := math.Min(math.Pi, 12/math.Sqrt(max(k, 1e-9)))
	sums := make([]float64, n+1)
	for i := range n {
		x := half * (2*(float64(i)+0.5)/n - 1)
		sums[i+1] = sums[i] + math.Exp(k*(math.Cos(x)-1))
	}
	return func(x float64) float64 {
		at := (x/half + 1) / 2 * n
		i := int(math.Max(0, math.Min(at, n-1)))
		part := math.Max(0, math.Min(at-float64(i), 1))
		return (sums[i] + part*(sums[i+1]-sums[i])) / sums[n]
	}
}

// TestContinuous is Kolmogorov and Smirnov's test, in which the distance √n·D exceeds 1.95 with probability 0.001.
func TestContinuous(t *testing.T) {
	thorough.Slow(t)
	const n = 20000
	for _, d := range continuous() {
		for seed, dt := range []tensor.DType{tensor.F32, tensor.F64} {
			x := d.draw(random.New(uint64(seed)+1), n, dt)
			if x.DType() != dt || x.ElemCount() != n {
				t.Fatalf("%s: got %v of %v", d.name, x.Dims(), x.DType())
			}
			values := x.Float64s()
			slices.Sort(values)
			distance := 0.0
			for i := 0; i < n; {
				last := i
				for last+1 < n && values[last+1] == values[i] { // F32 has equal ones
					last++
				}
				p := d.cdf(values[last])
				distance = max(distance, p-float64(last+1)/n, float64(last+1)/n-p)
				if last == i {
					distance = max(distance, p-float64(i)/n)
				}
				i = last + 1
			}
			if s := distance * math.Sqrt(n); !(s < 1.95) {
				t.Errorf("%s of %v: the distance is %.2f", d.name, dt, s)
			}
		}
	}
}

// TestCounts is Pearson's test: chi-square exceeds its mean by 3.1 standard deviations with probability of about
// 0.001.
func TestCounts(t *testing.T) {
	const n = 20000
	for _, mean := range []float64{0.01, 1, 9.9, 10, 37.5, 1000, 1e6} {
		d := distuv.Poisson{Lambda: mean}
		x := random.New(1).Poisson(mean, []int{n}, tensor.I64, cpu)
		pearson(t, fmt.Sprint("poisson ", mean), x, d.Mean(), d.StdDev(), d.Prob)
	}
	for _, c := range []struct{ n, p float64 }{{1, 0.3}, {0.4, 0.2}, {7.5, 0.6}, {300, 0.01}, {1, 1}, {2, 0.9999}} {
		choose := func(k float64) float64 {
			a, _ := math.Lgamma(c.n + k)
			b, _ := math.Lgamma(c.n)
			d, _ := math.Lgamma(k + 1)
			if c.p == 1 {
				return map[bool]float64{true: 1}[k == 0]
			}
			return math.Exp(a - b - d + c.n*math.Log(c.p) + k*math.Log1p(-c.p))
		}
		mean := c.n * (1 - c.p) / c.p
		x := random.New(3).NegativeBinomial(c.n, c.p, []int{n}, tensor.I64, cpu)
		pearson(t, fmt.Sprintf("negative binomial %v %v", c.n, c.p), x, mean, math.Sqrt(mean/c.p), choose)
		if c.n == 1 {
			x := random.New(3).Geometric(c.p, []int{n}, tensor.I64, cpu).Sub(1)
			pearson(t, fmt.Sprint("geometric ", c.p), x, mean, math.Sqrt(mean/c.p), choose)
		}
	}
	for _, c := range []struct{ trials, p float64 }{
		{1, 0.3}, {20, 0.5}, {30, 0.9}, {50, 0.4}, {1000, 0.001}, {1000, 0.6}, {1 << 20, 0.25}, {1 << 20, 0.999995}} {
		d := distuv.Binomial{N: c.trials, P: c.p}
		x := random.New(2).Binomial(c.trials, cpu.New([]float64{c.p}), []int{n}, tensor.I64, cpu)
		pearson(t, fmt.Sprintf("binomial %v %v", c.trials, c.p), x, d.Mean(), d.StdDev(), d.Prob)
	}
}

func TestHypergeometric(t *testing.T) {
	const n = 20000
	choose := func(a, b float64) float64 {
		x, _ := math.Lgamma(a + 1)
		y, _ := math.Lgamma(b + 1)
		z, _ := math.Lgamma(a - b + 1)
		return x - y - z
	}
	for _, c := range [][3]int{{3, 4, 2}, {5, 2, 6}, {40, 60, 30}, {60, 40, 80}, {1000, 10, 300}, {1 << 20, 1 << 19, 5000}} {
		good, bad, draws := float64(c[0]), float64(c[1]), float64(c[2])
		all := good + bad
		x := random.New(4).Hypergeometric(c[0], c[1], c[2], []int{n}, tensor.I64, cpu)
		mean := draws * good / all
		deviation := math.Sqrt(mean * bad / all * (all - draws) / (all - 1))
		pearson(t, fmt.Sprint("hypergeometric ", c), x, mean, deviation, func(k float64) float64 {
			if k > good || k > draws || draws-k > bad {
				return 0
			}
			return math.Exp(choose(good, k) + choose(bad, draws-k) - choose(all, draws))
		})
	}
	for _, c := range [][4]int{{0, 5, 3, 0}, {5, 0, 3, 3}, {7, 9, 0, 0}, {70, 90, 160, 70}} {
		x := random.New(4).Hypergeometric(c[0], c[1], c[2], []int{50}, tensor.I64, cpu)
		if x.Min().ToScalar() != float64(c[3]) || x.Max().ToScalar() != float64(c[3]) {
			t.Errorf("%v: %v", c, x)
		}
	}
	for _, c := range [][3]int{{-1, 2, 1}, {3, 4, 8}, {1 << 30, 1, 1}} {
		_, err := tensor.Try(func() *tensor.Tensor {
			return random.New(4).Hypergeometric(c[0], c[1], c[2], []int{2}, tensor.I64, cpu)
		})
		if !errors.Is(err, tensor.ErrValue) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// pearson counts in cells of whole numbers within four standard deviations, with 20 expected ones at least.
func pearson(t *testing.T, name string, x *tensor.Tensor, mean, deviation float64, prob func(float64) float64) {
	t.Helper()
	values := tensor.ToVec1[int64](x)
	slices.Sort(values)
	n, chi, cells := float64(len(values)), 0.0, 0.0
	at, count, expected, total := 0, 0.0, 0.0, 0.0
	for k := math.Max(0, math.Floor(mean-6*deviation-10)); k <= math.Ceil(mean+6*deviation+10); k++ {
		for at < len(values) && float64(values[at]) <= k {
			at, count = at+1, count+1
		}
		p := prob(k) * n
		expected, total = expected+p, total+p
		if expected >= 20 {
			chi, cells = chi+(count-expected)*(count-expected)/expected, cells+1
			count, expected = 0, 0
		}
	}
	if rest := n - total + expected; rest > 1 {
		count += float64(len(values) - at)
		chi, cells = chi+(count-rest)*(count-rest)/rest, cells+1
	}
	if freedom := max(cells-1, 1); !(chi < freedom+3.1*math.Sqrt(2*freedom)+5) {
		t.Errorf("%s: chi-square is %.1f for %v cells", name, chi, cells)
	}
}

// TestLargeCounts: means at which probabilities need more digits than their logarithms have.
func TestLargeCounts(t *testing.T) {
	const n = 4000
	for _, mean := range []float64{1e9, 1e12, 1 << 51} {
		for name, x := range map[string]*tensor.Tensor{
			"poisson":  random.New(3).Poisson(mean, []int{n}, tensor.F64, cpu),
			"binomial": random.New(3).Binomial(2*mean, 0.5, []int{n}, tensor.F64, cpu).Sub(mean).Mul(math.Sqrt2).Add(mean),
		} {
			z := x.Sub(mean).Div(math.Sqrt(mean))
			if m, s := z.Mean().ToScalar(), z.Std().ToScalar(); math.Abs(m) > 4/math.Sqrt(n) || math.Abs(s-1) > 0.05 {
				t.Errorf("%s of mean %v: standard scores have mean %v and deviation %v", name, mean, m, s)
			}
		}
	}
}
