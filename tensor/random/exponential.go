package random

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Exponential returns exponential variates of a scale above 0, their mean, a Go number or a tensor. The dtype is a
// float type; numbers of F32 and smaller types are made of 24 random bits, so that the largest is 16.6 times the
// scale.
func (g *Generator) Exponential(scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("exponential", shape, dtype, dev)
	by := c.parameter(scale, domain.Positive("the scale"))
	logs := c.wide().logUniform()
	y := logs.Mul(negative(by))
	if _, ok := by.(*tensor.Tensor); !ok { // the gradient by a tensor needs them
		extend.Drop(logs)
	}
	return y.ToDType(dtype)
}

// logUniform returns log(1-u), in which 1-u is exact: minus standard exponential variates.
func (c call) logUniform() *tensor.Tensor {
	u := c.standard(false, 0, 1)
	rest := u.Affine(-1, 1)
	extend.Drop(u)
	y := rest.Log()
	extend.Drop(rest)
	return y
}

// negative negates a parameter.
func negative(p any) any {
	if t, ok := p.(*tensor.Tensor); ok {
		return t.Neg()
	}
	return -p.(float64)
}

// Laplace returns variates of the Laplace distribution with a mean and a scale above 0, Go numbers or tensors: the
// difference of two exponential variates. The dtype is a float type.
func (g *Generator) Laplace(mean, scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("laplace", shape, dtype, dev)
	m, by := c.parameter(mean, domain.Finite("the mean")), c.parameter(scale, domain.Positive("the scale"))
	w := c.wide()
	return w.logUniform().Sub(w.logUniform()).Mul(by).Add(m).ToDType(dtype)
}

// Cauchy returns variates of the Cauchy distribution with a median and a scale above 0, Go numbers or tensors. The
// dtype is a float type.
func (g *Generator) Cauchy(median, scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("cauchy", shape, dtype, dev)
	m, by := c.parameter(median, domain.Finite("the median")), c.parameter(scale, domain.Positive("the scale"))
	return c.wide().standard(false, -math.Pi/2, math.Pi/2).Tan().Mul(by).Add(m).ToDType(dtype)
}
