package backend

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

func TestFloat8(t *testing.T) {
	for b := range 256 {
		v := Float8(b).Float32()
		if b&0x7f == 0x7f {
			if v == v {
				t.Errorf("%#x is %v, want NaN", b, v)
			}
			continue
		}
		if got := Float8Of(v); got != Float8(b) {
			t.Errorf("%#x is %v, which becomes %#x", b, v, got)
		}
		// Half way to the next value, and the numbers on both sides of that, show how ties are broken.
		next := Float8(min(b&0x7f+1, 0x7e)).Float32()
		tie := (Float8(b&0x7f).Float32() + next) / 2
		for _, x := range []float32{tie, math.Nextafter32(tie, 0), math.Nextafter32(tie, 1000)} {
			if got, want := Float8Of(x).Float32(), float32(kernels.Round(kernels.F8E4M3, float64(x))); got != want {
				t.Errorf("%v becomes %v, want %v", x, got, want)
			}
			if got := Float8Of(-x); got != Float8Of(x)|0x80 {
				t.Errorf("%v becomes %#x, which is not minus %#x", -x, got, Float8Of(x))
			}
		}
	}
	inf := float32(math.Inf(1))
	for x, want := range map[float32]Float8{448: 0x7e, 1e9: 0x7e, inf: 0x7e, -inf: 0xfe, 0x1p-10: 0, 0x1p-149: 0,
		0x1.8p-10: 1} {
		if got := Float8Of(x); got != want {
			t.Errorf("%v becomes %#x, want %#x", x, got, want)
		}
	}
	if got := Float8Of(float32(math.NaN())); got != 0x7f {
		t.Errorf("NaN becomes %#x", got)
	}
}
