package number

import (
	"math"
	"math/bits"
)

// CTZ64 and CLZ64 count zeros from below and from above; of 0 they are -1.
func CTZ64(a uint64) uint32 {
	if a == 0 {
		return 0xffffffff
	}
	return uint32(bits.TrailingZeros64(a))
}

func CLZ64(a uint64) uint32 {
	if a == 0 {
		return 0xffffffff
	}
	return uint32(bits.LeadingZeros64(a))
}

// ReplicateBits doubles every bit.
func ReplicateBits(a uint32) uint64 {
	var r uint64
	for i := range 32 {
		r |= uint64(a>>i&1) * 3 << (2 * i)
	}
	return r
}

// WholeQuads sets all four bits of each group of four that has one set.
func WholeQuads(a uint32) uint32 {
	var r uint32
	for i := 0; i < 32; i += 4 {
		if a>>i&15 != 0 {
			r |= 15 << i
		}
	}
	return r
}

// QuadMask has a bit for each four bits: whether one of them is set.
func QuadMask(a uint64) (r uint64) {
	for i := range 16 {
		if a>>(4*i)&15 != 0 {
			r |= 1 << i
		}
	}
	return r
}

// LowBits has n bits set, or all 64.
func LowBits(n uint64) uint64 {
	if n >= 64 {
		return 1<<64 - 1
	}
	return 1<<n - 1
}

// SignField extracts n bits of a at an offset and extends the sign; fields that leave the word are cut there.
func SignField(a uint64, offset, n, size uint32) uint64 {
	n = min(n, size-offset)
	if n == 0 {
		return 0
	}
	return uint64(int64(a<<(64-offset-n)) >> (64 - n))
}

// BitFieldI32 is the field of a that begins at bit b and has c bits, with its sign extended.
func BitFieldI32(a, b, c uint32) uint32 {
	n := c & 31
	if n == 0 {
		return 0
	}
	x := uint32(int32(a) >> (b & 31))
	return uint32(int32(x<<(32-n)) >> (32 - n))
}

// PermBytes picks four bytes of the eight in a (upper) and b (lower) by the selectors in c.
func PermBytes(a, b, c uint32) uint32 {
	src := uint64(a)<<32 | uint64(b)
	var r uint32
	for i := 0; i < 32; i += 8 {
		var x uint64
		switch s := c >> i & 255; {
		case s < 8:
			x = src >> (8 * s)
		case s < 12: // the sign of byte 1, 3, 5 or 7
			x = uint64(int64(src<<(56-16*(s-8)-8)) >> 63)
		case s == 12:
		default:
			x = 255
		}
		r |= uint32(x&255) << i
	}
	return r
}

// Sext24 extends the sign of 24 bits.
func Sext24(x uint32) int32 { return int32(x<<8) >> 8 }

// These have results that stay in the range of the type in their names.

func SatU32(x uint64) uint32 { return uint32(min(x, math.MaxUint32)) }

func SatI32(x int64) uint32 { return uint32(int32(min(max(x, math.MinInt32), math.MaxInt32))) }

func SatAddU16(a, b uint16) uint16 { return uint16(min(uint32(a)+uint32(b), math.MaxUint16)) }

func SatSubU16(a, b uint16) uint16 { return a - min(a, b) }

func satI16(x int32) uint16 { return uint16(min(max(x, math.MinInt16), math.MaxInt16)) }

func SatAddI16(a, b uint16) uint16 { return satI16(int32(int16(a)) + int32(int16(b))) }

func SatSubI16(a, b uint16) uint16 { return satI16(int32(int16(a)) - int32(int16(b))) }

// Dot returns the sum of the products of the fields of a and b, which have 4 or 8 bits.
func Dot(a, b uint32, width uint, signedA, signedB bool) int32 {
	if width == 4 { // as bytes of 16 times their values
		const high = 0xf0f0f0f0
		return (Dot(a&high, b&high, 8, signedA, signedB) + Dot(a<<4&high, b<<4&high, 8, signedA, signedB)) >> 8
	}
	var signOfA, signOfB int32
	if signedA {
		signOfA = 128
	}
	if signedB {
		signOfB = 128
	}
	return field8(a, signOfA)*field8(b, signOfB) + field8(a>>8, signOfA)*field8(b>>8, signOfB) +
		field8(a>>16, signOfA)*field8(b>>16, signOfB) + field8(a>>24, signOfA)*field8(b>>24, signOfB)
}

// field8 is the lowest byte of x, whose sign is extended if sign is 128, not 0.
func field8(x uint32, sign int32) int32 { return int32(x&255) ^ sign - sign }

// Dot2I16 is the sum of the products of two pairs of signed numbers of 16 bits.
func Dot2I16(a, b uint32) uint32 {
	return uint32(int32(int16(a))*int32(int16(b)) + int32(int16(a>>16))*int32(int16(b>>16)))
}
