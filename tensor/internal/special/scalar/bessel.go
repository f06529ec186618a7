package scalar

import "math"

// BesselJ0 and BesselJ1 are the Bessel functions of the first kind: means over an angle up to 25, Hankel's series
// beyond.

func BesselJ0(x float64) float64 {
	a := math.Abs(x)
	if a > 25 {
		if a > math.MaxFloat64 {
			return 0
		}
		s := math.Sin(a)
		c := math.Cos(a)
		return (hankel(0, a, false)*(c+s) - hankel(0, a, true)*(s-c)) / math.Sqrt(math.Pi*a)
	}
	sum := 0.0
	for k := range 16 {
		sum += math.Cos(a * sines[k])
	}
	return sum / 16
}

func BesselJ1(x float64) float64 {
	a := math.Abs(x)
	if a > 25 {
		if a > math.MaxFloat64 {
			return 0
		}
		s := math.Sin(a)
		c := math.Cos(a)
		return math.Copysign(1, x) * (hankel(1, a, false)*(s-c) + hankel(1, a, true)*(s+c)) / math.Sqrt(math.Pi*a)
	}
	sum := 0.0
	for k := range 16 {
		sum += sines[k] * math.Sin(x*sines[k])
	}
	return sum / 16
}

// hankel is the sum of the even or the odd terms of Hankel's series, with alternating signs.
func hankel(order, x float64, odd bool) float64 {
	term := 1.0
	sum := 0.0
	if !odd {
		sum = 1
	}
	for k := 1.0; k < 30; k++ {
		term *= (4*order*order - (2*k-1)*(2*k-1)) / (8 * k * x)
		half := math.Floor(k / 2)
		if (k != 2*half) == odd {
			if half != 2*math.Floor(half/2) {
				sum -= term
			} else {
				sum += term
			}
		}
		if math.Abs(term) < 1e-18 {
			break
		}
	}
	return sum
}

// BesselI0e and BesselI1e are the modified Bessel functions of the first kind times e^-|x|.

func BesselI0e(x float64) float64 {
	a := math.Abs(x)
	if a <= 100 {
		return i0(a) * math.Exp(-a)
	}
	return modified(0, a, -1) / math.Sqrt(2*math.Pi*a)
}

func BesselI1e(x float64) float64 {
	a := math.Abs(x)
	if a <= 100 {
		return i1(x) * math.Exp(-a)
	}
	return math.Copysign(modified(1, a, -1)/math.Sqrt(2*math.Pi*a), x)
}

// modified is the asymptotic series of modified Bessel functions.
func modified(order, x, sign float64) float64 {
	term := 1.0
	sum := 1.0
	for k := 1.0; k < 30; k++ {
		term *= sign * (4*order*order - (2*k-1)*(2*k-1)) / (8 * k * x)
		sum += term
		if math.Abs(term) < 1e-18 {
			break
		}
	}
	return sum
}

// BesselK0e and BesselK1e are the modified Bessel functions of the second kind times e^x, for x from 0 on: power
// series up to 2, integrals over exp(-x·cosh t) up to 30.

func BesselK0e(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	if !(x > 0) {
		return math.NaN()
	}
	if x <= 2 {
		z := 0.25 * x * x
		term := 1.0
		harmonic := 0.0
		sum := 0.0
		for k := 1.0; k < 16; k++ {
			term *= z / (k * k)
			harmonic += 1 / k
			sum += term * harmonic
		}
		return math.Exp(x) * (sum - (log(0.5*x)+euler)*i0(x))
	}
	return besselKFar(0, x)
}

func BesselK1e(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	if !(x > 0) {
		return math.NaN()
	}
	if x <= 2 {
		z := 0.25 * x * x
		term := 1.0
		harmonic := 1 - 2*euler // ψ(k+1) + ψ(k+2)
		sum := harmonic
		for k := 1.0; k < 16; k++ {
			term *= z / (k * (k + 1))
			harmonic += 1/k + 1/(k+1)
			sum += term * harmonic
		}
		return math.Exp(x) * (1/x + log(0.5*x)*i1(x) - 0.25*x*sum)
	}
	return besselKFar(1, x)
}

func besselKFar(order, x float64) float64 {
	if x > 30 {
		if x > math.MaxFloat64 {
			return 0
		}
		return math.Sqrt(0.5*math.Pi/x) * modified(order, x, 1)
	}
	sum := 0.5
	for k := 1.0; k < 40; k++ {
		e := math.Exp(0.125 * k)
		above := 0.5*(e+1/e) - 1
		term := math.Exp(-x * above)
		if order > 0 {
			term *= 1 + above
		}
		sum += term
	}
	return 0.125 * sum
}
