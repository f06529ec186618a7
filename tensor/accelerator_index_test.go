package tensor

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Long rows are read in pieces of a block each, the last of them not whole; rows that are no whole packs, element by element.
func TestIndexSelectLongRows(t *testing.T) {
	dev, err := NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{1024, 2500, 2501} {
		x := Arange(0, float64(3*5*width), F32, CPU()).Reshape([]int{3, 5, width})
		ids := FromSlice([]int64{4, -9, 0, -9, 4, -9, 3, -9}, []int{4, 2}, CPU()).Narrow(1, 0, 1).Reshape([]int{4})
		want := x.IndexSelect(ids, 1)
		got := x.ToDevice(dev).IndexSelect(FromSlice([]int64{4, -9, 0, -9, 4, -9, 3, -9}, []int{4, 2}, dev).Narrow(1, 0, 1).Reshape([]int{4}), 1)
		if !slices.Equal(got.Float64s(), want.Float64s()) {
			t.Errorf("rows of %d differ from the host's", width)
		}
		err := Catch(func() error {
			x.ToDevice(dev).IndexSelect(FromSlice([]int64{1, 5, 7}, []int{3}, dev), 1).Float64s()
			return nil
		})
		if !errors.Is(err, ErrIndex) || !strings.Contains(err.Error(), "5") {
			t.Errorf("rows of %d with ids 5 and 7 of 5: %v, want an error that names the first", width, err)
		}
	}
}
