package host

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// TestByteSums adds and subtracts all pairs of bytes, at all positions of a word and after its end.
func TestByteSums(t *testing.T) {
	thorough.Slow(t)
	for _, shift := range []int{0, 1, 5, 9 << 20} { // the last is past the caches
		var x, y, out []uint8
		for i := range 1<<16 + shift {
			x, y = append(x, uint8(i-shift)), append(y, uint8((i-shift)>>8))
		}
		out = make([]uint8, len(x))
		for name, f := range map[string]func(a, b uint8) uint8{
			"add": func(a, b uint8) uint8 { return a + b },
			"sub": func(a, b uint8) uint8 { return a - b },
		} {
			binaryRow[uint8](backend.BinaryOps[name], len(out))(out, x, y)
			for i, got := range out {
				if want := f(x[i], y[i]); got != want {
					t.Fatalf("%s(%d, %d) is %d, want %d", name, x[i], y[i], got, want)
				}
			}
		}
	}
	out := make([]int8, 9)
	binaryRow[int8](backend.BinaryOps["sub"], 9)(out, []int8{-128, 127, 0, -1, 5, 6, 7, 8, -128},
		[]int8{1, -1, 0, -1, 6, 6, 6, 6, 127})
	if want := [9]int8{127, -128, 0, 0, -1, 0, 1, 2, 1}; [9]int8(out) != want {
		t.Errorf("differences are %v, want %v", out, want)
	}
}
