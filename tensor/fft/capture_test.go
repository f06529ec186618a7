package fft_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
	"github.com/gorocm/gorocm/tensor/fft"
)

// TestCapture captures transforms as graphs, and replays them with other elements. A length that is new in a capture is
// an error that says what to do.
func TestCapture(t *testing.T) {
	devicetest.OnGPUs(t, func(t *testing.T, dev *tensor.Device, d *rocm.Device) {
		for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
			"smooth":       func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x).Abs() },
			"two dims":     func(x *tensor.Tensor) *tensor.Tensor { return fft.IFFT(x, 0, 1).Abs() },
			"prime":        func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x.Narrow(1, 0, 29)).Abs() },
			"real":         func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(fft.RFFT(x).Mul(2), 30) },
			"odd and real": func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x.Narrow(1, 1, 25)).Abs() },
		} {
			t.Run(name, func(t *testing.T) {
				first := dev.Randn(tensor.F32, 4, 30)
				second := dev.Randn(tensor.F32, 4, 30)
				x := first.Copy()
				f(x) // makes the plans
				var y *tensor.Tensor
				g, err := d.Capture(func() { y = f(x) })
				if err != nil {
					t.Fatal(err)
				}
				for _, operand := range []*tensor.Tensor{first, second, first} {
					x.SliceSet(operand, 0, 0)
					if err := g.Replay(); err != nil {
						t.Fatal(err)
					}
					if got, want := y.Float64s(), f(operand).Float64s(); !slices.Equal(got, want) {
						t.Fatalf("got %v, want %v", got, want)
					}
				}
			})
		}
		x := dev.Ones(tensor.F32, 18).ToDType(tensor.C64)
		var failed error
		if _, err := d.Capture(func() { _, failed = tensor.Try(func() *tensor.Tensor { return fft.FFT(x) }) }); err != nil {
			t.Fatal(err)
		}
		if failed == nil || !strings.Contains(failed.Error(), "run it once before the capture") {
			t.Errorf("a new length in a capture: %v", failed)
		}
	})
}
