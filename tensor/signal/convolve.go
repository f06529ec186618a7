package signal

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/signal/internal/iir"
)

// longKernel is the length from which on a kernel is convolved by Fourier transforms.
const longKernel = 96

// Convolve returns the convolution z[k] = Σ_j x[j]·y[k-j] of signals x [… n] with a vector y [m] along the last dim:
// directly where y is short, and else by Fourier transforms, as fft.Convolve, which has the modes and takes other
// operands. It panics with ErrShape when y is not a vector, or one of them is empty.
//
//	signal.Convolve(tensor.Of(1, 2, 3), tensor.Of(1, 1), fft.Full) // [1, 3, 5, 3] f32
func Convolve(x, y *tensor.Tensor, mode fft.Mode) *tensor.Tensor {
	const op = "convolve"
	x, y, dt := pair(op, x, y)
	return convolved(x, y, mode).ToDType(dt)
}

// Correlate returns the correlation z[k] = Σ_j x[j+k]·conj(y[j]) of signals x [… n] with a vector y [m] along the
// last dim, for k from 1 - m on: Convolve with y reversed and conjugated.
//
//	signal.Correlate(tensor.Of(1, 2, 3), tensor.Of(0, 1), fft.Full) // [1, 2, 3, 0] f32
func Correlate(x, y *tensor.Tensor, mode fft.Mode) *tensor.Tensor {
	const op = "correlate"
	x, y, dt := pair(op, x, y)
	return convolved(x, y.Flip(0).Conj(), mode).ToDType(dt)
}

// pair checks the operands of a convolution, and returns them in the type in which it is computed.
func pair(op string, x, y *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor, tensor.DType) {
	extend.SameDevice(op, x, y)
	both := []*tensor.Tensor{x, y}
	if x.Rank() == 0 || y.Rank() != 1 || x.ElemCount() == 0 || y.ElemCount() == 0 {
		extend.ShapeNoting(op, both, "", "want signals and a vector with elements, not shapes %v and %v", x.Dims(), y.Dims())
	}
	dt, err := tensor.Promote(x.DType(), y.DType())
	if err != nil {
		extend.DType(op, both, "%v", err)
	}
	if !dt.IsFloat() && !dt.IsComplex() {
		dt = tensor.DefaultDType()
	}
	return extend.Wide(x.ToDType(dt)), extend.Wide(y.ToDType(dt)), dt
}

// convolved convolves the last dim of x with a vector of the same type, or of the type of its parts.
func convolved(x, y *tensor.Tensor, mode fft.Mode) *tensor.Tensor {
	n, m := x.Dim(-1), y.Dim(0)
	complexKernel := y.DType().IsComplex()
	if min(n, m) > longKernel || complexKernel || mode < fft.Full || mode > fft.Valid {
		shape := make([]int, x.Rank())
		for i := range shape {
			shape[i] = 1
		}
		shape[len(shape)-1] = m
		return fft.Convolve(x, y.Reshape(shape...).ToDType(x.DType()), mode)
	}
	if x.DType().IsComplex() {
		return tensor.Complex(convolved(x.Real(), y, mode), convolved(x.Imag(), y, mode))
	}
	if mode == fft.Valid && m > n { // in which the kernel slides over the signal
		return fft.Convolve(x, y.Reshape(append(onesLike(x.Rank()-1), m)...), mode)
	}
	left, right := m-1, m-1
	switch mode {
	case fft.Same:
		left = m - 1 - (m-1)/2
		right = (m - 1) / 2
	case fft.Valid:
		left, right = 0, 0
	}
	flat, batch := rows(x)
	flat = flat.Pad(-1, left, right, 0)
	if x.Device().IsCPU() && x.DType() == tensor.F64 && !extend.Tracked(y) {
		return shaped(slide(flat, y.Flip(0)), batch)
	}
	z := flat.Unsqueeze(1).Conv1d(y.Flip(0).Reshape(1, 1, m), 0, 1, 1, 1)
	return shaped(z.Squeeze(1), batch)
}

// slide is Conv1d of one channel on the host, which has its own loop for F32 alone. The kernel is no variable.
func slide(x, kernel *tensor.Tensor) *tensor.Tensor {
	y := iir.Slide(x.Detach().Contiguous(), kernel.Contiguous())
	m := kernel.Dim(0)
	return extend.ByOperations(y, "convolve", []*tensor.Tensor{x},
		func(g, _ *tensor.Tensor, _ []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{slide(g.Pad(-1, m-1, m-1, 0), kernel.Flip(0))}
		})
}

func onesLike(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
