// Package signal has filters, spectra and resampling of signals on every device, under the names of scipy.signal's.
//
//	low := signal.Butter(4, signal.Lowpass, 0.1)              // a tenth of half the sampling rate
//	y := signal.SOSFiltFilt(low.SOS(), x, -1)                 // without delay
//	f, p := signal.Welch(x, signal.Segments{Rate: 1000})      // power per hertz
//	ids, _ := signal.FindPeaks(p, signal.Peaks{Height: signal.AtLeast(0.1)})
//
// Coefficients of filters are slices of Go numbers, computed in F64 on the host. Signals are tensors; functions that
// take a dim work along it and treat the others as a batch. The functions without one work along the last dim.
//
// # Types
//
// Recursive filters compute in F64 and round once, for F32 as for F64; all other functions compute in the type of the
// signal. F16, BF16 and F8E4M3 are computed as F32 and rounded, integers become tensor.DefaultDType. Signals may be
// complex where it says so.
//
// # Recursive filters on GPUs
//
// A recursive filter takes a number of launches that grows with the logarithm of the length. Blocks of the signal
// are filtered at once by products with a matrix of the impulse response, and the outputs at the ends of blocks are
// the input of a recurrence that is solved in the same way. On the CPU it is a loop, in parallel over the signals of
// a batch.
//
// # Gradients
//
// All functions of signals have gradients with respect to them but FindPeaks. That of a recursive filter is the same
// filter, backwards in time. Mistakes panic with a *tensor.Error, as the methods of package tensor do.
//
// # Files
//
//	lfilter.go     filters by coefficients, and their states
//	recursive.go   the recursive part, computed by internal/iir
//	sections.go    filters by second-order sections
//	filtfilt.go    filters forwards and backwards
//	design.go      Butterworth and Chebyshev filters
//	zeros.go       zeros, poles and gain as coefficients and sections
//	fir.go         filters by windows, frequency responses
//	convolve.go    convolutions, direct or by Fourier transforms
//	spectrum.go    periodograms and spectrograms
//	peaks.go       peaks
//	smooth.go      trends, medians and polynomials
//	resample.go    other sampling rates
package signal
