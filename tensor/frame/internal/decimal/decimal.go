// Package decimal turns decimal numbers of files into floats.
package decimal

import (
	"math"
	"math/big"
	"slices"
)

// Float is the float64 nearest to x/10^scale.
func Float(x int64, scale int) float64 {
	if -1<<53 <= x && x <= 1<<53 && scale <= 22 { // both operands are exact
		return float64(x) / math.Pow10(scale)
	}
	return nearest(big.NewInt(x), scale)
}

// OfBytes is Float of a big-endian integer in two's complement.
func OfBytes(b []byte, scale int) float64 {
	if len(b) <= 8 {
		x := int64(0)
		for i, v := range b {
			if x = x<<8 | int64(v); i == 0 {
				x = int64(int8(v))
			}
		}
		return Float(x, scale)
	}
	if b[0] < 0x80 {
		return nearest(new(big.Int).SetBytes(b), scale)
	}
	b = slices.Clone(b)
	for i := range b { // -x is the complement and 1
		b[i] = ^b[i]
	}
	x := new(big.Int).SetBytes(b)
	return nearest(x.Not(x), scale)
}

func nearest(x *big.Int, scale int) float64 {
	f, _ := new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).Float64()
	return f
}
