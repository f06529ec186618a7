package kernels

import "math"

// Round returns x rounded once, to nearest even, to a value of float type t. NaN stays NaN, and what is too large
// becomes an infinity, or ±448 as an F8E4M3. For integer types, which have no roundings, it returns x.
func Round(t DType, x float64) float64 {
	switch t {
	case F32:
		return float64(float32(x))
	case F16:
		return roundTo(x, 11, -14, 15)
	case BF16:
		return roundTo(x, 8, -126, 127)
	case F8E4M3:
		return max(-448, min(448, roundTo(x, 4, -6, 8)))
	}
	return x
}

// roundTo rounds to a binary format of so many digits and normal exponents from minExp to maxExp.
func roundTo(x float64, digits, minExp, maxExp int) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, e := math.Frexp(x) // |x| is in [2^(e-1), 2^e)
	ulp := max(e-1, minExp) - (digits - 1)
	r := math.Ldexp(math.RoundToEven(math.Ldexp(x, -ulp)), ulp)
	if math.Abs(r) >= math.Ldexp(1, maxExp+1) {
		return math.Copysign(math.Inf(1), x)
	}
	return r
}
