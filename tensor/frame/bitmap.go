package frame

import (
	"math/bits"

	"github.com/gorocm/gorocm/tensor/internal/team"
)

// bitmap is a bit for each row, the lowest bits first, as in Arrow. As a mask of valid values nil has every bit set.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

// ones returns a bitmap of n set bits.
func ones(n int) bitmap {
	b := newBitmap(n)
	for i := range b {
		b[i] = ^uint64(0)
	}
	b.trim(n)
	return b
}

func (b bitmap) get(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }

// has is get for a mask of valid values.
func (b bitmap) has(i int) bool { return b == nil || b.get(i) }

func (b bitmap) set(i int)   { b[i>>6] |= 1 << (i & 63) }
func (b bitmap) clear(i int) { b[i>>6] &^= 1 << (i & 63) }

// trim clears the bits beyond n.
func (b bitmap) trim(n int) {
	if n&63 != 0 {
		b[len(b)-1] &= 1<<(n&63) - 1
	}
}

func (b bitmap) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// slice returns n bits from lo on.
func (b bitmap) slice(lo, n int) bitmap {
	if b == nil {
		return nil
	}
	out := newBitmap(n)
	shift := lo & 63
	for i := range out {
		k := lo>>6 + i
		out[i] = b[k] >> shift
		if shift != 0 && k+1 < len(b) {
			out[i] |= b[k+1] << (64 - shift)
		}
	}
	out.trim(n)
	return out
}

// put sets those of n bits from lo on that are set in from, all if it is nil. No other goroutine writes to b.
func (b bitmap) put(lo int, from bitmap, n int) {
	shift := lo & 63
	for i := 0; i < n; i += 64 {
		word := ^uint64(0)
		if from != nil {
			word = from[i>>6]
		}
		if n-i < 64 {
			word &= 1<<(n-i) - 1
		}
		at := (lo + i) >> 6
		b[at] |= word << shift
		if high := word >> (64 - shift); shift != 0 && high != 0 {
			b[at+1] |= high
		}
	}
}

// and returns the bits that are set in both masks of valid values.
func (b bitmap) and(other bitmap) bitmap {
	switch {
	case b == nil:
		return other
	case other == nil:
		return b
	}
	out := make(bitmap, len(b))
	for i := range out {
		out[i] = b[i] & other[i]
	}
	return out
}

// bitsOf makes a bitmap of n bits from a function of the row.
func bitsOf(n int, f func(i int) bool) bitmap {
	out := newBitmap(n)
	blocks(n, func(lo, hi int) {
		for w := lo; w < hi; w += 64 {
			var word uint64
			for i := w; i < min(w+64, hi); i++ {
				if f(i) {
					word |= 1 << (i & 63)
				}
			}
			out[w>>6] = word
		}
	})
	return out
}

// blockRows is a multiple of 64, so that no two blocks share a word of a bitmap.
const blockRows = 4096

// blocks calls f for blocks of rows on all cores. Blocks begin at multiples of blockRows.
func blocks(n int, f func(lo, hi int)) {
	team.Run((n+blockRows-1)/blockRows, blockRows, func(lo, hi int) { f(lo*blockRows, min(hi*blockRows, n)) })
}

// each calls f for 0 to n-1, which take long and are of different sizes, on all cores.
func each(n int, f func(i int)) {
	team.Run(n, team.Grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}
