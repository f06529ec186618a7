// Package integer computes with int64 as columns do: what leaves the type is reported, never wrapped around.
package integer

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// Op is the operation add, sub, mul, floordiv or mod of x and y, which is not 0 for the last two. ok is false when the
// result is beyond int64. The remainder of mod has the sign of y.
func Op(op string, x, y int64) (v int64, ok bool) {
	switch op {
	case "add":
		v = x + y
		return v, (v > x) == (y > 0)
	case "sub":
		v = x - y
		return v, (v < x) == (y > 0)
	case "mul":
		hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
		v = x * y
		if (x < 0) != (y < 0) {
			return v, hi == 0 && lo <= 1<<63
		}
		return v, hi == 0 && lo < 1<<63
	case "floordiv":
		return FloorDiv(x, y), !(x == math.MinInt64 && y == -1)
	}
	if y == -1 {
		return 0, true
	}
	v = x % y
	if v != 0 && (v < 0) != (y < 0) {
		v += y
	}
	return v, true
}

// FloorDiv is x/y, rounded down.
func FloorDiv(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// Round rounds x to a multiple of 10^digits, halves to an even one. ok is false when that is beyond int64.
func Round(x int64, digits int) (v int64, ok bool) {
	if digits > 18 { // 10^19 is beyond int64, and half of it is not
		const half = 5e18
		return 0, digits > 19 || -half <= x && x <= half
	}
	unit := int64(1)
	for range digits {
		unit *= 10
	}
	rest := x % unit
	v = x - rest
	twice := 2 * max(rest, -rest)
	if twice < unit || twice == unit && v/unit%2 == 0 {
		return v, true
	}
	if x < 0 {
		unit = -unit
	}
	return Op("add", v, unit)
}

// KeptBy refuses an integer in a column of floats that is not the shortest text of its float64 f: it would lose digits.
func KeptBy(digits []byte, f float64) error {
	if math.Abs(f) < 1<<53 || string(strconv.AppendFloat(nil, f, 'f', -1, 64)) == string(digits) {
		return nil
	}
	return fmt.Errorf("the integer %.60s in a column of floats: want integers of int64 alone, or strings", digits)
}
