package signal_test

import (
	"errors"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/signal"
)

// TestTooLarge: sizes for which no host has memory are errors before anything is allocated, which would end the process.
func TestTooLarge(t *testing.T) {
	const most = 1 << 40
	x := tensor.Of(1, 2, 3)
	for name, f := range map[string]func() *tensor.Tensor{
		"firwin":   func() *tensor.Tensor { return tensor.Of(signal.FirWin(most+1, signal.Lowpass, nil, 0.2)...) },
		"freqz":    func() *tensor.Tensor { w, _ := signal.FreqZ([]float64{1}, []float64{1}, most); return w },
		"poly":     func() *tensor.Tensor { return signal.ResamplePoly(x, most, 1, -1) },
		"down":     func() *tensor.Tensor { return signal.ResamplePoly(x, 3, most, -1) },
		"resample": func() *tensor.Tensor { return signal.Resample(x, most, -1) },
		"medfilt":  func() *tensor.Tensor { return signal.MedFilt(x, most+1, -1) },
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
