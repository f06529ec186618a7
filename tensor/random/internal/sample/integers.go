package sample

import (
	"math/bits"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/philox"
)

// Integers are integers from Low on below a range, all with the same probability (Lemire, Fast random integer
// generation in an interval, 2019): the upper half of a random word times Range. Words with a lower half below 2^bits
// mod Range are replaced by further words of the element, because some results have one word more than others. Ranges
// up to 2^32 take 32-bit words, larger ones 64-bit words, whose lower halves are the words with the next third word
// of the counter.
type Integers struct {
	Stream
	Low   uint64 // two's complement of a negative one
	Range uint64 // 0 is 2^64
}

func (d Integers) wide() bool { return d.Range == 0 || d.Range > 1<<32 }

// Threshold is 2^32 or 2^64 mod Range: words are replaced whose product with Range has a lower half below it.
func (d Integers) Threshold() uint64 {
	switch {
	case d.Range == 0:
		return 0
	case d.wide():
		return -d.Range % d.Range
	}
	return (1 << 32) % d.Range
}

// Fill sets out to elements lo to hi of the numbers. lo is a multiple of 4.
func Fill[T uint8 | uint16 | uint32 | uint64](d Integers, out []T, lo, hi int) {
	var words, low [4 * BatchSize]uint32
	threshold := d.Threshold()
	for ; lo < hi; lo += len(words) {
		to := out[lo:min(lo+len(words), hi)]
		n := (len(to) + 3) &^ 3
		first := d.Counter + uint64(lo/4)
		philox.Words(words[:n], d.Seed, first, 0)
		if !d.wide() {
			narrow(d, to, words[:len(to)], first, threshold)
			continue
		}
		philox.Words(low[:n], d.Seed, first, 1)
		for i := range to {
			s := Stream{Seed: d.Seed, Counter: first + uint64(i/4)}
			to[i] = T(d.Low + d.below(s, threshold, uint64(words[i])<<32|uint64(low[i]), i%4))
		}
	}
}

func narrow[T uint8 | uint16 | uint32 | uint64](d Integers, to []T, words []uint32, first, threshold uint64) {
	for i, word := range words[:len(to)] {
		m := uint64(word) * d.Range
		if m&(1<<32-1) < threshold {
			m = d.again(Stream{Seed: d.Seed, Counter: first + uint64(i/4)}, threshold, i%4)
		}
		to[i] = T(d.Low + m>>32)
	}
}

// again returns the product of Range with the first of the further words of a lane that is not replaced.
func (d Integers) again(s Stream, threshold uint64, lane int) uint64 {
	for k := uint32(1); ; k++ {
		m := uint64(kernels.PhiloxAt(s.Seed, s.Counter, k)[lane]) * d.Range
		if m&(1<<32-1) >= threshold {
			return m
		}
	}
}

// below is the number below a range above 2^32 of a lane.
func (d Integers) below(s Stream, threshold, word uint64, lane int) uint64 {
	if d.Range == 0 {
		return word
	}
	high, low := bits.Mul64(word, d.Range)
	for k := uint32(2); low < threshold; k += 2 {
		word = uint64(kernels.PhiloxAt(s.Seed, s.Counter, k)[lane])<<32 |
			uint64(kernels.PhiloxAt(s.Seed, s.Counter, k+1)[lane])
		high, low = bits.Mul64(word, d.Range)
	}
	return high
}
