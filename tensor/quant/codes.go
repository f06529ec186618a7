package quant

// The codes of blocks, for tiles: see coded.

// nibbles spreads the low and the high four bits of bytes to two places, eight at a time.
func nibbles(low, high, x []byte) {
	for i := 0; i < len(x); i += 8 {
		v := le.Uint64(x[i:])
		le.PutUint64(low[i:], v&0x0f0f0f0f0f0f0f0f)
		le.PutUint64(high[i:], v>>4&0x0f0f0f0f0f0f0f0f)
	}
}

// fifths adds a bit of a word to each of 32 codes.
func fifths(codes []byte, word uint32) {
	for i := range 32 {
		codes[i] |= byte(word>>i&1) << 4
	}
}

func codesQ4_0(codes []byte, scales, _ []float32, x []byte) {
	scales[0] = half(x)
	nibbles(codes, codes[16:], x[2:18])
}

func codesQ4_1(codes []byte, scales, minima []float32, x []byte) {
	scales[0], minima[0] = half(x), -half(x[2:])
	nibbles(codes, codes[16:], x[4:20])
}

func codesQ5_0(codes []byte, scales, _ []float32, x []byte) {
	scales[0] = half(x)
	nibbles(codes, codes[16:], x[6:22])
	fifths(codes, le.Uint32(x[2:]))
}

func codesQ5_1(codes []byte, scales, minima []float32, x []byte) {
	scales[0], minima[0] = half(x), -half(x[2:])
	nibbles(codes, codes[16:], x[8:24])
	fifths(codes, le.Uint32(x[4:]))
}

func codesQ8_0(codes []byte, scales, _ []float32, x []byte) {
	scales[0] = half(x)
	for i := 0; i < 32; i += 8 {
		le.PutUint64(codes[i:], le.Uint64(x[2+i:])^0x8080808080808080)
	}
}

func codesQ2K(codes []byte, scales, minima []float32, x []byte) {
	d, dmin := half(x[80:]), half(x[82:])
	for p, s := range x[:16] {
		scales[p], minima[p] = d*float32(s&15), dmin*float32(s>>4)
		twoBits(codes[16*p:], x[16+p/8*32+p%2*16:], p/2%4*2)
	}
}

// twoBits sets 16 codes to two bits of bytes.
func twoBits(codes, x []byte, shift int) {
	for i := 0; i < 16; i += 8 {
		le.PutUint64(codes[i:], le.Uint64(x[i:])>>shift&0x0303030303030303)
	}
}

func codesQ3K(codes []byte, scales, _ []float32, x []byte) {
	d := half(x[108:])
	for p := range 16 {
		scales[p] = d * float32(scaleQ3K(x[96:108], p)-32)
		twoBits(codes[16*p:], x[32+p/8*32+p%2*16:], p/2%4*2)
		for i, third := range x[p%2*16:][:16] {
			codes[16*p+i] |= third >> (p / 2) & 1 << 2
		}
	}
}

func codesQ4K(codes []byte, scales, minima []float32, x []byte) {
	scalesQ45K(scales, minima, x)
	for p := 0; p < 8; p += 2 {
		nibbles(codes[32*p:], codes[32*p+32:], x[16+16*p:][:32])
	}
}

func codesQ5K(codes []byte, scales, minima []float32, x []byte) {
	scalesQ45K(scales, minima, x)
	for p := 0; p < 8; p += 2 {
		nibbles(codes[32*p:], codes[32*p+32:], x[48+16*p:][:32])
	}
	for i := 0; i < 32; i += 8 {
		fifth := le.Uint64(x[16+i:])
		for p := range 8 {
			to := codes[32*p+i:]
			le.PutUint64(to, le.Uint64(to)|fifth>>p&0x0101010101010101<<4)
		}
	}
}

func scalesQ45K(scales, minima []float32, x []byte) {
	d, dmin := half(x), half(x[2:])
	for p := range 8 {
		s, m := scaleMin(x[4:16], p)
		scales[p], minima[p] = d*float32(s), dmin*float32(m)
	}
}

func codesQ6K(codes []byte, scales, _ []float32, x []byte) {
	d := half(x[208:])
	for p := range 16 {
		scales[p] = d * float32(int8(x[192+p]))
	}
	for n := range 2 {
		to, low, high := codes[128*n:], x[64*n:], x[128+32*n:]
		nibbles(to, to[64:], low[:64])
		for i := 0; i < 32; i += 8 {
			top := le.Uint64(high[i:])
			for j := range 4 {
				at := to[32*j+i:]
				le.PutUint64(at, le.Uint64(at)|top>>(2*j)&0x0303030303030303<<4)
			}
		}
	}
}

// look sets 32 codes to numbers of a table, and 128.
func look(codes, x []byte, table *[16]float32) {
	for i, c := range x[:16] {
		codes[i], codes[i+16] = byte(int(table[c&15])+128), byte(int(table[c>>4])+128)
	}
}

func codesIQ4_NL(codes []byte, scales, _ []float32, x []byte) {
	scales[0] = half(x)
	look(codes, x[2:], &uneven)
}

func codesIQ4_XS(codes []byte, scales, _ []float32, x []byte) {
	for p := range 8 {
		scales[p] = half(x) * float32(scaleIQ4_XS(x, p))
		look(codes[32*p:], x[8+16*p:], &uneven)
	}
}

func codesMXFP4(codes []byte, scales, _ []float32, x []byte) {
	scales[0] = halfPower(x[0])
	look(codes, x[1:], &tiny)
}
