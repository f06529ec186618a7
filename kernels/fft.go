package kernels

import (
	"fmt"
	"strings"
)

// FFT is the by-value argument of fft_T: Count transforms of N numbers, Lanes of them in a block. Transform t has the
// indices of t in Dims, the last one fastest, by which From and To are multiplied: strides, as those from number to
// number are, in complex numbers. Radices has those of the passes, four bits each, the first one lowest. Turns is the
// dim by whose index results are turned, or negative; 1 << Shift is the size of the lower table of roots for that.
type FFT struct {
	N, Lanes, Count  int64
	Dims, From, To   [FFTDims]int64
	FromStep, ToStep int64
	Radices          uint64
	Inverse          int64
	Turns, Shift     int64
	Scale            float64
}

// FFTDims is how many dims the transforms of a launch of fft_T may be spread over.
const FFTDims = 4

// FFTRoom is how many complex numbers of a type a block of fft_T transforms at once.
func FFTRoom(t DType) int { return 1 << 14 / t.Size() }

func fftKernels() (ks []kernel) {
	types := func(t DType) string { return fmt.Sprintf("%v, n%d, %v", t, 8*t.Size(), t.Real()) }
	for _, t := range Complex {
		ks = append(ks, kernel{t.String(), symbol("fft", t), fmt.Sprintf("FFT_BLOCK(%s, %d)", types(t), FFTRoom(t))})
	}
	for _, step := range []string{"fft_weigh", "fft_real", "fft_half", "fft_whole"} {
		for _, t := range Complex {
			ks = append(ks, kernel{"steps", symbol(step, t), fmt.Sprintf("%s(%s)", strings.ToUpper(step), types(t))})
		}
	}
	return ks
}
