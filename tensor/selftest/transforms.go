package selftest

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/devicetest"
	"github.com/gorocm/gorocm/tensor/fft"
)

// checkTransforms compares Fourier transforms in every form that goes to a library with those of the host.
func checkTransforms(t devicetest.T, d *rocm.Device, dev *tensor.Device) {
	if info := rocm.FFTLibrary(d); info.Name == "" {
		t.Skip("gorocm's own kernels transform: ", info.Problem)
	}
	for name, transform := range map[string]func(x *tensor.Tensor) *tensor.Tensor{
		"rows":                   func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x) },
		"inverse rows":           func(x *tensor.Tensor) *tensor.Tensor { return fft.IFFT(x) },
		"first dim":              func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x, 0) },
		"two dims":               func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x, 1, 2) },
		"three dims":             func(x *tensor.Tensor) *tensor.Tensor { return fft.IFFT(x, 0, 1, 2) },
		"real numbers":           func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x.Real()) },
		"real numbers, two dims": func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x.Real(), 1, 2) },
		"to real numbers":        func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x, 0) },
		"to an odd length":       func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x, 121, 1, 2) },
		"a prime":                func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x.Narrow(2, 0, 59)) },
	} {
		t.(devicetest.Runner).Run(name, func(t devicetest.T) {
			for _, dt := range kernels.Complex {
				n := 6 * 10 * 61
				x := tensor.CPU().Arange(tensor.F64, float64(2*n)).Sqr().Mul(0.37).Sin().
					Reshape(6, 10, 61, 2).ViewAsComplex().ToDType(dt)
				got, want := transform(x.ToDevice(dev)).ToDevice(tensor.CPU()), transform(x)
				eps := map[tensor.DType]float64{tensor.C64: 0x1p-24, tensor.C128: 0x1p-53}[dt]
				off := got.Sub(want).Abs().Sqr().Sum().ToScalar() / want.Abs().Sqr().Sum().ToScalar()
				if e, most := math.Sqrt(off), 64*eps; !(e <= most) {
					t.Errorf("%v: error %.2g of the norm, want at most %.2g", dt, e, most)
				}
			}
		})
	}
	for kind, words := range rocm.FFTLibrary(d).Refused {
		t.Errorf("%s: %s", kind, words)
	}
}
