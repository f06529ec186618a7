package quant

import "github.com/gorocm/gorocm/tensor/internal/simd"

// wholeDot returns the function that multiplies rows of blocks of a format as whole numbers, or nil where there is
// none: those are unpacked to floats.
func wholeDot(t Type) func(w *byte, q *int8, d *float32, sums *int16, blocks int) float32 {
	if simd.Fast.Name == "Go" { // without AVX2
		return nil
	}
	switch t {
	case Q4_0:
		return dotQ4_0AVX2
	case Q8_0:
		return dotQ8_0AVX2
	case Q4K:
		return dotQ4KAVX2
	case Q5K:
		return dotQ5KAVX2
	case Q6K:
		return dotQ6KAVX2
	}
	return nil
}
