package host

import (
	"encoding/binary"
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// extremeOf returns the vector loop for its type, or plain, which folds a row with pick.
func extremeOf[T float32 | float64](
	plain func(row []T) T, pick func(x, y T) T, float func(row []float32) float32, double func(row []float64) float64,
) func(row []T) T {
	if f, ok := any(float).(func(row []T) T); ok && f != nil {
		return f
	}
	f, ok := any(double).(func(row []T) T)
	if !ok || f == nil {
		return plain
	}
	return func(row []T) T {
		n := len(row) &^ (simd.Whole - 1)
		if n == 0 {
			return plain(row)
		}
		best := f(row[:n])
		if best == 0 {
			return plain(row) // which orders the zeros
		}
		for _, x := range row[n:] {
			best = pick(best, x)
		}
		return best
	}
}

// maximum and minimum look at four elements at a time, most of which change nothing. The builtins do the rest: NaN
// wins.

func maximum[T element](row []T) T {
	best := row[0]
	for len(row) >= 4 && best == best {
		if a, b, c, d := row[0], row[1], row[2], row[3]; !(a < best && b < best && c < best && d < best) {
			best = max(best, a, b, c, d)
		}
		row = row[4:]
	}
	for _, x := range row {
		best = max(best, x)
	}
	return best
}

func minimum[T element](row []T) T {
	best := row[0]
	for len(row) >= 4 && best == best {
		if a, b, c, d := row[0], row[1], row[2], row[3]; !(a > best && b > best && c > best && d > best) {
			best = min(best, a, b, c, d)
		}
		row = row[4:]
	}
	for _, x := range row {
		best = min(best, x)
	}
	return best
}

// maximumOf and minimumOf return the loop for rows of integers.

func maximumOf[T element]() func(row []T) T {
	if f, ok := any(maximumByte).(func(row []T) T); ok {
		return f
	}
	return maximum[T]
}

func minimumOf[T element]() func(row []T) T {
	if f, ok := any(minimumByte).(func(row []T) T); ok {
		return f
	}
	return minimum[T]
}

// Bytes, which masks are, are compared eight at a time with the best so far. ones times a byte repeats it, and highs
// are the highest bits of the eight.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

func maximumByte(row []uint8) uint8 {
	best := row[0]
	for len(row) >= 8 && best < math.MaxUint8 {
		w := binary.LittleEndian.Uint64(row)
		// The sum has the highest bit of each byte that is above best, up to 127, and so has w of those above 127.
		if best > 127 || (w+uint64(127-best)*ones|w)&highs != 0 {
			best = max(best, maximum(row[:8]))
		}
		row = row[8:]
	}
	if best == math.MaxUint8 || len(row) == 0 {
		return best
	}
	return max(best, maximum(row))
}

func minimumByte(row []uint8) uint8 {
	best := row[0]
	for len(row) >= 8 && best > 0 {
		w := binary.LittleEndian.Uint64(row)
		// The difference borrows the highest bit of the first byte that is below best, up to 128.
		if best > 128 || (w-uint64(best)*ones)&^w&highs != 0 {
			best = min(best, minimum(row[:8]))
		}
		row = row[8:]
	}
	if best == 0 || len(row) == 0 {
		return best
	}
	return min(best, minimum(row))
}

func argMax[T element](row []T) uint32 {
	at, best := 0, row[0]
	for i, x := range row {
		if best != best {
			break // the first NaN
		}
		if x > best || x != x {
			at, best = i, x
		}
	}
	return uint32(at)
}

func argMin[T element](row []T) uint32 {
	at, best := 0, row[0]
	for i, x := range row {
		if best != best {
			break
		}
		if x < best || x != x {
			at, best = i, x
		}
	}
	return uint32(at)
}

// product multiplies elements of T in S, in four chains of multiplications, which need not wait for each other.
func product[T, S element](row []T) T {
	a, b, c, d := S(1), S(1), S(1), S(1)
	for ; len(row) >= 4; row = row[4:] {
		a, b, c, d = a*S(row[0]), b*S(row[1]), c*S(row[2]), d*S(row[3])
	}
	for _, x := range row {
		a *= S(x)
	}
	return T(a * b * (c * d))
}
