package distributions

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/special"
	"github.com/gorocm/gorocm/tensor/random"
)

// Families of a location and a scale: one distribution, moved and scaled.

// standard is the distribution of (x - location)/scale. Functions that are nil follow from symmetry or do not exist.
type standard struct {
	logProb, lower, quantile func(z array) array
	upper, upperQuantile     func(z array) array // nil for symmetric ones
	mean, variance, entropy  float64
}

func locationScale(name, location, scale string, s standard) *family {
	z := func(p []array, x array) array {
		if !is(p[0], 0) {
			x = x.Sub(p[0])
		}
		if !is(p[1], 1) {
			x = x.Div(p[1])
		}
		return x
	}
	constant := func(p []array, c float64) array { return p[0].Add(p[1]).Mul(0).Add(c) }
	return &family{
		name:       name,
		parameters: []domain.Domain{domain.Finite(location), domain.Positive(scale)},
		logProb:    func(p []array, x array) array { return s.logProb(z(p, x)).Sub(p[1].Log()) },
		lower:      func(p []array, x array) array { return s.lower(z(p, x)) },
		upper: func(p []array, x array) array {
			if s.upper == nil {
				return s.lower(z(p, x).Neg())
			}
			return s.upper(z(p, x))
		},
		quantile: func(p []array, q array, upper bool) array {
			switch {
			case !upper:
				q = s.quantile(q)
			case s.upperQuantile == nil:
				q = s.quantile(q).Neg()
			default:
				q = s.upperQuantile(q)
			}
			if !is(p[1], 1) {
				q = q.Mul(p[1])
			}
			if !is(p[0], 0) {
				q = q.Add(p[0])
			}
			return q
		},
		mean: func(p []array) array {
			if math.IsNaN(s.mean) {
				return constant(p, s.mean)
			}
			return p[1].Mul(s.mean).Add(p[0])
		},
		variance: func(p []array) array { return p[1].Sqr().Mul(s.variance).Add(p[0].Mul(0)) },
		entropy:  func(p []array) array { return p[1].Log().Add(s.entropy).Add(p[0].Mul(0)) },
	}
}

// is reports whether a parameter is known to be a number: of those on the host, one without a gradient.
func is(p array, v float64) bool {
	return p.Rank() == 0 && p.Device().IsCPU() && !extend.Tracked(p) && p.ToScalar() == v
}

// inF64 computes a special function, and rounds once.
func inF64(f func(x array) array) func(x array) array {
	return func(x array) array { return f(x.ToDType(tensor.F64)).ToDType(x.DType()) }
}

var (
	ndtr  = inF64(special.Ndtr)
	ndtri = inF64(special.Ndtri)
)

var normal = locationScale("Normal", "the mean", "the standard deviation", standard{
	logProb: logPhi, lower: ndtr, quantile: ndtri, variance: 1, entropy: 0.5 * math.Log(2*math.Pi*math.E),
})

func logPhi(z array) array { return z.Sqr().Mul(-0.5).Sub(0.5 * math.Log(2*math.Pi)) }

var cauchy = locationScale("Cauchy", "the median", "the scale", standard{
	logProb:  func(z array) array { return z.Abs().Hypot(1).Log().Mul(-2).Sub(math.Log(math.Pi)) },
	lower:    func(z array) array { return z.OnesLike().Atan2(z.Neg()).Div(math.Pi) },
	quantile: func(q array) array { return q.Eq(0.5).WhereCond(0.0, tanPi(q).Recip().Neg()) },
	mean:     math.NaN(), variance: math.NaN(), entropy: math.Log(4 * math.Pi),
})

// tanPi is tan(π·q) for q from 0 to 1.
func tanPi(q array) array {
	left := q.Minimum(q.Affine(-1, 1)).Mul(math.Pi).Tan()
	return q.Gt(0.5).WhereCond(left.Neg(), left)
}

var laplace = locationScale("Laplace", "the mean", "the scale", standard{
	logProb: func(z array) array { return z.Abs().Neg().Sub(math.Ln2) },
	lower:   func(z array) array { e := z.Abs().Neg().Exp().Mul(0.5); return z.Le(0).WhereCond(e, e.Affine(-1, 1)) },
	quantile: func(q array) array {
		l := q.Minimum(q.Affine(-1, 1)).Mul(2).Log()
		return q.Le(0.5).WhereCond(l, l.Neg())
	},
	variance: 2, entropy: 1 + math.Ln2,
})

var logistic = locationScale("Logistic", "the mean", "the scale", standard{
	logProb:  func(z array) array { return z.Abs().Neg().Sub(z.Abs().Neg().Softplus().Mul(2)) },
	lower:    func(z array) array { return z.Sigmoid() },
	quantile: func(q array) array { return q.Log().Sub(q.Neg().Log1p()) },
	variance: math.Pi * math.Pi / 3, entropy: 2,
})

const euler = 0.5772156649015329

var gumbel = locationScale("Gumbel", "the mode", "the scale", standard{
	logProb:       func(z array) array { return z.Neg().Minimum(3e38).Sub(z.Neg().Exp()) },
	lower:         func(z array) array { return z.Neg().Exp().Neg().Exp() },
	upper:         func(z array) array { return z.Neg().Exp().Neg().Expm1().Neg() },
	quantile:      func(q array) array { return q.Log().Neg().Log().Neg() },
	upperQuantile: func(q array) array { return q.Neg().Log1p().Neg().Log().Neg() },
	mean:          euler, variance: math.Pi * math.Pi / 6, entropy: 1 + euler,
})

func init() {
	cauchy.logProb = func(p []array, x array) array { // the quotient may be infinite
		return x.Sub(p[0]).Hypot(p[1]).Log().Mul(-2).Add(p[1].Log()).Sub(math.Log(math.Pi))
	}
	normal.sample = func(g *random.Generator, p []any, to target) array {
		return g.Normal(p[0], p[1], to.shape, to.dtype, to.device)
	}
	cauchy.sample = func(g *random.Generator, p []any, to target) array {
		return g.Cauchy(p[0], p[1], to.shape, to.dtype, to.device)
	}
	laplace.sample = func(g *random.Generator, p []any, to target) array {
		return g.Laplace(p[0], p[1], to.shape, to.dtype, to.device)
	}
	logistic.sample = func(g *random.Generator, p []any, to target) array {
		return g.Logistic(p[0], p[1], to.shape, to.dtype, to.device)
	}
	gumbel.sample = func(g *random.Generator, p []any, to target) array {
		return g.Gumbel(p[0], p[1], to.shape, to.dtype, to.device)
	}
}

// Normal returns the normal distribution of a mean and a standard deviation above 0.
func Normal(mean, std any) *Distribution { return newDistribution(normal, mean, std) }

// Cauchy returns the Cauchy distribution of a median and a scale above 0. It has no mean and no variance: they are NaN.
func Cauchy(median, scale any) *Distribution { return newDistribution(cauchy, median, scale) }

// Laplace returns the Laplace distribution of a mean and a scale above 0.
func Laplace(mean, scale any) *Distribution { return newDistribution(laplace, mean, scale) }

// Logistic returns the logistic distribution of a mean and a scale above 0.
func Logistic(mean, scale any) *Distribution { return newDistribution(logistic, mean, scale) }

// Gumbel returns the Gumbel distribution of maxima, of a mode and a scale above 0.
func Gumbel(mode, scale any) *Distribution { return newDistribution(gumbel, mode, scale) }
