package nn_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionInParts: many queries, which are taken in parts, have the results that they have alone.
func TestAttentionInParts(t *testing.T) {
	thorough.Slow(t)
	dev := tensor.CPU()
	of := func(rows int, phase float64) *tensor.Tensor {
		return dev.Arange(tensor.F32, float64(2*rows*3)).Affine(0.37, phase).Sin().Reshape(1, 2, rows, 3)
	}
	q, k, v := of(3100, 0), of(1500, 1), of(1500, 2)
	y := nn.Attention(q, k, v, nn.Attend{})
	for _, at := range []int{0, 2795, 2796, 3099} { // 2796 begin the second part
		one := nn.Attention(q.Narrow(2, at, 1), k, v, nn.Attend{})
		if d := y.Narrow(2, at, 1).Sub(one).Abs().Max().ToScalar(); !(d < 1e-6) || math.IsNaN(d) {
			t.Errorf("query %d differs by %v", at, d)
		}
	}
}
