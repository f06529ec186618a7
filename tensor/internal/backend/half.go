package backend

import (
	"math"

	"github.com/x448/float16"
)

// BFloat16 is a BF16 element: the upper half of a float32.
type BFloat16 uint16

func BFloat16Of(x float32) BFloat16 {
	u := math.Float32bits(x)
	if x != x {
		return BFloat16(u>>16) | 0x40 // stay a NaN when the low half is cut off
	}
	return BFloat16((u + 0x7fff + u>>16&1) >> 16) // to nearest, ties to even
}

func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Float16 is an F16 element.
type Float16 uint16

func Float16Of(x float32) Float16 { return Float16(float16.Fromfloat32(x)) }

func (h Float16) Float32() float32 { return float16.Float16(h).Float32() }

// RoundToOdd narrows to float32 so that a second rounding gives the result of a single one: if inexact, the last bit
// is set.
func RoundToOdd(x float64) float32 {
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
