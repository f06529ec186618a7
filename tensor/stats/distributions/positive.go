package distributions

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random"
)

// Families on an interval or above 0 with elementary functions.

// within gives 0 below a support and 1 above it, or the other way round for survival functions.
func within(inside, x, low, y array, upper bool) array {
	below, above := 0.0, 1.0
	if upper {
		below, above = 1, 0
	}
	y = inside.WhereCond(y, x.Le(low).WhereCond(x.FullLike(below), above))
	return x.IsNaN().WhereCond(x, y)
}

// always reports whether a condition is known to hold for all elements: of those on the host, as in moderate.
func always(condition array) bool {
	return condition.Device().IsCPU() && condition.ElemCount() > 0 && condition.All().ToScalar() != 0
}

// clipped makes distribution functions of those inside of the support above low.
func clipped(f *family, low func(p []array) array, lower, upper func(p []array, x array) array) {
	either := func(g func(p []array, x array) array, isUpper bool) func(p []array, x array) array {
		return func(p []array, x array) array {
			inside, near := f.support(p, x)
			if always(inside) {
				return g(p, x)
			}
			return within(inside, x.Add(low(p).Mul(0)), low(p), g(p, near), isUpper)
		}
	}
	f.lower, f.upper = either(lower, false), either(upper, true)
}

func zero(p []array) array { return p[0].Mul(0) }

var uniform = &family{
	name:       "Uniform",
	parameters: []domain.Domain{domain.Finite("the lower bound"), domain.Finite("the upper bound")},
	support: func(p []array, x array) (inside, near array) {
		inside = x.Ge(p[0]).And(x.Le(p[1]))
		return inside, inside.WhereCond(x, p[0])
	},
	logProb: func(p []array, x array) array { return p[1].Sub(p[0]).Log().Neg().Add(x.Mul(0)) },
	quantile: func(p []array, q array, upper bool) array {
		from, to := p[0], p[1]
		if upper {
			from, to = to, from
		}
		return q.Gt(0.5).WhereCond(from.Sub(to).Mul(q.Affine(-1, 1)).Add(to), to.Sub(from).Mul(q).Add(from))
	},
	mean:     func(p []array) array { return p[0].Add(p[1]).Mul(0.5) },
	variance: func(p []array) array { return p[1].Sub(p[0]).Sqr().Div(12) },
	entropy:  func(p []array) array { return p[1].Sub(p[0]).Log() },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Uniform(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

// ordinary has the distribution functions of a cumulated hazard h: 1 - e^-h, and e^-h; and quantiles by its inverse.
func ordinary(f *family, low func(p []array) array, hazard, inverse func(p []array, x array) array) {
	clipped(f, low,
		func(p []array, x array) array { return hazard(p, x).Neg().Expm1().Neg() },
		func(p []array, x array) array { return hazard(p, x).Neg().Exp() })
	f.quantile = func(p []array, q array, upper bool) array {
		if upper {
			return inverse(p, q.Log().Neg())
		}
		return inverse(p, q.Neg().Log1p().Neg())
	}
}

var exponential = &family{
	name:       "Exponential",
	parameters: []domain.Domain{domain.Positive("the scale")},
	support:    above(0, true),
	logProb:    func(p []array, x array) array { return x.Div(p[0]).Neg().Sub(p[0].Log()) },
	mean:       func(p []array) array { return p[0] },
	variance:   func(p []array) array { return p[0].Sqr() },
	entropy:    func(p []array) array { return p[0].Log().Add(1) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Exponential(p[0], to.shape, to.dtype, to.device)
	},
}

var weibull = &family{
	name:       "Weibull",
	parameters: []domain.Domain{domain.Positive("the shape"), domain.Positive("the scale")},
	support:    above(0, true),
	logProb: func(p []array, x array) array {
		_, l := ratio(x, p[1])
		power := p[0].Eq(1).WhereCond(x.Mul(0), l.Mul(p[0].Sub(1))) // the density at 0 is not NaN
		return p[0].Div(p[1]).Log().Add(power).Sub(weibullHazard(p, x))
	},
	mean: func(p []array) array { return weibullMoment(p, 1).Mul(p[1]) },
	variance: func(p []array) array {
		return weibullMoment(p, 2).Sub(weibullMoment(p, 1).Sqr()).Mul(p[1].Sqr())
	},
	entropy: func(p []array) array {
		return p[0].Recip().Affine(-euler, euler+1).Add(p[1].Div(p[0]).Log())
	},
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Weibull(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

// weibullHazard is (x/scale)^shape.
func weibullHazard(p []array, x array) array {
	z, l := ratio(x, p[1])
	small := z.Lt(tiny)
	return small.WhereCond(l.Mul(p[0]).Exp(), small.WhereCond(1, z).Pow(p[0]))
}

func weibullMoment(p []array, n float64) array { return p[0].Recip().Mul(n).Add(1).Lgamma().Exp() }

var pareto = &family{
	name:       "Pareto",
	parameters: []domain.Domain{domain.Positive("alpha"), domain.Positive("the minimum")},
	support: func(p []array, x array) (inside, near array) {
		inside = x.Ge(p[1])
		return inside, inside.WhereCond(x, p[1])
	},
	logProb: func(p []array, x array) array {
		return p[0].Log().Sub(p[1].Log()).Sub(paretoLog(p, x).Mul(p[0].Add(1)))
	},
	mean: func(p []array) array {
		return p[0].Gt(1).WhereCond(p[0].Div(p[0].Sub(1)).Mul(p[1]), math.Inf(1))
	},
	variance: func(p []array) array {
		rest := p[0].Sub(1).Sqr().Mul(p[0].Sub(2))
		return p[0].Gt(2).WhereCond(p[0].Div(rest).Mul(p[1].Sqr()), math.Inf(1))
	},
	entropy: func(p []array) array { return p[1].Div(p[0]).Log().Add(p[0].Recip()).Add(1) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Pareto(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

// paretoLog is log(x/minimum), with all digits where that is near 0.
func paretoLog(p []array, x array) array {
	more := x.Sub(p[1]).Div(p[1])
	far := more.Gt(1 / tiny)
	difference := far.WhereCond(x, 1).Log().Sub(far.WhereCond(p[1], 1).Log())
	return far.WhereCond(difference, far.WhereCond(1, more).Log1p())
}

var logNormal = &family{
	name:       "LogNormal",
	parameters: []domain.Domain{domain.Finite("the mean"), domain.Positive("the standard deviation")},
	support:    above(0, false),
	logProb: func(p []array, x array) array {
		return normal.logProb(p, x.Log()).Sub(x.Log())
	},
	quantile: func(p []array, q array, upper bool) array { return normal.quantile(p, q, upper).Exp() },
	mean:     func(p []array) array { return p[1].Sqr().Mul(0.5).Add(p[0]).Exp() },
	variance: func(p []array) array {
		return p[1].Sqr().Expm1().Mul(p[0].Mul(2).Add(p[1].Sqr()).Exp())
	},
	entropy: func(p []array) array { return normal.entropy(p).Add(p[0]) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.LogNormal(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

func init() {
	clipped(uniform, func(p []array) array { return p[0] },
		func(p []array, x array) array { return x.Sub(p[0]).Div(p[1].Sub(p[0])) },
		func(p []array, x array) array { return p[1].Sub(x).Div(p[1].Sub(p[0])) })
	clipped(logNormal, zero,
		func(p []array, x array) array { return normal.lower(p, x.Log()) },
		func(p []array, x array) array { return normal.upper(p, x.Log()) })
	ordinary(exponential, zero,
		func(p []array, x array) array { return x.Div(p[0]) },
		func(p []array, h array) array { return h.Mul(p[0]) })
	ordinary(weibull, zero,
		weibullHazard,
		func(p []array, h array) array { return h.Pow(p[0].Recip()).Mul(p[1]) })
	ordinary(pareto, func(p []array) array { return p[1] },
		func(p []array, x array) array { return paretoLog(p, x).Mul(p[0]) },
		func(p []array, h array) array { return h.Div(p[0]).Exp().Mul(p[1]) })
}

// Uniform returns the uniform distribution from lo to hi. It panics with ErrValue unless lo is below hi.
func Uniform(lo, hi any) *Distribution {
	d := newDistribution(uniform, lo, hi)
	at := d.place("uniform")
	at.wide = tensor.F64
	p := d.at("uniform", at)
	if width := p[1].Sub(p[0]); width.ElemCount() > 0 && !(width.Min().ToScalar() > 0) {
		extend.Fail("uniform", tensor.ErrValue, nil, "", "the upper bound is not above the lower one: the width is %v",
			width.Min().ToScalar())
	}
	return d
}

// Exponential returns the exponential distribution of a scale above 0, its mean; torch has its inverse, the rate.
func Exponential(scale any) *Distribution { return newDistribution(exponential, scale) }

// Weibull returns the Weibull distribution of a shape and a scale, both above 0.
func Weibull(shape, scale any) *Distribution { return newDistribution(weibull, shape, scale) }

// Pareto returns the Pareto distribution of an exponent alpha and a minimum, both above 0.
func Pareto(alpha, minimum any) *Distribution { return newDistribution(pareto, alpha, minimum) }

// LogNormal returns the distribution of e^x for normal x of a mean and a standard deviation above 0.
func LogNormal(mean, std any) *Distribution { return newDistribution(logNormal, mean, std) }
