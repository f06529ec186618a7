package sample

import "math"

// Gamma returns element i of a tensor of standard gamma variates of a shape above 0, or its logarithm, by Marsaglia
// and Tsang's method (A simple method for generating gamma variables, 2000). A shape below 1 takes the variate of
// shape + 1 times u^(1/shape). The logarithm is finite where the variate is below the least number. Other shapes give
// NaN.
func (s Stream) Gamma(i int, shape float64, logarithm bool) float64 {
	if !(shape > 0) || math.IsInf(shape, 1) {
		return math.NaN()
	}
	s = s.at(i)
	small := shape < 1
	d, c := s.peak(shape)
	for k := uint32(0); ; k += 2 {
		x, ok := polar(s.uniforms(k))
		if !ok {
			continue
		}
		v := 1 + float64(c*x)
		if !(v > 0) {
			continue
		}
		v = float64(v * v * v)
		u, w := s.uniforms(k + 1)
		xx := float64(x * x)
		if !(u < 1-float64(0.0331*float64(xx*xx))) && !(log(u) < float64(0.5*xx)+float64(d*(1-v+log(v)))) {
			continue
		}
		power := 0.0
		if small {
			power = log(w) / shape
		}
		switch {
		case logarithm:
			return log(d*v) + power
		case small:
			return d * v * exp(power)
		}
		return d * v
	}
}

// peak are the constants of Gamma for a shape.
type peak struct{ shape, d, c float64 }

// peak returns them: those of a batch if they are the same.
func (s Stream) peak(shape float64) (d, c float64) {
	if s.batch != nil && s.batch.peak.shape == shape {
		return s.batch.peak.d, s.batch.peak.c
	}
	d = shape
	if shape < 1 {
		d = shape + 1
	}
	d -= 1.0 / 3.0
	c = 1 / math.Sqrt(9*d)
	if s.batch != nil {
		s.batch.peak = peak{shape, d, c}
	}
	return d, c
}

// manyShape is the shape from which on a gamma distribution is near a normal one.
const manyShape = 1000

// GammaSlope returns the derivative of log x by the shape a, at a fixed quantile, where x is a gamma variate: minus
// the derivative of the distribution function by a, divided by the density and by x (Figurnov, Mohamed, Mnih,
// Implicit reparameterization gradients, 2018). The distribution function is summed by its power series; for large
// shapes the quantile is Cornish and Fisher's series. It is 0 for a variate of 0.
func GammaSlope(a, logX float64) float64 {
	if math.IsInf(logX, -1) {
		return 0
	}
	if !(a > 0) || logX != logX {
		return math.NaN()
	}
	x := exp(logX)
	if a >= manyShape {
		return gammaSlopeByNormal(a, x)
	}
	// each term x^n / (a·(a+1)·…·(a+n)) has the logarithmic derivative -h
	term := 1 / a
	h, sum := term, term
	slope := float64(term * h)
	for j := a + 1; term > float64(sum*0x1p-60); j++ {
		term = float64(term*x) / j
		h += 1 / j
		sum += term
		slope += float64(term * h)
	}
	return slope - float64((logX-digamma(a))*sum)
}

// gammaSlopeByNormal takes the quantile as a series in the normal quantile y.
func gammaSlopeByNormal(a, x float64) float64 {
	r := 1 / math.Sqrt(a)
	w := float64((x - a) * r)
	y := w
	for range 4 {
		y = w - float64(r*(float64(float64(y*y)-1)/3+
			float64(r*((float64(y*y*y)-float64(7*y))/36-float64(r*quartic(y))/810))))
	}
	slope := 1 + float64(r*(float64(0.5*y)-
		float64(float64(r*r)*((float64(y*y*y)-float64(7*y))/72-float64(r*quartic(y))/810))))
	return slope / x
}

func quartic(y float64) float64 {
	square := float64(y * y)
	return float64(3*square*square) + float64(7*square) - 16
}

// digamma is the logarithmic derivative of the gamma function, for a above 0.
func digamma(a float64) float64 {
	sum := 0.0
	for ; a < 10; a++ {
		sum -= 1 / a
	}
	r := 1 / a
	s := float64(r * r)
	p := 0.021092796092796094
	for _, c := range [...]float64{0.007575757575757576, 0.004166666666666667, 0.003968253968253968,
		0.008333333333333333, 0.08333333333333333} {
		p = c - float64(s*p)
	}
	return sum + log(a) - float64(0.5*r) - float64(s*p)
}
