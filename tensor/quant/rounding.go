package quant

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// rounding rounds blocks with vector instructions, to what encodeQ8K and encodeQ8_0 give.
type rounding struct {
	floats [block]float32
	whole  [block]int32
	packed [4 + block + block/8]byte // of Q8K, or of Q8_0
}

// round sets block i of a from x. It reports false where it does not: without vector instructions, for a block with a
// NaN, of zeros, of numbers that are too small for a scale, and where the least and the greatest are as far from 0.
func (r *rounding) round(a *rounded, i int, x []float32) bool {
	v := &simd.Fast
	if v.Max == nil || v.Scale == nil || v.Round == nil || v.Casts.FloatToInt == nil {
		return false
	}
	top, low := v.Max(x), v.Min(x)
	switch {
	case -low > top:
		top = low
	case !(top > -low):
		return false
	}
	var scale, unit float32
	if a.sums != nil {
		scale = -128 / top
		unit = 1 / scale
	} else {
		d := abs(top) / 127
		var packed [2]byte
		putHalf(packed[:], d)
		scale, unit = 1/d, half(packed[:])
	}
	if math.IsInf(float64(scale), 0) {
		return false
	}
	floats, whole, codes := r.floats[:len(x)], r.whole[:len(x)], a.codes[i*a.block:][:len(x)]
	v.Scale(floats, x, scale)
	v.Round(floats, floats)
	v.Casts.FloatToInt(whole, floats)
	a.scales[i] = unit
	if a.sums == nil {
		for k, q := range whole {
			codes[k] = int8(q)
		}
		return true
	}
	for part := 0; part < block; part += 16 {
		sum := int32(0)
		for k, q := range whole[part:][:16] {
			q = min(q, 127)
			codes[part+k] = int8(q)
			sum += q
		}
		a.sums[16*i+part/16] = int16(sum)
	}
	return true
}
