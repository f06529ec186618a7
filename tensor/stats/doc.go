// Package stats has covariances, histograms, counts, interpolation and integrals, under the names of NumPy. Reductions
// are methods of tensor.Tensor: Std, Median, Quantile and so on.
//
//	x := tensor.Randn(0, 1, []int{3, 1000}, tensor.F32, dev) // three variables with 1000 observations
//	c := stats.Cov(x, 1)                                     // [3, 3]
//	counts, edges := stats.Histogram(x, 20, -3, 3)
//
// Functions compute on the device of their tensors. Mistakes panic with a *tensor.Error, as the methods of package
// tensor do. Cov, CorrCoef, Trapezoid and Interp have gradients.
package stats

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// fail panics with an error about tensors.
func fail(op string, kind error, ts []*tensor.Tensor, note, format string, args ...any) {
	e := &tensor.Error{Op: op, Kind: kind, Message: fmt.Sprintf(format, args...)}
	if note != "" {
		e.Notes = []string{note}
	}
	for _, t := range ts {
		e.Shapes, e.DTypes, e.Devices = append(e.Shapes, t.Dims()), append(e.DTypes, t.DType()),
			append(e.Devices, t.Device().Location())
	}
	panic(e)
}

// precise returns x in the type in which operations of several steps compute, and the type of their results: F16, BF16
// and F8E4M3 are computed in F32, integers in F64 with results of DefaultDType.
func precise(x *tensor.Tensor) (*tensor.Tensor, tensor.DType) {
	switch dt := x.DType(); {
	case !dt.IsFloat():
		return x.ToDType(tensor.F64), tensor.DefaultDType()
	case dt.IsSmallFloat():
		return x.ToDType(tensor.F32), dt
	default:
		return x, dt
	}
}
