package main

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

// transformRows are Fourier transforms: by cuFFT and hipFFT, or with GOROCM_FFT=go by gorocm's kernels.
func transformRows() []row {
	complexOf := func(o operands, shape ...int) *tensor.Tensor {
		return tensor.Complex(o.randn(shape...), o.randn(shape...))
	}
	transform := func(x *tensor.Tensor, f func() *tensor.Tensor) job { return one(2*x.Bytes(), 0, f) }
	return []row{
		{"fft_16M", f32, func(o operands) job {
			x := complexOf(o, 1<<24)
			return transform(x, func() *tensor.Tensor { return fft.FFT(x) })
		}},
		{"fft2_4096", f32, func(o operands) job {
			x := complexOf(o, 4096, 4096)
			return transform(x, func() *tensor.Tensor { return fft.FFT(x, 0, 1) })
		}},
		{"ifft2_4096", f32, func(o operands) job {
			x := complexOf(o, 4096, 4096)
			return transform(x, func() *tensor.Tensor { return fft.IFFT(x, 0, 1) })
		}},
		{"fft_rows_1024", f32, func(o operands) job {
			x := complexOf(o, 1<<14, 1024)
			return transform(x, func() *tensor.Tensor { return fft.FFT(x) })
		}},
		{"rfft_rows_1024", f32, func(o operands) job {
			x := o.randn(1<<14, 1024)
			return transform(x, func() *tensor.Tensor { return fft.RFFT(x) })
		}},
		{"fft_prime", f32, func(o operands) job {
			x := complexOf(o, 64, 100_003)
			return transform(x, func() *tensor.Tensor { return fft.FFT(x) })
		}},
		{"stft", f32, func(o operands) job {
			x, w := o.randn(16, 1<<20), fft.Hann(1024, true, tensor.F32, o.dev)
			return transform(x, func() *tensor.Tensor { return fft.STFT(x, fft.Frames{Size: 1024, Window: w}) })
		}},
	}
}
