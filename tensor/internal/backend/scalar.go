package backend

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
)

// Scalar is a number as an element type needs it: Int for integer types and Bool, Float for float types. Int has the
// bits of a U64. A complex number has the parts Float and Imag.
type Scalar struct {
	Int         int64
	Float, Imag float64
}

// IntRange returns the minimum and the maximum of an integer type or Bool.
func IntRange(dt kernels.DType) (low int64, high uint64) {
	switch bits := 8 * dt.Size(); dt {
	case kernels.Bool:
		return 0, 1
	case kernels.U8, kernels.U16, kernels.U32, kernels.U64:
		return 0, math.MaxUint64 >> (64 - bits)
	default:
		return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)
	}
}

// Bits returns the number as an element of dt, in the low bits. An element of C128 has more than 64: its parts are
// written one by one.
func (s Scalar) Bits(dt kernels.DType) uint64 {
	switch dt {
	case kernels.F64:
		return math.Float64bits(s.Float)
	case kernels.F32:
		return uint64(math.Float32bits(float32(s.Float)))
	case kernels.C64:
		return uint64(math.Float32bits(float32(s.Float))) | uint64(math.Float32bits(float32(s.Imag)))<<32
	case kernels.F16:
		return uint64(Float16Of(RoundToOdd(s.Float)))
	case kernels.BF16:
		return uint64(BFloat16Of(RoundToOdd(s.Float)))
	case kernels.F8E4M3:
		return uint64(Float8Of(RoundToOdd(s.Float)))
	}
	return uint64(s.Int) & (1<<(8*dt.Size()-1)<<1 - 1)
}
