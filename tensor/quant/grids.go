package quant

import (
	_ "embed"
	"math/bits"

	"github.com/x448/float16"
)

// Formats with blocks of 256 elements whose codes are rows of a grid: four or eight elements at a time have one code.

// packedGrids are the grids, one after another: of IQ2_XXS, IQ2_XS and IQ2_S, with elements of two bits, of IQ3_XXS and
// IQ3_S, of four bits, and of IQ1, of two bits, low bits first. They are data of the formats, those of ggml-common.h,
// which belongs to ggml (MIT licence).
//
//go:embed grids.bin
var packedGrids []byte

var (
	of2 = []float32{8, 25, 43}
	of3 = []float32{4, 12, 20, 28, 36, 44, 52, 62}

	gridIQ2XXS = elementsOf(0, 512, 2, of2)
	gridIQ2XS  = elementsOf(512, 1024, 2, of2)
	gridIQ2S   = elementsOf(1536, 2048, 2, of2)
	gridIQ3XXS = elementsOf(3584, 512, 4, of3)
	gridIQ3S   = elementsOf(4096, 1024, 4, []float32{1, 3, 5, 7, 9, 11, 13, 15})
	gridIQ1    = elementsOf(5120, 4096, 2, []float32{-1, 0, 1})
)

// elementsOf unpacks so many bytes of the grids.
func elementsOf(from, bytes, bits int, values []float32) []float32 {
	out := make([]float32, 0, bytes*8/bits)
	for _, b := range packedGrids[from : from+bytes] {
		for shift := 0; shift < 8; shift += bits {
			out = append(out, values[int(b)>>shift&(1<<bits-1)])
		}
	}
	return out
}

// signsOf7 are the signs of eight elements, of which seven are stored: their number is even.
func signsOf7(x uint32) byte { return byte(x&127 | uint32(bits.OnesCount32(x&127)&1)<<7) }

// signed sets elements to d times those of a grid, with signs.
func signed(to, grid []float32, d float32, signs byte) {
	for i := range to {
		if to[i] = d * grid[i]; signs>>i&1 != 0 {
			to[i] = -to[i]
		}
	}
}

// nibble is four bits of bytes, the low ones first.
func nibble(x []byte, i int) int { return int(x[i/2]) >> (i % 2 * 4) & 15 }

// IQ2_XXS: d, then for each 32 elements four codes and a word of four times seven signs and a scale.
func decodeIQ2_XXS(to []float32, x []byte) {
	d := half(x)
	for p := range 8 {
		codes, word := x[2+8*p:], le.Uint32(x[6+8*p:])
		scale := d * (0.5 + float32(word>>28)) * 0.25
		for g := range 4 {
			signed(to[32*p+8*g:][:8], gridIQ2XXS[8*int(codes[g]):], scale, signsOf7(word>>(7*g)))
		}
	}
}

// IQ2_XS: d, 32 codes of nine bits with seven signs, scales of four bits for each 16 elements.
func decodeIQ2_XS(to []float32, x []byte) {
	d, scales := half(x), x[66:]
	for g := range 32 {
		code := uint32(le.Uint16(x[2+2*g:]))
		scale := d * (0.5 + float32(nibble(scales, g/2))) * 0.25
		signed(to[8*g:][:8], gridIQ2XS[8*(code&511):], scale, signsOf7(code>>9))
	}
}

// IQ2_S: d, low bits of codes[32], signs[32], high bits of codes[8], scales of four bits for each 16 elements.
func decodeIQ2_S(to []float32, x []byte) {
	d, codes, signs, high, scales := half(x), x[2:34], x[34:66], x[66:74], x[74:82]
	for g := range 32 {
		code := int(codes[g]) | int(high[g/4])>>(g%4*2)&3<<8
		scale := d * (0.5 + float32(nibble(scales, g/2))) * 0.25
		signed(to[8*g:][:8], gridIQ2S[8*code:], scale, signs[g])
	}
}

// IQ3_XXS: d, codes[64] of four elements, and for each 32 elements a word of four times seven signs and a scale.
func decodeIQ3_XXS(to []float32, x []byte) {
	d, codes := half(x), x[2:66]
	for p := range 8 {
		word := le.Uint32(x[66+4*p:])
		scale := d * (0.5 + float32(word>>28)) * 0.5
		for g := range 8 {
			signs := signsOf7(word>>(7*(g/2))) >> (g % 2 * 4)
			signed(to[32*p+4*g:][:4], gridIQ3XXS[4*int(codes[8*p+g]):], scale, signs)
		}
	}
}

// IQ3_S: d, low bits of codes[64], ninth bits[8], signs[32], scales of four bits for each 32 elements.
func decodeIQ3_S(to []float32, x []byte) {
	d, codes, ninth, signs, scales := half(x), x[2:66], x[66:74], x[74:106], x[106:110]
	for g := range 64 {
		code := int(codes[g]) | int(ninth[g/8])>>(g%8)&1<<8
		scale := d * float32(1+2*nibble(scales, g/8))
		signed(to[4*g:][:4], gridIQ3S[4*code:], scale, signs[g/2]>>(g%2*4))
	}
}

// shifted sets eight elements to scale times those of the grid of IQ1 and an eighth, less where down is set.
func shifted(to []float32, code int, scale float32, down bool) {
	delta := float32(0.125)
	if down {
		delta = -delta
	}
	for i := range to[:8] {
		to[i] = scale * (gridIQ1[8*code+i] + delta)
	}
}

// IQ1_S: d, low bits of codes[32], and for each 32 elements a word: four times three high bits, a scale of three, and
// the direction of the shift.
func decodeIQ1_S(to []float32, x []byte) {
	d, codes := half(x), x[2:34]
	for g := range 32 {
		word := int(le.Uint16(x[34+g/4*2:]))
		code := int(codes[g]) | word>>(g%4*3)&7<<8
		shifted(to[8*g:], code, d*float32(2*(word>>12&7)+1), word>>15 != 0)
	}
}

// IQ1_M: low bits of codes[32], three high bits and the direction of the shift in four bits for each code, and four
// words of four scales of three bits, whose upper four bits are d.
func decodeIQ1_M(to []float32, x []byte) {
	codes, high, scales := x[:32], x[32:48], x[48:56]
	var bits uint16
	for i := range 4 {
		bits |= le.Uint16(scales[2*i:]) >> 12 << (4 * i)
	}
	d := float16.Float16(bits).Float32()
	for g := range 32 {
		h := nibble(high, g)
		scale := int(le.Uint16(scales[g/8*2:])) >> (g / 2 % 4 * 3) & 7
		shifted(to[8*g:], int(codes[g])|h&7<<8, d*float32(2*scale+1), h&8 != 0)
	}
}
