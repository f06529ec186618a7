package kernels

import "math"

// Round returns x rounded once, to nearest even, to a value of float type t. NaN stays NaN, and what is too large
// becomes an infinity, or ±448 as an F8E4M3. For integer types, which have no roundings, it returns x.
func Round(t DType, x float64) float64 {
	switch t {
	case F32:
		return float64(float32(x))
	case F16, BF16:
		return roundTo(x, formats[t])
	case F8E4M3:
		return max(-448, min(448, roundTo(x, formats[t])))
	}
	return x
}

// format is a binary format of so many digits and normal exponents from minExp to maxExp.
type format struct{ digits, minExp, maxExp int }

var formats = map[DType]format{F16: {11, -14, 15}, BF16: {8, -126, 127}, F8E4M3: {4, -6, 8}, F32: {24, -126, 127},
	F64: {53, -1022, 1023}}

// Largest returns the largest finite value of a float type.
func Largest(t DType) float64 {
	f := formats[t]
	return Round(t, math.Ldexp(2-math.Ldexp(2, -f.digits), f.maxExp))
}

// ulp is the exponent of a unit in the last place of x, which is not 0.
func (f format) ulp(x float64) int {
	_, e := math.Frexp(x) // |x| is in [2^(e-1), 2^e)
	return max(e-1, f.minExp) - (f.digits - 1)
}

func roundTo(x float64, f format) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	ulp := f.ulp(x)
	r := math.Ldexp(math.RoundToEven(math.Ldexp(x, -ulp)), ulp)
	if math.Abs(r) >= math.Ldexp(1, f.maxExp+1) {
		return math.Copysign(math.Inf(1), x)
	}
	return r
}

// nextAfter returns the function that gives the value of type t after a towards b.
func nextAfter(t DType) func(a, b float64) float64 {
	f := formats[t]
	return func(a, b float64) float64 {
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return math.NaN()
		case a == b:
			return b
		case a == 0:
			return math.Copysign(math.Ldexp(1, f.minExp-f.digits+1), b)
		case math.IsInf(a, 0):
			return math.Copysign(Largest(t), a)
		}
		m, ulp := math.Abs(a), f.ulp(a)
		if (b > a) == (a > 0) {
			m += math.Ldexp(1, ulp)
		} else if below := math.Nextafter(m, 0); f.ulp(below) < ulp { // a power of 2
			m -= math.Ldexp(1, ulp-1)
		} else {
			m -= math.Ldexp(1, ulp)
		}
		if m > Largest(t) {
			m = math.Inf(1)
		}
		return math.Copysign(m, a)
	}
}
