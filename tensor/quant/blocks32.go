package quant

import "math"

// The formats with blocks of 32 elements: a scale d in half precision, for _1 a minimum m, and codes q. Element i is
// d·(q - offset) for _0 and d·q + m for _1. The low four bits of codes i and i+16 share byte i; fifth bits are bit i of
// a word.

// peak returns the element of the largest magnitude, with its sign, or NaN if there is one: then the scale is NaN,
// and with it the whole block.
func peak(x []float32) float32 {
	var top, size float32
	for _, v := range x {
		if a := abs(v); a > size {
			top, size = v, a
		} else if v != v {
			return v
		}
	}
	return top
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// span returns the minimum and the maximum.
func span(x []float32) (low, high float32) {
	low, high = x[0], x[0]
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

// code rounds a number that is not negative down, and keeps it below limit.
func code(x float32, limit int) int {
	if !(x > 0) {
		return 0
	}
	return int(min(x, float32(limit)))
}

// pack stores codes of four or five bits; the word of fifth bits is returned.
func pack(to []byte, q *[32]int) (fifth uint32) {
	for i := range 16 {
		to[i] = byte(q[i]&15 | q[i+16]&15<<4)
	}
	for i, c := range q {
		fifth |= uint32(c>>4) << i
	}
	return fifth
}

// symmetric returns the codes of _0: the peak becomes code 0 or, if it is negative, the other end.
func symmetric(x []float32, offset int) (d float32, q [32]int) {
	d = peak(x) / -float32(offset)
	inv := inverse(d)
	for i, v := range x {
		q[i] = code(float32(v*inv)+(float32(offset)+0.5), 2*offset-1)
	}
	return d, q
}

// affine returns the codes of _1: from 0 for the minimum to top for the maximum.
func affine(x []float32, top int) (d, m float32, q [32]int) {
	m, high := span(x)
	d = (high - m) / float32(top)
	inv := inverse(d)
	for i, v := range x {
		q[i] = code(float32((v-m)*inv)+0.5, top)
	}
	return d, m, q
}

func encodeQ4_0(to []byte, x []float32) {
	d, q := symmetric(x, 8)
	putHalf(to, d)
	pack(to[2:], &q)
}

func decodeQ4_0(to []float32, x []byte) {
	d := half(x)
	for i, c := range x[2:18] {
		to[i], to[i+16] = float32(int(c&15)-8)*d, float32(int(c>>4)-8)*d
	}
}

func encodeQ4_1(to []byte, x []float32) {
	d, m, q := affine(x, 15)
	putHalf(to, d)
	putHalf(to[2:], m)
	pack(to[4:], &q)
}

func decodeQ4_1(to []float32, x []byte) {
	d, m := half(x), half(x[2:])
	for i, c := range x[4:20] {
		to[i], to[i+16] = float32(float32(c&15)*d)+m, float32(float32(c>>4)*d)+m
	}
}

func encodeQ5_0(to []byte, x []float32) {
	d, q := symmetric(x, 16)
	putHalf(to, d)
	le.PutUint32(to[2:], pack(to[6:], &q))
}

func decodeQ5_0(to []float32, x []byte) {
	d, fifth := half(x), le.Uint32(x[2:])
	for i, c := range x[6:22] {
		low, high := uint32(c&15)|fifth>>i&1<<4, uint32(c>>4)|fifth>>(i+16)&1<<4
		to[i], to[i+16] = float32(int(low)-16)*d, float32(int(high)-16)*d
	}
}

func encodeQ5_1(to []byte, x []float32) {
	d, m, q := affine(x, 31)
	putHalf(to, d)
	putHalf(to[2:], m)
	le.PutUint32(to[4:], pack(to[8:], &q))
}

func decodeQ5_1(to []float32, x []byte) {
	d, m, fifth := half(x), half(x[2:]), le.Uint32(x[4:])
	for i, c := range x[8:24] {
		low, high := uint32(c&15)|fifth>>i&1<<4, uint32(c>>4)|fifth>>(i+16)&1<<4
		to[i], to[i+16] = float32(float32(low)*d)+m, float32(float32(high)*d)+m
	}
}

// nearestWhole rounds a small number to nearest, halves away from zero.
func nearestWhole(x float32) int { return int(float64(x) + math.Copysign(0.5, float64(x))) }

// bytesOf returns codes from -127 to 127, rounded to nearest, halves away from zero.
func bytesOf(to []byte, x []float32) (d float32, sum int) {
	d = abs(peak(x)) / 127
	inv := inverse(d)
	for i, v := range x {
		q := int8(nearestWhole(v * inv))
		to[i] = byte(q)
		sum += int(q)
	}
	return d, sum
}

func encodeQ8_0(to []byte, x []float32) {
	d, _ := bytesOf(to[2:], x)
	putHalf(to, d)
}

func decodeQ8_0(to []float32, x []byte) {
	d := half(x)
	for i := range to {
		to[i] = float32(int8(x[2+i])) * d
	}
}

func encodeQ8_1(to []byte, x []float32) {
	d, sum := bytesOf(to[4:], x)
	putHalf(to, d)
	putHalf(to[2:], float32(asHalf(float64(sum))*half(to))) // the factor of the minimum in a product
}

func decodeQ8_1(to []float32, x []byte) {
	d := half(x)
	for i := range to {
		to[i] = float32(int8(x[4+i])) * d
	}
}
