package scalar

import "math"

const (
	log2Pi = 1.8378770664093455
	euler  = 0.5772156649015329
)

// poly is c0 + c1·x + c2·x² + …
func poly(x float64, c ...float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = math.FMA(y, x, c[i])
	}
	return y
}

// log1pLess is log(1+x) - x.
func log1pLess(x float64) float64 {
	if x < -0.39 || x > 0.6 {
		return math.Log1p(x) - x
	}
	r := x / (2 + x)
	z := r * r
	return r * (2*z*poly(z, 1.0/3, 1.0/5, 1.0/7, 1.0/9, 1.0/11, 1.0/13, 1.0/15, 1.0/17, 1.0/19, 1.0/21, 1.0/23, 1.0/25,
		1.0/27, 1.0/29) - x)
}

// expm1Less is e^x - 1 - x.
func expm1Less(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Expm1(x) - x
	}
	return x * x * poly(x, 1.0/2, 1.0/6, 1.0/24, 1.0/120, 1.0/720, 1.0/5040, 1.0/40320, 1.0/362880, 1.0/3628800,
		1.0/39916800, 1.0/479001600, 1.0/6227020800, 1.0/87178291200)
}

// log1mExp is log(1 - e^x) for x up to 0.
func log1mExp(x float64) float64 {
	if x > -0.69 {
		return log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// deviance is x·log(x/m) + m - x for positive numbers, without the cancellation where x is near m (Loader, Fast and
// accurate computation of binomial probabilities, 2000).
func deviance(x, m float64) float64 {
	d := m - x
	if !(math.Abs(d) < 0.5*x) {
		return x*(log(x)-log(m)) + d
	}
	return -x * log1pLess(d/x)
}

// stirling is log Γ(a+1) - ((a+½)·log a - a + ½·log 2π) for a above 0.
func stirling(a float64) float64 {
	if a < 10 {
		return lgamma1p(a) - (a+0.5)*log(a) + a - 0.5*log2Pi
	}
	w := 1 / a
	return w * poly(w*w, 1.0/12, -1.0/360, 1.0/1260, -1.0/1680, 1.0/1188, -691.0/360360, 1.0/156)
}

// lgamma1p is log Γ(1+a) for a from 0 on.
func lgamma1p(a float64) float64 {
	if a > 0.1 {
		return lgamma(1 + a)
	}
	return a * poly(a, -euler, 0.8224670334241132, -0.40068563438653143, 0.27058080842778454, -0.20738555102867398,
		0.1695571769974082, -0.1440498967688461, 0.12550966952474304, -0.11133426586956469, 0.1000994575127818,
		-0.09095401714582904, 0.083353840546109, -0.0769325164113522, 0.07143294629536133)
}
