package backend

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
)

// Scalar is a number as an element type needs it: Int for integer types, Float for float types.
type Scalar struct {
	Int   int64
	Float float64
}

// IntRanges has the minimum and the maximum of every integer type.
var IntRanges = map[kernels.DType][2]int64{
	kernels.U8: {0, math.MaxUint8}, kernels.U32: {0, math.MaxUint32}, kernels.I16: {math.MinInt16, math.MaxInt16},
	kernels.I32: {math.MinInt32, math.MaxInt32}, kernels.I64: {math.MinInt64, math.MaxInt64},
}

// Bits returns the number as an element of dt, in the low bits.
func (s Scalar) Bits(dt kernels.DType) uint64 {
	switch dt {
	case kernels.F64:
		return math.Float64bits(s.Float)
	case kernels.F32:
		return uint64(math.Float32bits(float32(s.Float)))
	case kernels.F16:
		return uint64(Float16Of(RoundToOdd(s.Float)))
	case kernels.BF16:
		return uint64(BFloat16Of(RoundToOdd(s.Float)))
	case kernels.F8E4M3:
		return uint64(Float8Of(RoundToOdd(s.Float)))
	}
	return uint64(s.Int) & (1<<(8*dt.Size()-1)<<1 - 1)
}
