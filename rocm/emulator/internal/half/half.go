// Package half converts between f32 and the floats of 16 bits, as the GPU rounds them.
package half

import "math"

// FromF16 converts an f16 to f32, which is exact.
func FromF16(h uint16) float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&0x3ff)
	switch exp {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// ToF16 rounds an f32 to the nearest f16, ties to even.
func ToF16(f float32) uint16 {
	u := math.Float32bits(f)
	sign, mag := uint16(u>>16&0x8000), u&0x7fffffff
	switch {
	case mag > 0x7f800000:
		return sign | 0x7e00 | uint16(mag>>13&0x3ff)
	case mag >= 0x477ff000: // 65520 and up round to infinity
		return sign | 0x7c00
	case mag < 0x38800000: // below 2^-14: a multiple of 2^-24, which the addition rounds to
		return sign | uint16(math.Float32bits(math.Float32frombits(mag)+0.5)-0x3f000000)
	}
	return sign | uint16((mag-0x38000000+0xfff+mag>>13&1)>>13)
}

// OddToF16 rounds an f64, itself rounded to odd, to the nearest f16.
func OddToF16(x float64) uint16 { return ToF16(OddF32(x)) }

// OddF32 rounds an exact or round-to-odd f64 to f32 by rounding to odd, so that another rounding is innocuous.
func OddF32(x float64) float32 {
	f := float32(x)
	if float64(f) == x || math.IsNaN(x) || math.IsInf(float64(f), 0) {
		return f
	}
	u := math.Float32bits(f)
	if math.Abs(float64(f)) > math.Abs(x) {
		u-- // truncated
	}
	return math.Float32frombits(u | 1)
}

// ToF16Zero rounds an f32 toward zero to an f16.
func ToF16Zero(f float32) uint16 {
	h := ToF16(f)
	if back := FromF16(h); math.Abs(float64(back)) > math.Abs(float64(f)) && !math.IsInf(float64(f), 0) {
		h--
	}
	return h
}

// FromBF16 converts a bf16 to f32, which is exact.
func FromBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// ToBF16 rounds an f32 to the nearest bf16, ties to even.
func ToBF16(f float32) uint16 {
	u := math.Float32bits(f)
	if u&0x7fffffff > 0x7f800000 {
		return uint16(u>>16 | 0x40)
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}
