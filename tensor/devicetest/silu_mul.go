package devicetest

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// gate: SiluMul has the bits of Silu and Mul, in any layout, and whether or not chains of operations are deferred.
func (k kit) gate(t T) {
	for _, dt := range kernels.Floats {
		for _, shape := range [][]int{{1, 16}, {7, 13}, {2, 3, 64}, {0, 4}, {}} {
			run(t, fmt.Sprintf("%v/%v", dt, shape), func(t T) {
				_, x := k.input(dt, shape, 126, 4, true)
				_, y := k.input(dt, shape, 127, 4, true)
				same(t, "dense", x.SiluMul(y), x.Silu().Mul(y))
				if len(shape) > 1 {
					both := tensor.Cat([]*tensor.Tensor{x, y}, -1)
					n := x.Dim(-1)
					same(t, "halves", both.Narrow(-1, 0, n).SiluMul(both.Narrow(-1, n, n)), x.Silu().Mul(y))
					same(t, "transposed", x.T().SiluMul(y.T()), x.Silu().Mul(y).T())
					same(t, "broadcast", x.SiluMul(y.Narrow(-1, 0, 1)), x.Silu().Mul(y.Narrow(-1, 0, 1)))
				}
			})
		}
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return k.dev.Ones(tensor.F32, 2).SiluMul(nil)
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("nothing to multiply by: got %v, want a shape error", err)
	}
}
