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

// BenchmarkPrompt multiplies matrices of a decoder on a GPU with the tokens of a prompt: in tiles of the packed blocks,
// unpacked to bytes first, and unpacked to F16. Trillions of operations a second count two for each product.
func BenchmarkPrompt(b *testing.B) {
	dev, err := tensor.NewDevice("cuda")
	if err != nil {
		if dev, err = tensor.NewDevice("rocm"); err != nil || dev.Emulated() {
			b.Skip("no GPU")
		}
	}
	for _, format := range []quant.Type{quant.Q4K, quant.Q8_0, quant.Q6K} {
		for _, shape := range [][2]int{{2048, 2048}, {16384, 2048}, {2048, 8192}} {
			q := quant.Quantize(tensor.Randn(shape[0], shape[1]), format).To(dev)
			for _, columns := range []int{64, 128, 256, 512, 2048} {
				x := dev.Randn(tensor.F16, columns, shape[1])
				for _, way := range []string{"packed", "bytes", "floats"} {
					b.Run(fmt.Sprintf("%v/%dx%d/%d/%s", format, shape[0], shape[1], columns, way), func(b *testing.B) {
						quant.UnpackProducts(b, way == "bytes")
						quant.ProductsAsFloats(b, way == "floats")
						q.MatMulAs(x, tensor.F16)
						dev.Synchronize()
						b.ResetTimer()
						for range b.N {
							q.MatMulAs(x, tensor.F16).Free()
						}
						dev.Synchronize()
						b.ReportMetric(2*float64(shape[0]*shape[1]*columns)*float64(b.N)/b.Elapsed().Seconds()/1e12, "Tops/s")
					})
				}
			}
		}
	}
}
