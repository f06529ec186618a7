package devicetest_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
)

func TestGradients(t *testing.T) {
	thorough.Slow(t)
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil {
				t.Skip(err)
			}
			devicetest.Gradients(t, dev)
		})
	}
}

func TestSecondGradients(t *testing.T) {
	thorough.Slow(t)
	devicetest.SecondGradients(t, tensor.CPU())
}

// TestRowGradients compares on GPUs; the CPU composes these gradients.
func TestRowGradients(t *testing.T) {
	thorough.Slow(t)
	for _, spec := range []string{"rocm", "cuda"} {
		t.Run(spec, func(t *testing.T) {
			dev, err := tensor.NewDevice(spec)
			if err != nil {
				t.Skip(err)
			}
			devicetest.RowGradients(t, dev)
			devicetest.SelectGradients(t, dev)
		})
	}
}
