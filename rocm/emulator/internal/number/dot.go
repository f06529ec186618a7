package number

import (
	"math"

	"github.com/gorocm/gorocm/rocm/emulator/internal/half"
)

// MulZero is multiplication in which 0 times anything is 0.
func MulZero(a, b float32) float32 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// FMA32Zero is a fused multiplication and addition in which 0 times anything is 0.
func FMA32Zero(a, b, c float32) float32 {
	if a == 0 || b == 0 {
		return c
	}
	return FMA32(a, b, c)
}

// Dot2F16 returns a.lo*b.lo + a.hi*b.hi + c with products exact.
func Dot2F16(a, b, c uint32) uint32 {
	s := float64(half.FromF16(uint16(a)))*float64(half.FromF16(uint16(b))) +
		float64(half.FromF16(uint16(a>>16)))*float64(half.FromF16(uint16(b>>16)))
	return math.Float32bits(float32(s + float64(math.Float32frombits(c))))
}

// Dot2BF16 is Dot2F16 for bf16.
func Dot2BF16(a, b, c uint32) uint32 {
	s := float64(half.FromBF16(uint16(a)))*float64(half.FromBF16(uint16(b))) +
		float64(half.FromBF16(uint16(a>>16)))*float64(half.FromBF16(uint16(b>>16)))
	return math.Float32bits(float32(s + float64(math.Float32frombits(c))))
}

// NormI16 and NormU16 scale -1 to 1, and 0 to 1, to integers.
func NormI16(x float32) uint16 {
	return ToI16(math.RoundToEven(float64(clampSigned(x)) * 32767))
}

func NormU16(x float32) uint16 { return ToU16(math.RoundToEven(float64(Clamp01(x)) * 65535)) }

func clampSigned(x float32) float32 {
	if x != x {
		return 0
	}
	return min(max(x, -1), 1)
}

// Clamp01 clamps to 0…1; NaN becomes 0.
func Clamp01[T float32 | float64](x T) T {
	switch {
	case !(x > 0):
		return 0
	case x > 1:
		return 1
	}
	return x
}
