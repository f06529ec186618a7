package random_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// TestGradients compares derivatives with differences: the same seed gives the same standard variates.
func TestGradients(t *testing.T) {
	shape := []int{4, 3}
	start := []float64{0.7, 1.9, 3.1}
	for name, f := range map[string]func(p *tensor.Tensor) *tensor.Tensor{
		"uniform": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Uniform(p.Neg(), p, shape, tensor.F64, cpu)
		},
		"normal": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Normal(p, p.Sqr(), shape, tensor.F64, cpu)
		},
		"log normal": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).LogNormal(p, 0.5, shape, tensor.F64, cpu)
		},
		"exponential": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Exponential(p, shape, tensor.F64, cpu)
		},
		"laplace": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Laplace(1, p, shape, tensor.F64, cpu)
		},
		"cauchy": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Cauchy(p, p, shape, tensor.F64, cpu)
		},
		"weibull": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Weibull(p, p.Sqr(), shape, tensor.F64, cpu)
		},
		"pareto": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Pareto(p, p, shape, tensor.F64, cpu)
		},
		"logistic": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Logistic(p, p, shape, tensor.F64, cpu)
		},
		"gumbel": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Gumbel(p, p, shape, tensor.F64, cpu)
		},
		"rayleigh": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Rayleigh(p, shape, tensor.F64, cpu)
		},
		"triangular": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Triangular(p.Neg(), 0.1, p, shape, tensor.F64, cpu)
		},
		"multivariate normal": func(p *tensor.Tensor) *tensor.Tensor {
			covariance := p.Unsqueeze(1).MatMul(p.Unsqueeze(0)).Add(cpu.Eye(tensor.F64, 3))
			return random.New(1).MultivariateNormal(p, covariance, []int{4})
		},
		"scale of gamma": func(p *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Gamma(2, p, shape, tensor.F64, cpu)
		},
	} {
		at := func(values []float64) *tensor.Tensor { return cpu.New(values) }
		weights := cpu.Arange(tensor.F64, 1, 13).Reshape(shape...)
		v := tensor.NewVar(at(start))
		got := f(v).Mul(weights).Sum().Backward().Get(v).Float64s()
		for i := range start {
			const h = 1e-6
			up, down := append([]float64{}, start...), append([]float64{}, start...)
			up[i], down[i] = up[i]+h, down[i]-h
			want := (f(at(up)).Mul(weights).Sum().ToScalar() - f(at(down)).Mul(weights).Sum().ToScalar()) / (2 * h)
			if math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: the derivative by element %d is %v, differences give %v", name, i, got[i], want)
			}
		}
	}
}

// TestGammaGradient compares the derivatives of gamma variates by the shape with those of quantiles, by differences.
func TestGammaGradient(t *testing.T) {
	devices := []*tensor.Device{cpu}
	others(t, func(t *testing.T, dev *tensor.Device) { devices = append(devices, dev) })
	for _, dev := range devices {
		for _, a := range []float64{0.01, 0.3, 1, 4.5, 60, 999, 1001, 1e5} {
			v := tensor.NewVar(dev.Full(tensor.F64, a, 200))
			y := random.New(2).Gamma(v, 1, []int{200}, tensor.F64, dev)
			got := y.Sum().Backward().Get(v).Float64s()
			for i, x := range y.Float64s() {
				p := mathext.GammaIncReg(a, x)
				if x < 1e-280 || p < 1e-3 || p > 0.999 {
					continue
				}
				h := min(1e-3*a, 0.03*math.Sqrt(a)) // fourth order: the derivative of the distribution function by a
				dF := (8*(mathext.GammaIncReg(a+h, x)-mathext.GammaIncReg(a-h, x)) -
					(mathext.GammaIncReg(a+2*h, x) - mathext.GammaIncReg(a-2*h, x))) / (12 * h)
				lg, _ := math.Lgamma(a)
				want := -dF / math.Exp((a-1)*math.Log(x)-x-lg)
				if math.Abs(got[i]-want) > 1e-4*math.Abs(want) {
					t.Fatalf("%v: shape %v, variate %v: the derivative is %v, differences give %v", dev, a, x, got[i], want)
				}
			}
		}
	}
}

// TestImplicitGradients: the mean of a variate has the derivative of the mean.
func TestImplicitGradients(t *testing.T) {
	thorough.Slow(t)
	const n = 40000
	for name, c := range map[string]struct {
		f    func(a *tensor.Tensor) *tensor.Tensor
		want float64 // by the parameter, at 2
		slip float64
	}{
		"gamma": {func(a *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Gamma(a, 3, []int{n}, tensor.F32, cpu)
		}, 3, 0.03},
		"beta": {func(a *tensor.Tensor) *tensor.Tensor {
			return random.New(1).Beta(a, 3, []int{n}, tensor.F64, cpu)
		}, 3.0 / 25, 0.002},
		"square of student t": {func(a *tensor.Tensor) *tensor.Tensor { // df/(df-2) for df = a + 10
			return random.New(1).StudentT(a.Add(10), []int{n}, tensor.F64, cpu).Sqr()
		}, -2.0 / 100, 0.003},
		"dirichlet": {func(a *tensor.Tensor) *tensor.Tensor {
			alpha := tensor.Cat([]*tensor.Tensor{a.Reshape(1), tensor.Of(1, 2).ToDType(tensor.F64)}, 0)
			return random.New(1).Dirichlet(alpha, []int{n}, tensor.F64).Narrow(1, 0, 1)
		}, 3.0 / 25, 0.002},
	} {
		v := tensor.NewVar(cpu.Full(tensor.F64, 2))
		if got := c.f(v).Mean().Backward().Get(v).ToScalar(); math.Abs(got-c.want) > c.slip {
			t.Errorf("%s: the derivative of the mean is %v, want %v", name, got, c.want)
		}
	}
}
