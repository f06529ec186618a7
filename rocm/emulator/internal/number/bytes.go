package number

import "math"

// Vector instructions on the bytes of registers, and on the faces of a cube.

func Median[T int16 | uint16 | int32 | uint32](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }

func AbsDiff(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func SADU8(a, b uint32) uint32 {
	var s uint32
	for i := 0; i < 32; i += 8 {
		s += AbsDiff(a>>i&255, b>>i&255)
	}
	return s
}

// MSADU8 is sadU8 without the bytes that are 0 in b.
func MSADU8(a, b uint32) uint32 {
	var s uint32
	for i := 0; i < 32; i += 8 {
		if b>>i&255 != 0 {
			s += AbsDiff(a>>i&255, b>>i&255)
		}
	}
	return s
}

func LerpU8(a, b, c uint32) uint32 {
	var r uint32
	for i := 0; i < 32; i += 8 {
		r |= (a>>i&255 + b>>i&255 + c>>i&1) >> 1 & 255 << i
	}
	return r
}

// QuadSAD adds to the 16-bit values of c the differences of four bytes of a, from each of its first four on, to those
// of b.
func QuadSAD(sad func(a, b uint32) uint32, a, b, c uint64) (r uint64) {
	for i := 0; i < 4; i++ {
		sum := sad(uint32(a>>(8*i)), uint32(b)) + uint32(c>>(16*i))
		r |= uint64(uint16(sum)) << (16 * i)
	}
	return r
}

// cube returns which axis the largest coordinate is on, and whether it is negative there.
func cube(x, y, z float32) (axis int, negative bool) {
	abs := func(f float32) float32 { return math.Float32frombits(math.Float32bits(f) &^ (1 << 31)) }
	switch {
	case abs(z) >= abs(x) && abs(z) >= abs(y):
		return 2, z < 0
	case abs(y) >= abs(x):
		return 1, y < 0
	}
	return 0, x < 0
}

func CubeFace(x, y, z float32) float32 {
	axis, negative := cube(x, y, z)
	sign := 0
	if negative {
		sign = 1
	}
	return float32(2*axis + sign)
}

func CubeS(x, y, z float32) float32 {
	switch axis, negative := cube(x, y, z); {
	case axis == 0 && negative:
		return z
	case axis == 0:
		return -z
	case axis == 2 && negative:
		return -x
	}
	return x
}

func CubeT(x, y, z float32) float32 {
	switch axis, negative := cube(x, y, z); {
	case axis != 1:
		return -y
	case negative:
		return -z
	}
	return z
}

func CubeMajor(x, y, z float32) float32 {
	axis, _ := cube(x, y, z)
	return 2 * [3]float32{x, y, z}[axis]
}

// MulLit is a multiplication of lighting: without light, where c is not positive or b is no number, the least float.
func MulLit(a, b, c float32) float32 {
	if !(b > -math.MaxFloat32) || !(c > 0) {
		return -math.MaxFloat32
	}
	return a * b
}
