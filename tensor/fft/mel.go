package fft

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Mel describes triangular filters whose centres are equally spaced on the mel scale.
type Mel struct {
	Count     int     // of filters
	Rate      float64 // samples a second
	Low, High float64 // the range, in Hz; High 0 means Rate/2
	// Slaney takes the scale of Slaney's Auditory Toolbox and librosa, which is linear below 1 kHz; otherwise it is
	// that of HTK and torchaudio, 2595·log₁₀(1 + f/700).
	Slaney bool
	// Area divides each filter by half its width in Hz, so that all have the same area: norm="slaney".
	Area bool
}

// Filters returns the matrix [Count, size/2 + 1] that turns the power spectra of frames of `size` samples into mel
// spectra: m.Filters(512, tensor.F32, dev).MatMul(fft.STFT(x, f).Abs().Sqr()). It panics with ErrShape when there is no
// filter, or the range is empty.
func (m Mel) Filters(size int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	const op = "mel filters"
	if m.High == 0 {
		m.High = m.Rate / 2
	}
	if m.Count < 1 || size < 1 || !(m.Rate > 0) || !(m.Low >= 0) || !(m.Low < m.High) || math.IsInf(m.High, 0) {
		extend.Shape(op, nil, "no %d filters from %v to %v Hz of %d samples, %v a second", m.Count, m.Low, m.High, size,
			m.Rate)
	}
	bins := size/2 + 1
	filters, list := extend.OnHost[float64](op, tensor.F64, m.Count, bins)
	low, high := m.toMel(m.Low), m.toMel(m.High)
	edges := make([]float64, m.Count+2) // in Hz
	for i := range edges {
		edges[i] = m.toHz(low + (high-low)*float64(i)/float64(m.Count+1))
	}
	for i := range m.Count {
		left, centre, right := edges[i], edges[i+1], edges[i+2]
		for k := range bins {
			f := float64(k) * m.Rate / float64(size)
			list[i*bins+k] = max(0, min((f-left)/(centre-left), (right-f)/(right-centre)))
			if m.Area {
				list[i*bins+k] *= 2 / (right - left)
			}
		}
	}
	return filters.ToDevice(dev).ToDType(dtype)
}

// Of Slaney's scale: 15 mel at 1 kHz, 27 more for each factor of 6.4.
const (
	linearHz  = 1000.0
	linearMel = 15.0
)

var logStep = math.Log(6.4) / 27

func (m Mel) toMel(hz float64) float64 {
	switch {
	case !m.Slaney:
		return 2595 * math.Log10(1+hz/700)
	case hz < linearHz:
		return hz * linearMel / linearHz
	}
	return linearMel + math.Log(hz/linearHz)/logStep
}

func (m Mel) toHz(mel float64) float64 {
	switch {
	case !m.Slaney:
		return 700 * (math.Pow(10, mel/2595) - 1)
	case mel < linearMel:
		return mel * linearHz / linearMel
	}
	return linearHz * math.Exp(logStep*(mel-linearMel))
}
