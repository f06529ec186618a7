package tensor_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// BenchmarkProduct times products by type on GPUs: square ones, one with a transposed operand, and those of attention's
// heads, which lie between each other. GOROCM_BLAS=go times the kernels in place of the library.
func BenchmarkProduct(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		if random(1).Device().IsCPU() {
			b.Skip("BenchmarkMatMul is for the host")
		}
		for _, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16} {
			for _, n := range []int{512, 1024, 4096} {
				x, y := random(n, n).ToDType(dt), random(n, n).ToDType(dt)
				flops := 2 * int64(n) * int64(n) * int64(n)
				measure(b, fmt.Sprintf("%v/%d", dt, n), 0, flops, func() *tensor.Tensor { return x.MatMul(y) })
				if n == 1024 {
					measure(b, fmt.Sprintf("%v/transposed", dt), 0, flops,
						func() *tensor.Tensor { return x.MatMul(y.T()) })
				}
			}
			const batch, length, heads, dim = 4, 512, 16, 64
			q, k := random(batch, length, heads, dim).ToDType(dt).Transpose(1, 2),
				random(batch, length, heads, dim).ToDType(dt).Transpose(1, 2)
			measure(b, fmt.Sprintf("%v/heads", dt), 0, 2*batch*heads*length*length*dim,
				func() *tensor.Tensor { return q.MatMul(k.T()) })
		}
	})
}
