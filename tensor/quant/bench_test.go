package quant_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// BenchmarkMatMul multiplies a matrix of 2048 × 2048, as a decoder has them, with one column and with many. Bytes are
// those of the packed matrix.
func BenchmarkMatMul(b *testing.B) {
	dev := tensor.CPU()
	w := dev.Randn(tensor.F32, 2048, 2048)
	for _, columns := range []int{1, 4, 64} {
		x := dev.Randn(tensor.F32, columns, 2048)
		for _, format := range []quant.Type{quant.Q4_0, quant.Q8_0, quant.Q4K, quant.Q6K, quant.Q5K, quant.F16} {
			q := quant.Quantize(w, format)
			b.Run(fmt.Sprintf("%v/%d", format, columns), func(b *testing.B) {
				b.SetBytes(int64(q.Bytes()))
				for b.Loop() {
					q.MatMul(x)
				}
			})
		}
		b.Run(fmt.Sprintf("f32/%d", columns), func(b *testing.B) {
			b.SetBytes(int64(w.Bytes()))
			for b.Loop() {
				x.MatMul(w.T())
			}
		})
	}
}
