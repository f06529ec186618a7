package gpu_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// Ids that are held until something waits for the device count once while the same ones are used again and again.
func TestHeldIDs(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	x, ids, others := dev.Arange(tensor.F32, 4), dev.FromSlice([]int64{1, 3}, 2),
		dev.FromSlice([]int64{0, 2}, 2)
	a := backendOf(dev)
	for i, use := range []struct {
		ids     *tensor.Tensor
		pending int
	}{{ids, 1}, {ids, 2}, {others, 1}, {others, 2}} {
		if use.pending == 2 {
			a.HoldIDs(gpu.MaxIDBytes + 1)
		}
		x.IndexSelect(use.ids, 0)
		if n := a.PendingChecks(); n != use.pending {
			t.Errorf("use %d: %d launches are pending, want %d", i, n, use.pending)
		}
	}
}
