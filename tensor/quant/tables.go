package quant

import "math"

// Formats whose codes of four bits stand for the numbers of a table. Two codes share a byte as in Q4_0.

var (
	uneven = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	// twice the floats of two bits of exponent and one of fraction
	tiny = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
)

func lookUp(to []float32, codes []byte, d float32, table *[16]float32) {
	for i := range 16 {
		to[i], to[i+16] = d*table[codes[i]&15], d*table[codes[i]>>4]
	}
}

func decodeIQ4_NL(to []float32, x []byte) { lookUp(to, x[2:], half(x), &uneven) }

// IQ4_XS: d, the upper two bits of eight scales, the lower four of them, codes[128]; 32 is taken away from a scale.
func decodeIQ4_XS(to []float32, x []byte) {
	d, high, low := half(x), le.Uint16(x[2:]), x[4:8]
	for p := range 8 {
		s := int(low[p/2]>>(p%2*4)&15) | int(high>>(2*p)&3)<<4
		lookUp(to[32*p:], x[8+16*p:], d*float32(s-32), &uneven)
	}
}

// MXFP4: an exponent, codes[16].
func decodeMXFP4(to []float32, x []byte) {
	d := math.Float32frombits(0x00200000 << x[0]) // half of 2 to the exponent minus 127
	if x[0] >= 2 {
		d = math.Float32frombits(uint32(x[0]-1) << 23)
	}
	lookUp(to, x[1:], d, &tiny)
}
