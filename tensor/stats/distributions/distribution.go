package distributions

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
	"github.com/gorocm/gorocm/tensor/random"
)

// Distribution is a probability distribution, or several whose parameters are the elements of tensors. The functions of
// this package return them.
type Distribution struct {
	*family
	given []any // parameters: float64 or tensors
	shown []any // as they are printed
	batch []int // the shape of the parameters together, without the dims of one distribution
}

// newDistribution checks parameters.
func newDistribution(f *family, parameters ...any) *Distribution {
	d := &Distribution{family: f, batch: []int{}}
	var tensors []array
	for i, v := range parameters {
		t, ok := v.(*tensor.Tensor)
		if !ok {
			d.given = append(d.given, f.parameters[i].Number(f.op(), v))
			continue
		}
		extend.SameDevice(f.op(), append(tensors, t)...)
		tensors = append(tensors, t)
		f.parameters[i].Elements(f.op(), t)
		shape, own := t.Dims(), 0
		if f.ranks != nil {
			own = f.ranks[i]
		}
		if len(shape) < own {
			extend.Shape(f.op(), tensors, "%s has the shape %v: want at least %d dims", f.parameters[i].Name, shape,
				own)
		}
		both, ok := shapes.Broadcast(d.batch, shape[:len(shape)-own])
		if !ok {
			extend.Shape(f.op(), tensors, "%s has the shape %v, and the other parameters %v", f.parameters[i].Name, shape,
				d.batch)
		}
		d.batch = both
		d.given = append(d.given, t)
	}
	d.shown = d.given
	return d
}

func (f *family) op() string { return strings.ToLower(f.name) }

// String names the parameters: Go numbers, and the shapes of tensors.
func (d *Distribution) String() string {
	var list []string
	for i, v := range d.shown {
		name := strings.TrimPrefix(d.parameters[i].Name, "the ")
		if t, ok := v.(*tensor.Tensor); ok && t.Rank() > 0 {
			list = append(list, fmt.Sprintf("%s %v", name, t.Dims()))
		} else if ok {
			list = append(list, fmt.Sprintf("%s %v", name, t.ToScalar()))
		} else {
			list = append(list, fmt.Sprintf("%s %v", name, v))
		}
	}
	return d.name + "(" + strings.Join(list, ", ") + ")"
}

// place is where and in which types a call computes.
type place struct {
	device *tensor.Device
	dtype  tensor.DType // of the result
	wide   tensor.DType
}

// place finds it from the parameters and values.
func (d *Distribution) place(op string, values ...any) place {
	at := place{device: tensor.DefaultDevice(), dtype: tensor.DefaultDType(), wide: tensor.F32}
	var tensors []array
	isFloat := false
	for _, v := range slices.Concat(d.given, values) {
		t, ok := v.(*tensor.Tensor)
		if !ok {
			continue
		}
		tensors = append(tensors, t)
		switch dt := t.DType(); {
		case dt.IsComplex():
			extend.DType(op, tensors, "a value is complex")
		case dt.IsFloat() && isFloat:
			at.dtype = dtypes.Common(at.dtype, dt)
		case dt.IsFloat():
			at.dtype, isFloat = dt, true
		}
	}
	if len(tensors) > 0 {
		extend.SameDevice(op, tensors...)
		at.device = tensors[0].Device()
	}
	if d.precise || at.dtype == tensor.F64 {
		at.wide = tensor.F64
	}
	return at
}

// tensor returns a value or a parameter in the type in which a call computes.
func (at place) tensor(op string, v any) array {
	if t, ok := v.(*tensor.Tensor); ok {
		return t.ToDType(at.wide)
	}
	return at.device.Full(at.wide, number(op, v))
}

func (d *Distribution) at(op string, at place) (p []array) {
	for _, v := range d.given {
		p = append(p, at.tensor(op, v))
	}
	return p
}

// of calls a function of values, or fails where the family has none.
func (d *Distribution) of(what string, f func(p []array, x array) array, x any) array {
	op := d.op() + " " + what
	if f == nil {
		extend.Fail(op, tensor.ErrValue, nil, "", "the distribution has no %s", what)
	}
	at := d.place(op, x)
	p, v := d.at(op, at), at.tensor(op, x)
	if d.event > 0 && v.Rank() < d.event {
		extend.Shape(op, []array{v}, "want values of %d dims, not shape %v", d.event, v.Dims())
	}
	return f(p, v).ToDType(at.dtype)
}

// LogProb returns the logarithm of the density at x, or of the probability of x for discrete distributions: of a Go
// number or of each element of a tensor, and minus infinity where x is impossible. Distributions of vectors take
// tensors whose last dim has the elements of a vector.
func (d *Distribution) LogProb(x any) *tensor.Tensor { return d.of("log prob", d.logDensity, x) }

// Prob returns the density at x, or the probability of x for discrete distributions.
func (d *Distribution) Prob(x any) *tensor.Tensor {
	return d.of("prob", func(p []array, x array) array { return d.logDensity(p, x).Exp() }, x)
}

func (d *Distribution) logDensity(p []array, x array) array {
	if d.event == 0 { // no distribution has a density at infinity
		infinite := x.IsInf()
		y := d.logDensityInside(p, infinite.WhereCond(1, x))
		return infinite.WhereCond(math.Inf(-1), y)
	}
	return d.logDensityInside(p, x)
}

func (d *Distribution) logDensityInside(p []array, x array) array {
	if d.support == nil {
		return d.logProb(p, x)
	}
	inside, near := d.support(p, x)
	y := inside.WhereCond(d.logProb(p, near), math.Inf(-1))
	nan := x.IsNaN()
	if d.event > 0 {
		nan = nan.Any(-1)
	}
	return nan.WhereCond(math.NaN(), y)
}

// CDF returns the distribution function at x, the probability of values up to x, with full relative precision in the
// lower tail. It panics with ErrValue for distributions of vectors.
func (d *Distribution) CDF(x any) *tensor.Tensor { return d.of("distribution function", d.lower, x) }

// Survival returns the probability of values above x, with full relative precision in the upper tail. It panics with
// ErrValue for distributions of vectors.
func (d *Distribution) Survival(x any) *tensor.Tensor { return d.of("survival function", d.upper, x) }

// Quantile returns the inverse of CDF at probabilities q: for discrete distributions the smallest value whose CDF is at
// least q. A q outside of 0 to 1 gives NaN. It panics with ErrValue for distributions of vectors.
func (d *Distribution) Quantile(q any) *tensor.Tensor { return d.inverse(q, false) }

// Upper returns the inverse of Survival at probabilities q, also of those that 1 - q does not tell from 0: critical
// values of tests.
func (d *Distribution) Upper(q any) *tensor.Tensor { return d.inverse(q, true) }

func (d *Distribution) inverse(q any, upper bool) array {
	if d.quantile == nil {
		return d.of("quantiles", nil, q)
	}
	return d.of("quantile", func(p []array, q array) array {
		inside := q.Ge(0).And(q.Le(1))
		if always(inside) {
			return d.quantile(p, q, upper)
		}
		return inside.WhereCond(d.quantile(p, inside.WhereCond(q, 0.5), upper), math.NaN())
	}, q)
}

// moment calls a function of the parameters.
func (d *Distribution) moment(what string, f func(p []array) array) array {
	op := d.op() + " " + what
	if f == nil {
		extend.Fail(op, tensor.ErrValue, nil, "", "the distribution has no %s", what)
	}
	at := d.place(op)
	y := f(d.at(op, at))
	return y.ToDType(at.dtype)
}

// Mean returns the mean of each distribution: infinity or NaN where there is none.
func (d *Distribution) Mean() *tensor.Tensor { return d.moment("mean", d.mean) }

// Variance returns the variance of each distribution, of each element of a vector: infinity or NaN where there is none.
func (d *Distribution) Variance() *tensor.Tensor { return d.moment("variance", d.variance) }

// Std returns the standard deviation, the root of Variance.
func (d *Distribution) Std() *tensor.Tensor {
	return d.moment("standard deviation", func(p []array) array { return d.variance(p).Sqrt() })
}

// Entropy returns the entropy of each distribution in nats: of a density the differential one. That of distributions of
// counts other than Bernoulli and Geometric is a sum over counts, and the call waits for the device.
func (d *Distribution) Entropy() *tensor.Tensor {
	if d.entropy == nil && d.discrete && d.quantile != nil {
		return d.moment("entropy", d.entropyOfCounts)
	}
	return d.moment("entropy", d.entropy)
}

// Sample returns variates [shape… batch…], where batch is the shape of the parameters, and the elements of a vector
// follow. g is a generator, as of random.New(seed). Counts and categories are I64, others have the type of the
// parameters. Where torch's rsample has gradients by the parameters, these have the same.
func (d *Distribution) Sample(shape []int, g *random.Generator) *tensor.Tensor {
	op := d.op() + " sample"
	if g == nil {
		extend.Fail(op, tensor.ErrValue, nil, "random.New(1) is a generator", "the generator is nil")
	}
	at := d.place(op)
	to := target{slices.Concat(shape, d.batch), at.dtype, at.device}
	if d.discrete {
		to.dtype = tensor.I64
	}
	return d.sample(g, d.given, to)
}

func number(op string, v any) float64 { return anyNumber.Number(op, v) }
