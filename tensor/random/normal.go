package random

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
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
	m, s := c.parameter(mean, domain.Finite("the mean")), c.parameter(std, domain.FromZero("the standard deviation"))
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
	m := c.parameter(mean, domain.Finite("the mean"))
	k := c.asTensor(c.parameter(concentration, domain.Domain{Name: "the concentration", High: sample.MostConcentrated}))
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
	c.parameter(mean, domain.Finite("the mean"))
	c.parameter(std, domain.Positive("the standard deviation"))
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

// MultivariateNormal returns normal vectors [shape… n] with a mean [n] and a positive definite covariance [n n], F32 or
// F64 on one device, in the type of the covariance. They have gradients by both. It panics with ErrShape for other
// shapes, and with ErrValue when the covariance is not positive definite.
func (g *Generator) MultivariateNormal(mean, covariance *tensor.Tensor, shape []int) *tensor.Tensor {
	const op = "multivariate normal"
	extend.SameDevice(op, mean, covariance)
	if mean.Rank() != 1 || !slices.Equal(covariance.Dims(), []int{mean.Dim(0), mean.Dim(0)}) {
		extend.Shape(op, []*tensor.Tensor{mean, covariance},
			"want a mean [n] and a covariance [n n], not %v and %v", mean.Dims(), covariance.Dims())
	}
	all := append(slices.Clone(shape), mean.Dim(0))
	z := g.floats(op, all, covariance.DType(), covariance.Device()).standard(true, 0, 1)
	return z.MatMul(linalg.Cholesky(covariance).T()).Add(mean.ToDType(covariance.DType()))
}
