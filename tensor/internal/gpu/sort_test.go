package gpu_test

import (
	"reflect"
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

// TestSortDigits: long rows whose keys differ in some digits of eight bits only are sorted as the host sorts them,
// whichever passes that leaves. In the second row the other digits are not those of the first.
func TestSortDigits(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	const cols = 4096 + 300
	for _, c := range []struct {
		differ     uint64
		descending bool
	}{
		{0, false}, {0x1f, false}, {0x1f << 24, true}, {0xff << 56, false}, {0x33 << 8 & 0xffff, true},
		{0x7<<48 | 3, false}, {0x10101, true}, {0x3<<32 | 0xf<<16 | 1<<8, false}, {0x0303030303030303, true},
	} {
		list := make([]int64, 2*cols)
		x := uint64(88172645463325252)
		for i := range list {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			same := uint64(0x1122334455667788)
			if i >= cols {
				same = 0x8877665544332211
			}
			list[i] = int64(x&c.differ | same&^c.differ)
		}
		values, ids := dev.New(list).Reshape(2, cols).Sort(1, !c.descending)
		wantValues, wantIDs := tensor.CPU().New(list).Reshape(2, cols).Sort(1, !c.descending)
		if !reflect.DeepEqual(tensor.ToVec2[int64](values), tensor.ToVec2[int64](wantValues)) ||
			!reflect.DeepEqual(tensor.ToVec2[uint32](ids), tensor.ToVec2[uint32](wantIDs)) {
			t.Errorf("keys that differ in %#x, descending %v: not the order of the host", c.differ, c.descending)
		}
	}
}
