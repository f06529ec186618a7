package random

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
)

// Distributions whose quantiles are elementary. They are computed in F64 of 53 random bits, and have gradients.

// leastExponential replaces exponential variates of 0, whose logarithm is not finite.
const leastExponential = 0x1p-54

// exponential returns standard exponential variates of F64, above 0.
func (c call) exponential() *tensor.Tensor {
	return c.in(tensor.F64).logUniform().Neg().Maximum(leastExponential)
}

// Weibull returns Weibull variates with a shape and a scale, both above 0, Go numbers or tensors. The dtype is a float
// type.
func (g *Generator) Weibull(
	shape, scale any, size []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	c := g.floats("weibull", size, dtype, dev)
	k, by := c.parameter(shape, domain.Positive("the shape")), c.parameter(scale, domain.Positive("the scale"))
	return c.exponential().Log().Div(k).Exp().Mul(by).ToDType(dtype)
}

// Pareto returns variates of the classical Pareto distribution with the exponent alpha and a minimum, both above 0, Go
// numbers or tensors. numpy.random's are those of a minimum of 1, less 1. The dtype is a float type.
func (g *Generator) Pareto(
	alpha, minimum any, shape []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	c := g.floats("pareto", shape, dtype, dev)
	a, by := c.parameter(alpha, domain.Positive("alpha")), c.parameter(minimum, domain.Positive("the minimum"))
	return c.exponential().Div(a).Exp().Mul(by).ToDType(dtype)
}

// Logistic returns logistic variates with a mean and a scale above 0, Go numbers or tensors. The dtype is a float type.
func (g *Generator) Logistic(mean, scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("logistic", shape, dtype, dev)
	m, by := c.parameter(mean, domain.Finite("the mean")), c.parameter(scale, domain.Positive("the scale"))
	e := c.exponential() // log((1-u)/u) for u = e^-e
	return e.Expm1().Log().Neg().Mul(by).Add(m).ToDType(dtype)
}

// Gumbel returns variates of the Gumbel distribution of maxima with a mode and a scale above 0, Go numbers or tensors.
// The dtype is a float type.
func (g *Generator) Gumbel(mode, scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("gumbel", shape, dtype, dev)
	m, by := c.parameter(mode, domain.Finite("the mode")), c.parameter(scale, domain.Positive("the scale"))
	return c.exponential().Log().Neg().Mul(by).Add(m).ToDType(dtype)
}

// Rayleigh returns Rayleigh variates with a scale above 0, a Go number or a tensor: the lengths of vectors of two
// normal variates with that standard deviation. The dtype is a float type.
func (g *Generator) Rayleigh(scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("rayleigh", shape, dtype, dev)
	by := c.parameter(scale, domain.Positive("the scale"))
	return c.exponential().Mul(2).Sqrt().Mul(by).ToDType(dtype)
}

// Triangular returns variates of the triangular distribution from lo to hi, with its peak at mode, Go numbers or
// tensors. The dtype is a float type. It panics with ErrValue unless lo ≤ mode ≤ hi and lo < hi.
func (g *Generator) Triangular(
	lo, mode, hi any, shape []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	c := g.floats("triangular", shape, dtype, dev).in(tensor.F64)
	l := c.asTensor(c.parameter(lo, domain.Finite("the lower bound")))
	m := c.asTensor(c.parameter(mode, domain.Finite("the mode")))
	h := c.asTensor(c.parameter(hi, domain.Finite("the upper bound")))
	left, right, width := m.Sub(l), h.Sub(m), h.Sub(l)
	domain.FromZero("the mode less the lower bound").Elements(c.Op, left)
	domain.FromZero("the upper bound less the mode").Elements(c.Op, right)
	domain.Positive("the width of the interval").Elements(c.Op, width)
	u := c.standard(false, 0, 1)
	isLeft := u.Mul(width).Lt(left)
	area := isLeft.WhereCond(u, u.Affine(-1, 1)).Mul(width).Mul(isLeft.WhereCond(left, right)).Sqrt()
	return isLeft.WhereCond(l.Add(area), h.Sub(area)).ToDType(dtype)
}
