package gpu_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// Long rows are read in pieces, the last of them not whole, of some rows at a time, the last of which are fewer; rows
// that are not whole packs, element by element.
func TestIndexSelectLongRows(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{508, 512, 516, 1024, 2500, 2501} {
		x := tensor.Arange(float64(3*5*width)).Reshape(3, 5, width)
		for count := 1; count <= 4; count++ { // 3, 6, 9 and 12 rows
			selected := func(x *tensor.Tensor) []float64 {
				ids := x.Device().FromSlice([]int64{4, -9, 0, -9, 4, -9, 3, -9}, 4, 2).Narrow(1, 0,
					1).Narrow(0, 0, count).Reshape(count)
				return x.IndexSelect(ids, 1).Float64s()
			}
			if !slices.Equal(selected(x.ToDevice(dev)), selected(x)) {
				t.Errorf("%d rows of %d differ from the host's", 3*count, width)
			}
		}
		err := tensor.Catch(func() error {
			x.ToDevice(dev).IndexSelect(dev.FromSlice([]int64{1, 5, 7}, 3), 1).Float64s()
			return nil
		})
		if !errors.Is(err, tensor.ErrIndex) || !strings.Contains(err.Error(), "5") {
			t.Errorf("rows of %d with ids 5 and 7 of 5: %v, want an error that names the first", width, err)
		}
	}
}
