package sample

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/philox"
)

// Stream is the key of a generator and the counter of its next number.
type Stream struct {
	Seed, Counter uint64
	batch         *Batch
}

// at is the stream of one element of a tensor whose elements have a counter each.
func (s Stream) at(i int) Stream { return Stream{s.Seed, s.Counter + uint64(i), s.batch} }

// BatchSize is the number of elements of a Batch.
const BatchSize = 256

const maxThirds = 4

// Batch has the words of the first attempts of adjacent elements: they are computed faster together.
type Batch struct {
	counter uint64 // of the first element
	filled  [maxThirds]uint64
	words   [maxThirds][4 * BatchSize]uint32 // by the third word of the counter
	hat     hat                              // of the parameters of the last element
	peak    peak
}

// Prefetch returns the stream with the words of elements i to i+n-1 in a batch, for third words below thirds, which
// is at most 4.
func (s Stream) Prefetch(b *Batch, i, n, thirds int) Stream {
	b.counter = s.Counter + uint64(i)
	for k := range thirds {
		b.filled[k] = uint64(n)
		philox.Words(b.words[k][:4*n], s.Seed, b.counter, uint32(k))
	}
	s.batch = b
	return s
}

// uniforms returns two numbers of 52 bits between 0 and 1, without both, from the words with the third word k of the
// counter.
func (s Stream) uniforms(k uint32) (u, v float64) {
	if b := s.batch; b != nil && k < maxThirds && s.Counter-b.counter < b.filled[k] {
		w := (*[4]uint32)(b.words[k][4*(s.Counter-b.counter):])
		return inside(w[0], w[1]), inside(w[2], w[3])
	}
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
