package host

import (
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// transposeTile is the size of the square tiles that are transposed at a time.
const transposeTile = 64

// transposeElems copies a matrix that is dense along columns to one that is dense along rows, tile by tile: row by
// row it would use one element of each cache line that it reads or writes. A tile goes through a buffer, because in
// most matrices the lines of a tile are a power of two apart and would evict each other from the cache.
func transposeElems[B any](src, dst []B, rows, cols, from, to int) {
	turn := transposeTilePlain[B]
	if sizeOf[B]() == 4 && simd.Fast.Transpose != nil {
		turn = transposeTileVectors[B]
	}
	Parallel((rows+transposeTile-1)/transposeTile, transposeTile*cols, func(lo, hi int) {
		var buffer [transposeTile][transposeTile]B
		for r := lo * transposeTile; r < min(hi*transposeTile, rows); r += transposeTile {
			high := min(transposeTile, rows-r)
			for c := 0; c < cols; c += transposeTile {
				wide := min(transposeTile, cols-c)
				for i := range wide {
					copy(buffer[i][:high], src[(c+i)*from+r:])
				}
				turn(dst[r*to+c:], buffer[:wide], high, to)
			}
		}
	})
}

// transposeTilePlain writes columns as rows that are stride apart.
func transposeTilePlain[B any](dst []B, columns [][transposeTile]B, rows, stride int) {
	for r := range rows {
		line := dst[r*stride:][:len(columns)]
		for c := range line {
			line[c] = columns[c][r&(transposeTile-1)]
		}
	}
}

// transposeTileVectors is transposeTilePlain for elements of the size of a float32. It moves bits of any meaning.
func transposeTileVectors[B any](dst []B, columns [][transposeTile]B, rows, stride int) {
	done := len(columns) &^ 7
	for r := 0; r < rows; r += 8 {
		for c := 0; c < done; c += 8 {
			simd.Fast.Transpose(asFloats(dst[r*stride+c:]), asFloats(columns[c][r:]), stride, transposeTile,
				min(8, rows-r))
		}
	}
	if done < len(columns) {
		transposeTilePlain(dst[done:], columns[done:], rows, stride)
	}
}

// asFloats returns elements of 4 or 8 bytes as one or two float32 each.
func asFloats[B any](s []B) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[B]()/4)
}
