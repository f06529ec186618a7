package backend

import "math"

// Float8 is an F8E4M3 element: a sign, four bits of exponent with a bias of 7, three of mantissa. 0x7f and 0xff are
// NaN, and there are no infinities.
type Float8 uint8

// Float8Of rounds to nearest, ties to even. Numbers beyond ±448 and infinities become ±448; every NaN becomes 0x7f.
func Float8Of(x float32) Float8 {
	if x != x {
		return 0x7f
	}
	u := math.Float32bits(x)
	sign, u := u>>24&0x80, u&^(1<<31)
	switch {
	case u >= 0x43e00000: // 448
		u = 0x7e
	case u < 0x3c800000: // below 2^-6 values are 2^-9 apart, as are float32 around 16384
		u = math.Float32bits(math.Float32frombits(u)+16384) - 0x46800000
	default:
		u = (u+0x7ffff+u>>20&1)>>20 - 120<<3
	}
	return Float8(u | sign)
}

func (f Float8) Float32() float32 { return float8Values[f] }

// float8Values has the value of every F8E4M3.
var float8Values = func() (values [256]float32) {
	for i := range values {
		e, m := i>>3&15, i&7
		v := math.Ldexp(float64(8+m), e-10)
		switch {
		case i&0x7f == 0x7f:
			v = math.NaN()
		case e == 0:
			v = math.Ldexp(float64(m), -9)
		}
		if i >= 0x80 {
			v = -v
		}
		values[i] = float32(v)
	}
	return values
}()
