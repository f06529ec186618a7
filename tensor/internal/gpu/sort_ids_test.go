package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// TestSortIDs: the gradient of a table of which many rows were selected, which sorts their numbers by the digits that
// the table's size has, is that of the host, to the bit.
func TestSortIDs(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	const n, rows = 9000, 70000
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i*i*31+7*i) % 257 * 271
	}
	gradient := func(d *tensor.Device, dt tensor.DType) []float64 {
		table := tensor.NewVar(d.Zeros(tensor.F32, rows, 2))
		weights := d.Arange(tensor.F32, 2*n).Reshape(n, 2)
		return table.IndexSelect(d.New(list).ToDType(dt), 0).Mul(weights).Sum().Backward().Get(table).Float64s()
	}
	want := gradient(tensor.CPU(), tensor.I64)
	for _, dt := range []tensor.DType{tensor.I64, tensor.U32} {
		if !slices.Equal(gradient(dev, dt), want) {
			t.Errorf("%v: the gradients differ", dt)
		}
	}
}
