package signal_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/signal"
)

// BenchmarkHost computes with a signal of a million numbers, and a batch of 64 of 16,384.
func BenchmarkHost(b *testing.B) {
	x := tensor.CPU().FromSlice(noise(1<<20), 1<<20)
	batch := x.Reshape(64, 1<<14)
	sos := signal.Butter(4, signal.Lowpass, 0.2).SOS()
	num, den := signal.Butter(4, signal.Lowpass, 0.2).BA()
	for _, s := range []struct {
		name string
		run  func()
	}{
		{"lfilter", func() { signal.LFilter(num, den, x, -1) }},
		{"sosfilt", func() { signal.SOSFilt(sos, x, -1) }},
		{"sosfilt of 64", func() { signal.SOSFilt(sos, batch, -1) }},
		{"sosfiltfilt", func() { signal.SOSFiltFilt(sos, x, -1) }},
		{"welch", func() { signal.Welch(x, signal.Segments{Size: 1024}) }},
		{"resample poly", func() { signal.ResamplePoly(x, 3, 2, -1) }},
		{"savgol", func() { signal.SavgolFilter(x, 31, 3, 0, 1, -1) }},
		{"medfilt", func() { signal.MedFilt(x, 5, -1) }},
		{"find peaks", func() { signal.FindPeaks(x, signal.Peaks{Prominence: signal.AtLeast(1)}) }},
	} {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				s.run()
				tensor.CPU().Synchronize() // computes what is deferred
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/call")
		})
	}
}
