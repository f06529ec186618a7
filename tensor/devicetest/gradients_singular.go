package devicetest

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// gradientsWithoutDerivative checks gradients where an operation has no derivative, as at equal operands of a maximum:
// half each there, as PyTorch has it, and 0 rather than NaN at the origin of Atan2, Hypot and Pow.
func gradientsWithoutDerivative(t *testing.T, dev *tensor.Device) {
	nan := math.NaN()
	for _, c := range []struct {
		name         string
		f            func(x, y *tensor.Tensor) *tensor.Tensor
		x, y         []float64
		wantX, wantY []float64
	}{
		{"Maximum", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Maximum(y) },
			[]float64{2, 3, 1}, []float64{2, 1, 3}, []float64{0.5, 1, 0}, []float64{0.5, 0, 1}},
		{"Fmax", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Fmax(y) },
			[]float64{2, 3, 1, nan, 4}, []float64{2, 1, 3, 4, nan}, []float64{0.5, 1, 0, 0, 1}, []float64{0.5, 0, 1, 1, 0}},
		{"Fmin", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Fmin(y) },
			[]float64{2, 3, 1, nan, 4}, []float64{2, 1, 3, 4, nan}, []float64{0.5, 0, 1, 0, 1}, []float64{0.5, 1, 0, 1, 0}},
		{"Hypot", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Hypot(y) },
			[]float64{0, 3}, []float64{0, 4}, []float64{0, 0.6}, []float64{0, 0.8}},
		{"Atan2", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Atan2(y) },
			[]float64{0, 3e-30}, []float64{0, 4e-30}, []float64{0, 1.6e29}, []float64{0, -1.2e29}},
		{"Pow", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Pow(y) },
			[]float64{0, 0, 0, 1}, []float64{0, 1, 2, 0}, []float64{0, 1, 0, 0}, []float64{0, 0, 0, 0}},
		{"Pow of 0 to a negative power", func(x, y *tensor.Tensor) *tensor.Tensor { return x.Pow(y) },
			[]float64{0}, []float64{-1}, []float64{math.Inf(-1)}, []float64{math.Inf(-1)}},
	} {
		on := func(values []float64) *tensor.Tensor {
			return tensor.NewVar(tensor.CPU().FromSlice(values, len(values)).ToDType(tensor.F32).ToDevice(dev))
		}
		x, y := on(c.x), on(c.y)
		grads := c.f(x, y).Sum().Backward()
		for i, g := range []*tensor.Tensor{grads.Get(x), grads.Get(y)} {
			want := [][]float64{c.wantX, c.wantY}[i]
			for k, v := range g.Float64s() {
				if v != want[k] && !(math.Abs(v-want[k]) <= 1e-6*math.Abs(want[k])) {
					t.Errorf("%s on %v: element %d of the gradient of operand %d is %v, want %v", c.name, dev, k, i, v, want[k])
				}
			}
		}
	}
}
