package rocm

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The functions below are for kernels of one's own that are put together with those of a library. gorocm's tensors use their own kernels for them,
// which read and write each element once, and those of what stands before and after along with them.

// Activation applies a function to each element, or brings gradients back through it.
type Activation struct {
	Elem         string // f16, bf16, f32 or f64
	N            int
	Function     string // sigmoid, tanh, relu or elu
	Coefficient  float64
	Backward     bool  // DX of X, Y and DY
	X, Y, DX, DY Place // DX and DY are the gradients of X and Y
}

// Softmax makes each row of Rows × Cols elements positive numbers whose sum is 1, or their logarithms, or brings gradients back.
type Softmax struct {
	Elem         string // f16, bf16, f32 or f64
	Rows, Cols   int
	Log          bool
	Backward     bool // DX of Y and DY
	X, Y, DX, DY Place
}

// BatchNorm normalises the channels of X, [Images Channels H W], over all else. The numbers of channels are f32, f64 beside f64.
type BatchNorm struct {
	Elem                       string // f16, bf16, f32 or f64
	Images, Channels, H, W     int
	Eps                        float64
	Train                      bool    // by the mean and the variance of X, from which the running ones learn
	Momentum                   float64 // how much of the running numbers Train replaces
	Backward                   bool    // DX, DScale and DBias of X, DY, Scale and what Train has saved
	X, Y, DX, DY               Place
	Scale, Bias, DScale, DBias Place
	Mean, Variance             Place // the running ones
	SavedMean, SavedInverse    Place // what Train stores for Backward: means, and inverses of standard deviations
}

// layerPlan is what functions of one shape need.
type layerPlan struct{ x, channels, activation uintptr }

func (p *layerPlan) drop(lib *dnnLibrary) []step {
	column := lib.kind.platform.Column()
	return drops(
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.x},
		dropped{driver.CName[dnnCalls]("dropTensor", column), lib.dropTensor, p.channels},
		dropped{driver.CName[dnnCalls]("dropActivation", column), lib.dropActivation, p.activation},
	)
}

// Of softmax, in both libraries: the whole of an image is a row, and numbers are made smaller first, so that none overflows.
const (
	softmaxInstance = 0
	softmaxAccurate = 1
	softmaxLog      = 2
	spatial         = 1 // of batch norms: a channel has one mean
)

func softmaxAlgorithm(log bool) uintptr {
	if log {
		return softmaxLog
	}
	return softmaxAccurate
}

// forLayer opens the library and checks operands of n elements.
func (d *Device) forLayer(op, elem string, n int, places ...Place) (*deviceDNN, error) {
	size := gemmSizes[elem]
	if size == 0 || n < 1 || n > math.MaxInt32 || d.recording() != nil {
		return nil, nil
	}
	lib := d.dnn.open(d)
	if lib == nil {
		return nil, nil
	}
	if _, ok := lib.lib.kind.types[elem]; !ok {
		return nil, nil
	}
	for _, p := range places {
		if err := p.check(op, d, n, size); err != nil {
			return nil, err
		}
	}
	return lib, nil
}

// Activate puts an Activation on the device's stream if the device has a library that takes it, and reports whether it did, as Convolve does.
func (d *Device) Activate(a *Activation) (bool, error) {
	places := []Place{a.X, a.Y}
	if a.Backward {
		places = append(places, a.DX, a.DY)
	}
	n, err := d.forLayer("activate", a.Elem, a.N, places...)
	if n == nil {
		return false, err
	}
	defer runtime.KeepAlive(a)
	key := *a
	key.X, key.Y, key.DX, key.DY = Place{}, Place{}, Place{}, Place{}
	fresh := &layerPlan{}
	return n.planned(d, key, a.Elem+" "+a.Function, a.Elem, fresh, func() error {
		if n.lib.newActivation == nil || n.lib.dropActivation == nil || n.lib.initActivation == nil && n.lib.setActivation == nil {
			return n.lackError(n.step("newActivation", nil).name)
		}
		if err := n.describe(d, &fresh.x, a.Elem, a.N, 1, 1, 1); err != nil {
			return err
		}
		if err := n.call(d, n.step("newActivation", func() driver.Code { return n.lib.newActivation(&fresh.activation) })); err != nil {
			return err
		}
		return n.lib.kind.column.activation(n, d, fresh.activation, a)
	}, func(plan dnnPlan) (step, func(), error) {
		p := plan.(*layerPlan)
		one, zero := factors(a.Elem)
		if a.Backward {
			return n.optional("activateBackward", n.lib.activateBackward, n.handle, p.activation, one, p.x, a.Y.pointer(), p.x, a.DY.pointer(),
				p.x, a.X.pointer(), zero, p.x, a.DX.pointer())
		}
		return n.optional("activate", n.lib.activate, n.handle, p.activation, one, p.x, a.X.pointer(), zero, p.x, a.Y.pointer())
	})
}

// Softmax puts a Softmax on the device's stream if the device has a library that takes it, and reports whether it did, as Convolve does.
func (d *Device) Softmax(s *Softmax) (bool, error) {
	places := []Place{s.X, s.Y}
	if s.Backward {
		places = []Place{s.Y, s.DX, s.DY}
	}
	n, err := d.forLayer("softmax", s.Elem, s.Rows*s.Cols, places...)
	if n == nil || s.Rows < 1 {
		return false, err
	}
	defer runtime.KeepAlive(s)
	key := *s
	key.X, key.Y, key.DX, key.DY = Place{}, Place{}, Place{}, Place{}
	fresh := &layerPlan{}
	return n.planned(d, key, s.Elem+" softmax", s.Elem, fresh, func() error { return n.describe(d, &fresh.x, s.Elem, s.Rows, s.Cols, 1, 1) },
		func(plan dnnPlan) (step, func(), error) {
			x := plan.(*layerPlan).x
			one, zero := factors(s.Elem)
			column := n.lib.kind.column
			if s.Backward {
				return n.optional("softmaxBackward", n.lib.softmaxBackward, column.softmaxArgs(n, s.Log, one, zero, x, s.Y.pointer(), x, s.DY.pointer(), x, s.DX.pointer())...)
			}
			return n.optional("softmax", n.lib.softmax, column.softmaxArgs(n, s.Log, one, zero, x, s.X.pointer(), x, s.Y.pointer())...)
		})
}

// BatchNorm puts a BatchNorm on the device's stream if the device has a library that takes it, and reports whether it did, as Convolve does.
func (d *Device) BatchNorm(b *BatchNorm) (bool, error) {
	const op = "batch norm"
	operands, channels := []Place{b.X, b.Y}, []Place{b.Scale, b.Bias, b.Mean, b.Variance}
	switch {
	case b.Backward:
		operands, channels = []Place{b.X, b.DX, b.DY}, []Place{b.Scale, b.DScale, b.DBias, b.SavedMean, b.SavedInverse}
	case b.Train:
		channels = append(channels, b.SavedMean, b.SavedInverse)
	}
	n, err := d.forLayer(op, b.Elem, b.Images*b.Channels*b.H*b.W, operands...)
	if n == nil || min(b.Images, b.Channels, b.H, b.W) < 1 {
		return false, err
	}
	elem := "f32"
	if b.Elem == "f64" {
		elem = "f64"
	}
	for _, p := range channels {
		if err := p.check(op, d, b.Channels, gemmSizes[elem]); err != nil {
			return false, err
		}
	}
	defer runtime.KeepAlive(b)
	key := struct{ sizes BatchNorm }{BatchNorm{Elem: b.Elem, Images: b.Images, Channels: b.Channels, H: b.H, W: b.W, Train: b.Train, Backward: b.Backward}}
	fresh := &layerPlan{}
	return n.planned(d, key, b.Elem+" batch norm", b.Elem, fresh, func() error {
		if err := n.describe(d, &fresh.x, b.Elem, b.Images, b.Channels, b.H, b.W); err != nil {
			return err
		}
		return n.describe(d, &fresh.channels, elem, 1, b.Channels, 1, 1)
	}, func(plan dnnPlan) (step, func(), error) { return n.normalizeStep(b, plan.(*layerPlan)) })
}

// normalizeStep is the call for one of the three. They take floating-point numbers, and so are no libraryCalls.
func (n *deviceDNN) normalizeStep(b *BatchNorm, p *layerPlan) (step, func(), error) {
	one, zero := factors(b.Elem)
	field, missing := "normalize", n.lib.normalize == nil
	run := func() driver.Code {
		return n.lib.normalize(n.handle, spatial, one, zero, p.x, b.X.pointer(), p.x, b.Y.pointer(), p.channels, b.Scale.pointer(), b.Bias.pointer(),
			b.Mean.pointer(), b.Variance.pointer(), b.Eps)
	}
	switch {
	case b.Backward:
		field, missing = "normalizeBackward", n.lib.normalizeBackward == nil
		run = func() driver.Code {
			return n.lib.normalizeBackward(n.handle, spatial, one, zero, one, zero, p.x, b.X.pointer(), p.x, b.DY.pointer(), p.x, b.DX.pointer(), p.channels,
				b.Scale.pointer(), b.DScale.pointer(), b.DBias.pointer(), b.Eps, b.SavedMean.pointer(), b.SavedInverse.pointer())
		}
	case b.Train:
		field, missing = "normalizeTraining", n.lib.normalizeTraining == nil
		run = func() driver.Code {
			return n.lib.normalizeTraining(n.handle, spatial, one, zero, p.x, b.X.pointer(), p.x, b.Y.pointer(), p.channels, b.Scale.pointer(), b.Bias.pointer(),
				b.Momentum, b.Mean.pointer(), b.Variance.pointer(), b.Eps, b.SavedMean.pointer(), b.SavedInverse.pointer())
		}
	}
	s := n.step(field, run)
	if missing {
		return s, nil, n.lackError(s.name)
	}
	return s, func() {}, nil
}
