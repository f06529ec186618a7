package ndimage

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// nestedOnHost is nested for images that are direct and dense.
func nestedOnHost(flat *tensor.Tensor, all []taps) *tensor.Tensor {
	count := all[0].ids[0].ElemCount()
	out := flat.Device().Empty(flat.DType(), count, flat.Dim(1))
	if out.ElemCount() == 0 {
		return out
	}
	switch from := flat.Data().(type) {
	case []float32:
		gather(from, out.Data().([]float32), all)
	case []float64:
		gather(from, out.Data().([]float64), all)
	}
	return out
}

// gather sets the rows of to to sums of rows of from, which have the same width.
func gather[T float32 | float64](from, to []T, all []taps) {
	ids, weights := make([][][]int64, len(all)), make([][][]T, len(all))
	for d, t := range all {
		for k := range t.ids {
			ids[d] = append(ids[d], t.ids[k].Contiguous().Data().([]int64))
			weights[d] = append(weights[d], t.weights[k].Contiguous().Data().([]T))
		}
	}
	count, each := len(ids[0][0]), len(ids[0])
	width := len(to) / count
	combinations := 1
	for range all {
		combinations *= each
	}
	team.Run(count, combinations*(2+width), func(lo, hi int) {
		digits, starts, factors := make([]int, len(all)), make([]int64, len(all)+1), make([]T, len(all)+1)
		for q := lo; q < hi; q++ {
			row := to[q*width : (q+1)*width]
			clear(row)
			factors[0] = 1
			first := 0 // the first dim whose digit has changed
			for range combinations {
				for d := first; d < len(all); d++ {
					starts[d+1] = starts[d] + ids[d][digits[d]][q]
					factors[d+1] = factors[d] * weights[d][digits[d]][q]
				}
				at, factor := int(starts[len(all)])*width, factors[len(all)]
				for i, v := range from[at : at+width] {
					row[i] += factor * v
				}
				for first = len(all) - 1; first >= 0; first-- {
					if digits[first]++; digits[first] < each {
						break
					}
					digits[first] = 0
				}
				first = max(first, 0)
			}
		}
	})
}
