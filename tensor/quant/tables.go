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
	d := half(x)
	for p := range 8 {
		lookUp(to[32*p:], x[8+16*p:], d*float32(scaleIQ4_XS(x, p)), &uneven)
	}
}

func scaleIQ4_XS(x []byte, p int) int {
	return int(x[4+p/2]>>(p%2*4)&15) | int(le.Uint16(x[2:])>>(2*p)&3)<<4 - 32
}

// MXFP4: an exponent, codes[16].
func decodeMXFP4(to []float32, x []byte) { lookUp(to, x[1:], halfPower(x[0]), &tiny) }

// halfPower is half of 2 to the exponent minus 127.
func halfPower(exponent byte) float32 {
	if exponent >= 2 {
		return math.Float32frombits(uint32(exponent-1) << 23)
	}
	return math.Float32frombits(0x00200000 << exponent)
}
