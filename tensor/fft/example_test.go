package fft_test

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

func ExampleFFT() {
	x := tensor.Of(1, 2, 3, 4)
	y := fft.FFT(x)
	fmt.Println(tensor.ToVec1[complex64](y))
	fmt.Println(fft.IFFT(y).Real().ToVec1())
	// Output:
	// [(10+0i) (-2+2i) (-2+0i) (-2-2i)]
	// [1 2 3 4]
}

func ExampleRFFT() {
	x := tensor.Of(1, 2, 3, 4, 5)
	y := fft.RFFT(x)
	fmt.Println(y.Dims(), fft.IRFFT(y, 5).RoundTo(4).ToVec1())
	// Output: [3] [1 2 3 4 5]
}

func ExampleForm() {
	x := tensor.Of(3, 4)
	y := fft.Form{Sizes: []int{4}, Norm: fft.Ortho}.FFT(x) // padded with two zeros; the norm stays
	fmt.Println(y.Dims(), y.Abs().Sqr().Sum().ToScalar())
	// Output: [4] 25
}

func ExampleSTFT() {
	// five cycles in 16 elements, then two
	x := tensor.CPU().Arange(tensor.F64, 64).Mul(2 * math.Pi / 16)
	x = tensor.Cat([]*tensor.Tensor{x.Mul(5).Sin(), x.Mul(2).Sin()}, 0)
	f := fft.Frames{Size: 16, Window: fft.Hann(16, true, tensor.F64, tensor.CPU())}
	frames := fft.STFT(x, f)
	loudest := frames.Abs().ArgMax(0).ToVec1()
	fmt.Println(frames.Dims(), loudest[2], loudest[30])
	// Output: [9 33] 5 2
}

func ExampleConvolve() {
	x, kernel := tensor.Of(1, 2, 3, 4), tensor.Of(1, 10)
	fmt.Println(fft.Convolve(x, kernel, fft.Full).Round().ToVec1())
	fmt.Println(fft.Convolve(x, kernel, fft.Valid).Round().ToVec1())
	// Output:
	// [1 12 23 34 40]
	// [12 23 34]
}

func ExampleMel() {
	filters := fft.Mel{Count: 4, Rate: 8000}.Filters(16, tensor.F64, tensor.CPU())
	fmt.Println(filters.Dims(), filters.ArgMax(1).ToVec1())
	// Output: [4 9] [1 2 3 5]
}
