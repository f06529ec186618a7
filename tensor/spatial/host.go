package spatial

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// direct reports whether loops on the host compute a metric of vectors, faster than tensor operations: sums over a few
// numbers are slow ones.
func (m Metric) direct(a, b *tensor.Tensor) bool {
	return m.sum != nil && a.Device().IsCPU() && !extend.Tracked(a) && !extend.Tracked(b) &&
		(a.DType() == tensor.F32 || a.DType() == tensor.F64)
}

// onHost is CDist for metrics that are direct, or PDist of a.
func (m Metric) onHost(op string, a, b *tensor.Tensor, half bool) *tensor.Tensor {
	if a.DType() == tensor.F32 {
		return distances[float32](op, a, b, m.sum, half)
	}
	return distances[float64](op, a, b, m.sum, half)
}

func distances[T float32 | float64](op string, a, b *tensor.Tensor, c *combine, half bool) *tensor.Tensor {
	n, shape := a.Dim(0), []int{a.Dim(0), b.Dim(0)}
	if half {
		shape = []int{n * (n - 1) / 2}
	}
	out, to := extend.OnHost[T](op, a.DType(), shape...)
	a, b = a.Contiguous(), b.Contiguous()
	pairs(extend.Elements[T](op, a), extend.Elements[T](op, b), to, a.Dim(1), c, half)
	runtime.KeepAlive([]*tensor.Tensor{a, b})
	return out
}

// combine is how the differences of two vectors make a distance: the sum of their absolute values to a power, or the
// maximum of an infinite one, and the root of it.
type combine struct {
	power float64
	root  bool
}

// pairs computes the distances of vectors of d numbers: of each of a from all of b, or, of half, from those after it.
func pairs[T float32 | float64](a, b, to []T, d int, c *combine, half bool) {
	n, m := len(a)/d, len(b)/d
	row := func(x, out []T, from int) { distancesOf(x, out, b[from*d:], c) }
	if b, ok := any(b).([]float64); ok {
		if fast, ok := any(c.byColumns(b, d)).(func(x, out []T, from int)); ok && fast != nil {
			row = fast
		}
	}
	team.Run(n, m*(2+d), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if half {
				row(a[i*d:(i+1)*d], to[i*(2*n-i-1)/2:(i+1)*(2*n-i-2)/2], i+1)
			} else {
				row(a[i*d:(i+1)*d], to[i*m:(i+1)*m], 0)
			}
		}
	})
}

// distancesOf sets out to the distances of x from vectors.
func distancesOf[T float32 | float64](x, out, b []T, c *combine) {
	for j := range out {
		other := b[j*len(x):][:len(x)]
		var sum T
		switch c.power {
		case 2:
			for k, v := range other {
				sum += (x[k] - v) * (x[k] - v)
			}
		case 1:
			for k, v := range other {
				sum += T(math.Abs(float64(x[k] - v)))
			}
		default: // the maximum
			for k, v := range other {
				sum = max(sum, T(math.Abs(float64(x[k]-v))))
			}
		}
		if c.root {
			sum = T(math.Sqrt(float64(sum)))
		}
		out[j] = sum
	}
}

// byColumns is distancesOf from vector number from of b on, with the same results, by a vector loop, or nil.
func (c *combine) byColumns(b []float64, d int) func(x, out []float64, from int) {
	loop := simd.Fast.Doubles.Greatest
	switch c.power {
	case 1:
		loop = simd.Fast.Doubles.Absolutes
	case 2:
		loop = simd.Fast.Doubles.Squares
	}
	m := len(b) / d
	if loop == nil || m < simd.Whole {
		return nil
	}
	columns := make([]float64, len(b))
	for j := range m {
		for k := range d {
			columns[k*m+j] = b[j*d+k]
		}
	}
	return func(x, out []float64, from int) {
		whole := len(out) &^ (simd.Whole - 1)
		if whole > 0 {
			loop(out[:whole], x, columns[from:], m)
			if c.root {
				simd.Fast.Doubles.Sqrt(out[:whole], out[:whole])
			}
		}
		distancesOf(x, out[whole:], b[(from+whole)*d:], c)
	}
}

// upperHalfOnHost is upperHalf of a matrix on the host without gradients.
func upperHalfOnHost(m *tensor.Tensor) *tensor.Tensor {
	const op = "squareform"
	n, size := m.Dim(0), m.DType().Size()
	out := tensor.CPU().Empty(m.DType(), n*(n-1)/2)
	from, to := extend.Dense(op, m), extend.Operand(out)
	bytes := from.Store.(backend.HostMemory).HostBytes()[from.Layout.Offset*size:]
	next := to.Store.(backend.HostMemory).HostBytes()
	for i := range n {
		next = next[copy(next, bytes[(i*n+i+1)*size:(i+1)*n*size]):]
	}
	runtime.KeepAlive(m)
	return out
}
