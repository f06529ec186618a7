// Package half reads floats of 16 bits.
package half

import "math"

// Float32 is the value of an F16.
func Float32(bits uint16) float32 {
	sign, exponent, fraction := float32(1), int(bits>>10&31), float64(bits&1023)
	if bits>>15 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * float32(math.Ldexp(fraction, -24))
	case 31:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return sign * float32(math.Inf(1))
	}
	return sign * float32(math.Ldexp(1024+fraction, exponent-25))
}
