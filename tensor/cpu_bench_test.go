package tensor_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// BenchmarkCPU has the operations that bench/cpu.py times PyTorch on, by the same names.
func BenchmarkCPU(b *testing.B) {
	random := func(shape ...int) *tensor.Tensor { return tensor.Randn(0, 1, shape, tensor.F32, tensor.CPU()) }
	product := func(x, y *tensor.Tensor) func() *tensor.Tensor { return func() *tensor.Tensor { return x.MatMul(y) } }
	conv := func(channels, size, out, taps, padding, stride int) func() *tensor.Tensor {
		x, w := random(1, channels, size, size), random(out, channels, taps, taps)
		return func() *tensor.Tensor { return x.Conv2d(w, padding, stride, 1, 1) }
	}
	for _, c := range []struct {
		name  string
		flops int // 0 where the rate is not of interest
		setup func() func() *tensor.Tensor
	}{
		{"add", 0, func() func() *tensor.Tensor {
			x, y := random(1<<22), random(1<<22)
			return func() *tensor.Tensor { return x.Add(y) }
		}},
		{"broadcast_add", 0, func() func() *tensor.Tensor {
			x, y := random(4096, 1024), random(1024)
			return func() *tensor.Tensor { return x.Add(y) }
		}},
		{"chain", 0, func() func() *tensor.Tensor {
			x, y := random(1<<22), random(1<<22)
			return func() *tensor.Tensor { return x.Mul(2).Add(1).Tanh().Mul(y) }
		}},
		{"exp", 0, func() func() *tensor.Tensor { return random(1 << 22).Exp }},
		{"gelu", 0, func() func() *tensor.Tensor { return random(1 << 22).Gelu }},
		{"softmax", 0, func() func() *tensor.Tensor {
			x := random(4096, 1024)
			return func() *tensor.Tensor { return x.Softmax(-1) }
		}},
		{"layer_norm", 0, func() func() *tensor.Tensor {
			x, w, v := random(4096, 1024), random(1024), random(1024)
			return func() *tensor.Tensor { return x.LayerNorm(w, v, 1e-5) }
		}},
		{"sum_last", 0, func() func() *tensor.Tensor {
			x := random(4096, 1024)
			return func() *tensor.Tensor { return x.Sum(-1) }
		}},
		{"sum_first", 0, func() func() *tensor.Tensor {
			x := random(4096, 1024)
			return func() *tensor.Tensor { return x.Sum(0) }
		}},
		{"transpose_copy", 0, func() func() *tensor.Tensor { return random(4096, 1024).T().Contiguous }},
		{"argsort", 0, func() func() *tensor.Tensor {
			x := random(512, 1024)
			return func() *tensor.Tensor { return x.ArgSortLastDim(true) }
		}},
		{"argmax", 0, func() func() *tensor.Tensor {
			x := random(4096, 1024)
			return func() *tensor.Tensor { return x.ArgMax(-1) }
		}},
		{"index_select", 0, func() func() *tensor.Tensor {
			x := random(32000, 512)
			ids := tensor.Rand(0, 32000, []int{2048}, tensor.F32, tensor.CPU()).ToDType(tensor.I64)
			return func() *tensor.Tensor { return x.IndexSelect(ids, 0) }
		}},
		{"max_pool", 0, func() func() *tensor.Tensor {
			x := random(1, 64, 112, 112)
			return func() *tensor.Tensor { return x.MaxPool2dWithStride(3, 3, 2, 2) }
		}},
		{"matmul_128", 2 << 21, func() func() *tensor.Tensor { return product(random(128, 128), random(128, 128)) }},
		{"matmul_512", 2 << 27, func() func() *tensor.Tensor { return product(random(512, 512), random(512, 512)) }},
		{"matmul_1024", 2 << 30, func() func() *tensor.Tensor { return product(random(1024, 1024), random(1024, 1024)) }},
		{"matmul_batch", 2 << 25, func() func() *tensor.Tensor { return product(random(32, 128, 64), random(32, 64, 128)) }},
		{"matvec", 2 << 24, func() func() *tensor.Tensor { return product(random(1, 4096), random(4096, 4096)) }},
		{"conv_7x7", 2 * 64 * 112 * 112 * 3 * 49, func() func() *tensor.Tensor { return conv(3, 224, 64, 7, 3, 2) }},
		{"conv_3x3_56", 2 * 64 * 56 * 56 * 64 * 9, func() func() *tensor.Tensor { return conv(64, 56, 64, 3, 1, 1) }},
		{"conv_3x3_14", 2 * 256 * 14 * 14 * 256 * 9, func() func() *tensor.Tensor { return conv(256, 14, 256, 3, 1, 1) }},
		{"conv_1x1_7", 2 * 2048 * 7 * 7 * 512, func() func() *tensor.Tensor { return conv(512, 7, 2048, 1, 0, 1) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := c.setup()
			for range 3 {
				f()
			}
			for b.Loop() {
				f()
			}
			if c.flops > 0 {
				b.ReportMetric(float64(c.flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			}
		})
	}
}
