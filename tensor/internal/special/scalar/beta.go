package scalar

import "math"

// LogBeta is the logarithm of the beta function.
func LogBeta(a, b float64) float64 {
	if !(a > 0) || !(b > 0) {
		return math.NaN()
	}
	n := a + b
	small := math.Min(a, b)
	large := math.Max(a, b)
	if large < 10 {
		return lgamma(a) + lgamma(b) - lgamma(n)
	}
	// Γ(n) without what cancels in Γ(large)/Γ(n)
	rest := stirling(large) - stirling(n) + (large-0.5)*math.Log1p(-small/n) + small
	if small < 10 {
		return lgamma(small) - small*log(n) + rest
	}
	return small*(log(small)-log(n)) - 0.5*log(small) + 0.5*log2Pi + stirling(small) + rest - small
}

// BetaLower is the logarithm of the regularised incomplete beta function I(a, b) at x = r/(1+r). Its complement is
// BetaLower(b, a, 1/r).
func BetaLower(a, b, r float64) float64 { return BetaLowerScaled(a, b, r, BetaScale(a, b)) }

// BetaScale is what BetaLower and BetaOdds need of a and b alone.
func BetaScale(a, b float64) float64 {
	n := a + b
	return 0.5*(log(a)-log(n)+log(b)-log2Pi) + stirling(n) - stirling(a) - stirling(b)
}

// BetaLowerScaled is BetaLower, given BetaScale(a, b).
func BetaLowerScaled(a, b, r, scale float64) float64 {
	if !(a > 0) || !(b > 0) || !(r >= 0) || a+b > math.MaxFloat64 {
		return math.NaN()
	}
	if r == 0 {
		return math.Inf(-1)
	}
	if r > math.MaxFloat64 {
		return 0
	}
	if b > 1e100 && a < 1e30 { // with a gamma variate in place of the large one
		return GammaLower(a, b*math.Log1p(r))
	}
	if a > 1e100 && b < 1e30 {
		return GammaUpper(b, a*math.Log1p(1/r))
	}
	x := part(r)
	y := part(1 / r)
	density := betaDensity(a, b, x, y, scale)
	upper := x > (a+1)/(a+b+2)
	tail := 0.0
	if math.Min(a, b) >= many {
		upper = b*x > a*y
		if upper {
			tail = density + log(betaTail(b, a, y, x))
		} else {
			tail = density + log(betaTail(a, b, x, y))
		}
	} else if upper {
		tail = density - log(betaFraction(b, a, y, x))
	} else {
		tail = density - log(betaFraction(a, b, x, y))
	}
	tail = math.Min(tail, 0)
	if upper {
		return log1mExp(tail)
	}
	return tail
}

// part is r/(1+r).
func part(r float64) float64 {
	if r > 1 {
		return 1 / (1 + 1/r)
	}
	return r / (1 + r)
}

// BetaOdds is the logarithm of x^a·(1-x)^b/B(a, b) at x = r/(1+r).
func BetaOdds(a, b, r float64) float64 { return BetaOddsScaled(a, b, r, BetaScale(a, b)) }

// BetaOddsScaled is BetaOdds, given BetaScale(a, b).
func BetaOddsScaled(a, b, r, scale float64) float64 {
	return betaDensity(a, b, part(r), part(1/r), scale)
}

// betaDensity is the logarithm of x^a·y^b/B(a, b), the density of the logit of a beta variate, where y = 1 - x.
func betaDensity(a, b, x, y, scale float64) float64 {
	n := a + b
	return scale - betaDeviance(a, n, x) - betaDeviance(b, n, y)
}

// betaDeviance is deviance(a, n·x), also where the product is subnormal.
func betaDeviance(a, n, x float64) float64 {
	if x < 1e-290 {
		return a*(log(a)-log(n)-log(x)) - a
	}
	return deviance(a, n*x)
}

// betaTail is the integral of the density over the logit, from x down, divided by the density at x, where x is left of
// the mode.
func betaTail(a, b, x, y float64) float64 {
	n := a + b
	slope := math.Max(a*y-b*x, 0)
	curve := n * x * y
	length := 80 / (slope + math.Sqrt(slope*slope+80*curve))
	for range 3 { // to where it is e^-40, or below
		e := math.Expm1(-length)
		length += math.Max(0, (40+betaFall(n, x, y, slope, length))/(a-n*x*(1+e)/(1+x*e)))
	}
	sum := 0.0
	for i := range 28 {
		sum += weights[i] * math.Exp(betaFall(n, x, y, slope, length*nodes[i]))
	}
	return sum * length
}

// betaFall is the logarithm of the density at a logit lower by t, relative to that at x.
func betaFall(n, x, y, slope, t float64) float64 {
	if x > 0.5 { // log(1 + x·(e^-t - 1)) + x·t is log(1 + y·(e^t - 1)) - y·t
		e := math.Expm1(t)
		return -slope*t - n*(log1pLess(y*e)+y*expm1Less(t))
	}
	e := math.Expm1(-t)
	return -slope*t - n*(log1pLess(x*e)+x*expm1Less(-t))
}

// betaFraction is x^a·y^b/B(a, b) divided by I(a, b) at x below the mean, where y = 1 - x, by Didonato and Morris's
// continued fraction (Significant digit computation of the incomplete beta function ratios, 1992).
func betaFraction(a, b, x, y float64) float64 {
	slope := a*y - b*x
	h := a * (slope + 1) / (a + 1)
	if math.Abs(h) < 1e-300 {
		h = 1e-300
	}
	c := h
	d := 0.0
	for n := 1.0; n < 20000; n++ {
		s := a + 2*n - 1
		an := (a + n - 1) / s * (a + b + n - 1) / s * n * (b - n) * x * x
		bn := n + n*(b-n)*x/s + (a+n)*(slope+1+n*(1+y))/(s+2)
		d = bn + an*d
		if math.Abs(d) < 1e-300 {
			d = 1e-300
		}
		c = bn + an/c
		if math.Abs(c) < 1e-300 {
			c = 1e-300
		}
		d = 1 / d
		h *= c * d
		if math.Abs(c*d-1) < 1e-16 {
			break
		}
	}
	return h
}

// BetaLogit is the logit of x with I(a, b) = p at x. The logarithm of I is concave in it, below a·logit - log(a·B).
func BetaLogit(a, b, p float64) float64 {
	if p > 0.5 {
		return -betaNewton(b, a, 1-p)
	}
	return betaNewton(a, b, p)
}

func betaNewton(a, b, p float64) float64 {
	if !(a > 0) || !(b > 0) || !(p >= 0 && p <= 1) || a+b > math.MaxFloat64 {
		return math.NaN()
	}
	target := log(p)
	u := (target + LogBeta(a, b) + log(a)) / a
	scale := BetaScale(a, b)
	for range 200 {
		if u < -690 {
			break // I is x^a/(a·B)
		}
		r := math.Exp(u)
		if r > math.MaxFloat64 {
			break
		}
		lower := BetaLowerScaled(a, b, r, scale)
		slow := math.Exp(lower - BetaOddsScaled(a, b, r, scale))
		x := part(r)
		y := part(1 / r)
		step := (target - lower) * slow
		bend := a*y - b*x - 1/slow
		u += bentStep(step, bend)
		if newtonEnds(step, u, bend*bend+(a+b)*x*y) {
			break
		}
	}
	return u
}
