package sample

import "math"

// The functions of kernels/math64.h, operation by operation. package math has other bits, and those of one machine.

// log is the natural logarithm of a positive, finite x.
func log(x float64) float64 {
	e, m := mantissa(x)
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	half := float64(0.5 * f * f)
	p := math.FMA(0x1.0c1263e1bac13p-3, z, 0x1.0fbd2bafa02d6p-3) // a loop over a list would take longer
	p = math.FMA(math.FMA(p, z, 0x1.3b1c42e3df02cp-3), z, 0x1.745cf8c4c7bcap-3)
	p = math.FMA(math.FMA(p, z, 0x1.c71c7201f207cp-3), z, 0x1.2492492476765p-2)
	p = math.FMA(math.FMA(p, z, 0x1.9999999999a3ap-2), z, 0x1.5555555555555p-1)
	r := float64(z * p)
	return math.FMA(e, 0x1.62e42feep-1, f-(half-math.FMA(s, half+r, float64(e*0x1.a39ef35793c76p-33))))
}

// mantissa returns e and m with x = m·2^e and √½ ≤ m < √2.
func mantissa(x float64) (e, m float64) {
	const one, root = 0x3ff0000000000000, 0x3fe6a09e667f3bcd // the bits of 1 and of √½
	tiny := 0.0
	if x < 0x1p-1022 {
		x, tiny = x*0x1p52, 52
	}
	u := math.Float64bits(x) + (one - root)
	return float64(int64(u>>52)-1023) - tiny, math.Float64frombits(u&(1<<52-1) + root)
}

// log1p is log(1 + x) for x above -1.
func log1p(x float64) float64 {
	u := 1 + x
	if u == 1 {
		return x
	}
	lost := x - (u - 1)
	if x >= 1 {
		lost = 1 - (u - x)
	}
	return log(u) + lost/u
}

// exp is e^x, 0 for x below the logarithm of the least number.
func exp(x float64) float64 {
	x = min(max(x, -752), 710)
	const round = 0x1.8p52
	k := float64(x*0x1.71547652b82fep+0) + round - round
	r := math.FMA(k, -0x1.abc9e3b39803fp-56, math.FMA(k, -0x1.62e42fefa39efp-1, x))
	p := math.FMA(0x1.1f730349868cep-29, r, 0x1.af4de97ca4194p-26)
	p = math.FMA(math.FMA(p, r, 0x1.27e4db646b17ep-22), r, 0x1.71de0231960ebp-19)
	p = math.FMA(math.FMA(p, r, 0x1.a01a01a6d889cp-16), r, 0x1.a01a01abe7fe1p-13)
	p = math.FMA(math.FMA(p, r, 0x1.6c16c16c162d4p-10), r, 0x1.11111111100dcp-7)
	p = math.FMA(math.FMA(p, r, 0x1.5555555555556p-5), r, 0x1.5555555555557p-3)
	p = math.FMA(p, r, 0x1p-1)
	y, n := 1+math.FMA(float64(r*r), p, r), int(k)
	return y * powerOf2(n>>1) * powerOf2(n-(n>>1))
}

func powerOf2(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }
