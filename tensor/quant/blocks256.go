package quant

import "math"

// The formats with blocks of 256 elements: parts of 16 or 32 elements have small whole numbers as scales, and for some
// as minima too, which the scales d and dmin of the block multiply.

const block = 256

// Q2K: scales[16] (scale in the low, minimum in the high four bits), codes[64], d, dmin; parts of 16.
// The two bits of element 128·n + 32·j + i are bits 2j of byte 32·n + i, as in Q3K.

func putTwoBits(codes []byte, i, c int) { codes[i/128*32+i%32] |= byte(c) << (i / 32 % 4 * 2) }

func decodeQ2K(to []float32, x []byte) {
	d, dmin := half(x[80:]), half(x[82:])
	for p, s := range x[:16] {
		scale, low := d*float32(s&15), dmin*float32(s>>4)
		codes, shift, part := x[16+p/8*32+p%2*16:][:16], p/2%4*2, to[16*p:][:16]
		for i := range part {
			part[i] = float32(scale*float32(codes[i]>>shift&3)) - low
		}
	}
}

func encodeQ2K(to []byte, x []float32) {
	clear(to)
	d, dmin, scales, minima, q := fitParts(x, 16, 3, 15)
	for p := range scales {
		to[p] = byte(scales[p] | minima[p]<<4)
	}
	putHalf(to[80:], d)
	putHalf(to[82:], dmin)
	for i, c := range q {
		putTwoBits(to[16:80], i, c)
	}
}

// Q3K: third bits[32], codes[64], scales[12], d; parts of 16. Element i has its third bit in bit i/32 of byte i%32;
// without it 4 is taken away. Scales have six bits, from which 32 is taken away: four in the first eight bytes, two in
// the last four.

func scaleQ3K(s []byte, p int) int {
	low := int(s[p%8]) >> (p / 8 * 4) & 15
	return low | int(s[8+p%4])>>(p/4*2)&3<<4
}

func decodeQ3K(to []float32, x []byte) {
	d := half(x[108:])
	for p := range 16 {
		scale := d * float32(scaleQ3K(x[96:108], p)-32)
		third, codes, part := x[p%2*16:][:16], x[32+p/8*32+p%2*16:][:16], to[16*p:][:16]
		for i := range part {
			part[i] = scale * float32(int(codes[i]>>(p/2%4*2)&3|third[i]>>(p/2)&1<<2)-4)
		}
	}
}

func encodeQ3K(to []byte, x []float32) {
	clear(to)
	d, scales, q := fitSigned(x, 16, 4, 32)
	putHalf(to[108:], d)
	for p, s := range scales {
		s += 32
		to[96+p%8] |= byte(s & 15 << (p / 8 * 4))
		to[104+p%4] |= byte(s >> 4 << (p / 4 * 2))
	}
	for i, c := range q {
		c += 4
		putTwoBits(to[32:96], i, c&3)
		to[i%32] |= byte(c>>2) << (i / 32)
	}
}

// Q4K and Q5K: d, dmin, scales[12], for Q5K fifth bits[32], codes[128]; parts of 32. Scales and minima have six bits:
// those of parts 0 to 3 in the low bits of four bytes each; of parts 4 to 7 four bits in the last four bytes, and two
// on top of the first eight.

func scaleMin(s []byte, p int) (scale, minimum int) {
	if p < 4 {
		return int(s[p] & 63), int(s[p+4] & 63)
	}
	return int(s[p+4]&15 | s[p-4]>>6<<4), int(s[p+4]>>4 | s[p]>>6<<4)
}

func putScaleMin(s []byte, p, scale, minimum int) {
	if p < 4 {
		s[p] |= byte(scale)
		s[p+4] |= byte(minimum)
		return
	}
	s[p+4] |= byte(scale&15 | minimum&15<<4)
	s[p-4] |= byte(scale >> 4 << 6)
	s[p] |= byte(minimum >> 4 << 6)
}

// putFourBits stores the code of element 64·n + 32·j + i as four bits j of byte 32·n + i.
func putFourBits(codes []byte, i, c int) { codes[i/64*32+i%32] |= byte(c) << (i / 32 % 2 * 4) }

func decodeQ4K(to []float32, x []byte) {
	d, dmin := half(x), half(x[2:])
	for p := range 8 {
		s, m := scaleMin(x[4:16], p)
		scale, low := d*float32(s), dmin*float32(m)
		codes, shift, part := x[16+p/2*32:][:32], p%2*4, to[32*p:][:32]
		for i := range part {
			part[i] = float32(scale*float32(codes[i]>>shift&15)) - low
		}
	}
}

func encodeQ4K(to []byte, x []float32) {
	clear(to)
	for i, c := range putQ45K(to, x, 15) {
		putFourBits(to[16:], i, c)
	}
}

func decodeQ5K(to []float32, x []byte) {
	d, dmin := half(x), half(x[2:])
	for p := range 8 {
		s, m := scaleMin(x[4:16], p)
		scale, low := d*float32(s), dmin*float32(m)
		fifth, codes, shift, part := x[16:48], x[48+p/2*32:][:32], p%2*4, to[32*p:][:32]
		for i := range part {
			part[i] = float32(scale*float32(codes[i]>>shift&15|fifth[i]>>p&1<<4)) - low
		}
	}
}

func encodeQ5K(to []byte, x []float32) {
	clear(to)
	for i, c := range putQ45K(to, x, 31) {
		putFourBits(to[48:], i, c&15)
		to[16+i%32] |= byte(c>>4) << (i / 32)
	}
}

// putQ45K writes the scales of Q4K or Q5K and returns the codes.
func putQ45K(to []byte, x []float32, top int) []int {
	d, dmin, scales, minima, q := fitParts(x, 32, top, 63)
	putHalf(to, d)
	putHalf(to[2:], dmin)
	for p := range scales {
		putScaleMin(to[4:16], p, scales[p], minima[p])
	}
	return q
}

// Q6K: low bits[128], high bits[64], scales[16] (signed bytes), d; parts of 16. From the six bits 32 is taken away. Of
// element 128·n + 32·j + i the four low bits are those of byte 64·n + 32·(j%2) + i, upper half for j above 1; the two
// high ones bits 2j of byte 32·n + i.

func decodeQ6K(to []float32, x []byte) {
	d := half(x[208:])
	for p := range 16 {
		scale := d * float32(int8(x[192+p]))
		low, high, part := x[p/8*64+p%4*16:][:16], x[128+p/8*32+p%2*16:][:16], to[16*p:][:16]
		for i := range part {
			part[i] = scale * float32(int(low[i]>>(p/4%2*4)&15|high[i]>>(p/2%4*2)&3<<4)-32)
		}
	}
}

func encodeQ6K(to []byte, x []float32) {
	clear(to)
	d, scales, q := fitSigned(x, 16, 32, 128)
	putHalf(to[208:], d)
	for p, s := range scales {
		to[192+p] = byte(int8(s))
	}
	for i, c := range q {
		c += 32
		to[i/128*64+i%64] |= byte(c&15) << (i / 64 % 2 * 4)
		putTwoBits(to[128:192], i, c>>4)
	}
}

// Q8K: d (single precision), codes[256], sums of 16 codes each. It is made for the other operand of products.

func decodeQ8K(to []float32, x []byte) {
	d := math.Float32frombits(le.Uint32(x))
	for i := range to {
		to[i] = d * float32(int8(x[4+i]))
	}
}

func encodeQ8K(to []byte, x []float32) {
	clear(to)
	top := peak(x)
	if top == 0 {
		return
	}
	scale := -128 / top
	le.PutUint32(to, math.Float32bits(1/scale))
	for part := 0; part < block; part += 16 {
		sum := 0
		for i, v := range x[part:][:16] {
			q := min(nearestWhole(scale*v), 127)
			to[4+part+i] = byte(int8(q))
			sum += int(int8(q))
		}
		le.PutUint16(to[4+block+part/8:], uint16(sum))
	}
}
