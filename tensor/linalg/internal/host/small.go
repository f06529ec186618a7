package host

import (
	"math"
	"math/cmplx"
)

// arithmetic is what differs between real and complex elements.
type arithmetic[T Number] struct {
	abs  func(T) float64
	conj func(T) T
	real func(T) float64
	from func(float64) T
}

func arithmeticOf[T Number]() arithmetic[T] {
	var a any
	switch any(*new(T)).(type) {
	case float32:
		a = realArithmetic[float32]()
	case float64:
		a = realArithmetic[float64]()
	case complex64:
		a = arithmetic[complex64]{
			abs:  func(x complex64) float64 { return cmplx.Abs(complex128(x)) },
			conj: func(x complex64) complex64 { return complex(real(x), -imag(x)) },
			real: func(x complex64) float64 { return float64(real(x)) },
			from: func(x float64) complex64 { return complex(float32(x), 0) },
		}
	default:
		a = arithmetic[complex128]{
			abs:  cmplx.Abs,
			conj: cmplx.Conj,
			real: func(x complex128) float64 { return real(x) },
			from: func(x float64) complex128 { return complex(x, 0) },
		}
	}
	return a.(arithmetic[T])
}

func realArithmetic[T float32 | float64]() arithmetic[T] {
	return arithmetic[T]{
		abs:  func(x T) float64 { return math.Abs(float64(x)) },
		conj: func(x T) T { return x },
		real: func(x T) float64 { return float64(x) },
		from: func(x float64) T { return T(x) },
	}
}

// ownSimple is own code, which is fast for small matrices: nothing is called or allocated for each.
type ownSimple[T Number] struct{ arithmetic[T] }

func own[T Number]() ownSimple[T] { return ownSimple[T]{arithmeticOf[T]()} }

func (o ownSimple[T]) lu(a []T, m, n int, pivots []int32) (info int) {
	for c := range min(m, n) {
		best, size := c, o.abs(a[c*n+c])
		for r := c + 1; r < m; r++ {
			if s := o.abs(a[r*n+c]); s > size || s != s && size == size {
				best, size = r, s
			}
		}
		pivots[c] = int32(best)
		row := a[c*n : (c+1)*n]
		if size == 0 {
			if info == 0 {
				info = c + 1
			}
			continue
		}
		if best != c {
			for j, x := range a[best*n : (best+1)*n] {
				a[best*n+j], row[j] = row[j], x
			}
		}
		for r := c + 1; r < m; r++ {
			below := a[r*n : (r+1)*n]
			f := below[c] / row[c]
			below[c] = f
			for j := c + 1; j < n; j++ {
				below[j] -= f * row[j]
			}
		}
	}
	return info
}

func (o ownSimple[T]) cholesky(a []T, n int) int {
	for r := range n {
		row := a[r*n : (r+1)*n]
		for c := range r {
			above := a[c*n : (c+1)*n]
			sum := row[c]
			for j, x := range row[:c] {
				sum -= x * o.conj(above[j])
			}
			row[c] = sum / above[c]
		}
		d := o.real(row[r])
		for _, x := range row[:r] {
			d -= o.real(x * o.conj(x))
		}
		if !(d > 0) {
			return r + 1
		}
		row[r] = o.from(math.Sqrt(d))
	}
	return 0
}

// solve substitutes row by row: from the first one, or from the last.
func (o ownSimple[T]) solve(t, b []T, n, k int, f Form) {
	down := f.Upper == f.Transposed
	for i := range n {
		r := i
		if !down {
			r = n - 1 - i
		}
		row := b[r*k : (r+1)*k]
		known := [2]int{0, r}
		if !down {
			known = [2]int{r + 1, n}
		}
		for j := known[0]; j < known[1]; j++ {
			x := o.element(t, r, j, n, f)
			for c, y := range b[j*k : (j+1)*k] {
				row[c] -= x * y
			}
		}
		if f.Unit {
			continue
		}
		d := o.element(t, r, r, n, f)
		for c := range row {
			row[c] /= d
		}
	}
}

// element is one of op(t).
func (o ownSimple[T]) element(t []T, r, c, n int, f Form) T {
	switch {
	case f.Conjugated:
		return o.conj(t[c*n+r])
	case f.Transposed:
		return t[c*n+r]
	}
	return t[r*n+c]
}
