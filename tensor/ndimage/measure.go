package ndimage

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Regions are measurements of the parts of an image with the labels 1 to n, in this order: F64, [n], and positions [n
// rank]. Those of a label that there is not are 0 and NaN, as means of nothing are.
type Regions struct {
	Count, Sum, Mean, Variance, Std, Min, Max *tensor.Tensor
	// MinAt and MaxAt are the positions of the first minimum and maximum, in I64, -1 where there is none. Center is the
	// mean of positions, weighted by the elements.
	MinAt, MaxAt, Center *tensor.Tensor
}

// Measure measures the parts of an image x by their labels, of the shape of x, which Label returns: the functions sum,
// mean, variance, standard_deviation, minimum, maximum, their positions and center_of_mass of scipy.ndimage, in one. It
// panics with ErrShape for other shapes, and with ErrDType for labels that are not integers.
//
//	labels, n := ndimage.Label(x.Gt(0.5), nil)
//	r := ndimage.Measure(x, labels, n)
//	r.Mean, r.Center // [n], [n 2]
func Measure(x, labels *tensor.Tensor, n int) Regions {
	const op = "measure"
	Border{}.check(op, x)
	extend.SameDevice(op, x, labels)
	ids := whole(op, labels)
	dims, rank := x.Dims(), x.Rank()
	if !slices.Equal(dims, labels.Dims()) || n < 0 {
		extend.Shape(op, []*tensor.Tensor{x, labels}, "want labels of the shape of the image, and 0 of them or more")
	}
	values := x.Detach().ToDType(tensor.F64).Float64s()
	nan := math.NaN()
	table := func(start float64, width int) []float64 { return slices.Repeat([]float64{start}, n*width) }
	count, sum, mean, square := table(0, 1), table(0, 1), table(nan, 1), table(0, 1)
	low, high, center := table(nan, 1), table(nan, 1), table(0, rank)
	lowAt, highAt := slices.Repeat([]int64{-1}, n*rank), slices.Repeat([]int64{-1}, n*rank)
	at := make([]int, rank)
	for i, v := range values {
		if k := ids[i] - 1; k >= 0 && k < int64(n) {
			count[k]++
			sum[k] += v
			for d, p := range at {
				center[int(k)*rank+d] += v * float64(p)
				if count[k] == 1 || v < low[k] {
					lowAt[int(k)*rank+d] = int64(p)
				}
				if count[k] == 1 || v > high[k] {
					highAt[int(k)*rank+d] = int64(p)
				}
			}
			if count[k] == 1 || v < low[k] || math.IsNaN(v) {
				low[k] = v
			}
			if count[k] == 1 || v > high[k] || math.IsNaN(v) {
				high[k] = v
			}
		}
		step(at, dims)
	}
	for k := range n {
		mean[k] = sum[k] / count[k]
		for d := range rank {
			center[k*rank+d] /= sum[k]
		}
	}
	for i, v := range values {
		if k := ids[i] - 1; k >= 0 && k < int64(n) {
			square[k] += (v - mean[k]) * (v - mean[k])
		}
	}
	std := make([]float64, n)
	for k := range n {
		square[k] /= count[k]
		std[k] = math.Sqrt(square[k])
	}
	dev := x.Device()
	put := func(list []float64) *tensor.Tensor { return dev.FromSlice(list, n) }
	return Regions{Count: put(count), Sum: put(sum), Mean: put(mean), Variance: put(square), Std: put(std),
		Min: put(low), Max: put(high), MinAt: dev.FromSlice(lowAt, n, rank), MaxAt: dev.FromSlice(highAt, n, rank),
		Center: dev.FromSlice(center, n, rank)}
}
