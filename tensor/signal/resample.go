package signal

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// Resample returns signals with n elements along a dim instead of their own number, by Fourier transforms: they are
// taken as periodic. It is scipy.signal.resample. x may be complex. It panics with ErrShape when n or the dim is
// below 1.
func Resample(x *tensor.Tensor, n, dim int) *tensor.Tensor {
	const op = "resample"
	o := along(op, x, dim)
	if n < 1 || o.n() < 1 {
		extend.Shape(op, []*tensor.Tensor{x}, "want at least one element, not %d of %d", n, o.n())
	}
	if x.DType().IsComplex() {
		return o.back(tensor.Complex(resampled(o.x.Real(), n), resampled(o.x.Imag(), n)))
	}
	return o.back(resampled(o.x, n))
}

// resampled resamples the last dim of real signals.
func resampled(x *tensor.Tensor, n int) *tensor.Tensor {
	had := x.Dim(-1)
	kept := min(n, had)
	X := fft.RFFT(x).Narrow(-1, 0, kept/2+1)
	factors := make([]float64, kept/2+1)
	for i := range factors {
		factors[i] = float64(n) / float64(had)
	}
	if kept%2 == 0 && n != had { // number kept/2 is there once in one of the signals, and twice in the other
		if n < had {
			factors[kept/2] *= 2
		} else {
			factors[kept/2] /= 2
		}
	}
	X = X.Mul(vector(factors, X).ToDType(X.DType())).Pad(-1, 0, n/2-kept/2, 0)
	return fft.IRFFT(X, n)
}

// ResamplePoly returns signals with up elements for each down ones along a dim, by a filter of finite length that is
// symmetric, with a Kaiser window (β = 5) of 20·max(up, down) + 1 coefficients; beyond their ends, signals are 0. It
// is scipy.signal.resample_poly. x may be complex. It panics with ErrValue unless up and down are positive.
func ResamplePoly(x *tensor.Tensor, up, down, dim int) *tensor.Tensor {
	const op = "resample poly"
	if up < 1 || down < 1 {
		extend.Fail(op, tensor.ErrValue, nil, "", "want positive factors, not %d and %d", up, down)
	}
	o := along(op, x, dim)
	for a, b := up, down; ; a, b = b, a%b {
		if b == 0 {
			up, down = up/a, down/a
			break
		}
	}
	if up == 1 && down == 1 || o.x.ElemCount() == 0 {
		return o.back(o.x)
	}
	if x.DType().IsComplex() {
		return o.back(tensor.Complex(polyphase(o.x.Real(), up, down), polyphase(o.x.Imag(), up, down)))
	}
	return o.back(polyphase(o.x, up, down))
}

// polyphase resamples the last dim of real signals. Element m is Σ_k h[m·down + half - k·up]·x[k]; those with the
// same rest of m by up, as a channel, are a convolution with every up-th coefficient, in steps of down.
func polyphase(x *tensor.Tensor, up, down int) *tensor.Tensor {
	extend.Room("resample poly", tensor.F64, 20, max(up, down)) // the coefficients
	half := 10 * max(up, down)
	h := FirWin(2*half+1, Lowpass, fft.Kaiser(2*half+1, 5, false, tensor.F64, tensor.CPU()), 1/float64(max(up, down)))
	first, last := -(half / up), ((up-1)*down+half)/up // elements of x that a step takes, from down times its number on
	width := last - first + 1
	kernel := make([]float64, up*width)
	for q := range up {
		for i := first; i <= last; i++ {
			if at := q*down + half - i*up; at >= 0 && at < len(h) {
				kernel[q*width+i-first] = float64(up) * h[at]
			}
		}
	}
	n := (x.Dim(-1)*up + down - 1) / down
	steps := (n + up - 1) / up
	flat, batch := rows(x)
	right := max(0, (steps-1)*down+width-(flat.Dim(1)-first))
	padded := flat.Pad(1, -first, right, 0)
	if x.Device().IsCPU() && x.DType() == tensor.F64 && !extend.Tracked(x) {
		y := iir.Polyphase(padded.Contiguous(), kernel, up, down, steps)
		return shaped(y.Narrow(1, 0, n), batch)
	}
	y := padded.Unsqueeze(1).Conv1d(vector(kernel, x).Reshape(up, 1, width), 0, down, 1, 1)
	y = y.Narrow(2, 0, steps).Transpose(1, 2).Reshape(flat.Dim(0), steps*up).Narrow(1, 0, n)
	return shaped(y, batch)
}

// Decimate returns every q-th element of signals along a dim, after a lowpass filter against aliases: Cheby1 of order
// 8 with a ripple of 0.05 decibels and the cutoff frequency 0.8/q, forwards and backwards. It is
// scipy.signal.decimate. It panics with ErrValue for q below 2, and with ErrShape for signals of fewer than 28
// elements.
func Decimate(x *tensor.Tensor, q, dim int) *tensor.Tensor {
	const op = "decimate"
	if q < 2 {
		extend.Fail(op, tensor.ErrValue, nil, "", "want a factor of at least 2, not %d", q)
	}
	y := SOSFiltFilt(Cheby1(8, 0.05, Lowpass, 0.8/float64(q)).SOS(), x, dim)
	o := along(op, y, dim)
	n := (o.n() + q - 1) / q
	padded := o.x.Pad(-1, 0, n*q-o.n(), 0).Contiguous()
	return o.back(padded.Reshape(append(o.x.Dims()[:o.rank-1:o.rank-1], n, q)...).GetOnDim(o.rank, 0))
}
