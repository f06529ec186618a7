package tensor

import (
	"math"

	"github.com/x448/float16"
)

// bfloat is a BF16 element: the upper half of a float32.
type bfloat uint16

func bfloatOf(x float32) bfloat {
	u := math.Float32bits(x)
	if x != x {
		return bfloat(u>>16) | 0x40 // stay a NaN when the low half is cut off
	}
	return bfloat((u + 0x7fff + u>>16&1) >> 16) // to nearest, ties to even
}

func (b bfloat) float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// half is an F16 element.
type half uint16

func halfOf(x float32) half { return half(float16.Fromfloat32(x)) }

func (h half) float32() float32 { return float16.Float16(h).Float32() }

// toOdd narrows to float32 so that narrowing again rounds only once: an inexact result gets its last bit set.
func toOdd(x float64) float32 {
	f := float32(x)
	back := float64(f)
	if back == x || x != x || math.IsInf(back, 0) {
		return f
	}
	u := math.Float32bits(f)
	if u&1 == 1 {
		return f
	}
	if math.Abs(back) > math.Abs(x) {
		return math.Float32frombits(u - 1)
	}
	return math.Float32frombits(u + 1)
}
