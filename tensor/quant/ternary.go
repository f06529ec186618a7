package quant

// Formats of the numbers -1, 0 and 1 times a scale, with blocks of 256 elements.

// TQ1_0: codes[48] of five elements each, codes[4] of four, d. A code is a fraction of 256 in base three.
func decodeTQ1_0(to []float32, x []byte) {
	d, at := half(x[52:]), 0
	digits := func(codes []byte, n int) {
		for power := byte(1); n > 0; n-- {
			for _, c := range codes {
				to[at] = d * float32(int(c*power)*3>>8-1)
				at++
			}
			power *= 3
		}
	}
	digits(x[:32], 5)
	digits(x[32:48], 5)
	digits(x[48:52], 4)
}

// TQ2_0: codes[64] of two bits, as in Q2K, d.
func decodeTQ2_0(to []float32, x []byte) {
	d := half(x[64:])
	for i := range to[:block] {
		to[i] = d * float32(int(x[i/128*32+i%32]>>(i/32%4*2)&3)-1)
	}
}

// NVFP4: four scales, floats of four bits of exponent and three of fraction, then for each codes[8], which share bytes
// as in Q4_0, of 16 elements.
func decodeNVFP4(to []float32, x []byte) {
	for p := range 4 {
		d := halfOfE4M3(x[p])
		for i, c := range x[4+8*p:][:8] {
			to[16*p+i], to[16*p+8+i] = d*tiny[c&15], d*tiny[c>>4]
		}
	}
}

// halfOfE4M3 is half of a float of eight bits without a sign. The one that would be NaN is 0, as in ggml.
func halfOfE4M3(x byte) float32 {
	exponent, fraction := x>>3&15, float32(x&7)
	switch {
	case x == 0x7f:
		return 0
	case exponent == 0:
		return fraction * 0x1p-10
	case exponent < 8:
		return (1 + fraction/8) / float32(int(1)<<(8-exponent))
	}
	return (1 + fraction/8) * float32(int(1)<<(exponent-8))
}
