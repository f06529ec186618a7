package quant_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
)

// TestKernelsUnderChecks runs every kernel of the package on the emulated GPU, which looks for races and for memory
// that is read before it is written.
func TestKernelsUnderChecks(t *testing.T) {
	thorough.Slow(t)
	dev, d := emulated(t)
	if err := d.SetChecks(rocm.Checks{Races: true, Init: true}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.SetChecks(rocm.Checks{}); err != nil {
			t.Error(err)
		}
	}()
	for i, format := range blocks() {
		if !format.OnGPU() {
			continue
		}
		w := noise(format, 70, 512, 3).To(dev)
		for _, columns := range thorough.Sample([]int{1, 3, 65}, 3, i) {
			x := dev.Randn(tensor.F32, columns, 512)
			if _, err := tensor.Try(func() *tensor.Tensor {
				y := w.MatMul(x)
				w.DequantizeAs(tensor.F16, dev)
				dev.Synchronize()
				return y
			}); err != nil {
				t.Errorf("%v, %d columns: %v", format, columns, err)
			}
		}
	}
}

// emulated is the emulated GPU.
func emulated(t *testing.T) (*tensor.Device, *rocm.Device) {
	t.Setenv("GOROCM_EMULATE", "1")
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	if !dev.Emulated() {
		t.Skip("rocm:0 is a GPU, which another test has opened")
	}
	d, err := rocm.Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	return dev, d
}
