package sample

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
)

// Stream is the key of a generator and the counter of its next number.
type Stream struct{ Seed, Counter uint64 }

// at is the stream of one element of a tensor whose elements have a counter each.
func (s Stream) at(i int) Stream { return Stream{s.Seed, s.Counter + uint64(i)} }

// uniforms returns two numbers of 52 bits between 0 and 1, without both, from the words with the third word k of the
// counter.
func (s Stream) uniforms(k uint32) (u, v float64) {
	w := kernels.PhiloxAt(s.Seed, s.Counter, k)
	return inside(w[0], w[1]), inside(w[2], w[3])
}

func inside(high, low uint32) float64 {
	return (float64((uint64(high)<<32|uint64(low))>>12) + 0.5) * 0x1p-52
}

// polar makes a standard normal number of two uniform ones by Marsaglia's polar method, or none.
func polar(u, v float64) (x float64, ok bool) {
	a, b := 2*u-1, 2*v-1
	s := float64(a*a) + float64(b*b)
	if !(s < 1) {
		return 0, false
	}
	return a * math.Sqrt(-2*log(s)/s), true
}
