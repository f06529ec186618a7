// Package spread spreads values over rows of which some have none: pages of Parquet files leave out what is missing.
//
// Which rows have values is a bit for each, the lowest bits first; nil has every bit set.
package spread

import (
	"encoding/binary"
	"math/bits"
)

// Rows returns the bits of the rows whose level is the given one, and how many they are.
func Rows(levels []byte, level byte) (there []uint64, n int) {
	there = make([]uint64, (len(levels)+63)/64)
	for w := range there {
		part := levels[64*w : min(64*w+64, len(levels))]
		var word uint64
		if level == 1 && len(part) == 64 {
			word = ones(part)
		} else {
			for i, l := range part {
				var bit uint64
				if l == level {
					bit = 1
				}
				word |= bit << i
			}
		}
		there[w] = word
		n += bits.OnesCount64(word)
	}
	return there, n
}

// ones are the bits of 64 levels of 0 and 1: the product moves the lowest bits of eight bytes to the highest byte.
func ones(levels []byte) (word uint64) {
	for i := range 8 {
		eight := binary.LittleEndian.Uint64(levels[8*i:]) & 0x0101010101010101
		word |= eight * 0x0102040810204080 >> 56 << (8 * i)
	}
	return word
}

// Run returns the first rows from i on that have values, one after the other, of n: from lo up to hi, both n if there
// are none.
func Run(there []uint64, i, n int) (lo, hi int) {
	if there == nil {
		return i, n
	}
	lo = first(there, i, n, 0)
	return lo, first(there, lo, n, ^uint64(0))
}

// first returns the first of n bits from i on that is set once flip has changed it, or n.
func first(there []uint64, i, n int, flip uint64) int {
	for i < n {
		if word := (there[i>>6] ^ flip) >> (i & 63); word != 0 {
			return min(i+bits.TrailingZeros64(word), n)
		}
		i = i&^63 + 64
	}
	return n
}

// Values writes values to the rows that have them, and the zero value to others. It reports whether there are enough.
func Values[T any](to, values []T, there []uint64) bool {
	for i := 0; i < len(to); {
		lo, hi := Run(there, i, len(to))
		clear(to[i:lo])
		if len(values) < hi-lo {
			return false
		}
		copy(to[lo:hi], values)
		values, i = values[hi-lo:], hi
	}
	return true
}

// Lookup is Values of the values with the given numbers. It reports whether they are numbers of values.
func Lookup[T any](to, values []T, numbers []int32, there []uint64) bool {
	for i := 0; i < len(to); {
		lo, hi := Run(there, i, len(to))
		clear(to[i:lo])
		if len(numbers) < hi-lo {
			return false
		}
		part := to[lo:hi]
		for j, k := range numbers[:len(part)] {
			if uint(k) >= uint(len(values)) {
				return false
			}
			part[j] = values[k]
		}
		numbers, i = numbers[hi-lo:], hi
	}
	return true
}
