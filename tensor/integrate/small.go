package integrate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// small reports whether loops over Go slices are faster than operations: for few F64 on the CPU without gradients,
// such as the states of SolveIVPFunc. The results are the same.
func small(ts ...*tensor.Tensor) bool {
	for _, t := range ts {
		if t.ElemCount() > 64 || t.DType() != tensor.F64 || !t.Device().IsCPU() || extend.Tracked(t) {
			return false
		}
	}
	return true
}

// combinedSmall is combined for small stages.
func combinedSmall(stages []*tensor.Tensor, weights []float64, h float64) *tensor.Tensor {
	sum := make([]float64, stages[0].ElemCount())
	first := true
	for i, w := range weights {
		if w == 0 {
			continue
		}
		for k, v := range stages[i].Float64s() {
			if part := v * (w * h); first {
				sum[k] = part
			} else {
				sum[k] += part
			}
		}
		first = false
	}
	return tensor.CPU().FromSlice(sum, stages[0].Dims()...)
}

// normSmall is norm for small tensors.
func normSmall(v, scale *tensor.Tensor) float64 {
	n := 1
	if v.Rank() > 0 {
		n = v.Dim(-1)
	}
	var most, sum float64
	scales := scale.Float64s()
	for i, x := range v.Float64s() {
		q := x / scales[i%len(scales)] // which may have no batch
		if sum += q * q; (i+1)%n == 0 {
			most, sum = max(most, sum/float64(n)), 0
		}
	}
	return math.Sqrt(most)
}
