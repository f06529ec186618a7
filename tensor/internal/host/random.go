package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/philox"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Random draws the numbers that package kernels defines (Uniform4, Normal4): uniform ones in every bit, normal ones of
// F32 and F64 within a few units in the last place where there are vector instructions.
func (b Backend) Random(
	dt kernels.DType, n int, normal bool, seed, counter uint64, x, y float64,
) (backend.Storage, error) {
	defer timed("random", dt, n*dt.Size())()
	s := stream{seed, counter}
	vectors := simd.Fast.Name != "Go"
	switch {
	case dt == kernels.F32 && !normal:
		return drawn(n, func(out []float32, first int, _ *uniformPairs[float32]) {
			s.uniform32(out, first, float32(x), float32(y))
		}), nil
	case dt == kernels.F64 && !normal:
		return drawn(n, func(out []float64, first int, _ *uniformPairs[float64]) { s.uniform64(out, first, x, y) }), nil
	case dt == kernels.F32 && vectors:
		f := functions[float32]{simd.Fast.Log, simd.Fast.Sqrt, simd.Fast.Sin, simd.Fast.Cos}
		return drawn(n, func(out []float32, first int, t *uniformPairs[float32]) {
			s.pairs32(len(out), first, t)
			t.normals(f, out, float32(x), float32(y))
		}), nil
	case dt == kernels.F64 && vectors:
		d := simd.Fast.Doubles
		f := functions[float64]{d.Log, d.Sqrt, d.Sin, d.Cos}
		return drawn(n, func(out []float64, first int, t *uniformPairs[float64]) {
			s.pairs64(len(out), first, t)
			t.normals(f, out, x, y)
		}), nil
	}
	draw := kernels.Uniform4
	if normal {
		draw = kernels.Normal4
	}
	h := drawn(n, func(out []float64, first int, _ *uniformPairs[float64]) {
		for i := 0; i < len(out); i += 4 {
			four := draw(dt, seed, counter+uint64((first+i)/4), x, y)
			copy(out[i:], four[:])
		}
	})
	defer h.free()
	return b.Cast(backend.Operand{Store: h, DType: kernels.F64, Layout: backend.Dense([]int{n})}, dt)
}

// drawSize is how many numbers are drawn at a time, so that what they are made of stays in the nearest cache.
const drawSize = 512

// drawn returns n elements. fill sets some, from a first one on whose index is a multiple of drawSize.
func drawn[T float32 | float64](n int, fill func(out []T, first int, t *uniformPairs[T])) *Storage {
	h, out := uninitElems[T](n, sizeOf[T]())
	Parallel((n+drawSize-1)/drawSize, 4*drawSize, func(lo, hi int) {
		t := new(uniformPairs[T])
		for i := lo * drawSize; i < min(hi*drawSize, n); i += drawSize {
			fill(out[i:min(i+drawSize, n)], i, t)
		}
	})
	return h
}

type stream struct{ seed, counter uint64 }

// words sets w to the words of elements from first on.
func (s stream) words(w *[drawSize]uint32, first, n int, third uint32) []uint32 {
	philox.Words(w[:(n+3)&^3], s.seed, s.counter+uint64(first/4), third)
	return w[:n]
}

func (s stream) uniform32(out []float32, first int, lo, hi float32) {
	var w [drawSize]uint32
	span := hi - lo
	for i, word := range s.words(&w, first, len(out), 0) {
		x := lo + float32(float32(word>>8)*0x1p-24*span)
		if x >= hi {
			x = lo
		}
		out[i] = x
	}
}

func (s stream) uniform64(out []float64, first int, lo, hi float64) {
	var high, low [drawSize]uint32
	span, lower := hi-lo, s.words(&low, first, len(out), 1)
	for i, word := range s.words(&high, first, len(out), 0) {
		x := lo + float64(fraction(word, lower[i])*span)
		if x >= hi {
			x = lo
		}
		out[i] = x
	}
}

// fraction is a number of 53 bits from 0 up to but without 1.
func fraction(high, low uint32) float64 { return float64(uint64(high)<<21|uint64(low>>11)) * 0x1p-53 }

// functions are those of Box and Muller's method.
type functions[T float32 | float64] struct {
	log, sqrt func(out, x []T)
	sin, cos  func(out, x []T) bool // which report false for angles far from 0
}

// uniformPairs are what normal numbers are made of, and what comes between.
type uniformPairs[T float32 | float64] struct {
	radius, turn [drawSize / 2]T // above 0 and up to 1; from 0 up to but without 1
	sin, cos     [drawSize / 2]T
	quarter      [drawSize / 2]uint8
}

func (s stream) pairs32(n, first int, t *uniformPairs[float32]) {
	var w [drawSize]uint32
	words := s.words(&w, first, (n+1)&^1, 0)
	for i := range t.radius[:len(words)/2] {
		t.radius[i], t.turn[i] = float32(words[2*i]>>8+1)*0x1p-24, float32(words[2*i+1]>>8)*0x1p-24
	}
}

func (s stream) pairs64(n, first int, t *uniformPairs[float64]) {
	var w, v [drawSize]uint32
	words, lower := s.words(&w, first, (n+1)&^1, 0), s.words(&v, first, (n+1)&^1, 1)
	for i := range t.radius[:len(words)/2] {
		t.radius[i] = fraction(words[2*i], lower[2*i]) + 0x1p-53
		t.turn[i] = fraction(words[2*i+1], lower[2*i+1])
	}
}

// normals makes two normal numbers of each pair.
func (t *uniformPairs[T]) normals(f functions[T], out []T, mean, std T) {
	pairs := (len(out) + 1) / 2
	r, v := t.radius[:pairs], t.turn[:pairs]
	for i, x := range v { // the reduction to an eighth of a turn is exact
		q := int(4*x + 0.5)
		t.quarter[i] = uint8(q & 3)
		v[i] = (x - T(q)/4) * T(2*math.Pi)
	}
	f.log(r, r)
	for i := range r {
		r[i] *= -2
	}
	f.sqrt(r, r)
	f.sin(t.sin[:pairs], v)
	f.cos(t.cos[:pairs], v)
	for i := range len(out) / 2 {
		a, b := t.rotated(i)
		x := r[i] * std
		out[2*i], out[2*i+1] = mean+T(x*a), mean+T(x*b)
	}
	if i := len(out) / 2; len(out)&1 != 0 {
		a, _ := t.rotated(i)
		out[2*i] = mean + T(r[i]*std*a)
	}
}

// rotated returns the cosine and the sine of the angle of pair i, rotated by its quarters. Products with 0 and 1 take
// less time than branches, which nothing predicts.
func (t *uniformPairs[T]) rotated(i int) (cos, sin T) {
	quarters := [4][2]T{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	a, b, q := t.cos[i], t.sin[i], &quarters[t.quarter[i]&3]
	return a*q[0] - b*q[1], b*q[0] + a*q[1]
}
