package signal_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/signal"
)

// TestDirect compares the loops over signals on the host with operations of tensors, which compute filters of
// variables.
func TestDirect(t *testing.T) {
	for _, n := range []int{1, 2, 3, 40, 5000} {
		x := tensor.CPU().FromSlice(noise(3*n), 3, n)
		for order := 1; order <= 7; order++ {
			z := signal.Butter(order, signal.Lowpass, 0.3)
			b, a := z.BA()
			sos := z.SOS()
			cases := map[string]func(x *tensor.Tensor) *tensor.Tensor{
				"lfilter": func(x *tensor.Tensor) *tensor.Tensor { return signal.LFilter(b, a, x, -1) },
				"sosfilt": func(x *tensor.Tensor) *tensor.Tensor { return signal.SOSFilt(sos, x, -1) },
			}
			if n > 30 {
				cases["sosfiltfilt"] = func(x *tensor.Tensor) *tensor.Tensor { return signal.SOSFiltFilt(sos, x, -1) }
				cases["filtfilt"] = func(x *tensor.Tensor) *tensor.Tensor { return signal.FiltFilt(b, a, x, -1) }
			}
			cases["state"] = func(x *tensor.Tensor) *tensor.Tensor {
				state := x.Narrow(-1, 0, 1).BroadcastAs(len(sos), 3, 2)
				y, end := signal.SOSFiltFrom(sos, x, state, -1)
				return tensor.Cat([]*tensor.Tensor{y.FlattenAll(), end.FlattenAll()}, 0)
			}
			for name, f := range cases {
				got, want := f(x).Float64s(), f(tensor.NewVar(x)).Float64s()
				for i, w := range want {
					if math.Abs(got[i]-w) > 1e-9*(1+math.Abs(w)) {
						t.Errorf("%s of order %d, %d elements: number %d is %g, want %g", name, order, n, i, got[i], w)
						break
					}
				}
			}
		}
	}
}
