package tensor_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/stats"
)

// TestUniqueInverse: the values at inverse are the elements, and counts say how many there are of each.
func TestUniqueInverse(t *testing.T) {
	for _, name := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(name)
		if err != nil {
			continue
		}
		for _, n := range []int{1, 2, 300, 20_000} {
			list := make([]int64, n)
			for i := range list {
				list[i] = int64(i*i*31+7*i)%97 - 40
			}
			x := dev.New(list)
			values, inverse, counts := x.Unique()
			if !values.IndexSelect(inverse, 0).Equal(x) {
				t.Errorf("%s: the inverse of %d elements gives others", name, n)
			}
			if same := stats.BinCount(inverse, nil, 0); !same.Equal(counts) {
				t.Errorf("%s: counts of %d elements are %v, want %v", name, n, counts, same)
			}
		}
	}
}
