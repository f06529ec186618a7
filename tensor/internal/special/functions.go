package special

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

type (
	array = *tensor.Tensor
	slope = func(g, y array, x []array) array
)

// GammaDensity returns the logarithm of x^a·e^-x/Γ(a), the density of the logarithm of a gamma variate.
func GammaDensity(a, x array) array {
	return function{"gamma density", "gamma_density", of2(scalar.GammaDensity), []slope{
		func(g, _ array, x []array) array { return g.Mul(x[1].Log().Sub(x[0].Digamma())) },
		func(g, _ array, x []array) array { return g.Mul(x[0].Div(x[1]).Sub(1)) },
	}}.of(a, x)
}

// LogGammaInc and LogGammaIncC return the logarithms of the regularised incomplete gamma functions P(a, x) and Q(a, x).
func LogGammaInc(a, x array) array {
	return function{"log gammainc", "gamma_lower", scaled2(scalar.GammaScale, scalar.GammaLowerScaled), []slope{nil,
		func(g, y array, x []array) array { return g.Mul(ratio(GammaDensity(x[0], x[1]), y)).Div(x[1]) },
	}}.of(a, x)
}

func LogGammaIncC(a, x array) array {
	return function{"log gammaincc", "gamma_upper", scaled2(scalar.GammaScale, scalar.GammaUpperScaled), []slope{nil,
		func(g, y array, x []array) array { return g.Mul(ratio(GammaDensity(x[0], x[1]), y)).Div(x[1]).Neg() },
	}}.of(a, x)
}

// ratio is the quotient of numbers with these logarithms, 0 where the first is.
func ratio(a, b array) array { return a.Eq(math.Inf(-1)).WhereCond(0, a.Sub(b).Exp()) }

// LogGammaIncInv returns log x with P(a, x) = p, and LogGammaIncCInv with Q(a, x) = p.
func LogGammaIncInv(a, p array) array {
	return function{"gammaincinv", "gamma_quantile", gammaQuantiles, []slope{nil,
		func(g, y array, x []array) array { return g.Div(GammaDensity(x[0], y.Exp()).Exp()) },
	}}.of(a, p)
}

func LogGammaIncCInv(a, p array) array {
	return function{"gammainccinv", "gamma_quantile_upper", of2(scalar.GammaQuantileUpper), []slope{nil,
		func(g, y array, x []array) array { return g.Div(GammaDensity(x[0], y.Exp()).Exp()).Neg() },
	}}.of(a, p)
}

// BetaDensity returns the logarithm of x^a·(1-x)^b/B(a, b), the density of the logit of a beta variate, at odds
// r = x/(1-x).
func BetaDensity(a, b, r array) array {
	return function{"beta density", "beta_odds", scaled3(scalar.BetaScale, scalar.BetaOddsScaled), []slope{
		func(g, _ array, x []array) array { return g.Mul(digammas(x[0], x[1]).Sub(x[2].Recip().Log1p())) },
		func(g, _ array, x []array) array { return g.Mul(digammas(x[1], x[0]).Sub(x[2].Log1p())) },
		func(g, _ array, x []array) array { return g.Mul(x[0].Div(x[2]).Sub(x[1])).Div(x[2].Add(1)) },
	}}.of(a, b, r)
}

// digammas is minus the derivative of log B(a, b) by a.
func digammas(a, b array) array { return a.Add(b).Digamma().Sub(a.Digamma()) }

// LogBetaInc returns the logarithm of the regularised incomplete beta function I(a, b) at odds r = x/(1-x). That of
// 1 - I is LogBetaInc(b, a, 1/r).
func LogBetaInc(a, b, r array) array {
	return function{"log betainc", "beta_lower", scaled3(scalar.BetaScale, scalar.BetaLowerScaled), []slope{nil, nil,
		func(g, y array, x []array) array { return g.Mul(ratio(BetaDensity(x[0], x[1], x[2]), y)).Div(x[2]) },
	}}.of(a, b, r)
}

// BetaIncInvLogit returns log(x/(1-x)) with I(a, b) = p at x.
func BetaIncInvLogit(a, b, p array) array {
	return function{"betaincinv", "beta_logit", of3(scalar.BetaLogit), []slope{nil, nil,
		func(g, y array, x []array) array { return g.Div(BetaDensity(x[0], x[1], y.Exp()).Exp()) },
	}}.of(a, b, p)
}

// LogBeta returns the logarithm of the beta function.
func LogBeta(a, b array) array {
	return function{"betaln", "log_beta", of2(scalar.LogBeta), []slope{
		func(g, _ array, x []array) array { return g.Mul(digammas(x[0], x[1])).Neg() },
		func(g, _ array, x []array) array { return g.Mul(digammas(x[1], x[0])).Neg() },
	}}.of(a, b)
}

// Gamma returns the gamma function.
func Gamma(x array) array {
	return function{"gamma", "gamma", of1("gamma", scalar.Gamma), []slope{
		func(g, y array, x []array) array { return g.Mul(y).Mul(x[0].Digamma()) },
	}}.of(x)
}

// Zeta returns Hurwitz's zeta function.
func Zeta(s, q array) array {
	return function{"zeta", "zeta", of2(scalar.Zeta), []slope{nil,
		func(g, _ array, x []array) array { return g.Mul(x[0]).Mul(Zeta(x[0].Add(1), x[1])).Neg() },
	}}.of(s, q)
}

// LogNdtr returns the logarithm of the normal distribution function, and Ndtri the inverse of the latter.
func LogNdtr(x array) array {
	return function{"log_ndtr", "log_ndtr", of1("log_ndtr", scalar.LogNdtr), []slope{
		func(g, y array, x []array) array { return g.Mul(logPhi(x[0]).Sub(y).Exp()) },
	}}.of(x)
}

func Ndtri(p array) array {
	return function{"ndtri", "ndtri", of1("ndtri", scalar.Ndtri), []slope{
		func(g, y array, _ []array) array { return g.Div(logPhi(y).Exp()) },
	}}.of(p)
}

// logPhi is the logarithm of the normal density.
func logPhi(x array) array { return x.Sqr().Mul(-0.5).Sub(0.5 * math.Log(2*math.Pi)) }

// Expi returns the exponential integral Ei, and Exp1 E1.
func Expi(x array) array {
	return function{"expi", "expi", of1("expi", scalar.Expi), []slope{
		func(g, _ array, x []array) array { return g.Mul(x[0].Exp()).Div(x[0]) },
	}}.of(x)
}

func Exp1(x array) array {
	return function{"exp1", "exp1", of1("exp1", scalar.Exp1), []slope{
		func(g, _ array, x []array) array { return g.Mul(x[0].Neg().Exp()).Div(x[0]).Neg() },
	}}.of(x)
}
