package host

import (
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// turnSize is how many rows and columns of a transposed copy are made at a time.
const turnSize = 64

// transposeElems copies a matrix that is dense along columns to one that is dense along rows, tile by tile: a walk along either
// direction would use one element of each cache line that it reads or writes. A tile goes through a buffer, because the lines
// of a tile lie a power of two apart in most matrices and would push each other out of the cache.
func transposeElems[B any](src, dst []B, rows, cols, from, to int) {
	turn := turnTile[B]
	if kernelSize[B]() == 4 && simd.Fast.Transpose != nil {
		turn = turnVectors[B]
	}
	Parallel((rows+turnSize-1)/turnSize, turnSize*cols, func(lo, hi int) {
		var buffer [turnSize][turnSize]B
		for r := lo * turnSize; r < min(hi*turnSize, rows); r += turnSize {
			high := min(turnSize, rows-r)
			for c := 0; c < cols; c += turnSize {
				wide := min(turnSize, cols-c)
				for i := range wide {
					copy(buffer[i][:high], src[(c+i)*from+r:])
				}
				turn(dst[r*to+c:], buffer[:wide], high, to)
			}
		}
	})
}

// turnTile writes columns, each with so many elements, as rows that are stride apart.
func turnTile[B any](dst []B, columns [][turnSize]B, rows, stride int) {
	for r := range rows {
		line := dst[r*stride:][:len(columns)]
		for c := range line {
			line[c] = columns[c][r&(turnSize-1)]
		}
	}
}

// turnVectors is turnTile for elements of the size of a float32. It moves bits, whatever they mean.
func turnVectors[B any](dst []B, columns [][turnSize]B, rows, stride int) {
	done := len(columns) &^ 7
	for r := 0; r < rows; r += 8 {
		for c := 0; c < done; c += 8 {
			simd.Fast.Transpose(asFloats(dst[r*stride+c:]), asFloats(columns[c][r:]), stride, turnSize, min(8, rows-r))
		}
	}
	if done < len(columns) {
		turnTile(dst[done:], columns[done:], rows, stride)
	}
}

// asFloats looks at elements of 4 or 8 bytes as one or two float32 each.
func asFloats[B any](s []B) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*kernelSize[B]()/4)
}
