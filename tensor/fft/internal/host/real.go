package host

import (
	"sync"

	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// A row of n real numbers, n even, is transformed as n/2 complex ones z, and their transform Z is taken apart: with
// w = exp(-2πi/n), Z' = conj(Z[n/2-k]), E = (Z[k] + Z')/2 and O = -i·(Z[k] - Z')/2
//
//	y[k] = E + w^k·O        y[n/2-k] = conj(E - w^k·O)

// realRoots are the roots of even lengths that real transforms need, by length.
var realRoots32, realRoots64 sync.Map

// rootsOfReal returns w^k, k up to n/4, interleaved.
func rootsOfReal[T number](n int) []T {
	kept := &realRoots64
	if width[T]() == 16 {
		kept = &realRoots32
	}
	if w, ok := kept.Load(n); ok {
		return w.([]T)
	}
	var w []T
	for _, root := range plan.Roots(n, n/4+1) {
		w = append(w, T(real(root)), T(imag(root)))
	}
	if n <= tabled {
		kept.Store(n, w)
	}
	return w
}

// forward transforms rows of n real numbers to the first n/2 + 1 numbers of their transforms.
func forward[T number](dst, src []T, n, count int, scale T) {
	h := n / 2
	if n%2 != 0 {
		wide := make([]T, 2*n*count)
		for i, x := range src[:n*count] {
			wide[2*i] = x
		}
		transformRows(wide, wide, n, count, n, n, form[T]{scale: scale})
		for i := range count {
			copy(dst[2*i*(h+1):][:2*(h+1)], wide[2*i*n:])
		}
		return
	}
	transformRows(dst, src, h, count, h+1, h, form[T]{scale: scale})
	w := rootsOfReal[T](n)
	host.Parallel(count, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			takeApart(dst[2*i*(h+1):][:2*(h+1)], w, h)
		}
	})
}

// takeApart turns Z, and one number more, into y.
func takeApart[T number](y, w []T, h int) {
	y[0], y[1], y[2*h], y[2*h+1] = y[0]+y[1], 0, y[0]-y[1], 0
	for k := 1; k <= h/2; k++ {
		a, b := 2*k, 2*(h-k)
		er, ei := (y[a]+y[b])/2, (y[a+1]-y[b+1])/2
		or, oi := (y[a+1]+y[b+1])/2, (y[b]-y[a])/2
		or, oi = times(or, oi, w[a], w[a+1])
		y[a], y[a+1], y[b], y[b+1] = er+or, ei+oi, er-or, oi-ei
	}
}

// backward computes rows of n real numbers from the first n/2 + 1 numbers of their transforms. What the imaginary parts
// of the first number, and of number n/2, would add is not real, and left out.
func backward[T number](dst, src []T, n, count int, scale T) {
	h, f := n/2, form[T]{inverse: true, scale: scale}
	if n%2 != 0 {
		wide := make([]T, 2*n*count)
		for i := range count {
			x, row := src[2*i*(h+1):][:2*(h+1)], wide[2*i*n:][:2*n]
			row[0] = x[0]
			for k := 1; k <= h; k++ {
				row[2*k], row[2*k+1], row[2*(n-k)], row[2*(n-k)+1] = x[2*k], x[2*k+1], x[2*k], -x[2*k+1]
			}
		}
		transformRows(wide, wide, n, count, n, n, f)
		for i := range dst[:n*count] {
			dst[i] = wide[2*i]
		}
		return
	}
	w := rootsOfReal[T](n)
	host.Parallel(count, n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			putTogether(dst[i*n:][:n], src[2*i*(h+1):][:2*(h+1)], w, h)
		}
	})
	transformRows(dst, dst, h, count, h, h, f)
}

// putTogether is the inverse of takeApart, times 2.
func putTogether[T number](z, y, w []T, h int) {
	z[0], z[1] = y[0]+y[2*h], y[0]-y[2*h]
	for k := 1; k <= h/2; k++ {
		a, b := 2*k, 2*(h-k)
		er, ei := y[a]+y[b], y[a+1]-y[b+1]
		or, oi := times(y[a]-y[b], y[a+1]+y[b+1], w[a], -w[a+1])
		z[a], z[a+1], z[b], z[b+1] = er-oi, ei+or, er+oi, or-ei
	}
}
