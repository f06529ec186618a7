package random

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// MaxSobolDims is the largest number of dimensions of a Sobol sequence.
const MaxSobolDims = 1111

// Sobol is a Sobol sequence: points that fill a unit cube evenly, so that means over them converge faster than those
// over random points. It is best used with 2^k points from the beginning, and scrambled.
//
//	points := random.NewSobol(3).Scramble(g).Draw(1024, tensor.F32, dev) // [1024, 3]
type Sobol struct {
	dims    int
	words   []uint32 // sample.SobolWords of each dim
	point   uint64   // number of the next one
	devices map[*tensor.Device]*tensor.Tensor
}

// joeKuo has, for each dimension from the second on, the primitive polynomial (its bits, the constant term lowest),
// and then as many initial direction numbers as its degree d: m_1 to m_d, odd numbers, as (m-1)/2. All are unsigned
// varints. They are the first ones of the set new-joe-kuo-6.21201 (Joe, Kuo, Constructing Sobol sequences with better
// two-dimensional projections, 2008), under the licence in joe_kuo.LICENSE.
//
//go:embed joe_kuo.bin
var joeKuo []byte

// directions are the words of all dimensions.
var directions = sync.OnceValue(func() []uint32 {
	words := make([]uint32, 0, MaxSobolDims*sample.SobolWords)
	for k := range sample.SobolBits { // the first dimension is van der Corput's sequence
		words = append(words, 1<<(sample.SobolBits-1-k))
	}
	words = append(words, 0)
	rest := joeKuo
	next := func() uint64 {
		x, n := binary.Uvarint(rest)
		rest = rest[n:]
		return x
	}
	for len(rest) > 0 {
		polynomial := next()
		degree := bits.Len64(polynomial) - 1
		v := make([]uint32, sample.SobolWords)
		for k := range sample.SobolBits {
			if k < degree {
				v[k] = uint32(2*next()+1) << (sample.SobolBits - 1 - k)
				continue
			}
			v[k] = v[k-degree] ^ v[k-degree]>>degree
			for j := 1; j < degree; j++ {
				if polynomial>>(degree-j)&1 != 0 {
					v[k] ^= v[k-j]
				}
			}
		}
		words = append(words, v...)
	}
	return words
})

// NewSobol returns the Sobol sequence of points with so many dimensions, from 1 to MaxSobolDims. It begins with the
// point 0.
func NewSobol(dims int) *Sobol {
	if dims < 1 || dims > MaxSobolDims {
		extend.Fail("sobol", tensor.ErrValue, nil, "", "%d dimensions: want 1 to %d", dims, MaxSobolDims)
	}
	return newSobol(directions()[:dims*sample.SobolWords])
}

// Scramble returns the sequence from its beginning, scrambled by random numbers of g: by Matoušek's linear matrices
// and a shift (On the L2-discrepancy for anchored boxes, 1998), as torch.quasirandom.SobolEngine and
// scipy.stats.qmc.Sobol do. Points remain as even, each is uniform in the cube, and means over them are unbiased.
func (s *Sobol) Scramble(g *Generator) *Sobol {
	random := tensor.ToVec1[uint32](g.Bits([]int{s.dims * sample.SobolWords}, tensor.U32, tensor.CPU()))
	words := make([]uint32, 0, len(random))
	for d := range s.dims {
		from, r := directions()[d*sample.SobolWords:], random[d*sample.SobolWords:][:sample.SobolWords]
		for k := range sample.SobolBits {
			words = append(words, scrambled(from[k], r))
		}
		words = append(words, r[sample.SobolBits])
	}
	return newSobol(words)
}

func newSobol(words []uint32) *Sobol {
	return &Sobol{dims: len(words) / sample.SobolWords, words: words, devices: map[*tensor.Device]*tensor.Tensor{}}
}

// scrambled multiplies bits by a lower triangular matrix of random bits with ones on the diagonal. Its rows are
// numbered from the highest bit.
func scrambled(v uint32, rows []uint32) (product uint32) {
	for i := range sample.SobolBits {
		top := uint32(1) << (sample.SobolBits - 1 - i)
		row := rows[i]&^(top<<1-1) | top
		product |= uint32(bits.OnesCount32(row&v)&1) * top
	}
	return product
}

// Dims returns the number of dimensions.
func (s *Sobol) Dims() int { return s.dims }

// Skip passes over n points.
func (s *Sobol) Skip(n int) *Sobol {
	s.advance("skip", n)
	return s
}

// Draw returns the next n points, [n dims], with coordinates from 0 up to but without 1. The dtype is a float type.
// F32 has 24 bits of each coordinate, F64 all 32. It panics with ErrValue after 2^32 points.
func (s *Sobol) Draw(n int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	const op = "sobol"
	c := New(0).floats(op, []int{n, s.dims}, dtype, dev).wide()
	words, ok := s.devices[dev]
	if !ok {
		words = dev.FromSlice(s.words, len(s.words)).Kept()
		s.devices[dev] = words
	}
	return draw.Sobol(c.Into, words, s.advance(op, n)).ToDType(dtype)
}

// advance passes over n points, and returns the number of the first.
func (s *Sobol) advance(op string, n int) uint64 {
	start := s.point
	if left := 1<<sample.SobolBits - start; n < 0 || uint64(n) > left {
		extend.Fail(op, tensor.ErrValue, nil, "", "%d points: the sequence has %d more", n, left)
	}
	s.point += uint64(n)
	return start
}
