package host

import (
	"runtime"

	"github.com/gorocm/gorocm/tensor/internal/host"
)

// form is a transform of complex numbers: forward, or inverse, times scale.
type form[T number] struct {
	inverse bool
	scale   T
}

// order exchanges the parts for an inverse transform.
func (f form[T]) order(x split[T]) split[T] {
	if f.inverse {
		return x.swapped()
	}
	return x
}

// spread is host.Parallel, or a loop on this goroutine.
type spread func(n, each int, f func(lo, hi int))

func alone(n, _ int, f func(lo, hi int)) { f(0, n) }

// transformRows transforms count rows of src, srcStep numbers apart, to rows of dst. dst may be src.
func transformRows[T number](dst, src []T, n, count, dstStep, srcStep int, f form[T]) {
	p, v := planOf[T](n), width[T]()
	if p.passes != nil && (n < shortest || n <= longestRows && count >= v) {
		all := newGroups[T](count, &dst[0] == &src[0])
		host.Parallel(all.units, 4*n*v, func(lo, hi int) {
			s := getScratch[T]()
			defer s.free()
			a, b := s.group(n)
			all.each(v, lo, hi, func(first, lanes int) {
				load(f.order(a), src[2*first*srcStep:], grid{1, srcStep}, n, lanes)
				r := transform(p.passes, a, b)
				store(dst[2*first*dstStep:], f.order(r), grid{1, dstStep}, n, lanes, f.scale)
			})
		})
		return
	}
	each := p.matrix
	if p.chirp != nil {
		each = p.chirp.row
	}
	if count < 2*runtime.GOMAXPROCS(0) {
		for i := range count {
			each(dst[2*i*dstStep:], src[2*i*srcStep:], f, host.Parallel)
		}
		return
	}
	host.Parallel(count, 4*n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			each(dst[2*i*dstStep:], src[2*i*srcStep:], f, alone)
		}
	})
}

// matrix transforms one row as a matrix [n1 n2]: its columns, times the roots of unity of n, and then its rows, to
// columns of the result (Bailey, "FFTs in external or hierarchical memory", 1990).
func (p *lengthPlan[T]) matrix(dst, src []T, f form[T], parallel spread) {
	v := width[T]()
	own := getScratch[T]()
	defer own.free()
	middle := own.row(0, p.n)
	columns, rows := newGroups[T](p.n2, false), newGroups[T](p.n1, false)
	parallel(columns.units, 4*p.n1*v, func(lo, hi int) {
		s := getScratch[T]()
		defer s.free()
		a, b := s.group(p.n1)
		columns.each(v, lo, hi, func(first, lanes int) {
			load(f.order(a), src[2*first:], grid{p.n2, 1}, p.n1, lanes)
			r := transform(p.columns, a, b)
			p.multiply(r, first)
			store(middle[2*first:], r, grid{p.n2, 1}, p.n1, lanes, 1)
		})
	})
	parallel(rows.units, 4*p.n2*v, func(lo, hi int) {
		s := getScratch[T]()
		defer s.free()
		a, b := s.group(p.n2)
		rows.each(v, lo, hi, func(first, lanes int) {
			load(a, middle[2*first*p.n2:], grid{1, p.n2}, p.n2, lanes)
			r := transform(p.rows, a, b)
			store(dst[2*first:], f.order(r), grid{p.n1, 1}, p.n2, lanes, f.scale)
		})
	})
}

// multiply multiplies number k of column j by exp(-2πi·j·k/n), in the group that begins with column `first`.
func (p *lengthPlan[T]) multiply(x split[T], first int) {
	if p.between != nil {
		v := width[T]()
		multiply(x, p.between[(first+v-1)/v])
		return
	}
	// root j·(step·a + b) is the product of roots j·step·a and j·b
	const step = 64
	v := width[T]()
	var low [2][step * 16]T
	var high [2][16]T
	for b := range min(step, p.n1) {
		for l := range v {
			root := p.powers.At((first + l) * b % p.n)
			low[0][b*v+l], low[1][b*v+l] = T(real(root)), T(imag(root))
		}
	}
	for a := 0; a < p.n1; a += step {
		for l := range v {
			root := p.powers.At((first + l) * a % p.n)
			high[0][l], high[1][l] = T(real(root)), T(imag(root))
		}
		end := min(a+step, p.n1) * v
		multiplyBoth(split[T]{x.re[a*v : end], x.im[a*v : end]}, split[T]{low[0][:], low[1][:]},
			split[T]{high[0][:v], high[1][:v]})
	}
}

// multiply is x *= w.
func multiply[T number](x, w split[T]) {
	if f := fast[T]().multiply; f != nil {
		f(x.re, x.im, w.re, w.im)
		return
	}
	for i := range x.re {
		x.re[i], x.im[i] = times(x.re[i], x.im[i], w.re[i], w.im[i])
	}
}

// multiplyBoth is x *= w·h, where h has the factors of the transforms of a group.
func multiplyBoth[T number](x, w, h split[T]) {
	if f := fast[T]().multiplyBoth; f != nil {
		f(x.re, x.im, w.re, w.im, h.re, h.im)
		return
	}
	v := len(h.re)
	for i := range x.re {
		wr, wi := times(w.re[i], w.im[i], h.re[i%v], h.im[i%v])
		x.re[i], x.im[i] = times(x.re[i], x.im[i], wr, wi)
	}
}
