package kernels

import (
	"math"
	"testing"
)

// The known answers are Random123's (kat_vectors, philox4x32 with 10 rounds).
func TestPhiloxKnownAnswers(t *testing.T) {
	tests := []struct {
		counter [4]uint32
		k0, k1  uint32
		want    [4]uint32
	}{
		{[4]uint32{}, 0, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff,
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0,
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	}
	for _, test := range tests {
		if got := philox4x32(test.counter, test.k0, test.k1); got != test.want {
			t.Errorf("philox4x32(%08x, %08x %08x) = %08x, want %08x", test.counter, test.k0, test.k1, got, test.want)
		}
	}
}

func TestUniformStaysInRange(t *testing.T) {
	for _, dt := range Floats {
		for _, r := range [][2]float64{{0, 1}, {-1, 1}, {3, 3.01}, {-5, 1000}} {
			lo, hi := Round(dt, r[0]), Round(dt, r[1])
			if lo == hi { // 3.01 is 3 in a small type
				continue
			}
			limit := 0.02
			if dt == F8E4M3 { // sixteen values, whose mean is half a step below the middle
				limit += 1.0 / 32
			}
			sum := 0.0
			const blocks = 4096
			for c := range uint64(blocks) {
				for _, v := range Uniform4(dt, 7, c, lo, hi) {
					if v < lo || v >= hi || v != Round(dt, v) {
						t.Fatalf("%v: %v is not a value in [%v, %v)", dt, v, lo, hi)
					}
					sum += v
				}
			}
			middle, width := (lo+hi)/2, hi-lo
			if mean := sum / (4 * blocks); math.Abs(mean-middle) > limit*width && width > 1 {
				t.Errorf("%v: mean in [%v, %v) is %v", dt, lo, hi, mean)
			}
		}
	}
}

func TestNormalMoments(t *testing.T) {
	for _, dt := range Floats {
		sum, squares := 0.0, 0.0
		const blocks = 8192
		for c := range uint64(blocks) {
			for _, v := range Normal4(dt, 42, c, 0, 1) {
				sum += v
				squares += v * v
			}
		}
		n := float64(4 * blocks)
		// Four standard errors: 1/√n of the mean, √(2/n) of the variance.
		if mean := sum / n; math.Abs(mean) > 4/math.Sqrt(n) {
			t.Errorf("%v: mean %v", dt, mean)
		}
		if variance := squares / n; math.Abs(variance-1) > 4*math.Sqrt(2/n)+0.005 {
			t.Errorf("%v: variance %v", dt, variance)
		}
	}
}
