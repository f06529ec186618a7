package spatial

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// direct reports whether loops on the host compute a metric of vectors, faster than tensor operations: sums over a few
// numbers are slow ones.
func (m Metric) direct(a, b *tensor.Tensor) bool {
	return m.sum != nil && a.Device().IsCPU() && !extend.Tracked(a) && !extend.Tracked(b) &&
		(a.DType() == tensor.F32 || a.DType() == tensor.F64)
}

// onHost is CDist for metrics that are direct.
func (m Metric) onHost(a, b *tensor.Tensor) *tensor.Tensor {
	out := a.Device().Empty(a.DType(), a.Dim(0), b.Dim(0))
	a, b = a.Contiguous(), b.Contiguous()
	switch from := a.Data().(type) {
	case []float32:
		pairs(from, b.Data().([]float32), out.Data().([]float32), a.Dim(1), m.sum)
	case []float64:
		pairs(from, b.Data().([]float64), out.Data().([]float64), a.Dim(1), m.sum)
	}
	return out
}

// combine is how the differences of two vectors make a distance: the sum of their absolute values to a power, or the
// maximum of an infinite one, and the root of it.
type combine struct {
	power float64
	root  bool
}

func pairs[T float32 | float64](a, b, to []T, d int, c *combine) {
	m := len(b) / d
	team.Run(len(a)/d, m*(2+d), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x, row := a[i*d:(i+1)*d], to[i*m:(i+1)*m]
			switch c.power {
			case 2:
				for j := range row {
					var sum T
					for k, v := range b[j*d:][:len(x)] {
						sum += (x[k] - v) * (x[k] - v)
					}
					row[j] = sum
				}
			case 1:
				for j := range row {
					var sum T
					for k, v := range b[j*d:][:len(x)] {
						sum += T(math.Abs(float64(x[k] - v)))
					}
					row[j] = sum
				}
			default: // the maximum
				for j := range row {
					var most T
					for k, v := range b[j*d:][:len(x)] {
						most = max(most, T(math.Abs(float64(x[k]-v))))
					}
					row[j] = most
				}
			}
			if c.root {
				for j, v := range row {
					row[j] = T(math.Sqrt(float64(v)))
				}
			}
		}
	})
}
