package signal

import (
	"math"
	"math/cmplx"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// FirWin returns the n coefficients of a filter of finite length and linear phase, by the window method: those of the
// ideal filter, cut off and multiplied by a window of n numbers, or by Hamming's if it is nil. Its response at the
// middle of the first band that passes is 1. Cutoff frequencies are as for Butter. It is scipy.signal.firwin. It
// panics with ErrValue for such frequencies, and for an even n in a filter that lets half the sampling rate pass.
//
//	y := signal.LFilter(signal.FirWin(101, signal.Lowpass, nil, 0.1), []float64{1}, x, -1)
func FirWin(n int, band Band, window *tensor.Tensor, cutoffs ...float64) []float64 {
	const op = "firwin"
	checkBand(op, band, cutoffs)
	if n < 1 || n%2 == 0 && (band == Highpass || band == Bandstop) {
		extend.Fail(op, tensor.ErrValue, nil, "", "want an odd number of coefficients, or an even one of a filter that "+
			"stops half the sampling rate, not %d", n)
	}
	if window == nil {
		window = fft.Hamming(n, false, tensor.F64, tensor.CPU())
	}
	if window.Rank() != 1 || window.Dim(0) != n {
		extend.Shape(op, []*tensor.Tensor{window}, "want a window of %d numbers, not shape %v", n, window.Dims())
	}
	var edges [][2]float64 // of what passes
	switch band {
	case Lowpass:
		edges = [][2]float64{{0, cutoffs[0]}}
	case Highpass:
		edges = [][2]float64{{cutoffs[0], 1}}
	case Bandpass:
		edges = [][2]float64{{cutoffs[0], cutoffs[1]}}
	case Bandstop:
		edges = [][2]float64{{0, cutoffs[0]}, {cutoffs[1], 1}}
	}
	h, middle := window.Float64s(), float64(n-1)/2
	centre := (edges[0][0] + edges[0][1]) / 2
	switch {
	case edges[0][0] == 0:
		centre = 0
	case edges[0][1] == 1:
		centre = 1
	}
	sum := 0.0
	for i := range h {
		m, ideal := float64(i)-middle, 0.0
		for _, e := range edges {
			ideal += e[1]*sinc(e[1]*m) - e[0]*sinc(e[0]*m)
		}
		h[i] *= ideal
		sum += h[i] * math.Cos(math.Pi*m*centre)
	}
	for i := range h {
		h[i] /= sum
	}
	return h
}

// sinc is sin(πx)/(πx).
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// FreqZ returns the frequency response of a filter at n frequencies from 0 to below half the sampling rate: w in
// radians per sample, F64 [n], and the complex response h, C128 [n], on the CPU. It is scipy.signal.freqz. It panics
// with ErrValue as LFilter.
func FreqZ(b, a []float64, n int) (w, h *tensor.Tensor) {
	const op = "freqz"
	b, a = coefficients(op, b, a)
	return frequencies(op, n, func(z complex128) complex128 { return horner(b, z) / horner(a, z) })
}

// FreqZ is the function FreqZ for second-order sections.
func (s Sections) FreqZ(n int) (w, h *tensor.Tensor) {
	const op = "freqz"
	s.check(op)
	return frequencies(op, n, func(z complex128) complex128 {
		product := complex128(1)
		for _, c := range s {
			product *= horner(c[:3], z) / horner(c[3:], z)
		}
		return product
	})
}

// frequencies evaluates a response at n points of the upper half of the unit circle, as a function of 1/z.
func frequencies(op string, n int, at func(z complex128) complex128) (w, h *tensor.Tensor) {
	if n < 1 {
		extend.Fail(op, tensor.ErrValue, nil, "", "want at least one frequency, not %d", n)
	}
	w, angles := extend.OnHost[float64](op, tensor.F64, n)
	h, values := extend.OnHost[complex128](op, tensor.C128, n)
	for i := range angles {
		angles[i] = math.Pi * float64(i) / float64(n)
		values[i] = at(cmplx.Exp(complex(0, -angles[i])))
	}
	return w, h
}

// horner evaluates Σ_k c[k]·z^k.
func horner(c []float64, z complex128) complex128 {
	var sum complex128
	for i := len(c) - 1; i >= 0; i-- {
		sum = sum*z + complex(c[i], 0)
	}
	return sum
}
