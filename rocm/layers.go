package rocm

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// The functions below are for programs that combine their own kernels with those of a library. gorocm's tensors do not
// use them: their kernels are fused with the operations before and after, and read and write each element once.

// Activation is an activation function of each element, or its backward pass.
type Activation struct {
	Elem         string // f16, bf16, f32 or f64
	N            int
	Function     string // sigmoid, tanh, relu or elu
	Coefficient  float64
	Backward     bool  // DX of X, Y and DY
	X, Y, DX, DY Place // DX and DY are the gradients of X and Y
}

// Softmax is softmax, or its logarithm, of each row of Rows × Cols elements, or its backward pass.
type Softmax struct {
	Elem         string // f16, bf16, f32 or f64
	Rows, Cols   int
	Log          bool
	Backward     bool // DX of Y and DY
	X, Y, DX, DY Place
}

// BatchNorm normalises X, [Images Channels H W], by channels. Scales, means and the like are f32, or f64 where X is.
type BatchNorm struct {
	Elem                       string // f16, bf16, f32 or f64
	Images, Channels, H, W     int
	Eps                        float64
	Train                      bool    // use the mean and the variance of X, and update the running ones
	Momentum                   float64 // the part of the running mean and variance that Train replaces
	Backward                   bool    // compute DX, DScale and DBias from X, DY, Scale and what Train has saved
	X, Y, DX, DY               Place
	Scale, Bias, DScale, DBias Place
	Mean, Variance             Place // the running ones
	SavedMean, SavedInverse    Place // what Train stores for Backward: means, and inverses of standard deviations
}

// layerFits opens the library and checks operands of n elements. It reports whether the library may take them.
func layerFits(d *Device, op, elem string, n int, places ...Place) (bool, error) {
	size := mathlib.ElemSize(elem)
	if size == 0 || n < 1 || n > math.MaxInt32 || d.recording() != nil || !d.HasDNN() || !d.dnn.Takes(elem) {
		return false, nil
	}
	for _, p := range places {
		if err := p.check(op, d, n, size); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Activate puts an Activation on the device's stream if the device has a library that takes it, and reports whether it
// did, as Convolve does.
func (d *Device) Activate(a *Activation) (bool, error) {
	places := []Place{a.X, a.Y}
	if a.Backward {
		places = append(places, a.DX, a.DY)
	}
	ok, err := layerFits(d, "activate", a.Elem, a.N, places...)
	if !ok {
		return false, err
	}
	defer runtime.KeepAlive(a)
	return d.dnn.Activate(libraryHost{d}, &mathlib.Activation{
		Elem: a.Elem, N: a.N, Function: a.Function, Coefficient: a.Coefficient, Backward: a.Backward,
		X: a.X.pointer(), Y: a.Y.pointer(), DX: a.DX.pointer(), DY: a.DY.pointer(),
	})
}

// Softmax puts a Softmax on the device's stream if the device has a library that takes it, and reports whether it did,
// as Convolve does.
func (d *Device) Softmax(s *Softmax) (bool, error) {
	places := []Place{s.X, s.Y}
	if s.Backward {
		places = []Place{s.Y, s.DX, s.DY}
	}
	ok, err := layerFits(d, "softmax", s.Elem, s.Rows*s.Cols, places...)
	if !ok || s.Rows < 1 {
		return false, err
	}
	defer runtime.KeepAlive(s)
	return d.dnn.Softmax(libraryHost{d}, &mathlib.Softmax{
		Elem: s.Elem, Rows: s.Rows, Cols: s.Cols, Log: s.Log, Backward: s.Backward,
		X: s.X.pointer(), Y: s.Y.pointer(), DX: s.DX.pointer(), DY: s.DY.pointer(),
	})
}

// BatchNorm puts a BatchNorm on the device's stream if the device has a library that takes it, and reports whether it
// did, as Convolve does.
func (d *Device) BatchNorm(b *BatchNorm) (bool, error) {
	const op = "batch norm"
	operands, channels := []Place{b.X, b.Y}, []Place{b.Scale, b.Bias, b.Mean, b.Variance}
	switch {
	case b.Backward:
		operands, channels = []Place{b.X, b.DX, b.DY}, []Place{b.Scale, b.DScale, b.DBias, b.SavedMean, b.SavedInverse}
	case b.Train:
		channels = append(channels, b.SavedMean, b.SavedInverse)
	}
	ok, err := layerFits(d, op, b.Elem, b.Images*b.Channels*b.H*b.W, operands...)
	if !ok || min(b.Images, b.Channels, b.H, b.W) < 1 {
		return false, err
	}
	for _, p := range channels {
		if err := p.check(op, d, b.Channels, mathlib.ElemSize(mathlib.ChannelElem(b.Elem))); err != nil {
			return false, err
		}
	}
	defer runtime.KeepAlive(b)
	return d.dnn.BatchNorm(libraryHost{d}, &mathlib.BatchNorm{
		Elem: b.Elem, Images: b.Images, Channels: b.Channels, H: b.H, W: b.W, Eps: b.Eps, Train: b.Train,
		Momentum: b.Momentum, Backward: b.Backward,
		X: b.X.pointer(), Y: b.Y.pointer(), DX: b.DX.pointer(), DY: b.DY.pointer(),
		Scale: b.Scale.pointer(), Bias: b.Bias.pointer(), DScale: b.DScale.pointer(), DBias: b.DBias.pointer(),
		Mean: b.Mean.pointer(), Variance: b.Variance.pointer(), SavedMean: b.SavedMean.pointer(),
		SavedInverse: b.SavedInverse.pointer(),
	})
}
