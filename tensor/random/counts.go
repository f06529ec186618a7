package random

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Poisson returns Poisson variates of a mean from 0 to 2^52, a Go number or a tensor. The dtype is an integer type,
// whose limits replace counts beyond them, or a float type, to which counts are rounded.
func (g *Generator) Poisson(mean any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.counts("poisson", shape, dtype, dev)
	m := c.asTensor(c.parameter(mean, domain{name: "the mean", high: sample.MostCount}))
	return draw.Variates(c.Into, draw.Variate{
		Kernel: "poisson", Thirds: 1,
		At: func(s sample.Stream, i int, p [2]float64) float64 { return s.Poisson(i, p[0]) },
	}, g.take(c.count()), m.Detach()).ToDType(dtype)
}

// Binomial returns binomial variates: the number of successes of probability p in some trials, whole numbers from 0
// to 2^52; both are Go numbers or tensors. The dtype is an integer type, whose limits replace counts beyond them, or
// a float type, to which counts are rounded.
func (g *Generator) Binomial(trials, p any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.counts("binomial", shape, dtype, dev)
	n := c.asTensor(c.parameter(trials, domain{name: "the number of trials", high: sample.MostCount, whole: true}))
	chance := c.asTensor(c.parameter(p, probability()))
	return draw.Variates(c.Into, draw.Variate{
		Kernel: "binomial", Thirds: 1,
		At: func(s sample.Stream, i int, p [2]float64) float64 { return s.Binomial(i, p[0], p[1]) },
	}, g.take(c.count()), n.Detach(), chance.Detach()).ToDType(dtype)
}

// counts is call for results that are counts. Integers are converted from F64, which has all of them.
func (g *Generator) counts(op string, shape []int, dt tensor.DType, dev *tensor.Device) call {
	c := g.call(op, shape, dt, dev)
	switch {
	case dt.IsComplex() || dt == tensor.Bool:
		extend.DType(op, nil, "counts are integers or floats, not %v", dt)
	case dt.IsInt():
		return c.in(tensor.F64)
	}
	return c.wide()
}
