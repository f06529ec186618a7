// Package vector computes special functions of many float64 numbers at once, by the vector loops of package simd. It is
// for speed alone: packages kernels and special/scalar have the same functions of one number, which are the references
// that it is tested against.
//
//	vector.go      blocks, and blocks in pieces whose elements have different formulas
//	erf.go         the error function and the normal distribution
//	gamma.go       the logarithm of the gamma function and its derivative
//	incomplete.go  incomplete gamma and beta functions
//	bessel.go      Bessel functions
//	quantile.go    the inverse of the normal distribution function
//	expint.go      the exponential integral
//	tables.go      coefficients
package vector

import (
	"sync"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Loop sets out to a function of x. The result of an element does not depend on its position.
type Loop = func(out, x []float64)

// Function returns the loop of a function by its name in the op table, or in scalar.h, or nil: where the processor has
// no vector loops, and for other names.
func Function(name string) Loop {
	f := functions[name]
	if f == nil || simd.Fast.Doubles.Polynomial == nil {
		return nil
	}
	return f.loop
}

var functions = map[string]inRoom{
	"erf": erf, "erfc": erfc, "ndtr": ndtr, "log_ndtr": logNdtr, "lgamma": lgamma, "digamma": digamma, "i0": i0, "i1": i1,
	"expi": expi, "ndtri": ndtri, "bessel_j0": j0, "bessel_j1": j1, "bessel_i0e": i0e, "bessel_i1e": i1e,
}

const block = 256 // elements that are computed together, in the first cache

type numbers = [block]float64

// room is memory for a block.
type room struct {
	x, y, a, b, c     numbers
	piece, results    numbers // of pieces
	sines, cosines    numbers
	series, quotients numbers
	lost              numbers
	class             [block]uint8
	at                [block]int32
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// inRoom sets y to a function of x, which are slices of the same length, a multiple of simd.Whole.
type inRoom func(r *room, y, x []float64)

// loop calls f for blocks, the last of which is filled with ones.
func (f inRoom) loop(out, x []float64) {
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	for len(out) > 0 {
		n := min(block, len(out))
		copy(r.x[:], x[:n])
		w := whole(n, &r.x)
		f(r, r.y[:w], r.x[:w])
		copy(out, r.y[:n])
		out, x = out[n:], x[n:]
	}
}

// whole returns n rounded up to whole vectors, and fills those with ones.
func whole(n int, x *numbers) int {
	w := (n + simd.Whole - 1) &^ (simd.Whole - 1)
	for i := n; i < w; i++ {
		x[i] = 1
	}
	return w
}

// pieces calls fs[k] for the elements of class k.
func (r *room) pieces(y, x []float64, fs ...inRoom) {
	seen := 0
	for _, class := range r.class[:len(x)] {
		seen |= 1 << class
	}
	for k, f := range fs {
		if seen&(1<<k) == 0 {
			continue
		}
		if seen == 1<<k {
			f(r, y, x)
			return
		}
		n := 0
		for i, class := range r.class[:len(x)] {
			r.at[n] = int32(i)
			if int(class) == k {
				n++
			}
		}
		at := r.at[:n]
		for i, from := range at {
			r.piece[i] = x[from]
		}
		w := whole(n, &r.piece)
		f(r, r.results[:w], r.piece[:w])
		for i, to := range at {
			y[to] = r.results[i]
		}
	}
}

// each is a function of one number, for the few elements that have no vector loop.
func each(f func(x float64) float64) inRoom {
	return func(_ *room, y, x []float64) {
		for i, v := range x {
			y[i] = f(v)
		}
	}
}

func polynomial(y, x, c []float64) { simd.Fast.Doubles.Polynomial(y, x, c) }
