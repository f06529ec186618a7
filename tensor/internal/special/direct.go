package special

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
	"github.com/gorocm/gorocm/tensor/internal/special/vector"
)

// Probabilities. On GPUs they are powers of their logarithms; the host has shorter formulas for many elements.

// Ndtr returns the normal distribution function.
func Ndtr(x array) array {
	if !x.Device().IsCPU() {
		return LogNdtr(x).Exp()
	}
	return function{"ndtr", "", of1("ndtr", func(x float64) float64 { return math.Exp(scalar.LogNdtr(x)) }), []slope{
		func(g, _ array, x []array) array { return g.Mul(logPhi(x[0]).Exp()) },
	}}.of(x)
}

// GammaInc returns the regularised incomplete gamma function P(a, x).
func GammaInc(a, x array) array {
	if !x.Device().IsCPU() {
		return LogGammaInc(a, x).Exp()
	}
	slow := scaled2(scalar.GammaScale, func(a, x, scale float64) float64 {
		return math.Exp(scalar.GammaLowerScaled(a, x, scale))
	})
	return function{"gammainc", "", func(y []float64, x []numbers) {
		if x[0].step == 0 {
			if many := vector.GammaInc(x[0].at(0)); many != nil {
				many(y, x[1].list)
				return
			}
		}
		slow(y, x)
	}, []slope{nil,
		func(g, _ array, x []array) array { return g.Mul(GammaDensity(x[0], x[1]).Exp()).Div(x[1]) },
	}}.of(a, x)
}

// BetaInc returns the regularised incomplete beta function I(a, b) at odds r = x/(1-x). 1 - I is BetaInc(b, a, 1/r).
func BetaInc(a, b, r array) array {
	if !r.Device().IsCPU() {
		return LogBetaInc(a, b, r).Exp()
	}
	slow := scaled3(scalar.BetaScale, func(a, b, r, scale float64) float64 {
		return math.Exp(scalar.BetaLowerScaled(a, b, r, scale))
	})
	return function{"betainc", "", func(y []float64, x []numbers) {
		if x[0].step == 0 && x[1].step == 0 {
			if many := vector.BetaInc(x[0].at(0), x[1].at(0)); many != nil {
				many(y, x[2].list)
				return
			}
		}
		slow(y, x)
	}, []slope{nil, nil,
		func(g, _ array, x []array) array { return g.Mul(BetaDensity(x[0], x[1], x[2]).Exp()).Div(x[2]) },
	}}.of(a, b, r)
}

// gammaQuantiles are those of LogGammaIncInv.
func gammaQuantiles(y []float64, x []numbers) {
	if x[0].step == 0 {
		if many := vector.LogGammaIncInv(x[0].at(0)); many != nil {
			many(y, x[1].list)
			return
		}
	}
	of2(scalar.GammaQuantile)(y, x)
}
