package sample

import "math"

// TruncatedNormal returns element i of a tensor of normal variates between lo and hi, by rejection from a normal, an
// exponential or a uniform distribution, whichever is near (Robert, Simulation of truncated normal variables, 1995).
// lo above hi and a NaN give NaN.
func (s Stream) TruncatedNormal(i int, mean, std, lo, hi float64) float64 {
	x := mean + float64(std*s.at(i).normalBetween((lo-mean)/std, (hi-mean)/std))
	switch {
	case x < lo:
		return lo
	case x > hi:
		return hi
	}
	return x
}

// normalBetween returns a standard normal number between a and b.
func (s Stream) normalBetween(a, b float64) float64 {
	switch {
	case !(a <= b):
		return math.NaN()
	case a == b:
		return a
	case a > 0:
		return s.normalTail(a, b)
	case b < 0:
		return -s.normalTail(-b, -a)
	}
	narrow := b-a < 2.5066282746310002
	for t := uint32(0); ; t++ {
		u, v := s.uniforms(t)
		if narrow {
			if x := a + float64((b-a)*u); log(v) <= -0.5*float64(x*x) {
				return x
			}
			continue
		}
		if x, ok := polar(u, v); ok && x >= a && x <= b {
			return x
		}
	}
}

// normalTail is normalBetween for 0 < a < b.
func (s Stream) normalTail(a, b float64) float64 {
	if a >= 1e8 {
		return a // all others are within an ulp
	}
	root := math.Sqrt(float64(a*a) + 4)
	rate := float64(0.5 * (a + root))
	exponential := b-a > 3.2974425414002564/(a+root)*exp(0.25*(float64(a*a)-float64(a*root)))
	for t := uint32(0); ; t++ {
		u, v := s.uniforms(t)
		if exponential {
			x := a - log(u)/rate
			if off := x - rate; x <= b && log(v) <= -0.5*float64(off*off) {
				return x
			}
			continue
		}
		step := float64((b - a) * u)
		if x := a + step; log(v) <= -0.5*float64(step*(x+a)) {
			return x
		}
	}
}
