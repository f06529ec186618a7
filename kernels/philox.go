package kernels

import (
	"math"
	"math/bits"
)

// Philox returns the four words of Philox4x32-10 for a counter and the key seed; the counter's upper half is zero.
// It is the bit stream that rand and randn use on every device.
func Philox(seed, counter uint64) [4]uint32 { return PhiloxAt(seed, counter, 0) }

// PhiloxAt is Philox for a counter with a third word: further random bits for the same element.
func PhiloxAt(seed, counter uint64, third uint32) [4]uint32 {
	return philox4x32([4]uint32{uint32(counter), uint32(counter >> 32), third, 0}, uint32(seed), uint32(seed>>32))
}

func philox4x32(c [4]uint32, k0, k1 uint32) [4]uint32 {
	for range 10 {
		hi0, lo0 := bits.Mul32(0xD2511F53, c[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k0, lo1, hi0 ^ c[3] ^ k1, lo0}
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c
}

// Uniform4 returns elements 4i to 4i+3 of a tensor that rand_T fills from counter c, where counter = c+i. They are
// uniform in [lo, hi): lo + u·(hi-lo) in F32, or in F64 for F64, rounded to T, where u has as many random bits as T has
// digits: the upper 4 (F8E4M3), 8 (BF16), 11 (F16) or 24 (F32) of a word, and for F64 the whole word before the upper
// 21 bits of the same lane at counter + 2^64. A value that rounding has brought to hi or beyond becomes lo. t is a
// float type.
func Uniform4(t DType, seed, counter uint64, lo, hi float64) (v [4]float64) {
	w := Philox(seed, counter)
	if t == F64 {
		low := PhiloxAt(seed, counter, 1)
		for j := range v {
			v[j] = uniform64(w[j], low[j])
			v[j] = lo + float64(v[j]*(hi-lo))
			if v[j] >= hi {
				v[j] = lo
			}
		}
		return v
	}
	digits := uint(24)
	switch t {
	case BF16:
		digits = 8
	case F16:
		digits = 11
	case F8E4M3:
		digits = 4
	}
	l, h := float32(lo), float32(hi)
	for j := range v {
		u := float32(w[j]>>(32-digits)) / float32(uint32(1)<<digits)
		x := Round(t, float64(l+float32(u*float32(h-l))))
		if x >= float64(h) {
			x = Round(t, float64(l))
		}
		v[j] = x
	}
	return v
}

// Normal4 returns elements 4i to 4i+3 of a tensor that randn_T fills from counter c, where counter = c+i. Lanes 0 and
// 1, and 2 and 3, make two normal values by Box and Muller's method, with u from (0, 1] and v from [0, 1): √(-2 ln
// u)·cos 2πv and √(-2 ln u)·sin 2πv. F64 uses 53 random bits, all others 24 and arithmetic in F32. A device gives the
// same values within a few units in the last place. t is a float type.
func Normal4(t DType, seed, counter uint64, mean, std float64) (v [4]float64) {
	w := Philox(seed, counter)
	var low [4]uint32
	if t == F64 {
		low = PhiloxAt(seed, counter, 1)
	}
	for j := 0; j < 4; j += 2 {
		var u1, u2 float64
		if t == F64 {
			u1, u2 = uniform64(w[j], low[j])+0x1p-53, uniform64(w[j+1], low[j+1])
		} else {
			u1, u2 = float64(w[j]>>8+1)*0x1p-24, float64(w[j+1]>>8)*0x1p-24
		}
		r := math.Sqrt(-2 * math.Log(u1))
		sin, cos := sincosTurns(u2)
		v[j] = Round(t, mean+std*r*cos)
		v[j+1] = Round(t, mean+std*r*sin)
	}
	return v
}

// sincosTurns returns the sine and cosine of 2πv for v in [0, 1). The reduction to an eighth of a turn is exact.
func sincosTurns(v float64) (sin, cos float64) {
	quarter := math.Floor(4*v + 0.5)
	sin, cos = math.Sincos(2 * math.Pi * (v - quarter/4))
	switch int(quarter) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

func uniform64(high, low uint32) float64 {
	return float64(uint64(high)<<21|uint64(low>>11)) * 0x1p-53
}
