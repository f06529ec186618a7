package distributions

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/special"
	"github.com/gorocm/gorocm/tensor/random"
)

// Families of the incomplete gamma and beta functions. They compute in F64.

var gamma = &family{
	name:       "Gamma",
	parameters: []domain.Domain{domain.Positive("alpha"), domain.Positive("the scale")},
	precise:    true,
	support:    above(0, true),
	logProb: func(p []array, x array) array {
		// at 0 the density is 1/scale for alpha = 1, 0 above and infinite below
		zero := x.Eq(0)
		at := p[0].Eq(1).WhereCond(p[1].Log().Neg(), p[0].Gt(1).WhereCond(p[0].FullLike(math.Inf(-1)), math.Inf(1)))
		x = zero.WhereCond(1, x)
		z, l := ratio(x, p[1])
		small, far := z.Lt(tiny), z.IsInf()
		y := far.WhereCond(math.Inf(-1), special.GammaDensity(p[0], small.Or(far).WhereCond(1, z)))
		y = small.WhereCond(p[0].Mul(l).Sub(p[0].Lgamma()), y)
		return zero.WhereCond(at, y.Sub(l).Sub(p[1].Log()))
	},
	quantile: func(p []array, q array, upper bool) array {
		if upper {
			return special.LogGammaIncCInv(p[0], q).Exp().Mul(p[1])
		}
		return special.LogGammaIncInv(p[0], q).Exp().Mul(p[1])
	},
	mean:     func(p []array) array { return p[0].Mul(p[1]) },
	variance: func(p []array) array { return p[0].Mul(p[1].Sqr()) },
	entropy: func(p []array) array {
		return p[0].Add(p[1].Log()).Add(p[0].Lgamma()).Sub(p[0].Sub(1).Mul(p[0].Digamma()))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Gamma(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

// tiny is the largest number of which incomplete functions are a power times a constant; the quotients that they take
// may be less than the smallest number, or more than the largest one.
const tiny = 1e-30

// ratio is x/by and its logarithm, where that is finite and the quotient is not, too.
func ratio(x, by array) (r, logarithm array) {
	r = x.Div(by)
	beyond := r.Lt(tiny).Or(r.Gt(1 / tiny))
	difference := beyond.WhereCond(x, 1).Log().Sub(beyond.WhereCond(by, 1).Log())
	return r, beyond.WhereCond(difference, beyond.WhereCond(1, r).Log())
}

// moderate reports whether all elements are known to be from tiny to 1/tiny. It looks at those on the host only: a GPU
// would have to be waited for.
func moderate(r array) bool {
	if !r.Device().IsCPU() || r.ElemCount() == 0 {
		return false
	}
	r = r.Detach()
	return r.Min().ToScalar() >= tiny && r.Max().ToScalar() <= 1/tiny // not with NaN
}

// gammaSide is the regularised incomplete gamma function P(a, x/scale), or Q.
func gammaSide(a, x, scale array, upper bool) array {
	if z := x.Div(scale); moderate(z) {
		if upper {
			return special.LogGammaIncC(a, z).Exp()
		}
		return special.GammaInc(a, z)
	}
	z, l := ratio(x, scale)
	small := z.Lt(tiny)
	lower := a.Mul(l).Sub(a.Add(1).Lgamma())
	z = small.WhereCond(1, z)
	if upper {
		return small.WhereCond(lower.Expm1().Neg(), special.LogGammaIncC(a, z).Exp())
	}
	return small.WhereCond(lower.Exp(), special.GammaInc(a, z))
}

// betaOf is the regularised incomplete beta function I(a, b) at odds x/by, or 1 - I.
func betaOf(a, b, x, by array, upper bool) array {
	if r := x.Div(by); moderate(r) {
		if upper {
			return special.BetaInc(b, a, r.Recip())
		}
		return special.BetaInc(a, b, r)
	}
	r, l := ratio(x, by)
	return betaSide(a, b, r, l, upper)
}

// betaSide is the regularised incomplete beta function I(a, b) at odds r with a logarithm l, or 1 - I.
func betaSide(a, b, r, l array, upper bool) array {
	r = r.Abs() // -0, too
	if upper {
		a, b, r, l = b, a, r.Recip(), l.Neg()
	}
	if moderate(r) {
		return special.BetaInc(a, b, r)
	}
	small, large := r.Lt(tiny), r.Gt(1/tiny)
	c := large.WhereCond(b, a)
	tail := l.Abs().Neg().Mul(c).Sub(c.Log()).Sub(special.LogBeta(a, b))
	y := special.BetaInc(a, b, small.Or(large).WhereCond(1, r))
	return small.WhereCond(tail.Exp(), large.WhereCond(tail.Expm1().Neg(), y))
}

// ofGamma are the parameters of the gamma distribution that chi-square's is.
func ofGamma(p []array) []array { return []array{p[0].Mul(0.5), p[0].Mul(0).Add(2)} }

var chiSquared = &family{
	name:       "ChiSquared",
	parameters: []domain.Domain{domain.Positive("df")},
	precise:    true,
	support:    above(0, true),
	logProb:    func(p []array, x array) array { return gamma.logProb(ofGamma(p), x) },
	quantile: func(p []array, q array, upper bool) array {
		return gamma.quantile(ofGamma(p), q, upper)
	},
	mean:     func(p []array) array { return p[0] },
	variance: func(p []array) array { return p[0].Mul(2) },
	entropy:  func(p []array) array { return gamma.entropy(ofGamma(p)) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.ChiSquared(p[0], to.shape, to.dtype, to.device)
	},
}

var beta = &family{
	name:       "Beta",
	parameters: []domain.Domain{domain.Positive("a"), domain.Positive("b")},
	precise:    true,
	support: func(_ []array, x array) (inside, near array) {
		inside = x.Ge(0).And(x.Le(1))
		return inside, inside.WhereCond(x, 0.5)
	},
	logProb: func(p []array, x array) array {
		end := x.Eq(0).Or(x.Eq(1))
		z := end.WhereCond(0.5, x)
		at := x.Eq(0).WhereCond(p[0], p[1]) // the parameter that decides at an end
		edge := at.Eq(1).WhereCond(special.LogBeta(p[0], p[1]).Neg(),
			at.Gt(1).WhereCond(at.FullLike(math.Inf(-1)), math.Inf(1)))
		return end.WhereCond(edge, special.BetaDensity(p[0], p[1], odds(z)).Sub(z.Log()).Sub(z.Neg().Log1p()))
	},
	quantile: func(p []array, q array, upper bool) array {
		if upper {
			return special.BetaIncInvLogit(p[1], p[0], q).Neg().Sigmoid()
		}
		return special.BetaIncInvLogit(p[0], p[1], q).Sigmoid()
	},
	mean: func(p []array) array { return p[0].Div(p[0].Add(p[1])) },
	variance: func(p []array) array {
		n := p[0].Add(p[1])
		return p[0].Div(n).Mul(p[1].Div(n)).Div(n.Add(1))
	},
	entropy: func(p []array) array {
		n := p[0].Add(p[1])
		return special.LogBeta(p[0], p[1]).Sub(p[0].Sub(1).Mul(p[0].Digamma())).
			Sub(p[1].Sub(1).Mul(p[1].Digamma())).Add(n.Sub(2).Mul(n.Digamma()))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Beta(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

func odds(x array) array { return x.Div(x.Affine(-1, 1)) }

var fisher = &family{
	name:       "F",
	parameters: []domain.Domain{domain.Positive("df1"), domain.Positive("df2")},
	precise:    true,
	support:    above(0, true),
	logProb: func(p []array, x array) array {
		zero := x.Eq(0)
		at := p[0].Eq(2).WhereCond(p[0].ZerosLike(), p[0].Gt(2).WhereCond(p[0].FullLike(math.Inf(-1)), math.Inf(1)))
		a, b := p[0].Mul(0.5), p[1].Mul(0.5)
		x = zero.WhereCond(1, x)
		r, l := ratio(x, p[1].Div(p[0]))
		small, large := r.Lt(tiny), r.Gt(1/tiny)
		tail := large.WhereCond(b.Neg(), a).Mul(l).Sub(special.LogBeta(a, b))
		beyond := small.Or(large)
		y := beyond.WhereCond(tail, special.BetaDensity(a, b, beyond.WhereCond(1, r)))
		return zero.WhereCond(at, y.Sub(x.Log()))
	},
	quantile: func(p []array, q array, upper bool) array {
		a, b := p[0].Mul(0.5), p[1].Mul(0.5)
		if upper {
			return special.BetaIncInvLogit(b, a, q).Neg().Exp().Mul(p[1].Div(p[0]))
		}
		return special.BetaIncInvLogit(a, b, q).Exp().Mul(p[1].Div(p[0]))
	},
	mean: func(p []array) array {
		return p[1].Gt(2).WhereCond(p[1].Div(p[1].Sub(2)), math.Inf(1)).Add(p[0].Mul(0))
	},
	variance: func(p []array) array {
		a, b := p[0], p[1]
		y := b.Sqr().Mul(2).Mul(a.Add(b).Sub(2)).Div(a.Mul(b.Sub(2).Sqr()).Mul(b.Sub(4)))
		return b.Gt(4).WhereCond(y, b.Gt(2).WhereCond(b.FullLike(math.Inf(1)), math.NaN())).Add(a.Mul(0))
	},
	entropy: func(p []array) array {
		a, b := p[0].Mul(0.5), p[1].Mul(0.5)
		n := a.Add(b)
		return special.LogBeta(a, b).Add(p[1].Div(p[0]).Log()).Add(a.Affine(-1, 1).Mul(a.Digamma())).
			Sub(b.Add(1).Mul(b.Digamma())).Add(n.Mul(n.Digamma()))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		return g.F(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

func init() {
	clipped(gamma, zero,
		func(p []array, x array) array { return gammaSide(p[0], x, p[1], false) },
		func(p []array, x array) array { return gammaSide(p[0], x, p[1], true) })
	clipped(chiSquared, zero,
		func(p []array, x array) array { return gamma.lower(ofGamma(p), x) },
		func(p []array, x array) array { return gamma.upper(ofGamma(p), x) })
	side := func(upper bool) func(p []array, x array) array {
		return func(p []array, x array) array {
			return betaOf(p[0], p[1], x, x.Affine(-1, 1), upper)
		}
	}
	clipped(beta, zero, side(false), side(true))
	side = func(upper bool) func(p []array, x array) array {
		return func(p []array, x array) array {
			return betaOf(p[0].Mul(0.5), p[1].Mul(0.5), x, p[1].Div(p[0]), upper)
		}
	}
	clipped(fisher, zero, side(false), side(true))
}

// Gamma returns the gamma distribution of a shape alpha and a scale, both above 0; torch has the rate, 1/scale.
func Gamma(alpha, scale any) *Distribution { return newDistribution(gamma, alpha, scale) }

// ChiSquared returns the chi-square distribution with df degrees of freedom, above 0.
func ChiSquared(df any) *Distribution { return newDistribution(chiSquared, df) }

// Beta returns the beta distribution with the parameters a and b above 0, on the numbers from 0 to 1.
func Beta(a, b any) *Distribution { return newDistribution(beta, a, b) }

// F returns Fisher's F distribution with df1 and df2 degrees of freedom, above 0.
func F(df1, df2 any) *Distribution { return newDistribution(fisher, df1, df2) }
