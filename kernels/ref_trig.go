package kernels

import (
	"math"
	"math/bits"
)

// The sine and cosine of package math have an absolute error of about 2^-53; near the multiples of π/2, and for
// large angles, that is many units in the last place. These are accurate to two units everywhere and use the device's
// algorithm (angle.h).

func sin(x float64) float64 {
	r, n := minusHalfPi(x)
	y := sinShort(r)
	if n&1 != 0 {
		y = cosShort(r)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

func cos(x float64) float64 {
	r, n := minusHalfPi(x)
	y := cosShort(r)
	if n&1 != 0 {
		y = sinShort(r)
	}
	if (n+1)&2 != 0 {
		return -y
	}
	return y
}

// sinShort and cosShort: package math's are right for |r| ≤ π/4.
func sinShort(r float64) float64 { return math.Sin(r) }
func cosShort(r float64) float64 { return math.Cos(r) }

// minusHalfPi returns x - n·π/2 with n the nearest integer, of which the low two bits are right.
func minusHalfPi(x float64) (r float64, n int) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return math.NaN(), 0
	case math.Abs(x) <= math.Pi/4:
		return x, 0
	case math.Abs(x) < 1<<30:
		q := math.RoundToEven(x * (2 / math.Pi))
		r = math.FMA(q, -0x1.921fb54442d18p+0, x)
		r = math.FMA(q, -0x1.1a62633145c07p-54, r)
		return math.FMA(q, 0x1.f1976b7ed8fbcp-110, r), int(q) & 3
	}
	u := math.Float64bits(x)
	m, k := u&(1<<52-1)|1<<52, int(u>>52&2047)-1075
	// 192 bits of 2/π from the bit of weight 2^(1-k) on, times m.
	skip := uint(k + 62)
	w := func(i uint) uint64 {
		i += skip / 64
		if skip%64 == 0 {
			return twoOverPi[i]
		}
		return twoOverPi[i]<<(skip%64) | twoOverPi[i+1]>>(64-skip%64)
	}
	c2, _ := bits.Mul64(m, w(2))
	c1, p1 := bits.Mul64(m, w(1))
	p1, carry := bits.Add64(p1, c2, 0)
	p0 := m*w(0) + c1 + carry
	q := (p0 + 1<<61) >> 62
	hi := int64(p0 - q<<62)
	high := float64(hi >> 11) // in units of 2^-51 quadrants
	low := float64(uint64(hi)&2047<<53|p1>>11) * 0x1p-64
	r = high + low
	low += high - r
	r = math.FMA(r, 0x1.921fb54442d18p+0, math.FMA(r, 0x1.1a62633145c07p-54, low*0x1.921fb54442d18p+0)) * 0x1p-51
	if x < 0 {
		return -r, int(-q & 3)
	}
	return r, int(q)
}

// twoOverPi is 2/π after 64 zero bits.
var twoOverPi = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c,
	0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
	0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}
