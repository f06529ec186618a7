package distributions

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// KL returns the divergence of Kullback and Leibler of q from p, the mean under p of log(p/q), for two distributions of
// one family: all but StudentT, F and Logistic. It is infinite where p has values that are impossible under q. It has
// gradients by all parameters. It panics with ErrValue for others, and for counts of different numbers of trials or
// successes.
func KL(p, q *Distribution) *tensor.Tensor {
	const op = "kl"
	if p.family != q.family || p.divergence == nil {
		extend.Fail(op, tensor.ErrValue, nil, "p.LogProb(x).Sub(q.LogProb(x)).Mean() of variates x of p is near it",
			"the divergence of %s from %s has no formula", q.name, p.name)
	}
	at := p.place(op, q.given...)
	return p.divergence(p.at(op, at), q.at(op, at)).ToDType(at.dtype)
}

func init() {
	normal.divergence = func(p, q []array) array {
		r := p[1].Div(q[1])
		return r.Sqr().Add(p[0].Sub(q[0]).Div(q[1]).Sqr()).Mul(0.5).Sub(r.Log()).Sub(0.5)
	}
	logNormal.divergence = normal.divergence
	cauchy.divergence = func(p, q []array) array {
		top := p[1].Add(q[1]).Sqr().Add(p[0].Sub(q[0]).Sqr())
		return top.Div(p[1].Mul(q[1]).Mul(4)).Log()
	}
	laplace.divergence = func(p, q []array) array {
		d, r := p[0].Sub(q[0]).Abs(), p[1].Div(q[1])
		return d.Div(p[1]).Neg().Exp().Mul(r).Add(d.Div(q[1])).Sub(r.Log()).Sub(1)
	}
	gumbel.divergence = func(p, q []array) array {
		r, d := p[1].Div(q[1]), p[0].Sub(q[0]).Div(q[1])
		return d.Sub(r.Log()).Add(r.Mul(euler)).Add(r.Add(1).Lgamma().Sub(d).Exp()).Sub(1 + euler)
	}
	uniform.divergence = func(p, q []array) array {
		y := q[1].Sub(q[0]).Div(p[1].Sub(p[0])).Log()
		return p[0].Ge(q[0]).And(p[1].Le(q[1])).WhereCond(y, math.Inf(1))
	}
	exponential.divergence = func(p, q []array) array {
		r := p[0].Div(q[0])
		return r.Sub(1).Sub(r.Log())
	}
	pareto.divergence = func(p, q []array) array {
		r := q[0].Div(p[0])
		y := q[0].Mul(p[1].Div(q[1]).Log()).Sub(r.Log()).Add(r).Sub(1)
		return p[1].Ge(q[1]).WhereCond(y, math.Inf(1))
	}
	weibull.divergence = func(p, q []array) array {
		l := p[1].Div(q[1]).Log()
		return p[0].Div(q[0]).Log().Sub(q[0].Mul(l)).Sub(p[0].Sub(q[0]).Div(p[0]).Mul(euler)).
			Add(q[0].Mul(l).Add(q[0].Div(p[0]).Add(1).Lgamma()).Exp()).Sub(1)
	}
	gamma.divergence = func(p, q []array) array {
		r := p[1].Div(q[1])
		return p[0].Sub(q[0]).Mul(p[0].Digamma()).Sub(p[0].Lgamma()).Add(q[0].Lgamma()).
			Sub(q[0].Mul(r.Log())).Add(p[0].Mul(r.Sub(1)))
	}
	chiSquared.divergence = func(p, q []array) array { return gamma.divergence(ofGamma(p), ofGamma(q)) }
	beta.divergence = func(p, q []array) array {
		a, b := p[0].Sub(q[0]), p[1].Sub(q[1])
		return special.LogBeta(q[0], q[1]).Sub(special.LogBeta(p[0], p[1])).Add(a.Mul(p[0].Digamma())).
			Add(b.Mul(p[1].Digamma())).Sub(a.Add(b).Mul(p[0].Add(p[1]).Digamma()))
	}
	divergencesOfCounts()
	divergencesOfVectors()
}

// relative is p·log(p/q), 0 where p is 0.
func relative(p, q array) array {
	none := p.Eq(0)
	return none.WhereCond(0.0, p.Mul(none.WhereCond(1.0, p).Log().Sub(none.WhereCond(1.0, q).Log())))
}

func bernoulliDivergence(p, q array) array {
	return relative(p, q).Add(relative(p.Affine(-1, 1), q.Affine(-1, 1)))
}

// alike panics unless counts are of the same number of trials or successes.
func alike(p, q array) {
	if p.Detach().Sub(q.Detach()).Ne(0).Any().ToScalar() != 0 {
		extend.Fail("kl", tensor.ErrValue, nil, "", "the divergence of counts of different numbers has no formula")
	}
}

func divergencesOfCounts() {
	bernoulli.divergence = func(p, q []array) array { return bernoulliDivergence(p[0], q[0]) }
	binomial.divergence = func(p, q []array) array {
		alike(p[0], q[0])
		return p[0].Mul(bernoulliDivergence(p[1], q[1]))
	}
	poisson.divergence = func(p, q []array) array { return relative(p[0], q[0]).Sub(p[0].Sub(q[0])) }
	geometric.divergence = func(p, q []array) array { return bernoulliDivergence(p[0], q[0]).Div(p[0]) }
	negativeBinomial.divergence = func(p, q []array) array {
		alike(p[0], q[0])
		return p[0].Mul(bernoulliDivergence(p[1], q[1])).Div(p[1])
	}
	categorical.divergence = func(p, q []array) array { return relative(p[0], q[0]).Sum(-1) }
	multinomial.divergence = func(p, q []array) array {
		alike(p[0], q[0])
		return p[0].Mul(relative(p[1], q[1]).Sum(-1))
	}
}

func divergencesOfVectors() {
	dirichlet.divergence = func(p, q []array) array {
		slopes := p[0].Digamma().Sub(p[0].SumKeepDim(-1).Digamma())
		return logMultiBeta(q[0]).Sub(logMultiBeta(p[0])).Add(p[0].Sub(q[0]).Mul(slopes).Sum(-1))
	}
	multivariateNormal.divergence = func(p, q []array) array {
		d := p[0].Sub(q[0])
		n := d.Dim(-1)
		d = d.Unsqueeze(d.Rank())
		all := d.Mul(p[1]).Mul(q[1]).Dims() // [… n n], of both distributions together
		all = all[:len(all)-1]
		solve := func(b array) array {
			columns := append(slices.Clone(all), b.Dim(-1))
			return linalg.SolveTriangular(q[1].BroadcastAs(append(slices.Clone(all), n)...), b.BroadcastAs(columns...),
				linalg.Lower).Sqr().Sum(-2, -1)
		}
		return solve(p[1]).Add(solve(d)).Sub(n).Mul(0.5).Add(logRoot(q[1])).Sub(logRoot(p[1]))
	}
}
