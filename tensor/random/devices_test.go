package random_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

// others returns the devices of this machine beside the CPU: an AMD GPU may be the emulated one.
func others(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	for _, name := range []string{"rocm", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			f(t, dev)
		})
	}
}

// TestDevicesAgree draws the same numbers on each device. Integers, counts, gamma and truncated normal variates have
// the same bits.
func TestDevicesAgree(t *testing.T) {
	thorough.Slow(t)
	type drawing = func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor
	shape := []int{7, 3, 31}
	param := func(dev *tensor.Device, values ...float64) *tensor.Tensor {
		return dev.New(values).Reshape(3, 1)
	}
	exact := map[string]drawing{
		"poisson": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Poisson(param(dev, 0.5, 30, 1e7), shape, dt, dev)
		},
		"binomial": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Binomial(param(dev, 3, 500, 1<<40), param(dev, 0.9, 0.3, 0.5), shape, dt, dev)
		},
		"negative binomial": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.NegativeBinomial(param(dev, 0.3, 4, 500), 0.2, shape, dt, dev)
		},
		"geometric": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Geometric(param(dev, 1, 0.2, 1e-6), shape, dt, dev)
		},
		"chi squared": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.ChiSquared(param(dev, 1, 5, 700), shape, dt, dev)
		},
		"triangular": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Triangular(-1, param(dev, -1, 0.5, 2), 2, shape, dt, dev)
		},
		"hypergeometric": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return tensor.Cat([]*tensor.Tensor{g.Hypergeometric(5, 7, 4, shape, dt, dev),
				g.Hypergeometric(500, 300, 700, shape, dt, dev), g.Hypergeometric(1000, 5000, 90, shape, dt, dev)}, 0)
		},
		"gamma": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Gamma(param(dev, 0.01, 1, 1e5), 1, shape, dt, dev)
		},
		"truncated normal": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.TruncatedNormal(0, 1, -0.3, 5, shape, dt, dev)
		},
		"truncated normal, narrow": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.TruncatedNormal(0, 1, -1, 0.5, shape, dt, dev)
		},
		"tail": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.TruncatedNormal(0, 1, math.Inf(-1), -6, shape, dt, dev)
		},
		"bernoulli": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Bernoulli(param(dev, 0.1, 0.5, 0.99), shape, dt, dev)
		},
		"sobol": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return random.NewSobol(9).Scramble(g).Skip(1000).Draw(77, dt, dev)
		},
	}
	near := map[string]drawing{
		"normal": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Normal(param(dev, 1, 2, 3), param(dev, 1, 0, 9), shape, dt, dev)
		},
		"weibull": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Weibull(param(dev, 0.7, 1, 3), 2, shape, dt, dev)
		},
		"pareto": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Pareto(param(dev, 1, 2, 3), 2, shape, dt, dev)
		},
		"logistic": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Logistic(1, param(dev, 1, 2, 3), shape, dt, dev)
		},
		"gumbel": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Gumbel(param(dev, 1, 2, 3), 2, shape, dt, dev)
		},
		"rayleigh": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Rayleigh(param(dev, 1, 2, 3), shape, dt, dev)
		},
		"f": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.F(param(dev, 1, 2, 3), 9, shape, dt, dev)
		},
		"von mises": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.VonMises(0, param(dev, 0, 2, 1e6), shape, dt, dev)
		},
		"laplace": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Laplace(1, param(dev, 1, 2, 9), shape, dt, dev)
		},
		"cauchy": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Cauchy(0, 1, shape, dt, dev).Atan()
		},
		"beta": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.Beta(param(dev, 1e-3, 1, 9), 0.5, shape, dt, dev)
		},
		"student": func(g *random.Generator, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
			return g.StudentT(param(dev, 3, 4, 9), shape, dt, dev)
		},
	}
	others(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16} {
			for name, f := range exact {
				want, got := f(random.New(5), dt, cpu).Float64s(), f(random.New(5), dt, dev).Float64s()
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s of %v: element %d is %v, on the CPU %v", name, dt, i, got[i], want[i])
					}
				}
			}
			eps := map[tensor.DType]float64{tensor.F32: 0x1p-23, tensor.F64: 0x1p-52, tensor.F16: 0x1p-10}[dt]
			for name, f := range near {
				want, got := f(random.New(6), dt, cpu).Float64s(), f(random.New(6), dt, dev).Float64s()
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 16*eps*(1+math.Abs(want[i]))) {
						t.Fatalf("%s of %v: element %d is %v, on the CPU %v", name, dt, i, got[i], want[i])
					}
				}
			}
		}
		for _, dt := range []tensor.DType{tensor.I32, tensor.U8, tensor.I64} {
			want, got := exact["poisson"](random.New(7), dt, cpu), exact["poisson"](random.New(7), dt, dev)
			if !slices.Equal(got.Float64s(), want.Float64s()) {
				t.Errorf("poisson of %v differs", dt)
			}
		}
		want, got := random.New(8).Permutation(3000, cpu), random.New(8).Permutation(3000, dev)
		if !slices.Equal(got.Float64s(), want.Float64s()) {
			t.Error("permutations differ")
		}
		for _, replace := range []bool{false, true} {
			w := cpu.Arange(tensor.F32, 40).Reshape(2, 20)
			want, got := random.New(9).Multinomial(w, 10, replace), random.New(9).Multinomial(w.ToDevice(dev), 10, replace)
			if !slices.Equal(got.Float64s(), want.Float64s()) {
				t.Errorf("multinomial differs: got %v, want %v", got, want)
			}
		}
	})
}

// TestIntegersAgree draws integers of all types, with ranges that replace many words and odd numbers of elements.
func TestIntegersAgree(t *testing.T) {
	type bounds struct{ lo, hi any }
	cases := map[tensor.DType][]bounds{
		tensor.U8: {{0, 200}}, tensor.I8: {{-128, 128}}, tensor.U16: {{5, 6}}, tensor.I16: {{-300, 300}},
		tensor.U32: {{0, 1 << 32}, {0, 3 << 30}}, tensor.I32: {{-5, 1<<31 - 5}},
		tensor.I64: {{-5, 1 << 33}, {math.MinInt64, uint64(1 << 63)}, {math.MinInt64, 1 << 62}, {0, 3<<30 + 1}},
		tensor.U64: {{0, uint64(math.MaxUint64)}, {uint64(1 << 63), uint64(3 << 62)}, {7, uint64(0xc000000000000001)}},
	}
	others(t, func(t *testing.T, dev *tensor.Device) {
		for dt, list := range cases {
			for _, b := range list {
				for _, n := range []int{1, 3, 1024, 1030} {
					name := fmt.Sprintf("%v from %v to %v", dt, b.lo, b.hi)
					want := random.New(3).Integers(b.lo, b.hi, []int{n}, dt, cpu)
					got := random.New(3).Integers(b.lo, b.hi, []int{n}, dt, dev)
					if got.ToDevice(cpu).Eq(want).ToDType(tensor.U8).Min().ToScalar() != 1 {
						t.Errorf("%s: got %v, want %v", name, got, want)
					}
				}
			}
			want, got := random.New(4).Bits([]int{55}, dt, cpu), random.New(4).Bits([]int{55}, dt, dev)
			if got.ToDevice(cpu).Eq(want).ToDType(tensor.U8).Min().ToScalar() != 1 {
				t.Errorf("bits of %v differ", dt)
			}
		}
	})
}

// TestDefault: Rand and Randn are calls of the default generator.
func TestDefault(t *testing.T) {
	dev := cpu
	g := random.Default(dev)
	draws := func() (list []float64) {
		dev.SetSeed(11)
		list = append(list, dev.Rand(tensor.F32, 5).Float64s()...)
		list = append(list, g.Uniform(0, 1, []int{5}, tensor.F32, dev).Float64s()...)
		return append(list, dev.Randn(tensor.F32, 5).Float64s()...)
	}
	first := draws()
	own := random.New(11)
	var want []float64
	for _, x := range []*tensor.Tensor{own.Uniform(0, 1, []int{5}, tensor.F32, dev),
		own.Uniform(0, 1, []int{5}, tensor.F32, dev), own.Normal(0, 1, []int{5}, tensor.F32, dev)} {
		want = append(want, x.Float64s()...)
	}
	if !slices.Equal(first, draws()) || !slices.Equal(first, want) || g.Seed() != 11 {
		t.Errorf("got %v, a generator of the same seed %v", first, want)
	}
}
