package host

import (
	"sync"

	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// A row of n real numbers, n even, is transformed as h = n/2 complex ones z, and their transform Z is folded: with
// w = exp(-2πi/n), S = Z[k] + conj(Z[h-k]) and D = Z[k] - conj(Z[h-k])
//
//	y[k] = S/2 - i/2·w^k·D        y[h-k] = conj(S/2 + i/2·w^k·D)
//
// The same with other factors turns y into 2·Z.

// foldFactors are the factors of D, for k up to n/4, interleaved.
type foldFactors[T number] struct{ forward, backward []T }

// foldCache keeps factors by length.
type foldCache[T number] struct {
	mu    sync.Mutex
	known map[int]foldFactors[T]
}

var (
	folds32 foldCache[float32]
	folds64 foldCache[float64]
)

// mostFolds is how many lengths have their factors kept. When there are more, all are dropped.
const mostFolds = 16

func foldFactorsOf[T number](n int) foldFactors[T] {
	c, ok := any(&folds32).(*foldCache[T])
	if !ok {
		c = any(&folds64).(*foldCache[T])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.known[n]; ok {
		return f
	}
	count := n/4 + 1
	f := foldFactors[T]{make([]T, 2*count), make([]T, 2*count)}
	for k, w := range plan.Roots(n, count) {
		f.forward[2*k], f.forward[2*k+1] = T(imag(w)/2), T(-real(w)/2)
		f.backward[2*k], f.backward[2*k+1] = T(imag(w)), T(real(w))
	}
	if c.known == nil || len(c.known) >= mostFolds {
		c.known = map[int]foldFactors[T]{}
	}
	c.known[n] = f
	return f
}

// fold sets numbers k and h - k of y, which may be x, for k from first to below end, at most h/2 + 1.
func fold[T number](y, x, w []T, h, first, end int, scale T) {
	k := first
	if f := fast[T]().fold; f != nil {
		v := width[T]() / 4 // numbers of a vector
		if chunks := (min(end, h/2) - k) / v; chunks > 0 {
			f(y[2*k:], y[2*(h-k-v+1):], x[2*k:], x[2*(h-k-v+1):], w[2*k:], chunks, scale)
			k += chunks * v
		}
	}
	for ; k < end; k++ {
		a, b := 2*k, 2*(h-k)
		sr, si, dr, di := scale*(x[a]+x[b]), scale*(x[a+1]-x[b+1]), x[a]-x[b], x[a+1]+x[b+1]
		pr, pi := times(dr, di, w[a], w[a+1])
		y[a], y[a+1], y[b], y[b+1] = sr+pr, si+pi, sr-pr, pi-si
	}
}

// foldsTogether is how many numbers of a single row are folded on one goroutine, at least.
const foldsTogether = 64

// foldRows folds count rows, of yStep and xStep parts, but for number 0 and h.
func foldRows[T number](y, x, w []T, h, count, yStep, xStep int, scale T) {
	end := h/2 + 1
	if count == 1 {
		// in whole vectors, so that the bits of numbers do not depend on where parts begin
		host.Parallel((end-2)/foldsTogether+1, 4*foldsTogether, func(lo, hi int) {
			fold(y, x, w, h, 1+lo*foldsTogether, min(1+hi*foldsTogether, end), scale)
		})
		return
	}
	host.Parallel(count, h, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			fold(y[i*yStep:], x[i*xStep:], w, h, 1, end, scale)
		}
	})
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
	for i := range count {
		y := dst[2*i*(h+1):][:2*(h+1)]
		y[0], y[1], y[2*h], y[2*h+1] = y[0]+y[1], 0, y[0]-y[1], 0
	}
	foldRows(dst, dst, foldFactorsOf[T](n).forward, h, count, 2*(h+1), 2*(h+1), 0.5)
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
	for i := range count {
		y := src[2*i*(h+1):]
		dst[i*n], dst[i*n+1] = y[0]+y[2*h], y[0]-y[2*h]
	}
	foldRows(dst, src, foldFactorsOf[T](n).backward, h, count, n, 2*(h+1), 1)
	transformRows(dst, dst, h, count, h, h, f)
}
