package csr

import (
	"math/cmplx"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

type (
	realElement    interface{ float32 | float64 }
	complexElement interface{ complex64 | complex128 }
)

func hostMatMul(m Matrix, x *tensor.Tensor, shape []int, n int) *tensor.Tensor {
	out := x.Device().Empty(x.DType(), shape...)
	p := pattern{data[int64](m.Offsets), data[uint32](m.Cols)}
	switch to := out.Data().(type) {
	case []float32:
		productReal(p, data[float32](m.Values), data[float32](x), to, n)
	case []float64:
		productReal(p, data[float64](m.Values), data[float64](x), to, n)
	case []complex64:
		productComplex(p, data[complex64](m.Values), data[complex64](x), to, n)
	case []complex128:
		productComplex(p, data[complex128](m.Values), data[complex128](x), to, n)
	}
	return out
}

func hostSampled(rows, cols, a, b *tensor.Tensor) *tensor.Tensor {
	out := a.Device().Empty(a.DType(), rows.Dims()...)
	r, c, n := data[uint32](rows), data[uint32](cols), a.Dim(1)
	switch to := out.Data().(type) {
	case []float32:
		sampledReal(r, c, data[float32](a), data[float32](b), to, n)
	case []float64:
		sampledReal(r, c, data[float64](a), data[float64](b), to, n)
	case []complex64:
		sampledComplex(r, c, data[complex64](a), data[complex64](b), to, n)
	case []complex128:
		sampledComplex(r, c, data[complex128](a), data[complex128](b), to, n)
	}
	return out
}

func data[T any](t *tensor.Tensor) []T { return t.Contiguous().Data().([]T) }

// pattern is where the elements of a matrix are.
type pattern struct {
	offsets []int64
	cols    []uint32
}

// each calls f for parts of the rows, on as many cores as are worth it.
func (p pattern) each(n int, f func(lo, hi int)) {
	rows := len(p.offsets) - 1
	const gather = 4 // an element of x that may be in no cache takes as long as so many additions
	host.Parallel(rows, gather*n*(1+len(p.cols)/rows), f)
}

func productReal[T realElement](p pattern, values, x, out []T, n int) {
	p.each(n, func(lo, hi int) {
		for row := lo; row < hi; row++ {
			from, to := p.offsets[row], p.offsets[row+1]
			v, cols := values[from:to], p.cols[from:to]
			if n == 1 {
				sum := 0.0
				for k, col := range cols {
					sum += float64(float64(v[k]) * float64(x[col]))
				}
				out[row] = T(sum)
				continue
			}
			y, j := out[row*n:row*n+n], 0
			for ; j+8 <= n; j += 8 {
				eightColumns((*[8]T)(y[j:]), v, cols, x[j:], n)
			}
			for ; j < n; j++ {
				sum := 0.0
				for k, col := range cols {
					sum += float64(float64(v[k]) * float64(x[int(col)*n+j]))
				}
				y[j] = T(sum)
			}
		}
	})
}

// eightColumns is a row of the product with the first eight columns of x, whose sums stay in registers.
func eightColumns[T realElement](out *[8]T, v []T, cols []uint32, x []T, n int) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for k, col := range cols {
		a, y := float64(v[k]), (*[8]T)(x[int(col)*n:])
		s0 += float64(a * float64(y[0]))
		s1 += float64(a * float64(y[1]))
		s2 += float64(a * float64(y[2]))
		s3 += float64(a * float64(y[3]))
		s4 += float64(a * float64(y[4]))
		s5 += float64(a * float64(y[5]))
		s6 += float64(a * float64(y[6]))
		s7 += float64(a * float64(y[7]))
	}
	*out = [8]T{T(s0), T(s1), T(s2), T(s3), T(s4), T(s5), T(s6), T(s7)}
}

func productComplex[T complexElement](p pattern, values, x, out []T, n int) {
	p.each(4*n, func(lo, hi int) {
		sums := make([]complex128, n)
		for row := lo; row < hi; row++ {
			clear(sums)
			for k := p.offsets[row]; k < p.offsets[row+1]; k++ {
				a, at := complex128(values[k]), int(p.cols[k])*n
				for j, y := range x[at : at+n] {
					sums[j] += a * complex128(y)
				}
			}
			for j, sum := range sums {
				out[row*n+j] = T(sum)
			}
		}
	})
}

func sampledReal[T realElement](rows, cols []uint32, a, b, out []T, n int) {
	host.Parallel(len(out), n, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			x, y := a[int(rows[k])*n:][:n], b[int(cols[k])*n:][:n]
			sum := 0.0
			for j := range x {
				sum += float64(float64(x[j]) * float64(y[j]))
			}
			out[k] = T(sum)
		}
	})
}

func sampledComplex[T complexElement](rows, cols []uint32, a, b, out []T, n int) {
	host.Parallel(len(out), 4*n, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			x, y := a[int(rows[k])*n:][:n], b[int(cols[k])*n:][:n]
			sum := 0i
			for j := range x {
				sum += complex128(x[j]) * cmplx.Conj(complex128(y[j]))
			}
			out[k] = T(sum)
		}
	})
}
