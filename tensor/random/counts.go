package random

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Poisson returns Poisson variates of a mean from 0 to 2^52, a Go number or a tensor. The dtype is an integer type,
// whose limits replace counts beyond them, or a float type, to which counts are rounded.
func (g *Generator) Poisson(mean any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.counts("poisson", shape, dtype, dev)
	m := c.asTensor(c.parameter(mean, domain.Domain{Name: "the mean", High: sample.MostCount}))
	return draw.Variates(c.Into, poisson, g.take(c.count()), m.Detach()).ToDType(dtype)
}

var poisson = draw.Variate{
	Kernel: "poisson", Thirds: 1,
	At: func(s sample.Stream, i int, p [2]float64) float64 { return s.Poisson(i, p[0]) },
}

// Binomial returns binomial variates: the number of successes of probability p in some trials, whole numbers from 0
// to 2^52; both are Go numbers or tensors. The dtype is an integer type, whose limits replace counts beyond them, or
// a float type, to which counts are rounded.
func (g *Generator) Binomial(trials, p any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.counts("binomial", shape, dtype, dev)
	most := domain.Domain{Name: "the number of trials", High: sample.MostCount, Whole: true}
	n := c.asTensor(c.parameter(trials, most))
	chance := c.asTensor(c.parameter(p, domain.Probability("the probability")))
	return draw.Variates(c.Into, draw.Variate{
		Kernel: "binomial", Thirds: 1,
		At: func(s sample.Stream, i int, p [2]float64) float64 { return s.Binomial(i, p[0], p[1]) },
	}, g.take(c.count()), n.Detach(), chance.Detach()).ToDType(dtype)
}

// Hypergeometric returns hypergeometric variates: how many of some draws without replacement, from so many good and bad
// ones, are good. The numbers are not negative, with a sum up to 2^30. The dtype is an integer type, whose limits
// replace counts beyond them, or a float type, to which counts are rounded. It panics with ErrValue for other numbers,
// and when there are more draws than good and bad ones.
func (g *Generator) Hypergeometric(
	good, bad, draws int, shape []int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	const op, most = "hypergeometric", 1 << 30 // logarithms of factorials lose no digits that decide
	c := g.counts(op, shape, dtype, dev)
	if good < 0 || bad < 0 || draws < 0 || good > most || bad > most-good || draws > good+bad {
		extend.Fail(op, tensor.ErrValue, nil, "", "%d draws from %d good and %d bad ones: want numbers from 0 on, "+
			"no more draws than there are, and at most %d", draws, good, bad, most)
	}
	a, b, n := float64(good), float64(bad), float64(draws)
	return draw.Variates(c.Into, draw.Variate{
		Kernel: "hypergeometric", Thirds: 1,
		Numbers: func(args *rocm.Args) { args.F64(a).F64(b).F64(n) },
		At:      func(s sample.Stream, i int, _ [2]float64) float64 { return s.Hypergeometric(i, a, b, n) },
	}, g.take(c.count())).ToDType(dtype)
}

// NegativeBinomial returns negative binomial variates: the number of failures before n successes of probability p, Go
// numbers or tensors. n is above 0 and may have a fraction, p is above 0. They are Poisson variates whose mean is a
// gamma variate. The dtype is an integer type, whose limits replace counts beyond them, or a float type, to which
// counts are rounded.
func (g *Generator) NegativeBinomial(n, p any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return g.counts("negative binomial", shape, dtype, dev).failures(n, p).ToDType(dtype)
}

func (c call) failures(n, p any) *tensor.Tensor {
	a := c.asTensor(c.parameter(n, domain.Positive("n"))).Detach()
	chance := c.asTensor(c.parameter(p, domain.Domain{Name: "the probability", High: 1, Open: true})).Detach()
	odds := chance.Affine(-1, 1).Div(chance)
	most := domain.FromZero("n·(1-p)/p")
	most.High = sample.MostCount / 1024 // so that the means do not exceed MostCount
	most.Elements(c.Op, a.Maximum(1).Mul(odds))
	mean := c.in(tensor.F64).gamma(a, false).Mul(odds)
	return draw.Variates(c.Into, poisson, c.g.take(c.count()), mean)
}

// Geometric returns geometric variates: the number of trials up to the first success of probability p above 0, a Go
// number or a tensor; it is 1 at least. The dtype is an integer type, whose limits replace counts beyond them, or a
// float type, to which counts are rounded.
func (g *Generator) Geometric(p any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return g.counts("geometric", shape, dtype, dev).failures(1, p).Add(1).ToDType(dtype)
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
