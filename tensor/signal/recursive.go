package signal

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// recurse returns y [… n] with y[t] = v[t] - Σ_k>0 a[k]·y[t-k] along the last dim, in F64 or C128.
func recurse(a []float64, v *tensor.Tensor) *tensor.Tensor {
	if len(a) < 2 {
		return v
	}
	if v.DType().IsComplex() {
		return tensor.Complex(recurse(a, v.Real()), recurse(a, v.Imag()))
	}
	flat, batch := rows(v.Detach())
	y := shaped(iir.Recurse(a, flat.Contiguous()), batch)
	return extend.ByOperations(y, "lfilter", []*tensor.Tensor{v},
		func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{recurse(a, g.Flip(-1)).Flip(-1)}
		})
}
