package signal

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Segments describes the overlapping parts of a signal whose spectra are computed, and the units of those. What is
// used where fields are not set is as in scipy.signal.
type Segments struct {
	Rate   float64        // samples per second; 0 means 1
	Window *tensor.Tensor // a vector of Size numbers; nil means the periodic one that each function names
	Size   int            // of a segment; 0 means 256, or the signal's length if that is less
	Hop    int            // from segment to segment; 0 means what each function names
	Trend  Trend          // what is subtracted from each segment: its mean unless something else is set

	Power    bool // spectra are in squared units, not in these per hertz
	TwoSided bool // all frequencies, also for real signals; complex signals always have all
}

// Periodogram returns the power spectrum p [… frequencies] of signals x [… n] and the frequencies f in hertz:
// |RFFT(x)|²/(n·Rate), with what negative frequencies have added to the positive ones. Size and Hop have no meaning;
// the window is a rectangle unless one is set. It is scipy.signal.periodogram.
func Periodogram(x *tensor.Tensor, s Segments) (f, p *tensor.Tensor) {
	const op = "periodogram"
	o := along(op, x, -1)
	s.Size, s.Hop = o.n(), max(o.n(), 1)
	if s.Window == nil && s.Size > 0 {
		s.Window = o.x.Device().Ones(o.x.DType().Real(), s.Size)
	}
	f, all := s.spectra(op, o.x, nil)
	return f.ToDType(o.dt.Real()), all.Squeeze(-2).ToDType(o.dt.Real())
}

// Welch returns the mean p [… frequencies] of the power spectra of segments of signals x [… n], and the frequencies f
// in hertz (Welch, 1967). It has less variance than a periodogram, and fewer frequencies: Size/2 + 1. The window is
// Hann's unless one is set, the hop half of Size. It is scipy.signal.welch. It panics with ErrShape for signals
// shorter than Size.
func Welch(x *tensor.Tensor, s Segments) (f, p *tensor.Tensor) {
	const op = "welch"
	o := along(op, x, -1)
	s.resolve(op, o.x)
	if s.Hop == 0 {
		s.Hop = s.Size - s.Size/2
	}
	f, all := s.spectra(op, o.x, func(n int) *tensor.Tensor { return fft.Hann(n, true, tensor.F64, o.x.Device()) })
	return f.ToDType(o.dt.Real()), all.Mean(-2).ToDType(o.dt.Real())
}

// Spectrogram returns the power spectra p [… frequencies segments] of segments of signals x [… n], the frequencies f
// in hertz and the times t of the middles of the segments in seconds. The window is Tukey's with a fraction of 1/4
// unless one is set, the hop seven eighths of Size. It is scipy.signal.spectrogram; fft.STFT has complex spectra.
func Spectrogram(x *tensor.Tensor, s Segments) (f, t, p *tensor.Tensor) {
	const op = "spectrogram"
	o := along(op, x, -1)
	s.resolve(op, o.x)
	if s.Hop == 0 {
		s.Hop = s.Size - s.Size/8
	}
	dev := o.x.Device()
	f, all := s.spectra(op, o.x, func(n int) *tensor.Tensor { return fft.Tukey(n, 0.25, true, tensor.F64, dev) })
	t = dev.Arange(tensor.F64, float64(all.Dim(-2))).Mul(s.Hop).Add(float64(s.Size) / 2).Div(s.rate())
	real := o.dt.Real()
	return f.ToDType(real), t.ToDType(real), all.Transpose(-1, -2).ToDType(real)
}

func (s *Segments) rate() float64 {
	if s.Rate == 0 {
		return 1
	}
	return s.Rate
}

// resolve checks the sizes, and sets Size.
func (s *Segments) resolve(op string, x *tensor.Tensor) {
	n := x.Dim(-1)
	if s.Size == 0 {
		s.Size = min(256, n)
		if s.Window != nil && s.Window.Rank() == 1 {
			s.Size = s.Window.Dim(0)
		}
	}
	if s.Size < 1 || s.Hop < 0 || s.Size > n {
		extend.Shape(op, []*tensor.Tensor{x}, "segments of %d elements, %d apart, of a signal of %d elements: want from 1 "+
			"element to its length", s.Size, s.Hop, n)
	}
}

// spectra returns the frequencies and the spectra of all segments, [… segments frequencies].
func (s *Segments) spectra(
	op string, x *tensor.Tensor, window func(n int) *tensor.Tensor,
) (f, p *tensor.Tensor) {
	if s.Rate < 0 {
		extend.Fail(op, tensor.ErrValue, nil, "", "a rate of %g samples per second", s.Rate)
	}
	s.resolve(op, x)
	w := s.Window
	if w == nil {
		w = window(s.Size)
	}
	if w.Rank() != 1 || w.Dim(0) != s.Size {
		extend.Shape(op, []*tensor.Tensor{w}, "want a window of %d numbers, not shape %v", s.Size, w.Dims())
	}
	extend.SameDevice(op, x, w)
	w = w.ToDType(x.DType().Real())
	scale := w.Sqr().Sum().Mul(s.rate())
	if s.Power {
		scale = w.Sum().Sqr()
	}
	parts := detrended(op, x.Unfold(-1, s.Size, s.Hop), s.Trend).Mul(w)
	if x.DType().IsComplex() || s.TwoSided {
		return fft.Freq(s.Size, 1/s.rate(), tensor.F64, x.Device()), squares(fft.FFT(parts)).Div(scale)
	}
	p = squares(fft.RFFT(parts)).Div(scale)
	both := make([]float64, p.Dim(-1)) // of positive and negative frequencies; 0 and half the rate are their own
	for i := range both {
		both[i] = 2
	}
	both[0] = 1
	if s.Size%2 == 0 {
		both[len(both)-1] = 1
	}
	return fft.RFreq(s.Size, 1/s.rate(), tensor.F64, x.Device()), p.Mul(vector(both, p))
}

// squares are the squares of absolute values.
func squares(z *tensor.Tensor) *tensor.Tensor { return z.Real().Sqr().Add(z.Imag().Sqr()) }

// Hilbert returns the analytic signal of real signals along a dim: complex numbers whose real parts are x, and whose
// imaginary parts are its Hilbert transform. Their absolute values are the envelope, their angles the phase. It is
// scipy.signal.hilbert.
func Hilbert(x *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "hilbert"
	notComplex(op, x)
	o := along(op, x, dim)
	n := o.n()
	factors := make([]float64, n) // negative frequencies are left out
	for i := range (n + 1) / 2 {
		factors[i] = 2
	}
	if n > 0 {
		factors[0] = 1
	}
	if n%2 == 0 && n > 0 {
		factors[n/2] = 1
	}
	X := fft.FFT(o.x)
	return fft.IFFT(X.Mul(vector(factors, X).ToDType(X.DType()))).Transpose(dim, -1)
}
