package ndimage

import (
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// TestNetwork: a network that ranks zeros and ones ranks all numbers.
func TestNetwork(t *testing.T) {
	for n := 1; n <= 14; n++ {
		for rank := range n {
			steps := network(n, rank)
			for bits := range 1 << n {
				wires, ones := make([]int, n), 0
				for i := range wires {
					wires[i] = bits >> i & 1
					ones += wires[i]
				}
				for _, c := range steps {
					x, y := wires[c.a], wires[c.b]
					wires[c.a], wires[c.b] = -9, -9 // what is left out
					if c.least {
						wires[c.a] = min(x, y)
					}
					if c.great {
						wires[c.b] = max(x, y)
					}
				}
				want := 0
				if rank >= n-ones {
					want = 1
				}
				if wires[rank] != want {
					t.Fatalf("rank %d of %b of %d bits is %d", rank, bits, n, wires[rank])
				}
			}
		}
	}
}

// TestSorter: windows of all sizes give what rankOf does, NaN for those with one.
func TestSorter(t *testing.T) {
	for n := 1; n <= networkWindow; n += 3 {
		offsets := make([]int, n)
		for i := range offsets {
			offsets[i] = 2*i - n
		}
		for _, length := range []int{simd.Whole, simd.Whole + 1, 263, 600} {
			from, to := make([]float64, length+4*n), make([]float64, length)
			for i := range from {
				from[i] = float64(i*i*7919%1009) - 300
				if i%97 == 5 {
					from[i] /= from[(i*31)%50] - from[(i*31)%50] // an infinity or NaN
				}
			}
			s := newSorter[float64](offsets, n/2)
			if s == nil {
				t.Skip("this processor has no vector loops")
			}
			if !s.line(to, from, n) {
				t.Fatalf("no line of %d", length)
			}
			for i, got := range to {
				if want := rankOf(make([]float64, n), from, offsets, n+i, n/2); got != want && (got == got || want == want) {
					t.Fatalf("windows of %d: element %d of %d is %v, want %v", n, i, length, got, want)
				}
			}
		}
	}
}
