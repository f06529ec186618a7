package tensor_test

import (
	"os"
	"testing"
	"time"

	"github.com/gorocm/gorocm/tensor"
)

const warmUp = 20 * time.Millisecond

// BenchmarkCPU has the operations that bench/cpu.py times PyTorch on, by the same names. Results are freed, as Python
// does when nothing refers to them any more; with GOROCM_BENCH=collect they are left to the collector.
func BenchmarkCPU(b *testing.B) {
	random := func(shape ...int) *tensor.Tensor { return tensor.Randn(shape...) }
	product := func(x, y *tensor.Tensor) func() *tensor.Tensor { return func() *tensor.Tensor { return x.MatMul(y) } }
	conv := func(channels, size, out, taps, padding, stride, dilation, groups int) func() *tensor.Tensor {
		x, w := random(1, channels, size, size), random(out, channels/groups, taps, taps)
		return func() *tensor.Tensor { return x.Conv2d(w, padding, stride, dilation, groups) }
	}
	one := func(dt tensor.DType, f func(x *tensor.Tensor) *tensor.Tensor) func() func() *tensor.Tensor {
		return func() func() *tensor.Tensor {
			x := random(4096, 1024).ToDType(dt)
			return func() *tensor.Tensor { return f(x) }
		}
	}
	two := func(dt tensor.DType, f func(x, y *tensor.Tensor) *tensor.Tensor) func() func() *tensor.Tensor {
		return func() func() *tensor.Tensor {
			x, y := random(4096, 1024).ToDType(dt), random(4096, 1024).ToDType(dt)
			return func() *tensor.Tensor { return f(x, y) }
		}
	}
	ids := func(dt tensor.DType, below float64, shape ...int) *tensor.Tensor {
		return tensor.Rand(shape...).Mul(below).ToDType(dt)
	}
	for _, c := range []struct {
		name  string
		flops int64 // 0 where the rate is not of interest
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
		{"chain_add", 0, func() func() *tensor.Tensor {
			x, y, z := random(1<<22), random(1<<22), random(1<<22)
			return func() *tensor.Tensor { return x.Add(y).Mul(z).Sub(x) }
		}},
		{"chain_mean", 0, func() func() *tensor.Tensor {
			x, y := random(4096, 1024), random(4096, 1024)
			return func() *tensor.Tensor { return x.Sub(y).Sqr().Mean(-1) }
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
			x, ids := random(32000, 512), ids(tensor.I64, 32000, 2048)
			return func() *tensor.Tensor { return x.IndexSelect(ids, 0) }
		}},
		{"max_pool", 0, func() func() *tensor.Tensor {
			x := random(1, 64, 112, 112)
			return func() *tensor.Tensor { return x.MaxPool2dWithStride(3, 3, 2, 2) }
		}},
		{"matmul_128", 2 << 21, func() func() *tensor.Tensor { return product(random(128, 128), random(128, 128)) }},
		{"matmul_512", 2 << 27, func() func() *tensor.Tensor { return product(random(512, 512), random(512, 512)) }},
		{"matmul_1024", 2 << 30, func() func() *tensor.Tensor {
			return product(random(1024, 1024), random(1024, 1024))
		}},
		{"matmul_512_f64", 2 << 27, func() func() *tensor.Tensor {
			return product(random(512, 512).ToDType(tensor.F64), random(512, 512).ToDType(tensor.F64))
		}},
		{"matmul_batch", 2 << 25, func() func() *tensor.Tensor {
			return product(random(32, 128, 64), random(32, 64, 128))
		}},
		{"matvec", 2 << 24, func() func() *tensor.Tensor { return product(random(1, 4096), random(4096, 4096)) }},
		{"conv_7x7", 2 * 64 * 112 * 112 * 3 * 49,
			func() func() *tensor.Tensor { return conv(3, 224, 64, 7, 3, 2, 1, 1) }},
		{"conv_3x3_56", 2 * 64 * 56 * 56 * 64 * 9,
			func() func() *tensor.Tensor { return conv(64, 56, 64, 3, 1, 1, 1, 1) }},
		{"conv_3x3_14", 2 * 256 * 14 * 14 * 256 * 9,
			func() func() *tensor.Tensor { return conv(256, 14, 256, 3, 1, 1, 1, 1) }},
		{"conv_1x1_7", 2 * 2048 * 7 * 7 * 512,
			func() func() *tensor.Tensor { return conv(512, 7, 2048, 1, 0, 1, 1, 1) }},
		{"conv_dilated", 2 * 64 * 52 * 52 * 64 * 9,
			func() func() *tensor.Tensor { return conv(64, 56, 64, 3, 0, 1, 2, 1) }},
		{"conv_groups", 2 * 256 * 28 * 28 * 8 * 9,
			func() func() *tensor.Tensor { return conv(256, 28, 256, 3, 1, 1, 1, 32) }},
		{"conv_depthwise", 2 * 128 * 56 * 56 * 9,
			func() func() *tensor.Tensor { return conv(128, 56, 128, 3, 1, 1, 1, 128) }},
		{"conv_transpose", 2 * 64 * 28 * 28 * 64 * 16, func() func() *tensor.Tensor {
			x, w := random(1, 64, 28, 28), random(64, 64, 4, 4)
			return func() *tensor.Tensor { return x.ConvTranspose2d(w, 1, 0, 2, 1) }
		}},
		{"conv_1d_f64", 2 * 31 << 20, func() func() *tensor.Tensor {
			x, w := random(1, 1, 1<<20).ToDType(tensor.F64), random(1, 1, 31).ToDType(tensor.F64)
			return func() *tensor.Tensor { return x.Conv1d(w, 15, 1, 1, 1) }
		}},
		{"avg_pool", 0, func() func() *tensor.Tensor {
			x := random(1, 64, 112, 112)
			return func() *tensor.Tensor { return x.AvgPool2dWithStride(3, 3, 2, 2) }
		}},
		{"upsample_nearest", 0, func() func() *tensor.Tensor {
			x := random(1, 64, 56, 56)
			return func() *tensor.Tensor { return x.UpsampleNearest2d(112, 112) }
		}},
		{"upsample_bilinear", 0, func() func() *tensor.Tensor {
			x := random(1, 64, 56, 56)
			return func() *tensor.Tensor { return x.UpsampleBilinear2d(112, 112, false) }
		}},
		{"log", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Log() })},
		{"sin", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Sin() })},
		{"cos", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Cos() })},
		{"erf", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Erf() })},
		{"gelu_erf", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.GeluErf() })},
		{"tanh", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Tanh() })},
		{"sigmoid", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Sigmoid() })},
		{"pow", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Powf(1.7) })},
		{"elu", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Elu(1) })},
		{"clamp", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Clamp(-1, 1) })},
		{"floor", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.Floor() })},
		{"less", 0, two(tensor.F32, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Lt(y) })},
		{"where", 0, func() func() *tensor.Tensor {
			x, y := random(4096, 1024), random(4096, 1024)
			c := x.Lt(y)
			return func() *tensor.Tensor { return c.WhereCond(x, y) }
		}},
		{"rms_norm", 0, func() func() *tensor.Tensor {
			x, w := random(4096, 1024), random(1024)
			return func() *tensor.Tensor { return x.RmsNorm(w, 1e-5) }
		}},
		{"cumsum", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(-1) })},
		{"cumsum_first", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(0) })},
		{"cat", 0, func() func() *tensor.Tensor {
			x, y := random(4096, 512), random(4096, 512)
			return func() *tensor.Tensor { return tensor.Cat([]*tensor.Tensor{x, y}, 1) }
		}},
		{"gather", 0, func() func() *tensor.Tensor {
			x, ids := random(4096, 1024), ids(tensor.I64, 1024, 4096, 256)
			return func() *tensor.Tensor { return x.Gather(ids, 1) }
		}},
		{"scatter_add", 0, func() func() *tensor.Tensor {
			x, src, ids := random(4096, 1024), random(4096, 256), ids(tensor.I64, 1024, 4096, 256)
			return func() *tensor.Tensor { return x.ScatterAdd(ids, src, 1) }
		}},
		{"index_add", 0, func() func() *tensor.Tensor {
			x, src, ids := random(4096, 512), random(2048, 512), ids(tensor.I64, 4096, 2048)
			return func() *tensor.Tensor { return x.IndexAdd(ids, src, 0) }
		}},
		{"sort", 0, func() func() *tensor.Tensor {
			x := random(512, 1024)
			return func() *tensor.Tensor { v, _ := x.SortLastDim(true); return v }
		}},
		{"add_f64", 0, two(tensor.F64, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"exp_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Exp() })},
		{"log_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Log() })},
		{"sin_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Sin() })},
		{"tanh_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Tanh() })},
		{"sum_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) })},
		{"max_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Max(-1) })},
		{"softmax_f64", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) })},
		{"add_i32", 0, two(tensor.I32, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"add_i64", 0, two(tensor.I64, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"mul_i64", 0, two(tensor.I64, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Mul(y) })},
		{"sum_i64", 0, one(tensor.I64, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) })},
		{"add_u8", 0, two(tensor.U8, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"add_bf16", 0, two(tensor.BF16, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"add_f16", 0, two(tensor.F16, func(x, y *tensor.Tensor) *tensor.Tensor { return x.Add(y) })},
		{"exp_bf16", 0, one(tensor.BF16, func(x *tensor.Tensor) *tensor.Tensor { return x.Exp() })},
		{"softmax_bf16", 0, one(tensor.BF16, func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) })},
		{"sum_bf16", 0, one(tensor.BF16, func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) })},
		{"f32_to_f16", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F16) })},
		{"f16_to_f32", 0, one(tensor.F16, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32) })},
		{"f32_to_bf16", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.BF16) })},
		{"bf16_to_f32", 0, one(tensor.BF16, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32) })},
		{"f32_to_f64", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F64) })},
		{"f64_to_f32", 0, one(tensor.F64, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32) })},
		{"f32_to_i64", 0, one(tensor.F32, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.I64) })},
		{"i64_to_f32", 0, one(tensor.I64, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32) })},
		{"u8_to_f32", 0, one(tensor.U8, func(x *tensor.Tensor) *tensor.Tensor { return x.ToDType(tensor.F32) })},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := c.setup()
			drop := func(t *tensor.Tensor) {
				t.Device().Synchronize() // computes what is deferred
				if os.Getenv("GOROCM_BENCH") != "collect" {
					t.Free()
				}
			}
			// operands have just been made: until the caches have settled
			for start := time.Now(); time.Since(start) < warmUp; {
				drop(f())
			}
			for b.Loop() {
				drop(f())
			}
			if c.flops > 0 {
				b.ReportMetric(float64(c.flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			}
		})
	}
}
