package scalar

import "math"

// LogNdtr is the logarithm of the normal distribution function.
func LogNdtr(x float64) float64 {
	if x > 0 {
		return math.Log1p(-normalTail(x))
	}
	if x > -20 {
		return log(normalTail(-x))
	}
	w := 1 / (x * x)
	return -0.5*x*x - log(-x) - 0.5*log2Pi + math.Log1p(w*poly(w, -1, 3, -15, 105, -945, 10395, -135135, 2027025))
}

// normalTail is the probability of values above x, which is not negative: ½·erfc(x/√2), with what the quotient loses.
func normalTail(x float64) float64 {
	if x > 40 {
		return 0
	}
	z := x * 0.7071067811865476
	lost := math.FMA(x, 0.7071067811865476, -z) - x*4.833646656726457e-17
	return 0.5*erfc(z) - lost*0.5641895835477563*math.Exp(-0.5*x*x)
}

// Ndtri is its inverse, by the quotients of polynomials in Wichura, The percentage points of the normal distribution,
// 1988.
func Ndtri(p float64) float64 {
	if !(p > 0 && p < 1) {
		if p == 0 {
			return math.Inf(-1)
		}
		if p == 1 {
			return math.Inf(1)
		}
		return math.NaN()
	}
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - q*q
		return q * poly(r, 3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
			1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4,
			2.5090809287301226727e+3) / poly(r, 1, 4.2313330701600911252e+1, 6.8718700749205790830e+2,
			5.3941960214247511077e+3, 2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
			5.2264952788528545610e+3)
	}
	z := ndtriTail(math.Min(p, 1-p))
	if q < 0 {
		return -z
	}
	return z
}

// ndtriTail is what the upper tail p, below 0.075, begins with.
func ndtriTail(p float64) float64 {
	r := math.Sqrt(-log(p))
	if r <= 5 {
		r -= 1.6
		return poly(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
			3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
			7.74545014278341407640e-4) / poly(r, 1, 2.05319162663775882187e0, 1.67638483018380384940e0,
			6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
			1.05075007164441684324e-9)
	}
	r -= 5
	return poly(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
		2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
		2.01033439929228813265e-7) / poly(r, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
		1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
		2.04426310338993978564e-15)
}
