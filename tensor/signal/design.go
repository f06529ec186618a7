package signal

import (
	"math"
	"math/cmplx"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Band says what a filter lets pass.
type Band int

// The bands of filters.
const (
	Lowpass  Band = iota // below the cutoff frequency
	Highpass             // above it
	Bandpass             // between two frequencies
	Bandstop             // all but what is between them
)

// ZPK is a filter as the zeros and poles of its transfer function k·Π(z - Zeros)/Π(z - Poles).
type ZPK struct {
	Zeros, Poles []complex128
	Gain         float64
}

// Butter returns the digital Butterworth filter of an order, whose response is as flat as possible in its band.
// Cutoff frequencies, where the response is 1/√2, are fractions of half the sampling rate, between 0 and 1: two for
// Bandpass and Bandstop, whose order is twice the given one. It is scipy.signal.butter, made from the analog filter
// by the bilinear transform. It panics with ErrValue for other orders, bands and frequencies.
//
//	b, a := signal.Butter(2, signal.Lowpass, 0.5).BA() // [0.2929 0.5858 0.2929] [1 0 0.1716], rounded
func Butter(order int, band Band, cutoffs ...float64) ZPK {
	const op = "butter"
	checkDesign(op, order, band, cutoffs)
	f := ZPK{Gain: 1}
	for i := range order {
		f.Poles = append(f.Poles, -cmplx.Exp(complex(0, math.Pi*float64(2*i+1-order)/float64(2*order))))
	}
	return f.digital(band, cutoffs)
}

// Cheby1 returns the digital Chebyshev filter of type I: the response varies by ripple decibels in its band, and
// falls off more steeply than that of Butter. Cutoff frequencies are where it leaves the ripple; they and the order
// are as for Butter. It is scipy.signal.cheby1. It panics with ErrValue as Butter, and for a ripple that is not
// positive.
func Cheby1(order int, ripple float64, band Band, cutoffs ...float64) ZPK {
	const op = "cheby1"
	checkDesign(op, order, band, cutoffs)
	if !(ripple > 0) || math.IsInf(ripple, 1) {
		extend.Fail(op, tensor.ErrValue, nil, "", "want a ripple of more than 0 decibels, not %g", ripple)
	}
	eps := math.Sqrt(math.Expm1(ripple * math.Ln10 / 10))
	mu := math.Asinh(1/eps) / float64(order)
	f, product := ZPK{}, complex128(1)
	for i := range order {
		p := -cmplx.Sinh(complex(mu, math.Pi*float64(2*i+1-order)/float64(2*order)))
		f.Poles = append(f.Poles, p)
		product *= -p
	}
	if f.Gain = real(product); order%2 == 0 {
		f.Gain /= math.Sqrt(1 + eps*eps)
	}
	return f.digital(band, cutoffs)
}

func checkDesign(op string, order int, band Band, cutoffs []float64) {
	const most = 500
	if order < 1 || order > most {
		extend.Fail(op, tensor.ErrValue, nil, "", "want an order of 1 to %d, not %d", most, order)
	}
	checkBand(op, band, cutoffs)
}

// checkBand checks cutoff frequencies.
func checkBand(op string, band Band, cutoffs []float64) {
	want := 1
	switch band {
	case Lowpass, Highpass:
	case Bandpass, Bandstop:
		want = 2
	default:
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no band %d", band)
	}
	if len(cutoffs) != want {
		extend.Fail(op, tensor.ErrValue, nil, "Lowpass and Highpass have one, Bandpass and Bandstop two",
			"%d cutoff frequencies: %v", len(cutoffs), cutoffs)
	}
	last := 0.0
	for _, c := range cutoffs {
		if !(c > last && c < 1) {
			extend.Fail(op, tensor.ErrValue, nil, "f/(rate/2) is the fraction of a frequency f",
				"want ascending cutoff frequencies from 0 to 1, as fractions of half the sampling rate, not %v", cutoffs)
		}
		last = c
	}
}

// digital makes a filter from the analog lowpass filter with cutoff 1, which has no zeros.
func (f ZPK) digital(band Band, cutoffs []float64) ZPK {
	warped := make([]float64, len(cutoffs)) // frequencies that the bilinear transform brings to the cutoffs
	for i, c := range cutoffs {
		warped[i] = 4 * math.Tan(math.Pi*c/2)
	}
	degree := len(f.Poles)
	switch low := complex(warped[0], 0); band {
	case Lowpass:
		for i := range f.Poles {
			f.Poles[i] *= low
		}
		f.Gain *= math.Pow(warped[0], float64(degree))
	case Highpass:
		product := complex128(1)
		for i, p := range f.Poles {
			product *= -p
			f.Poles[i] = low / p
		}
		f.Zeros = make([]complex128, degree)
		f.Gain *= real(1 / product)
	case Bandpass:
		width, centre := warped[1]-warped[0], warped[0]*warped[1]
		f.Gain *= math.Pow(width, float64(degree))
		f.Poles = split(f.Poles, func(p complex128) complex128 { return p * complex(width/2, 0) }, centre)
		f.Zeros = make([]complex128, degree)
	case Bandstop:
		width, centre := warped[1]-warped[0], warped[0]*warped[1]
		product := complex128(1)
		for _, p := range f.Poles {
			product *= -p
		}
		f.Gain *= real(1 / product)
		f.Poles = split(f.Poles, func(p complex128) complex128 { return complex(width/2, 0) / p }, centre)
		for range degree {
			f.Zeros = append(f.Zeros, complex(0, math.Sqrt(centre)))
		}
		for range degree {
			f.Zeros = append(f.Zeros, complex(0, -math.Sqrt(centre)))
		}
	}
	return f.bilinear()
}

// split returns the two poles of a band filter for each pole of a lowpass filter: those with the same mean and the
// product of the frequencies.
func split(poles []complex128, mean func(p complex128) complex128, product float64) []complex128 {
	n := len(poles)
	out := make([]complex128, 2*n)
	for i, p := range poles {
		m := mean(p)
		root := cmplx.Sqrt(m*m - complex(product, 0))
		out[i], out[n+i] = m+root, m-root
	}
	return out
}

// bilinear brings an analog filter to the unit circle, for a sampling rate of 2. Zeros at infinity come to -1.
func (f ZPK) bilinear() ZPK {
	const twice = 4
	gain := complex(f.Gain, 0)
	move := func(list []complex128) (moved []complex128, product complex128) {
		product = 1
		for _, s := range list {
			moved = append(moved, (twice+s)/(twice-s))
			product *= twice - s
		}
		return moved, product
	}
	zeros, above := move(f.Zeros)
	poles, below := move(f.Poles)
	for len(zeros) < len(poles) {
		zeros = append(zeros, -1)
	}
	return ZPK{zeros, poles, real(gain * above / below)}
}
