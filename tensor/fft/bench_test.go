package fft_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

// BenchmarkCPU has the cases of bench/fft.py, by the same names.
func BenchmarkCPU(b *testing.B) {
	cpu := tensor.CPU()
	cpu.SetSeed(1)
	complexOf := func(dt tensor.DType, shape ...int) *tensor.Tensor {
		return tensor.Complex(cpu.Randn(dt, shape...), cpu.Randn(dt, shape...))
	}
	realOf := func(shape ...int) *tensor.Tensor { return cpu.Randn(tensor.F32, shape...) }
	along := func(x *tensor.Tensor, dims ...int) func() *tensor.Tensor {
		return func() *tensor.Tensor { return fft.FFT(x, dims...) }
	}
	for _, c := range []struct {
		name string
		run  func() func() *tensor.Tensor
	}{
		{"rows_64", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 4096, 64)) }},
		{"rows_1000", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 256, 1000)) }},
		{"rows_1024", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 256, 1024)) }},
		{"rows_1009", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 256, 1009)) }},
		{"rows_4096", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 256, 4096)) }},
		{"rows_1024_c128", func() func() *tensor.Tensor { return along(complexOf(tensor.F64, 256, 1024)) }},
		{"single_1024", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 1024)) }},
		{"single_65536", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 1<<16)) }},
		{"single_1M", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 1<<20)) }},
		{"single_1M_c128", func() func() *tensor.Tensor { return along(complexOf(tensor.F64, 1<<20)) }},
		{"single_16M", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 1<<24)) }},
		{"columns_512", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 512, 512), 0) }},
		{"image_512", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 512, 512), 0, 1) }},
		{"image_4096", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 4096, 4096), 0, 1) }},
		{"volume_128", func() func() *tensor.Tensor { return along(complexOf(tensor.F32, 128, 128, 128), 0, 1, 2) }},
		{"real_rows_1024", func() func() *tensor.Tensor {
			x := realOf(256, 1024)
			return func() *tensor.Tensor { return fft.RFFT(x) }
		}},
		{"real_1M", func() func() *tensor.Tensor {
			x := realOf(1 << 20)
			return func() *tensor.Tensor { return fft.RFFT(x) }
		}},
		{"to_real_rows_1024", func() func() *tensor.Tensor {
			x := fft.RFFT(realOf(256, 1024))
			return func() *tensor.Tensor { return fft.IRFFT(x, 1024) }
		}},
		{"convolve_100k_1k", func() func() *tensor.Tensor {
			x, y := realOf(100_000), realOf(1000)
			return func() *tensor.Tensor { return fft.Convolve(x, y, fft.Full) }
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := c.run()
			f() // makes the plans
			for b.Loop() {
				y := f()
				y.Device().Synchronize() // computes what is deferred
				y.Free()
			}
		})
	}
}
