package philox

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

func TestWords(t *testing.T) {
	for _, counters := range []int{0, 1, 7, 8, 9, 16, 37} {
		for _, first := range []uint64{0, 5, 1<<32 - 3, 1<<64 - 20} {
			const seed, third = 0x123456789abcdef0, 0xfedcba98
			got := make([]uint32, 4*counters)
			Words(got, seed, first, third)
			var want []uint32
			for i := range counters {
				w := kernels.PhiloxAt(seed, first+uint64(i), third)
				want = append(want, w[:]...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d counters from %x: got %08x, want %08x", counters, first, got, want)
			}
		}
	}
}

func BenchmarkWords(b *testing.B) {
	out := make([]uint32, 1024)
	b.SetBytes(4 * 1024)
	for range b.N {
		Words(out, 1, 2, 0)
	}
}
