package distributions

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special"
	"github.com/gorocm/gorocm/tensor/random"
)

var student = &family{
	name: "StudentT",
	parameters: []domain.Domain{domain.Positive("df"), domain.Finite("the location"),
		domain.Positive("the scale")},
	precise: true,
	logProb: func(p []array, x array) array {
		return studentLog(p[0], x.Sub(p[1]).Div(p[2])).Sub(p[2].Log())
	},
	lower: func(p []array, x array) array { return studentBelow(p[0], x.Sub(p[1]).Div(p[2])) },
	upper: func(p []array, x array) array { return studentBelow(p[0], p[1].Sub(x).Div(p[2])) },
	quantile: func(p []array, q array, upper bool) array {
		t := studentQuantile(p[0], q)
		if upper {
			t = t.Neg()
		}
		return t.Mul(p[2]).Add(p[1])
	},
	mean: func(p []array) array {
		return p[0].Gt(1).WhereCond(p[1], math.NaN()).Add(p[2].Mul(0))
	},
	variance: func(p []array) array {
		y := p[0].Gt(2).WhereCond(p[0].Div(p[0].Sub(2)), p[0].Gt(1).WhereCond(p[0].FullLike(math.Inf(1)), math.NaN()))
		return y.Mul(p[2].Sqr()).Add(p[1].Mul(0))
	},
	entropy: func(p []array) array {
		half := p[0].Mul(0.5)
		more := half.Add(0.5)
		w := p[0].Maximum(100).Mul(0.5).Recip() // the difference is a series in it where digammas cancel
		series := w.Sqr().Mul(1.0 / 128).Sub(1.0 / 64).Mul(w.Sqr()).Add(1.0 / 8).Mul(w).Add(0.5).Mul(w)
		difference := p[0].Gt(100).WhereCond(series, more.Digamma().Sub(half.Digamma()))
		return more.Mul(difference).Add(p[0].Log().Mul(0.5)).
			Add(special.LogBeta(half, half.FullLike(0.5))).Add(p[2].Log()).Add(p[1].Mul(0))
	},
	sample: func(g *random.Generator, p []any, to target) array {
		t := g.StudentT(p[0], to.shape, to.dtype, to.device)
		return t.Mul(p[2]).Add(p[1]).ToDType(to.dtype)
	},
}

// studentLog is the logarithm of the density of the standard distribution.
func studentLog(df, t array) array {
	half := df.Mul(0.5)
	far := t.Detach().Abs().Gt(df.Detach().Sqrt().Mul(1e10)) // where t²/df may overflow, and 1 does not count
	power := far.WhereCond(far.WhereCond(t, 1).Abs().Log().Mul(2).Sub(df.Log()),
		far.WhereCond(1, t).Sqr().Div(df).Log1p())
	return special.LogBeta(half, half.FullLike(0.5)).Add(df.Log().Mul(0.5)).Add(power.Mul(half.Add(0.5))).Neg()
}

// studentBelow is the probability of values below t: half of the tail of t² in an F distribution, or of its middle.
func studentBelow(df, t array) array {
	k, z := df.Detach(), t.Detach()
	r, l := ratio(z.Abs(), k.Sqrt())
	half := k.Mul(0.5)
	isTail := z.Abs().Gt(1)
	out := betaSide(half.FullLike(0.5), half, r.Sqr(), l.Mul(2), true).Mul(0.5)
	middle := betaSide(half.FullLike(0.5), half, r.Sqr(), l.Mul(2), false).Mul(0.5)
	below := isTail.WhereCond(out, middle.Affine(-1, 0.5))
	above := isTail.WhereCond(out.Affine(-1, 1), middle.Add(0.5))
	y := z.Lt(0).WhereCond(below, above)
	y = z.IsNaN().WhereCond(z, y)
	depends := extend.Tracked(df)
	return extend.ByOperations(y, "studentt distribution function", []array{df, t},
		func(g, _ array, x []array) []array {
			if depends {
				extend.Fail("studentt distribution function", tensor.ErrGradient, x[:1], "",
					"there is no gradient by df")
			}
			return []array{nil, summed(studentLog(x[0], x[1]).Exp().Mul(g), x[1])}
		})
}

// summed is the sum of a gradient over the dims in which an operand was broadcast.
func summed(g, operand array) array {
	for g.Rank() > operand.Rank() {
		g = g.Sum(0)
	}
	for d, n := range operand.Dims() {
		if n == 1 && g.Dim(d) != 1 {
			g = g.SumKeepDim(d)
		}
	}
	return g
}

// studentQuantile takes the logit of the tail of df/(df + t²), or of the middle where that is smaller.
func studentQuantile(df, q array) array {
	half := df.Mul(0.5)
	less := q.Minimum(q.Affine(-1, 1))
	isTail := less.Lt(0.25)
	out := special.BetaIncInvLogit(half, half.FullLike(0.5), isTail.WhereCond(less, 0.1).Mul(2)).Mul(-0.5)
	middle := special.BetaIncInvLogit(half.FullLike(0.5), half, isTail.WhereCond(0.1, less.Affine(-2, 1))).Mul(0.5)
	t := isTail.WhereCond(out, middle).Exp().Mul(df.Sqrt())
	return q.Lt(0.5).WhereCond(t.Neg(), t)
}

// StudentT returns Student's t distribution with df degrees of freedom, above 0, moved to a location and scaled by a
// scale above 0: those of the standard one are 0 and 1.
func StudentT(df, location, scale any) *Distribution {
	return newDistribution(student, df, location, scale)
}

var anyNumber = domain.Domain{Name: "the value", Low: math.Inf(-1), High: math.Inf(1)}
