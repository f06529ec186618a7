package host

import (
	"math/rand/v2"
	"testing"
)

// TestExtremesOfBytes compares the loops over eight bytes with those over one.
func TestExtremesOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		row := make([]uint8, 1+r.IntN(40))
		low, width := r.IntN(256), 1+r.IntN(256)
		for i := range row {
			row[i] = uint8(min(low+r.IntN(width), 255))
		}
		if got, want := maximumByte(row), maximum(row); got != want {
			t.Fatalf("maximum of %v: got %d, want %d", row, got, want)
		}
		if got, want := minimumByte(row), minimum(row); got != want {
			t.Fatalf("minimum of %v: got %d, want %d", row, got, want)
		}
	}
}

func BenchmarkMaximumByte(b *testing.B) {
	row := make([]uint8, 1<<16)
	b.SetBytes(1 << 16)
	for b.Loop() {
		maximumByte(row)
	}
}
