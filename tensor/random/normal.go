package random

import (
	"math"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Normal returns normal variates of a mean and a standard deviation from 0 on, Go numbers or tensors. The dtype is a
// float type.
func (g *Generator) Normal(mean, std any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return g.floats("normal", shape, dtype, dev).normal(mean, std).ToDType(dtype)
}

// normal returns normal variates in the type in which they are computed, if a parameter is a tensor.
func (c call) normal(mean, std any) *tensor.Tensor {
	m, s := c.parameter(mean, finite("the mean")), c.parameter(std, fromZero("the standard deviation"))
	a, isNumber := m.(float64)
	if b, ok := s.(float64); ok && isNumber {
		return c.standard(true, a, b)
	}
	return c.wide().standard(true, 0, 1).Mul(s).Add(m)
}

// LogNormal returns numbers whose logarithms are normal variates of a mean and a standard deviation from 0 on, Go
// numbers or tensors. The dtype is a float type.
func (g *Generator) LogNormal(mean, std any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return g.floats("log normal", shape, dtype, dev).wide().normal(mean, std).Exp().ToDType(dtype)
}

// VonMises returns angles from -π to π in radians of the von Mises distribution, a normal distribution on the circle,
// of a mean and a concentration from 0 on, Go numbers or tensors. The dtype is a float type.
func (g *Generator) VonMises(
	mean, concentration any, shape []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	c := g.floats("von mises", shape, dtype, dev).wide()
	m := c.parameter(mean, finite("the mean"))
	k := c.asTensor(c.parameter(concentration, domain{name: "the concentration", high: sample.MostConcentrated}))
	halves := draw.Variates(c.Into, draw.Variate{
		Kernel: "von_mises", Thirds: 2,
		At: func(s sample.Stream, i int, p [2]float64) float64 { return s.VonMises(i, p[0]) },
	}, g.take(c.count()), k.Detach())
	angles := halves.Asin().Mul(2)
	if m == 0.0 {
		return angles.ToDType(dtype)
	}
	return angles.Add(m).Add(math.Pi).Mod(2 * math.Pi).Sub(math.Pi).ToDType(dtype)
}

// TruncatedNormal returns normal variates of a mean and a standard deviation above 0, from lo to hi; one of these, or
// both, may be infinite. The distribution is exact, also far from the mean. The dtype is a float type. It panics with
// ErrValue unless lo is below hi.
func (g *Generator) TruncatedNormal(
	mean, std, lo, hi float64, shape []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	const op = "truncated normal"
	c := g.floats(op, shape, dtype, dev).wide()
	c.parameter(mean, finite("the mean"))
	c.parameter(std, positive("the standard deviation"))
	if !(lo < hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
		extend.Fail(op, tensor.ErrValue, nil, "", "there are no numbers from %v to %v", lo, hi)
	}
	return draw.Variates(c.Into, draw.Variate{
		Kernel:  "truncated_normal",
		Thirds:  1,
		Numbers: func(args *rocm.Args) { args.F64(mean).F64(std).F64(lo).F64(hi) },
		At: func(s sample.Stream, i int, _ [2]float64) float64 {
			return s.TruncatedNormal(i, mean, std, lo, hi)
		},
	}, g.take(c.count())).ToDType(dtype)
}
