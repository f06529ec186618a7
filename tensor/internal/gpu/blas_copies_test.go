package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// TestEvenly: matrices at several strides are copied to one, in the order in which each lies; others are not copied.
func TestEvenly(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	x := dev.Arange(tensor.F32, 2*5*3*4).Reshape(2, 5, 3, 4)
	heads := x.Transpose(1, 2)
	for _, c := range []struct {
		name    string
		x       *tensor.Tensor
		strides []int
	}{
		{"heads", heads, []int{60, 20, 4, 1}},
		{"heads, transposed", heads.T(), []int{60, 20, 1, 4}},
		{"dense", x, []int{60, 12, 4, 1}},
		{"one batch", heads.Narrow(0, 1, 1), []int{60, 4, 12, 1}},
		{"broadcast", x.Narrow(1, 0, 1).BroadcastAs(2, 5, 3, 4), []int{60, 12, 4, 1}},
	} {
		o := access.Operand(c.x)
		even, err := backendOf(dev).Evenly(o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(even.Layout.Strides, c.strides) {
			t.Errorf("%s: strides %v, want %v", c.name, even.Layout.Strides, c.strides)
		}
		got := access.Tensor(dev, even).(*tensor.Tensor)
		if !slices.Equal(got.Float64s(), c.x.Float64s()) {
			t.Errorf("%s: elements differ", c.name)
		}
	}
}
