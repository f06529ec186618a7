package devicetest

import (
	"math"
	"math/cmplx"
	"math/rand/v2"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

// fourierLengths are transformed by one pass, by several, as matrices, and as convolutions.
var fourierLengths = []int{1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 64, 97, 105, 243, 1000, 1024, 2500, 4096}

// fourier compares Fourier transforms of rows, of columns and of real numbers with their definition in float64, within
// some units in the last place of the norm of the result.
func fourier(k kit, t T) {
	for _, n := range some(k, fourierLengths, 2, 0) {
		for _, dt := range kernels.Complex {
			fourierOf(k, t, n, dt)
		}
	}
}

func fourierOf(k kit, t T, n int, dt tensor.DType) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(dt)))
	x := make([]complex128, 3*n)
	for i := range x {
		x[i] = complex(float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())))
	}
	rows := k.dev.New(x).Reshape(3, n).ToDType(dt)
	last := x[2*n:]
	want := fourierSum(last, -1)
	fourierNear(t, "FFT", dt, fft.FFT(rows).Get(2), want)
	fourierNear(t, "FFT of columns", dt, fft.FFT(rows.T().Contiguous(), 0).T().Get(2), want)
	fourierNear(t, "IFFT of FFT", dt, fft.IFFT(fft.FFT(rows)).Get(2), last)
	real := rows.Real().Contiguous()
	onlyReal := make([]complex128, n)
	for i, v := range last {
		onlyReal[i] = complex(realPart(v), 0)
	}
	fourierNear(t, "RFFT", dt, fft.RFFT(real).Get(2), fourierSum(onlyReal, -1)[:n/2+1])
	fourierNear(t, "IRFFT of RFFT", dt, fft.IRFFT(fft.RFFT(real), n).Get(2), onlyReal)
}

func realPart(c complex128) float64 { return real(c) }

// fourierSum is a transform by its definition.
func fourierSum(x []complex128, sign float64) []complex128 {
	n := len(x)
	roots := make([]complex128, n)
	for k := range roots {
		roots[k] = cmplx.Exp(complex(0, sign*2*math.Pi*float64(k)/float64(n)))
	}
	y := make([]complex128, n)
	for k := range y {
		for j, v := range x {
			y[k] += v * roots[j*k%n]
		}
	}
	return y
}

func fourierNear(t T, what string, dt tensor.DType, got *tensor.Tensor, want []complex128) {
	t.Helper()
	values := tensor.ToVec1[complex128](got.ToDType(tensor.C128))
	eps := map[tensor.DType]float64{tensor.C64: 0x1p-24, tensor.C128: 0x1p-52}[dt]
	diff, norm := 0.0, 0.0
	for i, w := range want {
		d, a := cmplx.Abs(values[i]-w), cmplx.Abs(w)
		diff, norm = diff+d*d, norm+a*a
	}
	if e, most := math.Sqrt(diff/norm), eps*(8+4*math.Log2(float64(len(want)))); !(e <= most) {
		t.Errorf("%s of %d numbers %v: error %.2g of the norm, want at most %.2g", what, len(want), dt, e, most)
	}
}
