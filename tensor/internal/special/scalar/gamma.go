package scalar

import "math"

// many is the parameter from which on incomplete functions are integrals over the tail.
const many = 60

// GammaLower and GammaUpper are the logarithms of the regularised incomplete gamma functions P(a, x) and Q(a, x).

func GammaLower(a, x float64) float64 { return GammaLowerScaled(a, x, GammaScale(a)) }
func GammaUpper(a, x float64) float64 { return GammaUpperScaled(a, x, GammaScale(a)) }

// GammaScale is what GammaDensity, GammaLower and GammaUpper need of a alone.
func GammaScale(a float64) float64 { return 0.5*log(a) - stirling(a) - 0.5*log2Pi }

// GammaLowerScaled and GammaUpperScaled are GammaLower and GammaUpper, given GammaScale(a).

func GammaLowerScaled(a, x, scale float64) float64 {
	return gammaSide(a, x, scale-deviance(a, x), false)
}
func GammaUpperScaled(a, x, scale float64) float64 {
	return gammaSide(a, x, scale-deviance(a, x), true)
}

// gammaSide is GammaLower or GammaUpper, given GammaDensity(a, x).
func gammaSide(a, x, density float64, upper bool) float64 {
	if !(a > 0) || !(x >= 0) || a > math.MaxFloat64 {
		return math.NaN()
	}
	if x == 0 || x > math.MaxFloat64 {
		if upper == (x == 0) {
			return 0
		}
		return math.Inf(-1)
	}
	isUpper := x > a
	tail := 0.0
	if a >= many {
		tail = density + log(gammaTail(a, x, isUpper))
	} else if upper && x < 1.1 && a < 1 {
		isUpper = true
		tail = gammaUpperSmall(a, x)
	} else if x < a+1 {
		isUpper = false
		tail = density + log(gammaSeries(a, x))
	} else {
		isUpper = true
		tail = density + log(gammaFraction(a, x))
	}
	tail = math.Min(tail, 0)
	if upper == isUpper {
		return tail
	}
	return log1mExp(tail)
}

// GammaDensity is the logarithm of x^a·e^-x/Γ(a), the density of the logarithm of a gamma variate.
func GammaDensity(a, x float64) float64 { return GammaScale(a) - deviance(a, x) }

// gammaTail is the integral of x^a·e^-x/Γ(a) over log x, from x away from the mode, divided by its value at x.
func gammaTail(a, x float64, upper bool) float64 {
	sign := -1.0
	if upper {
		sign = 1
	}
	slope := sign * (x - a)
	length := 80 / (slope + math.Sqrt(slope*slope+80*x))
	for range 3 { // to where it is e^-40; on the right it is nearer
		if !upper {
			length += (40 - (slope*length + x*expm1Less(-length))) / (slope - x*math.Expm1(-length))
		}
	}
	sum := 0.0
	for i := range 28 {
		t := length * nodes[i]
		sum += weights[i] * math.Exp(-(slope*t + x*expm1Less(sign*t)))
	}
	return sum * length
}

// gammaSeries is P(a, x) divided by the density of log x, for x below a + 1.
func gammaSeries(a, x float64) float64 {
	term := 1 / a
	sum := term
	for n := a + 1; term > sum*1e-17; n++ {
		term *= x / n
		sum += term
	}
	return sum
}

// gammaFraction is Q(a, x) divided by the density of log x, for x above a, by a continued fraction.
func gammaFraction(a, x float64) float64 {
	b := x + 1 - a
	c := 1e300
	d := 1 / b
	h := d
	for n := 1.0; n < 10000; n++ {
		an := n * (a - n)
		b += 2
		d = an*d + b
		if math.Abs(d) < 1e-300 {
			d = 1e-300
		}
		c = b + an/c
		if math.Abs(c) < 1e-300 {
			c = 1e-300
		}
		d = 1 / d
		h *= d * c
		if math.Abs(d*c-1) < 1e-16 {
			break
		}
	}
	return h
}

// gammaUpperSmall is log Q(a, x) for a below 1 and x below 1.1, also where it is almost 0 because a is.
func gammaUpperSmall(a, x float64) float64 {
	w := a*log(x) - lgamma1p(a)
	term := 1.0
	sum := 0.0
	for n := 1.0; n < 40; n++ {
		term *= -x / n
		sum += term / (a + n)
	}
	if w < -0.69 {
		return math.Log1p(-math.Exp(w) * (1 + a*sum))
	}
	return log(-math.Expm1(w) - math.Exp(w)*a*sum)
}

// GammaQuantile is log x with P(a, x) = p, and GammaQuantileUpper that with Q(a, x) = p. Both logarithms of
// probabilities are concave in log x, so that Newton's method converges from beyond the root.

func GammaQuantile(a, p float64) float64 {
	if p > 0.5 {
		return gammaNewton(a, 1-p, true)
	}
	return gammaNewton(a, p, false)
}

func GammaQuantileUpper(a, p float64) float64 {
	if p > 0.5 {
		return gammaNewton(a, 1-p, false)
	}
	return gammaNewton(a, p, true)
}

func gammaNewton(a, p float64, upper bool) float64 {
	if !(a > 0) || !(p >= 0 && p <= 1) || a > math.MaxFloat64 {
		return math.NaN()
	}
	if p == 0 {
		if upper {
			return math.Inf(1)
		}
		return math.Inf(-1)
	}
	target := log(p)
	u := (target + lgamma1p(a)) / a // P is below x^a/Γ(a+1), and Q below e^-deviance
	sign := 1.0
	if upper {
		u = log(a - target + math.Sqrt(-2*a*target))
		sign = -1
	}
	scale := GammaScale(a)
	for range 200 {
		x := math.Exp(u)
		if x < 1e-300 { // P is x^a/Γ(a+1)
			if upper {
				return (math.Log1p(-p) + lgamma1p(a)) / a
			}
			break
		}
		density := scale - deviance(a, x)
		side := gammaSide(a, x, density, upper)
		slow := math.Exp(side - density)
		step := sign * (target - side) * slow
		bend := a - x - sign/slow
		u += bentStep(step, bend)
		if newtonEnds(step, u, bend*bend+x) {
			break
		}
	}
	return u
}

// bentStep is Halley's step in place of Newton's, where that is short. bend is the quotient of the second derivative
// and the first.
func bentStep(step, bend float64) float64 {
	if math.Abs(step*bend) < 0.5 {
		return step / (1 + 0.5*step*bend)
	}
	return step
}

// newtonEnds is whether what is left after Halley's step to u, about step³·bends, is below the rounding of u.
func newtonEnds(step, u, bends float64) bool {
	s := math.Abs(step)
	return !(s > 4e-16*(1+math.Abs(u))) || s*s*bends < 1e-4 && s*s*bends*s < 1e-17*(1+math.Abs(u))
}

// Gamma is the gamma function, exact for whole numbers up to 19.
func Gamma(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), x)
	}
	if math.Abs(x) < 1e-300 || x > math.MaxFloat64 {
		return math.Copysign(math.Inf(1), x)
	}
	if x < 0 {
		if x == math.Floor(x) || x != x {
			return math.NaN()
		}
		return reflected(x)
	}
	return gammaPositive(x)
}

func gammaPositive(x float64) float64 {
	if x < 1 {
		return math.Exp(lgamma1p(x)) / x
	}
	if x > 171.7 {
		return math.Inf(1)
	}
	if x >= 20 {
		half := math.Pow(x, 0.5*x-0.25)
		return half * math.Exp(-x) * half * 2.5066282746310002 * math.Exp(stirling(x))
	}
	product := 1.0
	for x >= 2 {
		x--
		product *= x
	}
	return product * math.Exp(lgamma(x))
}

// reflected is the gamma function for negative numbers that are not whole.
func reflected(x float64) float64 {
	r := -x - 2*math.Floor(-0.5*x) // from 0 to 2
	sign := -1.0
	if r > 1 {
		r--
		sign = 1
	}
	if r > 0.5 {
		r = 1 - r
	}
	sine := sign * math.Sin(math.Pi*r)
	if x < -170 { // the value may be subnormal
		return math.Copysign(math.Exp(log(math.Pi/math.Abs(sine))-lgamma(1-x)), sine)
	}
	return math.Pi / (sine * gammaPositive(1-x))
}

// Zeta is Hurwitz's Zeta function, the sum of (k+q)^-s, for s above 1 and q above 0, by Euler and Maclaurin's formula.
func Zeta(s, q float64) float64 {
	if !(s >= 1) || !(q >= 0) {
		return math.NaN()
	}
	if s == 1 || q == 0 {
		return math.Inf(1)
	}
	if s > math.MaxFloat64 {
		return math.Pow(q, -s) // only the first term may be other than 0
	}
	sum := 0.0
	for q < 10+2*s {
		power := math.Pow(q, -s)
		sum += power
		q++
		if power*q <= 1e-18*sum*(s-1) { // both are 0 where the first term underflows
			return sum
		}
	}
	sum += math.Pow(q, 1-s) / (s - 1)
	power := math.Pow(q, -s)
	if power == 0 {
		return sum
	}
	sum += power * 0.5
	w := 1 / (q * q)
	term := power * s / q
	sum += term / 12
	term *= (s + 1) * (s + 2) * w
	sum -= term / 720
	term *= (s + 3) * (s + 4) * w
	sum += term / 30240
	term *= (s + 5) * (s + 6) * w
	sum -= term / 1209600
	term *= (s + 7) * (s + 8) * w
	sum += term / 47900160
	term *= (s + 9) * (s + 10) * w
	sum -= term * (691.0 / 1307674368000)
	term *= (s + 11) * (s + 12) * w
	sum += term / 74724249600
	term *= (s + 13) * (s + 14) * w
	sum -= term * (3617.0 / 10670622842880000)
	return sum
}
