package fft_test

import (
	"errors"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
)

// TestTooLarge: sizes for which no host has memory are errors before anything is allocated, which would end the process.
func TestTooLarge(t *testing.T) {
	const most = 1 << 40
	cpu := tensor.CPU()
	for name, f := range map[string]func() *tensor.Tensor{
		"hann":     func() *tensor.Tensor { return fft.Hann(most, true, tensor.F32, cpu) },
		"fftfreq":  func() *tensor.Tensor { return fft.Freq(most, 1, tensor.F32, cpu) },
		"rfftfreq": func() *tensor.Tensor { return fft.RFreq(most, 1, tensor.F32, cpu) },
		"mel":      func() *tensor.Tensor { return fft.Mel{Count: most, Rate: 8000}.Filters(256, tensor.F32, cpu) },
		"mel size": func() *tensor.Tensor { return fft.Mel{Count: 2, Rate: 8000}.Filters(most, tensor.F32, cpu) },
		"fft":      func() *tensor.Tensor { return fft.Form{Sizes: []int{most}}.FFT(tensor.Of(1, 2)) },
		"ifft":     func() *tensor.Tensor { return fft.IRFFT(fft.RFFT(tensor.Of(1, 2)), most) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
