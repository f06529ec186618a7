package tensor

import "math"

// scalar is a number in the form that a dtype needs: i for integer types, f for float types.
type scalar struct {
	i int64
	f float64
}

// ranges holds the smallest and the largest value of every integer type.
var ranges = map[DType][2]int64{
	U8: {0, math.MaxUint8}, U32: {0, math.MaxUint32}, I16: {math.MinInt16, math.MaxInt16},
	I32: {math.MinInt32, math.MaxInt32}, I64: {math.MinInt64, math.MaxInt64},
}

// bits returns the representation of s as an element of dt, in the low bits.
func (s scalar) bits(dt DType) uint64 {
	switch dt {
	case F64:
		return math.Float64bits(s.f)
	case F32:
		return uint64(math.Float32bits(float32(s.f)))
	case F16:
		return uint64(halfOf(toOdd(s.f)))
	case BF16:
		return uint64(bfloatOf(toOdd(s.f)))
	case F8E4M3:
		return uint64(float8Of(toOdd(s.f)))
	}
	return uint64(s.i) & (1<<(8*dt.Size()-1)<<1 - 1)
}
