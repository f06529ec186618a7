package host

import "github.com/gorocm/gorocm/tensor/internal/host"

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

// fewRows is the number of long rows from which each has a goroutine of its own.
const fewRows = 8

// transformRows transforms count rows of src, srcStep numbers apart, to rows of dst. dst may be src.
func transformRows[T number](dst, src []T, n, count, dstStep, srcStep int, f form[T]) {
	p := planOf[T](n)
	if p.passes != nil && n < shortest {
		v := width[T]()
		host.Parallel((count+v-1)/v, 4*n*v, func(lo, hi int) {
			s := getScratch[T]()
			defer s.free()
			for g := lo; g < hi; g++ {
				lanes := min(v, count-g*v)
				a, b := s.group(n)
				load(f.order(a), src[2*g*v*srcStep:], grid{1, srcStep}, n, lanes)
				r := transform(p.passes, a, b)
				store(dst[2*g*v*dstStep:], f.order(r), grid{1, dstStep}, n, lanes, f.scale)
			}
		})
		return
	}
	each := p.matrix
	if p.chirp != nil {
		each = p.chirp.row
	}
	if count < fewRows {
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
	parallel((p.n2+v-1)/v, 4*p.n1*v, func(lo, hi int) {
		s := getScratch[T]()
		defer s.free()
		a, b := s.group(p.n1)
		for g := lo; g < hi; g++ {
			lanes, at := min(v, p.n2-g*v), grid{p.n2, 1}
			load(f.order(a), src[2*g*v:], at, p.n1, lanes)
			r := transform(p.columns, a, b)
			p.multiply(r, g)
			store(middle[2*g*v:], r, at, p.n1, lanes, 1)
		}
	})
	parallel((p.n1+v-1)/v, 4*p.n2*v, func(lo, hi int) {
		s := getScratch[T]()
		defer s.free()
		a, b := s.group(p.n2)
		for g := lo; g < hi; g++ {
			lanes := min(v, p.n1-g*v)
			load(a, middle[2*g*v*p.n2:], grid{1, p.n2}, p.n2, lanes)
			r := transform(p.rows, a, b)
			store(dst[2*g*v:], f.order(r), grid{p.n1, 1}, p.n2, lanes, f.scale)
		}
	})
}

// multiply multiplies number k of column j, in the group of columns g, by exp(-2πi·j·k/n).
func (p *lengthPlan[T]) multiply(x split[T], g int) {
	if p.between != nil {
		multiply(x, p.between[g])
		return
	}
	// root j·(step·a + b) is the product of roots j·step·a and j·b
	const step = 64
	v := width[T]()
	var low [2][step * 16]T
	var high [2][16]T
	for b := range min(step, p.n1) {
		for l := range v {
			root := p.powers.At((g*v + l) * b % p.n)
			low[0][b*v+l], low[1][b*v+l] = T(real(root)), T(imag(root))
		}
	}
	for a := 0; a < p.n1; a += step {
		for l := range v {
			root := p.powers.At((g*v + l) * a % p.n)
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
