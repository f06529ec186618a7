package emulator

import "math"

// fromF16 converts an f16 to f32, which is exact.
func fromF16(h uint16) float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&0x3ff)
	switch exp {
	case 0:
		return fb(sign | bf(float32(frac)*0x1p-24))
	case 31:
		return fb(sign | 0x7f800000 | frac<<13)
	}
	return fb(sign | (exp+112)<<23 | frac<<13)
}

// toF16 rounds an f32 to the nearest f16, ties to even.
func toF16(f float32) uint16 {
	u := bf(f)
	sign, mag := uint16(u>>16&0x8000), u&0x7fffffff
	switch {
	case mag > 0x7f800000:
		return sign | 0x7e00 | uint16(mag>>13&0x3ff)
	case mag >= 0x477ff000: // 65520 and up round to infinity
		return sign | 0x7c00
	case mag < 0x38800000: // below 2^-14: a multiple of 2^-24, which the addition rounds to
		return sign | uint16(bf(fb(mag)+0.5)-0x3f000000)
	}
	return sign | uint16((mag-0x38000000+0xfff+mag>>13&1)>>13)
}

// oddToF16 rounds an f64, itself rounded to odd, to the nearest f16.
func oddToF16(x float64) uint16 { return toF16(oddF32(x)) }

// oddF32 rounds an exact or round-to-odd f64 to f32 by rounding to odd, so that another rounding is innocuous.
func oddF32(x float64) float32 {
	f := float32(x)
	if float64(f) == x || math.IsNaN(x) || math.IsInf(float64(f), 0) {
		return f
	}
	u := bf(f)
	if math.Abs(float64(f)) > math.Abs(x) {
		u-- // truncated
	}
	return fb(u | 1)
}

// toF16Zero rounds an f32 toward zero to an f16.
func toF16Zero(f float32) uint16 {
	h := toF16(f)
	if back := fromF16(h); math.Abs(float64(back)) > math.Abs(float64(f)) && !math.IsInf(float64(f), 0) {
		h--
	}
	return h
}

// fromBF16 converts a bf16 to f32, which is exact.
func fromBF16(h uint16) float32 { return fb(uint32(h) << 16) }

// toBF16 rounds an f32 to the nearest bf16, ties to even.
func toBF16(f float32) uint16 {
	u := bf(f)
	if u&0x7fffffff > 0x7f800000 {
		return uint16(u>>16 | 0x40)
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}
