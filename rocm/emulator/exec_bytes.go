package emulator

import "math"

// Vector instructions on the bytes of registers, and on the faces of a cube.

func median[T int16 | uint16 | int32 | uint32](a, b, c T) T { return max(min(a, b), min(max(a, b), c)) }

func absDiff(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func sadU8(a, b uint32) uint32 {
	var s uint32
	for i := 0; i < 32; i += 8 {
		s += absDiff(a>>i&255, b>>i&255)
	}
	return s
}

// msadU8 is sadU8 without the bytes that are 0 in b.
func msadU8(a, b uint32) uint32 {
	var s uint32
	for i := 0; i < 32; i += 8 {
		if b>>i&255 != 0 {
			s += absDiff(a>>i&255, b>>i&255)
		}
	}
	return s
}

func lerpU8(a, b, c uint32) uint32 {
	var r uint32
	for i := 0; i < 32; i += 8 {
		r |= (a>>i&255 + b>>i&255 + c>>i&1) >> 1 & 255 << i
	}
	return r
}

// quadSAD adds to the 16-bit values of c the differences of four bytes of a, from each of its first four on, to those
// of b.
func quadSAD(sad func(a, b uint32) uint32, a, b, c uint64) (r uint64) {
	for i := 0; i < 4; i++ {
		sum := sad(uint32(a>>(8*i)), uint32(b)) + uint32(c>>(16*i))
		r |= uint64(uint16(sum)) << (16 * i)
	}
	return r
}

// quadSADWords is quadSAD with msadU8 for 32-bit values, in four registers.
func quadSADWords(w *wave, in *inst) {
	a, b := w.wideSrc(&in.s[0], 0), w.src(&in.s[1], 1)
	var t [4]lanes
	for k := range t {
		acc := in.s[2]
		if acc.place == placeVGPR {
			acc.reg += uint16(k)
		} else if k > 0 || acc.place != placeConst {
			w.fail(CodeLaunchFailure, "%s with a scalar as the sum is not emulated", in.name)
		}
		for i, c := range w.src(&acc, 2) {
			t[k][i] = msadU8(uint32(a[i]>>(8*k)), b[i]) + c
		}
	}
	for k := range t {
		w.merge(in.d+uint16(k), &t[k])
	}
}

// cube returns which axis the largest coordinate is on, and whether it is negative there.
func cube(x, y, z float32) (axis int, negative bool) {
	abs := func(f float32) float32 { return fb(bf(f) &^ (1 << 31)) }
	switch {
	case abs(z) >= abs(x) && abs(z) >= abs(y):
		return 2, z < 0
	case abs(y) >= abs(x):
		return 1, y < 0
	}
	return 0, x < 0
}

func cubeFace(x, y, z float32) float32 {
	axis, negative := cube(x, y, z)
	return float32(2*axis + int(b2u(negative)))
}

func cubeS(x, y, z float32) float32 {
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

func cubeT(x, y, z float32) float32 {
	switch axis, negative := cube(x, y, z); {
	case axis != 1:
		return -y
	case negative:
		return -z
	}
	return z
}

func cubeMajor(x, y, z float32) float32 {
	axis, _ := cube(x, y, z)
	return 2 * [3]float32{x, y, z}[axis]
}

// mulLit is a multiplication of lighting: without light, where c is not positive or b is no number, the least float.
func mulLit(a, b, c float32) float32 {
	if !(b > -math.MaxFloat32) || !(c > 0) {
		return -math.MaxFloat32
	}
	return a * b
}
