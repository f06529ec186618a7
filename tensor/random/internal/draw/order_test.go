package draw

import (
	"cmp"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// TestOrderTies: runs of equal keys, of which random ones hardly have any, are put into the order of their lower halves.
func TestOrderTies(t *testing.T) {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	s := sample.Stream{Seed: 5, Counter: 1<<32 - 2}
	for _, runs := range [][]int{{1}, {2}, {50}, {1, 1, 3, 2, 1}, {2, 2, 2}, {1, 700, 1}} {
		var keys, ids, want []uint32
		for key, run := range runs {
			first := len(ids)
			for range run {
				keys, ids = append(keys, uint32(key)), append(ids, uint32(len(ids)))
			}
			order := slices.Clone(ids[first:])
			slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(low(s, a), low(s, b)) })
			want = append(want, order...)
		}
		got := dev.New(ids)
		if err := orderTies(dev.New(keys), got, s); err != nil {
			t.Fatal(err)
		}
		if list := tensor.ToVec1[uint32](got); !slices.Equal(list, want) {
			t.Errorf("runs of %v: %v, want %v", runs, list, want)
		}
	}
}

func low(s sample.Stream, id uint32) uint32 {
	return kernels.PhiloxAt(s.Seed, s.Counter+uint64(id/4), 1)[id%4]
}
