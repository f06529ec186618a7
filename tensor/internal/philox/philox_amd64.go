package philox

import "github.com/gorocm/gorocm/tensor/internal/simd"

// wordsFast computes the words of the first counters, and returns of how many.
func wordsFast(out []uint32, seed, counter uint64, third uint32) int {
	n := len(out) / 4 &^ 7
	if n == 0 || simd.Fast.Name == "Go" { // without AVX2
		return 0
	}
	wordsAVX2(&out[0], n, seed, counter, third)
	return n
}
