package random

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Gamma returns gamma variates with the shape parameter alpha and a scale, both above 0, Go numbers or tensors; their
// mean is alpha·scale. The dtype is a float type.
func (g *Generator) Gamma(alpha, scale any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("gamma", shape, dtype, dev)
	a, by := c.parameter(alpha, domain.Positive("alpha")), c.parameter(scale, domain.Positive("the scale"))
	y := c.wide().gamma(a, false)
	if by != 1.0 {
		y = y.Mul(by)
	}
	return y.ToDType(dtype)
}

// gamma returns standard gamma variates or their logarithms, which are finite where a variate of a small alpha is 0.
func (c call) gamma(alpha any, logarithm bool) *tensor.Tensor {
	a := c.asTensor(alpha)
	flag := uint64(0)
	if logarithm {
		flag = 1
	}
	y := draw.Variates(c.Into, draw.Variate{
		Kernel:  "gamma",
		Thirds:  4,
		Numbers: func(args *rocm.Args) { args.U64(flag) },
		At: func(s sample.Stream, i int, p [2]float64) float64 {
			return s.Gamma(i, p[0], logarithm)
		},
	}, c.g.take(c.count()), a.Detach())
	return extend.By(y, c.Op, []*tensor.Tensor{a}, func(grad *tensor.Tensor) []*tensor.Tensor {
		logs := y.Detach().ToDType(tensor.F64)
		grad = grad.ToDType(tensor.F64)
		if !logarithm {
			grad = grad.Mul(logs) // of log y
			logs = logs.Log()
		}
		return []*tensor.Tensor{grad.Mul(draw.GammaSlope(c.Op, a.Detach(), logs))}
	})
}

// Beta returns beta variates with the parameters a and b above 0, Go numbers or tensors. The dtype is a float type.
func (g *Generator) Beta(a, b any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("beta", shape, dtype, dev).in(tensor.F64)
	p, q := c.parameter(a, domain.Positive("a")), c.parameter(b, domain.Positive("b"))
	return c.gamma(p, true).Sub(c.gamma(q, true)).Sigmoid().ToDType(dtype)
}

// Dirichlet returns vectors of the Dirichlet distribution with the parameters alpha, above 0: numbers from 0 on with
// the sum 1. alpha is a vector, or a tensor whose last dim has the parameters and whose other dims are broadcast to
// shape. The result has the shape of the vectors, [shape… len(alpha)], on the device of alpha. The dtype is a float
// type.
func (g *Generator) Dirichlet(alpha *tensor.Tensor, shape []int, dtype tensor.DType) *tensor.Tensor {
	const op = "dirichlet"
	if alpha.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{alpha}, "want a vector of parameters, not a scalar")
	}
	all := append(append([]int{}, shape...), alpha.Dim(-1))
	c := g.floats(op, all, dtype, alpha.Device()).in(tensor.F64)
	return c.gamma(c.parameter(alpha, domain.Positive("alpha")), true).Softmax(-1).ToDType(dtype)
}

// StudentT returns variates of Student's t distribution with df degrees of freedom, a Go number above 0 or a tensor.
// The dtype is a float type.
func (g *Generator) StudentT(df any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("student t", shape, dtype, dev).in(tensor.F64)
	half := c.asTensor(c.parameter(df, domain.Positive("df"))).Mul(0.5)
	z := c.standard(true, 0, 1)
	return z.Mul(half.Log().Sub(c.gamma(half, true)).Mul(0.5).Exp()).ToDType(dtype)
}

// ChiSquared returns chi-square variates with df degrees of freedom, a Go number above 0 or a tensor. The dtype is a
// float type.
func (g *Generator) ChiSquared(df any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("chi-squared", shape, dtype, dev).wide()
	half := c.asTensor(c.parameter(df, domain.Positive("df"))).Mul(0.5)
	return c.gamma(half, false).Mul(2).ToDType(dtype)
}

// F returns variates of Fisher's F distribution with df1 and df2 degrees of freedom, Go numbers above 0 or tensors. The
// dtype is a float type.
func (g *Generator) F(df1, df2 any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("f", shape, dtype, dev).in(tensor.F64)
	a := c.asTensor(c.parameter(df1, domain.Positive("df1"))).Mul(0.5)
	b := c.asTensor(c.parameter(df2, domain.Positive("df2"))).Mul(0.5)
	return c.gamma(a, true).Sub(a.Log()).Sub(c.gamma(b, true).Sub(b.Log())).Exp().ToDType(dtype)
}
