package fft

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Mode says which part of a convolution is wanted. n and m are the lengths of its operands.
type Mode int

// The modes of NumPy and SciPy.
const (
	Full  Mode = iota // all n + m - 1 elements
	Same              // n elements, the middle of Full
	Valid             // the max(n, m) - min(n, m) + 1 elements that no end takes part in
)

// Convolve returns the convolution z[k] = Σ_j x[j]·y[k-j] along dims, or along the last one if none are given, by
// Fourier transforms: for long operands much faster than Tensor.Conv1d, which does not flip y. Other dims are
// broadcast. Integers become tensor.DefaultDType. It panics with ErrShape when the ranks differ, or a dim is empty.
func Convolve(x, y *tensor.Tensor, mode Mode, dims ...int) *tensor.Tensor {
	return convolve("convolve", x, y, mode, dims)
}

// Correlate returns the correlation z[k] = Σ_j x[j+k]·conj(y[j]) along dims, or along the last one if none are given,
// for k from 1 - m on: Convolve with y reversed and conjugated.
func Correlate(x, y *tensor.Tensor, mode Mode, dims ...int) *tensor.Tensor {
	return convolve("correlate", x, y, mode, dims)
}

func convolve(op string, x, y *tensor.Tensor, mode Mode, dims []int) *tensor.Tensor {
	both := []*tensor.Tensor{x, y}
	if x.Rank() != y.Rank() || x.Rank() == 0 {
		extend.ShapeNoting(op, both, "x.Unsqueeze(0) has a dim more", "want operands of one rank, not shapes %v and %v",
			x.Dims(), y.Dims())
	}
	if mode < Full || mode > Valid {
		extend.Shape(op, both, "there is no mode %d", mode)
	}
	if x.DType() != y.DType() {
		dt, err := tensor.Promote(x.DType(), y.DType())
		if err != nil {
			extend.DType(op, both, "%v", err)
		}
		x, y = x.ToDType(dt), y.ToDType(dt)
	}
	f := Form{Dims: dims}
	along, n := f.resolve(op, x, 0)
	_, m := f.resolve(op, y, 0)
	if op == "correlate" {
		y = y.Flip(along...).Conj()
	}
	for i := range along {
		f.Sizes = append(f.Sizes, plan.Padded(n[i]+m[i]-1))
	}
	var z *tensor.Tensor
	dt := x.DType()
	if dt.IsComplex() {
		z = f.IFFT(f.FFT(x).Mul(f.FFT(y)))
	} else {
		z = f.IRFFT(f.RFFT(x).Mul(f.RFFT(y)))
	}
	for i, d := range along {
		first, count := 0, n[i]+m[i]-1
		switch mode {
		case Same:
			first, count = (m[i]-1)/2, n[i]
		case Valid:
			first, count = min(n[i], m[i])-1, max(n[i], m[i])-min(n[i], m[i])+1
		}
		z = z.Narrow(d, first, count)
	}
	if slices.Contains([]tensor.DType{tensor.F16, tensor.BF16, tensor.F8E4M3}, dt) {
		return z.ToDType(dt)
	}
	return z
}
