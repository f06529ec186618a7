package distributions

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special"
	"github.com/gorocm/gorocm/tensor/random"
)

// Families of counts. They compute in F64.

func probability() domain.Domain { return domain.Probability("the probability") }

// success is a probability that is not 0.
func success() domain.Domain { return domain.Domain{Name: "the probability", High: 1, Open: true} }

// stepped makes distribution functions of those of whole numbers from low on, and quantiles by bisection.
func stepped(f *family, low float64, lower, upper func(p []array, k array) array, high func(p []array) array) {
	either := func(g func(p []array, k array) array, isUpper bool) func(p []array, x array) array {
		return func(p []array, x array) array {
			k := x.Floor()
			inside := k.Ge(low).And(k.Lt(math.Inf(1)))
			if high != nil {
				inside = inside.And(k.Lt(high(p)))
			}
			y := g(p, inside.WhereCond(k, low))
			return within(inside, k.Add(p[0].Mul(0)), y.FullLike(low-1), y, isUpper)
		}
	}
	f.lower, f.upper = either(lower, false), either(upper, true)
	f.quantile = func(p []array, q array, isUpper bool) array {
		// by the smaller one of q and 1-q, both of which have all digits
		less := q.Le(0.5)
		small := less.WhereCond(q, q.Affine(-1, 1))
		byLower := less
		if isUpper {
			byLower = q.Gt(0.5)
		}
		enough := func(k array) array {
			return byLower.WhereCond(f.lower(p, k).Ge(small.Mul(1-0x1p-46)), f.upper(p, k).Le(small.Mul(1+0x1p-46)))
		}
		k := bisect(enough, low, q.Add(f.mean(p).Mul(0)))
		end := q.Eq(1)
		if isUpper {
			end = q.Eq(0)
		}
		if high != nil {
			return end.WhereCond(high(p).Add(k.Mul(0)), k)
		}
		return end.WhereCond(math.Inf(1), k)
	}
}

// bisect returns the smallest whole numbers from low on that are enough, up to 2^53. like has their shape.
func bisect(enough func(k array) array, low float64, like array) array {
	least := like.Detach().Mul(0).Add(low - 1) // never enough
	most, step := least.Add(1), 1.0
	for range 54 {
		if like.ElemCount() == 0 || enough(most).All().ToScalar() != 0 {
			break
		}
		isEnough := enough(most)
		least = isEnough.WhereCond(least, most)
		most = isEnough.WhereCond(most, most.Add(step))
		step *= 2
	}
	for range 54 {
		if like.ElemCount() == 0 || most.Sub(least).Max().ToScalar() <= 1 {
			break
		}
		middle := least.Add(most).Mul(0.5).Floor()
		isEnough := enough(middle)
		least, most = isEnough.WhereCond(least, middle), isEnough.WhereCond(middle, most)
	}
	return most.Maximum(low)
}

var bernoulli = &family{
	name: "Bernoulli", parameters: []domain.Domain{probability()}, discrete: true, precise: true,
	support: whole(0, func(p []array) array { return p[0].OnesLike() }),
	logProb: func(p []array, x array) array {
		return x.Eq(1).WhereCond(p[0].Log(), p[0].Neg().Log1p())
	},
	mean:     func(p []array) array { return p[0] },
	variance: func(p []array) array { return p[0].Mul(p[0].Affine(-1, 1)) },
	entropy:  func(p []array) array { return entr(p[0]).Add(entr(p[0].Affine(-1, 1))) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Bernoulli(p[0], to.shape, to.dtype, to.device)
	},
}

// entr is -p·log p, 0 for 0.
func entr(p array) array {
	some := p.Gt(0).WhereCond(p, 1)
	return some.Mul(some.Log().Neg())
}

// times is k·y, 0 where k is 0.
func times(k, y array) array { return k.Eq(0).WhereCond(0.0, k.Mul(k.Eq(0).WhereCond(0.0, y))) }

var binomial = &family{
	name: "Binomial", discrete: true, precise: true,
	parameters: []domain.Domain{{Name: "the number of trials", High: 1 << 52, Whole: true}, probability()},
	support:    whole(0, func(p []array) array { return p[0] }),
	logProb: func(p []array, k array) array {
		n, chance := p[0], p[1]
		sure := chance.Eq(0).Or(chance.Eq(1))
		q := sure.WhereCond(0.5, chance)
		r := q.Affine(-1, 1)
		y := special.BetaDensity(k.Add(1), n.Sub(k).Add(1), q.Div(r)).Sub(n.Add(1).Log()).Sub(q.Log()).Sub(r.Log())
		expected := chance.Eq(1).WhereCond(n, 0.0)
		at := k.Eq(expected).WhereCond(n.ZerosLike(), math.Inf(-1))
		return sure.WhereCond(at, y)
	},
	mean:     func(p []array) array { return p[0].Mul(p[1]) },
	variance: func(p []array) array { return p[0].Mul(p[1]).Mul(p[1].Affine(-1, 1)) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Binomial(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

var poisson = &family{
	name: "Poisson", discrete: true, precise: true,
	parameters: []domain.Domain{{Name: "the mean", High: 1 << 52}},
	support:    whole(0, nil),
	logProb: func(p []array, k array) array {
		none := p[0].Eq(0)
		m := none.WhereCond(1, p[0])
		y := special.GammaDensity(k.Add(1), m).Sub(m.Log())
		return none.WhereCond(k.Eq(0).WhereCond(p[0].ZerosLike(), math.Inf(-1)), y)
	},
	mean:     func(p []array) array { return p[0] },
	variance: func(p []array) array { return p[0] },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Poisson(p[0], to.shape, to.dtype, to.device)
	},
}

var geometric = &family{
	name: "Geometric", parameters: []domain.Domain{success()}, discrete: true, precise: true,
	support: whole(1, nil),
	logProb: func(p []array, k array) array {
		return times(k.Sub(1), p[0].Neg().Log1p()).Add(p[0].Log())
	},
	mean:     func(p []array) array { return p[0].Recip() },
	variance: func(p []array) array { return p[0].Affine(-1, 1).Div(p[0].Sqr()) },
	entropy:  func(p []array) array { return entr(p[0]).Add(entr(p[0].Affine(-1, 1))).Div(p[0]) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.Geometric(p[0], to.shape, to.dtype, to.device)
	},
}

var negativeBinomial = &family{
	name: "NegativeBinomial", parameters: []domain.Domain{domain.Positive("n"), success()}, discrete: true, precise: true,
	support: whole(0, nil),
	logProb: func(p []array, k array) array {
		n, sure := p[0], p[1].Eq(1)
		chance := sure.WhereCond(0.5, p[1])
		r := chance.Affine(-1, 1)
		y := special.BetaDensity(n, k.Add(1), chance.Div(r)).Sub(n.Add(k).Log()).Sub(r.Log())
		return sure.WhereCond(k.Eq(0).WhereCond(n.ZerosLike(), math.Inf(-1)), y)
	},
	mean:     func(p []array) array { return p[0].Mul(p[1].Affine(-1, 1)).Div(p[1]) },
	variance: func(p []array) array { return p[0].Mul(p[1].Affine(-1, 1)).Div(p[1].Sqr()) },
	sample: func(g *random.Generator, p []any, to target) array {
		return g.NegativeBinomial(p[0], p[1], to.shape, to.dtype, to.device)
	},
}

func init() {
	one := func(p []array) array { return p[0].OnesLike() }
	stepped(bernoulli, 0,
		func(p []array, _ array) array { return p[0].Affine(-1, 1) },
		func(p []array, _ array) array { return p[0] }, one)
	stepped(binomial, 0,
		func(p []array, k array) array {
			return special.BetaInc(p[0].Sub(k).Maximum(1), k.Add(1), odds(p[1]).Recip())
		},
		func(p []array, k array) array {
			return special.BetaInc(k.Add(1), p[0].Sub(k).Maximum(1), odds(p[1]))
		},
		func(p []array) array { return p[0] })
	stepped(poisson, 0,
		func(p []array, k array) array { return special.LogGammaIncC(k.Add(1), p[0]).Exp() },
		func(p []array, k array) array { return special.GammaInc(k.Add(1), p[0]) }, nil)
	stepped(geometric, 1,
		func(p []array, k array) array { return k.Mul(p[0].Neg().Log1p()).Expm1().Neg() },
		func(p []array, k array) array { return k.Mul(p[0].Neg().Log1p()).Exp() }, nil)
	stepped(negativeBinomial, 0,
		func(p []array, k array) array { return special.BetaInc(p[0], k.Add(1), odds(p[1])) },
		func(p []array, k array) array { return special.BetaInc(k.Add(1), p[0], odds(p[1]).Recip()) }, nil)
}

// entropyOfCounts sums over the counts that have a probability above 1e-22.
func (d *Distribution) entropyOfCounts(p []array) array {
	const block, most, tail = 4096, 1 << 26, 1e-22
	some := p[0]
	for _, t := range p[1:] {
		some = some.Add(t.Mul(0))
	}
	sum := some.Mul(0)
	if some.ElemCount() == 0 {
		return sum
	}
	ends := func(upper bool) array {
		detached := make([]array, len(p))
		for i, t := range p {
			detached[i] = t.Detach()
		}
		return d.quantile(detached, some.Detach().FullLike(tail), upper)
	}
	from, to := ends(false).Min().ToScalar(), ends(true).Max().ToScalar()
	if (to-from)*float64(some.ElemCount()) > most {
		extend.Fail(d.op()+" entropy", tensor.ErrValue, nil, "", "the entropy is a sum over the counts from %v to %v: "+
			"too many", from, to)
	}
	wide := make([]array, len(p))
	for i, t := range p {
		wide[i] = t.Unsqueeze(t.Rank())
	}
	for ; from <= to; from += block {
		k := some.Device().Arange(tensor.F64, from, min(from+block, to+1))
		l := d.logDensity(wide, k)
		possible := l.Gt(math.Inf(-1))
		l = possible.WhereCond(l, 0.0)
		sum = sum.Sub(possible.WhereCond(l.Exp().Mul(l), 0.0).Sum(-1))
	}
	return sum
}

// Bernoulli returns the distribution of 1 with a probability and of 0 otherwise.
func Bernoulli(p any) *Distribution { return newDistribution(bernoulli, p) }

// Binomial returns the distribution of the number of successes of probability p in so many trials, whole numbers.
func Binomial(trials, p any) *Distribution { return newDistribution(binomial, trials, p) }

// Poisson returns the Poisson distribution of a mean from 0 on.
func Poisson(mean any) *Distribution { return newDistribution(poisson, mean) }

// Geometric returns the distribution of the number of trials up to the first success of probability p above 0, from 1
// on, as in NumPy and SciPy; torch counts the failures before.
func Geometric(p any) *Distribution { return newDistribution(geometric, p) }

// NegativeBinomial returns the distribution of the number of failures before n successes of probability p above 0, as
// in NumPy and SciPy; torch has the probability of what it counts. n is above 0 and may have a fraction.
func NegativeBinomial(n, p any) *Distribution { return newDistribution(negativeBinomial, n, p) }
