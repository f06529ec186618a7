package quant

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// dots are the products of rows of blocks as whole numbers, and of rows of floats, for one kind of processor.
type dots struct {
	whole  map[Type]wholeProduct
	floats map[Type]floatProducts
}

var fastDots = func() dots {
	switch simd.Fast.Name {
	case "Go":
		return dots{}
	case "AVX-512":
		d := dots{dotsAVX2.whole, dotsAVX512.floats}
		if cpu.X86.HasAVX512VNNI {
			d.whole = dotsAVX512.whole
		}
		return d
	}
	return dotsAVX2
}()

var (
	dotsAVX2 = dots{
		whole: map[Type]wholeProduct{
			Q4_0: dotQ4_0AVX2, Q8_0: dotQ8_0AVX2, Q4K: dotQ4KAVX2, Q5K: dotQ5KAVX2, Q6K: dotQ6KAVX2},
		floats: map[Type]floatProducts{F16: dotF16AVX2, BF16: dotBF16AVX2},
	}
	dotsAVX512 = dots{
		whole: map[Type]wholeProduct{
			Q4_0: dotQ4_0VNNI, Q8_0: dotQ8_0VNNI, Q4K: dotQ4KVNNI, Q5K: dotQ5KVNNI, Q6K: dotQ6KVNNI},
		floats: map[Type]floatProducts{F16: dotF16AVX512, BF16: dotBF16AVX512},
	}
)

// fastTile returns the function that multiplies panels of a format, or nil.
func fastTile(t Type) tileProduct {
	switch top := codedFormats[t].top; {
	case simd.Fast.Name == "Go":
		return nil
	case simd.Fast.Name == "AVX-512" && cpu.X86.HasAVX512VNNI:
		return tileVNNI
	case top <= 31:
		return smallTile
	case top <= 63:
		return wideTile
	case formats[t].with == Q8K: // whose numbers may be -128
		return leastTile
	}
	return bytesTile
}

// The tiles of AVX2, for codes up to 31, up to 63, and for any bytes: see their quarters.
var (
	smallTile, wideTile  = quarters(tileAVX2), quarters(tileAVX2Wide)
	bytesTile, leastTile = quarters(tileAVX2Bytes), quarters(tileAVX2Least)
)

// quarters makes a tile of four: halves of its rows by halves of its columns.
func quarters(quarter tileProduct) tileProduct {
	const rows, columns = panelRows / 2, panelColumns / 2
	return func(out *float32, stride int, codes *byte, scales, minima *float32, x, facts *byte, parts, fours int) {
		for r := 0; r < panelRows; r += rows {
			for c := 0; c < panelColumns; c += columns {
				smallest := minima
				if minima != nil {
					smallest = further(minima, r)
				}
				quarter(further(out, c*stride+r), stride, further(codes, 4*r), further(scales, r), smallest,
					further(x, 4*c), further(facts, 4*c), parts, fours)
			}
		}
	}
}

// further is the element n after p, in the same array.
func further[T any](p *T, n int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(p), n*int(unsafe.Sizeof(*p))))
}

// wholeDot returns the function that multiplies rows of blocks of a format as whole numbers, or nil where there is
// none: those are unpacked to floats.
func wholeDot(t Type) wholeProduct {
	return fastDots.whole[t]
}

// floatDot returns the function that multiplies rows of elements of 16 bits with floats, or nil where there is none.
func floatDot(t Type) floatProducts { return fastDots.floats[t] }
