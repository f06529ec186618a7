package host

import "github.com/gorocm/gorocm/tensor/internal/simd"

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
