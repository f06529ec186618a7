package scalar

import "math"

// Expi is the exponential integral Ei, the principal value of the integral of e^t/t up to x.
func Expi(x float64) float64 {
	if x == 0 {
		return math.Inf(-1)
	}
	if x < 0 {
		return -Exp1(-x)
	}
	if x < 40 {
		term := 1.0
		sum := 0.0
		for k := 1.0; k < 150; k++ {
			term *= x / k
			sum += term / k
		}
		return euler + log(x) + sum
	}
	if x > math.MaxFloat64 {
		return x
	}
	term := 1.0
	sum := 1.0
	for k := 1.0; k < 40 && k < x; k++ {
		term *= k / x
		sum += term
	}
	half := math.Exp(0.5 * x)
	return half / x * sum * half
}

// Exp1 is the exponential integral E1, the integral of e^-t/t from x on, for x from 0 on.
func Exp1(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	if x == 0 {
		return math.Inf(1)
	}
	if x > 745 {
		return 0
	}
	if x > 1 {
		return math.Exp(-x) * gammaFraction(0, x)
	}
	term := 1.0
	sum := 0.0
	for k := 1.0; k < 25; k++ {
		term *= -x / k
		sum += term / k
	}
	return -euler - log(x) - sum
}
