package kernels

import "math"

// References of operations on integers. Those whose results depend on the sign take int64 or uint64, into which the
// elements of all types are widened.

// quotient is a/b truncated toward zero; 0 for division by zero.
func quotient[T int64 | uint64](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

// fmodInt is what quotient leaves, with the sign of a; 0 for division by zero.
func fmodInt[T int64 | uint64](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

// modInt is what floorDivInt leaves, with the sign of b; 0 for division by zero.
func modInt[T int64 | uint64](a, b T) T {
	r := fmodInt(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// floorDivInt is a/b rounded down; 0 for division by zero.
func floorDivInt[T int64 | uint64](a, b T) T {
	q := quotient(a, b)
	if fmodInt(a, b) != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func magnitude[T int64 | uint64](a T) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func gcd[T int64 | uint64](a, b T) T {
	x, y := magnitude(a), magnitude(b)
	for y != 0 {
		x, y = y, x%y
	}
	return T(x)
}

func lcm[T int64 | uint64](a, b T) T {
	if a == 0 || b == 0 {
		return 0
	}
	return T(magnitude(a) / uint64(gcd(a, b)) * magnitude(b))
}

// Counts below zero, as uint64, are beyond every width.

func shiftLeft(a, b int64) int64 { return a << uint64(b) }

func shiftRight[T int64 | uint64](a, b T) T { return a >> uint64(b) }

// floorDiv is the quotient of Python and NumPy: by the remainder, which is exact, so that it fits to mod.
func floorDiv(a, b float64) float64 {
	if b == 0 {
		return a / b
	}
	r := math.Mod(a, b)
	q := (a - r) / b
	if r != 0 && (r < 0) != (b < 0) {
		q--
	}
	if q == 0 {
		return math.Copysign(0, a/b)
	}
	n := math.Floor(q)
	if q-n > 0.5 {
		n++
	}
	return n
}

// mod is what floorDiv leaves, with the sign of b.
func mod(a, b float64) float64 {
	r := math.Mod(a, b)
	switch {
	case r == 0:
		return math.Copysign(r, b)
	case (r < 0) != (b < 0):
		return r + b
	}
	return r
}
