package host

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// TestDoubleSoftmax compares the vector loops of softmax in F64 with the same steps one element at a time, bit for bit,
// in rows with tails, zeros of both signs, infinities and NaN.
func TestDoubleSoftmax(t *testing.T) {
	exp := overlapping(simd.Fast.Doubles.Exp)
	if exp == nil {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, n := range []int{1, 2, 31, 32, 33, 100, 1023, 1024, 1025, 3000} {
		for form := range 6 {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64((i*7919)%2003-1000) / 37
			}
			switch form {
			case 1:
				for i := range x {
					x[i] = math.Copysign(0, float64(i%2)-0.5)
				}
			case 2:
				x[n/2] = math.Inf(1)
			case 3:
				x[n/2] = math.Inf(-1)
			case 4:
				x[n/2] = math.NaN()
			case 5:
				x[n-1] = 700
			}
			top := maximum(x)
			distances, want := make([]float64, n), make([]float64, n)
			for i, v := range x {
				distances[i] = v - top
			}
			exp(want, distances)
			total := twofoldSum(want)
			for _, log := range []bool{false, true} {
				got := make([]float64, n)
				doubleSoftmax()(got, x, log)
				for i, g := range got {
					w := want[i] / total
					if log {
						w = x[i] - top - math.Log(total)
					}
					if math.Float64bits(g) != math.Float64bits(w) && (g == g || w == w) {
						t.Fatalf("row of %d, form %d, log %v: element %d is %v, want %v", n, form, log, i, g, w)
					}
				}
			}
		}
	}
}
