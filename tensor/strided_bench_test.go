package tensor_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// BenchmarkStrided times operations on elements that lie in another order, read as they lie and copied to rows first.
func BenchmarkStrided(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		// images with the channels last in memory
		columns, images := random(4096, 4096), random(16, 56, 56, 64).Permute(0, 3, 1, 2)
		alpha, weight, each := random(4096), random(64, 64, 3, 3), random(64, 1, 3, 3)
		for _, c := range []struct {
			name string
			x    *tensor.Tensor
			run  func(x *tensor.Tensor) *tensor.Tensor
		}{
			{"softmax of columns", columns.T(), func(x *tensor.Tensor) *tensor.Tensor { return x.Softmax(-1) }},
			{"rms norm of columns", columns.T(),
				func(x *tensor.Tensor) *tensor.Tensor { return x.RmsNorm(alpha, 1e-5) }},
			{"sum of columns", columns.T(), func(x *tensor.Tensor) *tensor.Tensor { return x.Sum(-1) }},
			{"cumsum of columns", columns.T(), func(x *tensor.Tensor) *tensor.Tensor { return x.CumSum(-1) }},
			{"sort of columns", columns.T(), func(x *tensor.Tensor) *tensor.Tensor { return x.ArgSortLastDim(true) }},
			{"conv2d, channels last", images,
				func(x *tensor.Tensor) *tensor.Tensor { return x.Conv2d(weight, 1, 1, 1, 1) }},
			{"depthwise, channels last", images,
				func(x *tensor.Tensor) *tensor.Tensor { return x.Conv2d(each, 1, 1, 1, 64) }},
			{"max pool, channels last", images, func(x *tensor.Tensor) *tensor.Tensor { return x.MaxPool2d(2, 2) }},
			{"upsample, channels last", images,
				func(x *tensor.Tensor) *tensor.Tensor { return x.UpsampleBilinear2d(112, 112, false) }},
		} {
			measure(b, c.name+", as they lie", 0, 0, func() *tensor.Tensor { return c.run(c.x) })
			measure(b, c.name+", copied", 0, 0, func() *tensor.Tensor { return c.run(c.x.Contiguous()) })
		}
	})
}

// BenchmarkCopyBetween times copies between layouts; a plain copy of the same bytes is the limit.
func BenchmarkCopyBetween(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		x := random(4096, 4096)
		for _, dt := range []tensor.DType{tensor.U8, tensor.F16, tensor.F32, tensor.F64} {
			y := x.ToDType(dt)
			bytes := 2 * 4096 * 4096 * dt.Size()
			measure(b, fmt.Sprintf("%v/plain", dt), bytes, 0, func() *tensor.Tensor { return y.Copy() })
			measure(b, fmt.Sprintf("%v/transposed", dt), bytes, 0, func() *tensor.Tensor { return y.T().Contiguous() })
			z := y.Reshape(64, 64, 64, 64)
			measure(b, fmt.Sprintf("%v/permuted", dt), bytes, 0,
				func() *tensor.Tensor { return z.Permute(2, 1, 3, 0).Contiguous() })
			measure(b, fmt.Sprintf("%v/runs", dt), bytes/2, 0,
				func() *tensor.Tensor { return y.Narrow(1, 1024, 2048).Contiguous() })
			measure(b, fmt.Sprintf("%v/runs, one off", dt), bytes/2, 0,
				func() *tensor.Tensor { return y.Narrow(1, 1023, 2048).Contiguous() })
			to := y.Copy().T()
			measure(b, fmt.Sprintf("%v/into columns", dt), bytes, 0, func() *tensor.Tensor { to.CopySet(y); return to })
		}
	})
}

// BenchmarkMatMulTypes times large products of every type that models use.
func BenchmarkMatMulTypes(b *testing.B) {
	onDevices(b, func(b *testing.B, random func(...int) *tensor.Tensor) {
		const n = 2048
		x, y := random(n, n), random(n, n)
		for _, dt := range []tensor.DType{tensor.F16, tensor.BF16, tensor.F8E4M3, tensor.F32, tensor.F64, tensor.I32} {
			if dt.IsInt() && x.Device().IsCPU() {
				continue
			}
			p, q := x.ToDType(dt), y.ToDType(dt)
			measure(b, dt.String(), 0, 2*n*n*n, func() *tensor.Tensor { return p.MatMul(q) })
			measure(b, dt.String()+", right one transposed", 0, 2*n*n*n,
				func() *tensor.Tensor { return p.MatMul(q.T()) })
		}
	})
}
