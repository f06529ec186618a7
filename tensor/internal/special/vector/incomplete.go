package vector

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// Incomplete functions of one set of parameters are densities times power series, whose coefficients are the same for
// all elements and positive.

const (
	maxShape  = 60  // of parameters: beyond, package scalar integrates
	maxTerms  = 256 // of a series
	maxSeries = 0.75
)

// GammaInc returns the loop of the regularised incomplete gamma function P(a, x), nil where Function returns nil and
// for a that it is not for.
func GammaInc(a float64) Loop {
	if simd.Fast.Doubles.Polynomial == nil || !(a > 1e-3 && a < maxShape) {
		return nil
	}
	c, scale := gammaSeries(a), scalar.GammaScale(a)
	if c == nil {
		return nil
	}
	series := func(r *room, y, x []float64) {
		r.deviance(y, a, x)
		r.density(y, scale)
		r.gammaSum(x, c)
		for i, v := range r.a[:len(x)] {
			y[i] = min(y[i]*v, 1)
		}
	}
	rest := each(func(x float64) float64 { return math.Exp(scalar.GammaLowerScaled(a, x, scale)) })
	return inRoom(func(r *room, y, x []float64) {
		for i, v := range x {
			r.class[i] = 1
			if v > 1e-30 && v < gammaEnd(a) {
				r.class[i] = 0
			}
		}
		r.pieces(y, x, series, rest)
	}).loop
}

// gammaEnd is the x up to which P(a, x) is summed.
func gammaEnd(a float64) float64 { return 1.25*a + 12 }

// gammaUnit is a power of two, in units of which the powers of x up to gammaEnd are neither huge nor tiny.
const gammaUnit = 64

// gammaSeries are the coefficients of P(a, x) divided by the density of log x, up to gammaEnd, of powers of
// x/gammaUnit.
func gammaSeries(a float64) []float64 {
	c := make([]float64, maxTerms)
	c[0] = 1 / a
	for n := 1; n < maxTerms; n++ {
		c[n] = c[n-1] * gammaUnit / (a + float64(n))
	}
	return enough(c, gammaEnd(a)/gammaUnit)
}

// gammaSum sets r.a to a power series in x/gammaUnit.
func (r *room) gammaSum(x, c []float64) {
	t := r.b[:len(x)]
	for i, v := range x {
		t[i] = v / gammaUnit
	}
	polynomial(r.a[:len(x)], t, c)
}

// LogGammaIncInv returns the loop of log x with P(a, x) = p, as GammaInc: Halley's steps from Wilson and Hilferty's
// approximation, or from the first term of the series. Where rounding of P would count, near 1 and for small p and a,
// and where the steps have not ended, it is the function of package scalar.
func LogGammaIncInv(a float64) Loop {
	const leastShape, least, most = 0.3, 1e-6, 0.92
	if simd.Fast.Doubles.Polynomial == nil || !(a >= leastShape && a < maxShape) {
		return nil
	}
	c, scale := gammaSeries(a), scalar.GammaScale(a)
	if c == nil {
		return nil
	}
	lead, _ := math.Lgamma(a + 1)
	exact := func(p float64) float64 { return scalar.GammaQuantile(a, p) }
	steps := func(r *room, y, p []float64) {
		x, last := r.sines[:len(p)], r.cosines[:len(p)]
		for i, v := range p {
			w := 1 - 1/(9*a) + scalar.Ndtri(v)/(3*math.Sqrt(a))
			x[i] = a * w * w * w
			if w < 0.2 || a < 1.5 && v < 0.2 {
				x[i] = math.Exp((math.Log(v) + lead) / a)
			}
		}
		for range 4 {
			r.deviance(y, a, x)
			r.density(y, scale)
			r.gammaSum(x, c)
			for i, density := range y {
				d := p[i]/density - r.a[i]
				if bend := d * (a - x[i]); math.Abs(bend) < 0.5 {
					d /= 1 + 0.5*bend
				}
				d = max(-1, min(d, 1))
				x[i] *= 1 + d*(1+d*(0.5+d*(1./6)))
				last[i] = d
			}
		}
		simd.Fast.Doubles.Log(y, x)
		for i, d := range last {
			if !(math.Abs(d) < 1e-6) {
				y[i] = exact(p[i])
			}
		}
	}
	return inRoom(func(r *room, y, p []float64) {
		for i, v := range p {
			r.class[i] = 1
			if v > least && v < most {
				r.class[i] = 0
			}
		}
		r.pieces(y, p, steps, each(exact))
	}).loop
}

// BetaInc returns the loop of the regularised incomplete beta function I(a, b) of odds, as GammaInc.
func BetaInc(a, b float64) Loop {
	shapeable := func(a float64) bool { return a > 1e-3 && a < maxShape }
	if simd.Fast.Doubles.Polynomial == nil || !shapeable(a) || !shapeable(b) {
		return nil
	}
	scale := scalar.BetaScale(a, b)
	side := func(a, b float64, upper bool) inRoom {
		c, n := make([]float64, maxTerms), a+b
		c[0] = 1 / a
		for k := 1; k < maxTerms; k++ {
			c[k] = c[k-1] * (n + float64(k-1)) / (a + float64(k))
		}
		if c = enough(c, min(maxSeries, (a+1)/(n+2))); c == nil {
			return nil
		}
		return func(r *room, y, odds []float64) {
			x, of, other := r.sines[:len(odds)], r.cosines[:len(odds)], r.series[:len(odds)]
			for i, v := range odds {
				part, rest := v/(1+v), 1/(1+v)
				if upper {
					part, rest = rest, part
				}
				x[i], of[i], y[i] = part, n*part, n*rest
			}
			r.deviance(other, b, y)
			r.deviance(y, a, of)
			for i, v := range other {
				y[i] += v
			}
			r.density(y, scale)
			polynomial(r.a[:len(x)], x, c)
			for i, v := range r.a[:len(x)] {
				y[i] *= v
				if upper {
					y[i] = 1 - y[i]
				}
				y[i] = max(0, min(y[i], 1))
			}
		}
	}
	middle := (a + 1) / (b + 1) // as odds
	rest := each(func(odds float64) float64 { return math.Exp(scalar.BetaLowerScaled(a, b, odds, scale)) })
	lower, upper := side(a, b, false), side(b, a, true)
	if lower == nil || upper == nil {
		return nil
	}
	const far = maxSeries / (1 - maxSeries)
	return inRoom(func(r *room, y, odds []float64) {
		for i, v := range odds {
			class := uint8(2)
			if v > 1e-30 && v <= middle && v < far {
				class = 0
			}
			if v > middle && v < 1e30 && v > 1/far {
				class = 1
			}
			r.class[i] = class
		}
		r.pieces(y, odds, lower, upper, rest)
	}).loop
}

// enough returns as many coefficients of a power series as its sum needs up to an x: as many for all elements, so that
// none depends on others. It returns nil where there are too few.
func enough(c []float64, x float64) []float64 {
	total, power := 0.0, 1.0
	for n, v := range c {
		term := v * power
		total += term
		if term < 1e-18*total {
			return c[:n+1]
		}
		power *= x
	}
	return nil
}

// deviance sets y to x0·log(x0/x) + x - x0, without the cancellation where x is near x0, as scalar's does.
func (r *room) deviance(y []float64, x0 float64, x []float64) {
	z, terms, logs := r.a[:len(x)], r.b[:len(x)], r.c[:len(x)]
	scale := 1 / x0
	near, far := false, false
	for i, v := range x {
		d := (v - x0) * scale
		q := d / (2 + d)
		z[i] = q * q
		if d > -0.39 && d < 0.5 {
			near = true
		} else {
			z[i], far = 1, true
		}
	}
	if near {
		polynomial(terms, z, log1pLess)
	}
	if far {
		quotients := r.quotients[:len(x)]
		for i, v := range x {
			quotients[i] = v / x0
		}
		simd.Fast.Doubles.Log(logs, quotients)
	}
	for i, v := range x {
		if z[i] == 1 {
			y[i] = (v - x0) - x0*logs[i]
			continue
		}
		d := (v - x0) / x0
		q := d / (2 + d)
		y[i] = -x0 * q * (2*z[i]*terms[i] - d)
	}
}

// log1pLess is the series of scalar's function of that name.
var log1pLess = []float64{1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23,
	1. / 25, 1. / 27, 1. / 29}

// density sets y to e to the scale, less y.
func (r *room) density(y []float64, scale float64) {
	for i, v := range y {
		y[i] = scale - v
	}
	simd.Fast.Doubles.Exp(r.b[:len(y)], y)
	copy(y, r.b[:len(y)])
}
