package fft

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Frames describes the overlapping pieces of a signal that STFT transforms. The meaning of all fields, and what is used
// where they are not set, is as for torch.stft.
type Frames struct {
	Size   int            // of a frame, and of its transform
	Hop    int            // from frame to frame; 0 means Size/4
	Window *tensor.Tensor // a vector of at most Size numbers, padded with zeros on both sides; nil means ones

	NoCenter   bool // frame i begins at i·Hop; otherwise that is its centre, and the signal is padded by Size/2
	Pad        any  // how it is padded: a tensor.PadMode or a Go number, as for Tensor.Pad; nil means tensor.Reflect
	Normalized bool // transforms are multiplied by 1/√Size
	TwoSided   bool // all Size frequencies, also for real signals; complex signals always have all
}

// STFT returns the short-time Fourier transform of a signal x [… length]: complex numbers [… frequencies frames], with
// Size/2 + 1 frequencies for real signals. It panics with ErrShape when the signal is shorter than a frame.
func STFT(x *tensor.Tensor, f Frames) *tensor.Tensor {
	const op = "stft"
	f = f.checked(op, x)
	if !x.DType().IsComplex() {
		x = toFloat(x)
	}
	if x.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{x}, "a scalar has no frames")
	}
	if !f.NoCenter {
		if n := x.Dim(-1); f.Pad == tensor.Reflect && n <= f.Size/2 {
			extend.ShapeNoting(op, []*tensor.Tensor{x}, "Pad: 0 pads with zeros",
				"a signal of %d elements has no %d to reflect on each side", n, f.Size/2)
		}
		x = x.Pad(-1, f.Size/2, f.Size/2, f.Pad)
	}
	if n := x.Dim(-1); n < f.Size {
		extend.Shape(op, []*tensor.Tensor{x}, "a signal of %d elements is shorter than a frame of %d", n, f.Size)
	}
	frames := x.Unfold(-1, f.Size, f.Hop)
	if f.Window != nil {
		frames = frames.Mul(f.window(op, frames))
	}
	form := Form{}
	if f.Normalized {
		form.Norm = Ortho
	}
	if x.DType().IsComplex() || f.TwoSided {
		return form.FFT(frames).Transpose(-1, -2)
	}
	return form.RFFT(frames).Transpose(-1, -2)
}

// ISTFT returns the signal whose short-time transform is X [… frequencies frames], of `length` elements, or as many as
// the frames have if it is 0: the sum of the inverse transforms times the window, divided by the sum of the squares of
// the windows. Where X is not a transform, this is the signal with the nearest one. The result is real unless TwoSided
// is set. The call waits for the device, for it panics with ErrShape when that sum is 0 somewhere.
func ISTFT(X *tensor.Tensor, f Frames, length int) *tensor.Tensor {
	const op = "istft"
	f = f.checked(op, X)
	want := f.Size/2 + 1
	if f.TwoSided {
		want = f.Size
	}
	if r := X.Rank(); r < 2 || X.Dim(-2) != want || X.Dim(-1) == 0 {
		extend.Shape(op, []*tensor.Tensor{X}, "want [… %d frequencies, frames] for frames of %d elements, not shape %v",
			want, f.Size, X.Dims())
	}
	form := Form{Sizes: []int{f.Size}}
	if f.Normalized {
		form.Norm = Ortho
	}
	columns, count := X.Transpose(-1, -2), X.Dim(-1)
	var frames *tensor.Tensor
	if f.TwoSided {
		frames = form.IFFT(columns)
	} else {
		frames = form.IRFFT(columns)
	}
	real := tensor.F32
	if dt := frames.DType(); dt == tensor.F64 || dt == tensor.C128 {
		real = tensor.F64
	}
	squares := X.Device().Ones(real, f.Size)
	if f.Window != nil {
		w := f.window(op, squares)
		frames, squares = frames.Mul(w), w.Sqr()
	}
	sum := overlapAdd(frames, f.Hop)
	envelope := overlapAdd(squares.BroadcastAs(count, f.Size), f.Hop)
	first, n := 0, sum.Dim(-1)
	if !f.NoCenter {
		first, n = f.Size/2, n-f.Size/2*2
	}
	if length > 0 {
		n = length
	}
	inside := max(0, min(n, sum.Dim(-1)-first))
	if inside == 0 {
		extend.Shape(op, []*tensor.Tensor{X}, "%d frames of %d elements leave no signal", count, f.Size)
	}
	envelope = envelope.Narrow(-1, first, inside)
	if least := envelope.Min().ToScalar(); !(least > 1e-11) {
		extend.ShapeNoting(op, []*tensor.Tensor{X}, fmt.Sprintf("Hop: %d makes windows overlap", max(f.Size/4, 1)),
			"the squares of the windows, %d elements apart, sum to %.2g somewhere: nothing is known of the signal there",
			f.Hop, least)
	}
	y := sum.Narrow(-1, first, inside).Div(envelope)
	if inside < n {
		y = y.Pad(-1, 0, n-inside, 0)
	}
	return y
}

// checked is f with the values that are used where fields are not set.
func (f Frames) checked(op string, x *tensor.Tensor) Frames {
	if f.Size < 1 {
		extend.Shape(op, []*tensor.Tensor{x}, "frames of %d elements: want at least one", f.Size)
	}
	if f.Hop == 0 {
		f.Hop = max(f.Size/4, 1)
	}
	if f.Hop < 0 {
		extend.Shape(op, []*tensor.Tensor{x}, "a hop of %d elements: want at least one", f.Hop)
	}
	if f.Pad == nil {
		f.Pad = tensor.Reflect
	}
	return f
}

// window is the window of a frame, in the type of like.
func (f Frames) window(op string, like *tensor.Tensor) *tensor.Tensor {
	w := f.Window
	if w.Rank() != 1 || w.Dim(0) > f.Size {
		extend.Shape(op, []*tensor.Tensor{w}, "want a window of at most %d numbers, not shape %v", f.Size, w.Dims())
	}
	left := (f.Size - w.Dim(0)) / 2
	w = w.Pad(0, left, f.Size-w.Dim(0)-left, 0)
	if dt := like.DType(); !w.DType().IsComplex() {
		return w.ToDType(dt.Real())
	}
	return w.ToDType(like.DType())
}

// overlapAdd adds frames [… count size], each hop elements after the one before. Pieces of hop elements of all frames
// are added at once, so the order of the sums is the same on every device.
func overlapAdd(frames *tensor.Tensor, hop int) *tensor.Tensor {
	count, size := frames.Dim(-2), frames.Dim(-1)
	pieces := int(math.Ceil(float64(size) / float64(hop)))
	shape := frames.Dims()
	shape = append(shape[:len(shape)-2], count*hop)
	frames = frames.Pad(-1, 0, pieces*hop-size, 0)
	var sum *tensor.Tensor
	for i := range pieces {
		piece := frames.Narrow(-1, i*hop, hop).Reshape(shape...).Pad(-1, i*hop, (pieces-1-i)*hop, 0)
		if sum == nil {
			sum = piece
		} else {
			sum = sum.Add(piece)
		}
	}
	return sum.Narrow(-1, 0, (count-1)*hop+size)
}
