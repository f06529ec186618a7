package tensor_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/sparse"
)

// TestOverwritten: what a gradient needs may not be overwritten before it is computed, whether it depends on a variable
// or not; what it does not need may.
func TestOverwritten(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil {
			continue
		}
		x := tensor.NewVar(dev.Arange(tensor.F32, 1, 5).Reshape(1, 1, 2, 2))
		row := func() *tensor.Tensor { return x.Reshape(1, 4) }
		other := func() *tensor.Tensor { return dev.Ones(tensor.F32, 1, 1, 2, 2) }
		ids := func() *tensor.Tensor { return dev.Zeros(tensor.U32, 1) }
		for _, c := range []struct {
			name  string
			other *tensor.Tensor
			loss  func(y *tensor.Tensor) *tensor.Tensor
		}{
			{"mul", other(), func(y *tensor.Tensor) *tensor.Tensor { return x.Mul(y) }},
			{"mul of a view", other(), func(y *tensor.Tensor) *tensor.Tensor { return x.Mul(y.Narrow(2, 0, 1)) }},
			{"div", other(), func(y *tensor.Tensor) *tensor.Tensor { return x.Div(y) }},
			{"max", other(), func(y *tensor.Tensor) *tensor.Tensor { return x.Maximum(y) }},
			{"matmul", other(), x.MatMul},
			{"conv", other(), func(y *tensor.Tensor) *tensor.Tensor { return x.Conv2d(y, 0, 1, 1, 1) }},
			{"index", ids(), func(y *tensor.Tensor) *tensor.Tensor { return x.IndexSelect(y, 2) }},
			{"gather", dev.Zeros(tensor.U32, 1, 1, 2, 2), func(y *tensor.Tensor) *tensor.Tensor { return x.Gather(y, 3) }},
			{"where", dev.Ones(tensor.U8, 1, 1, 2, 2), func(y *tensor.Tensor) *tensor.Tensor { return y.WhereCond(x, other()) }},
			{"cross entropy", ids(), func(y *tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(row(), y) }},
			{"fft", other(), func(y *tensor.Tensor) *tensor.Tensor { return fft.Convolve(row(), y.Reshape(1, 4), fft.Full, 1) }},
			{"sparse", dev.Ones(tensor.F32, 2), func(y *tensor.Tensor) *tensor.Tensor {
				m := sparse.FromCOO(dev.Zeros(tensor.I64, 2), dev.Arange(tensor.I64, 2), y, 2, 4)
				return m.MatMul(row().T())
			}},
			{"detached", x.Copy().Detach(), func(y *tensor.Tensor) *tensor.Tensor { return tensor.NewVar(y).Mul(y) }},
		} {
			t.Run(spec+"/"+c.name, func(t *testing.T) {
				want := c.loss(c.other).Sum().Backward().Get(x)
				loss := c.loss(c.other).Sum()
				c.other.ZeroSet()
				got, err := tensor.Try(func() *tensor.Tensor { return loss.Backward().Get(x) })
				if err == nil && want != nil && slices.Equal(got.Float64s(), want.Float64s()) {
					return // it has elements of its own
				}
				if !errors.Is(err, tensor.ErrGradient) || !strings.Contains(err.Error(), "overwritten since") {
					t.Errorf("gradient %v, error %v", got, err)
				}
			})
		}
		t.Run(spec+"/own elements", func(t *testing.T) {
			v := tensor.NewVar(dev.Arange(tensor.F32, 3))
			loss := v.Sqr().Sum()
			v.Detach().SetI(5, 0)
			if _, err := tensor.Try(func() *tensor.Tensor { loss.Backward(); return nil }); !errors.Is(err, tensor.ErrGradient) {
				t.Errorf("error %v", err)
			}
		})
		t.Run(spec+"/not needed", func(t *testing.T) {
			v, y := tensor.NewVar(dev.Arange(tensor.F32, 3)), dev.Ones(tensor.F32, 3)
			y.CopySet(dev.Zeros(tensor.F32, 3)) // before
			product := v.Mul(y.Add(2)).Add(y).Sub(y)
			y.OneSet() // a sum's gradient needs no operand, and the factor has elements of its own
			loss := product.Sum()
			loss = nn.Checkpoint(func(ts ...*tensor.Tensor) *tensor.Tensor {
				y.ConstSet(math.Pi) // computed again, after the first time
				return ts[0].Mul(y.Copy())
			}, loss)
			if got := loss.Backward().Get(v).Div(math.Pi).Round().Float64s(); !slices.Equal(got, []float64{6, 6, 6}) {
				t.Error(got)
			}
		})
	}
}
