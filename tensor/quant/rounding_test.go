package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRounding: vector instructions give what encode gives, bit for bit, for halves, ties, the largest and the smallest
// numbers, and leave the rest to it.
func TestRounding(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	fill := map[string]func(i int) float32{
		"normal":   func(int) float32 { return float32(random.NormFloat64()) },
		"halves":   func(i int) float32 { return float32(i%255)/2 - 64 },
		"positive": func(i int) float32 { return float32(random.IntN(256)) / 2 },
		"ties":     func(i int) float32 { return float32(1 - 2*(i%2)) },
		"zeros":    func(int) float32 { return 0 },
		"large":    func(int) float32 { return float32(random.NormFloat64()) * 1e37 },
		"small":    func(int) float32 { return float32(random.NormFloat64()) * 1e-37 },
		"smaller":  func(int) float32 { return float32(random.NormFloat64()) * 1e-39 },
		"smallest": func(int) float32 { return math.SmallestNonzeroFloat32 * float32(random.IntN(3)) },
		"NaN":      func(i int) float32 { return []float32{1, nan, 3}[i%3] },
		"infinite": func(i int) float32 { return []float32{1, inf, 3}[i%3] },
		"below":    func(i int) float32 { return []float32{127, 0.49999997, -0.49999997, 1.4999999, -2.5, 2.5}[i%6] },
	}
	for _, with := range []Type{Q4K, Q4_0} {
		quick := 0
		for name, f := range fill {
			for range 50 {
				xs := make([]float32, 2*block)
				for i := range xs {
					xs[i] = f(i)
				}
				got := round(xs, len(xs), with)
				if got.codes == nil {
					t.Skip("products of this processor are of floats")
				}
				want := &rounded{cols: got.cols, block: got.block, codes: make([]int8, len(xs)),
					scales: make([]float32, len(got.scales))}
				if got.sums != nil {
					want.sums = make([]int16, len(got.sums))
				}
				e := formats[formats[with].with]
				for i := range want.scales {
					packed, x := make([]byte, e.bytes), xs[i*e.block:(i+1)*e.block]
					e.encode(packed, x)
					want.unpack(i, packed)
					if new(rounding).round(got, i, x) {
						quick++
					}
				}
				same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
				if !slices.Equal(got.codes, want.codes) || !slices.Equal(got.sums, want.sums) ||
					!slices.EqualFunc(got.scales, want.scales, same) {
					t.Fatalf("%v, %s: %v\ngot  %v %v\nwant %v %v", with, name, xs, got.scales, got.codes, want.scales, want.codes)
				}
			}
		}
		if quick == 0 {
			t.Errorf("%v: no block was rounded by vector instructions", with)
		}
	}
}
