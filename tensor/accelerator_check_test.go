package tensor

import "testing"

// Ids that are held until something waits for the device count once while the same ones are used again and again.
func TestHeldIDs(t *testing.T) {
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	x, ids, others := Arange(0, 4, F32, dev), FromSlice([]int64{1, 3}, []int{2}, dev), FromSlice([]int64{0, 2}, []int{2}, dev)
	c := &dev.backend.(*accelerator).checks
	for i, use := range []struct {
		ids     *Tensor
		pending int
	}{{ids, 1}, {ids, 2}, {others, 1}, {others, 2}} {
		if use.pending == 2 {
			c.held = maxIDBytes + 1
		}
		x.IndexSelect(use.ids, 0)
		if n := len(c.pending); n != use.pending {
			t.Errorf("use %d: %d launches are pending, want %d", i, n, use.pending)
		}
	}
}
