package mathlib

import (
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// Activation applies a function to each element of device memory. See rocm.Activation.
type Activation struct {
	Elem         string
	N            int
	Function     string
	Coefficient  float64
	Backward     bool
	X, Y, DX, DY uintptr
}

// Softmax is softmax of rows in device memory. See rocm.Softmax.
type Softmax struct {
	Elem         string
	Rows, Cols   int
	Log          bool
	Backward     bool
	X, Y, DX, DY uintptr
}

// BatchNorm is a batch norm in device memory. See rocm.BatchNorm.
type BatchNorm struct {
	Elem                       string
	Images, Channels, H, W     int
	Eps                        float64
	Train                      bool
	Momentum                   float64
	Backward                   bool
	X, Y, DX, DY               uintptr
	Scale, Bias, DScale, DBias uintptr
	Mean, Variance             uintptr
	SavedMean, SavedInverse    uintptr
}

// layerPlan is the descriptors for layers of one shape.
type layerPlan struct{ x, channels, activation uintptr }

func (p *layerPlan) destroySteps(lib *dnnLibrary) []libraryStep {
	column := lib.kind.Platform.Column()
	return destroySteps(
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.x},
		descriptor{driver.CName[dnnCalls]("destroyTensor", column), lib.destroyTensor, p.channels},
		descriptor{driver.CName[dnnCalls]("destroyActivation", column), lib.destroyActivation, p.activation},
	)
}

// softmaxAlgorithm is the algorithm, whose numbers are the same in both libraries: it subtracts the maximum first, so
// that no number overflows.
func softmaxAlgorithm(log bool) uintptr {
	if log {
		return CUDNN_SOFTMAX_LOG
	}
	return CUDNN_SOFTMAX_ACCURATE
}

// Activate puts an Activation on the device's stream. It reports whether the library took it.
func (n *DNN) Activate(d Device, a *Activation) (bool, error) {
	key := *a
	key.X, key.Y, key.DX, key.DY = 0, 0, 0, 0
	fresh := &layerPlan{}
	return n.runPlanned(d, key, a.Elem+" "+a.Function, a.Elem, fresh, func() error {
		if n.lib.createActivation == nil || n.lib.destroyActivation == nil || n.lib.initActivation == nil &&
			n.lib.setActivation == nil {
			return n.lackError(n.step("createActivation", nil).name)
		}
		if err := n.describe(d, &fresh.x, a.Elem, a.N, 1, 1, 1); err != nil {
			return err
		}
		if err := n.call(d, n.step("createActivation",
			func() driver.Code { return n.lib.createActivation(&fresh.activation) })); err != nil {
			return err
		}
		return n.lib.kind.vendor.activation(n, d, fresh.activation, a)
	}, func(plan dnnPlan) (libraryStep, func(), error) {
		p := plan.(*layerPlan)
		one, zero := scalars(a.Elem)
		if a.Backward {
			return n.optional("activateBackward", n.lib.activateBackward, n.handle, p.activation, one, p.x, a.Y, p.x,
				a.DY,
				p.x, a.X, zero, p.x, a.DX)
		}
		return n.optional("activate", n.lib.activate, n.handle, p.activation, one, p.x, a.X, zero, p.x, a.Y)
	})
}

// Softmax puts a Softmax on the device's stream. It reports whether the library took it.
func (n *DNN) Softmax(d Device, s *Softmax) (bool, error) {
	key := *s
	key.X, key.Y, key.DX, key.DY = 0, 0, 0, 0
	fresh := &layerPlan{}
	return n.runPlanned(d, key, s.Elem+" softmax", s.Elem, fresh,
		func() error { return n.describe(d, &fresh.x, s.Elem, s.Rows, s.Cols, 1, 1) },
		func(plan dnnPlan) (libraryStep, func(), error) {
			x := plan.(*layerPlan).x
			one, zero := scalars(s.Elem)
			column := n.lib.kind.vendor
			if s.Backward {
				return n.optional("softmaxBackward", n.lib.softmaxBackward,
					column.softmaxArgs(n, s.Log, one, zero, x, s.Y, x, s.DY, x, s.DX)...)
			}
			return n.optional("softmax", n.lib.softmax, column.softmaxArgs(n, s.Log, one, zero, x, s.X, x, s.Y)...)
		})
}

// BatchNorm puts a BatchNorm on the device's stream. It reports whether the library took it.
func (n *DNN) BatchNorm(d Device, b *BatchNorm) (bool, error) {
	elem := ChannelElem(b.Elem)
	key := struct{ sizes BatchNorm }{BatchNorm{Elem: b.Elem, Images: b.Images, Channels: b.Channels, H: b.H, W: b.W,
		Train: b.Train, Backward: b.Backward}}
	fresh := &layerPlan{}
	return n.runPlanned(d, key, b.Elem+" batch norm", b.Elem, fresh, func() error {
		if err := n.describe(d, &fresh.x, b.Elem, b.Images, b.Channels, b.H, b.W); err != nil {
			return err
		}
		return n.describe(d, &fresh.channels, elem, 1, b.Channels, 1, 1)
	}, func(plan dnnPlan) (libraryStep, func(), error) { return n.normalizeStep(b, plan.(*layerPlan)) })
}

// ChannelElem is the type of the scales, means and the like of a batch norm's channels, by the type of its elements.
func ChannelElem(elem string) string {
	if elem == "f64" {
		return "f64"
	}
	return "f32"
}

// normalizeStep is the call of inference, training or backward.
func (n *DNN) normalizeStep(b *BatchNorm, p *layerPlan) (libraryStep, func(), error) {
	one, zero := scalars(b.Elem)
	field, missing := "normalize", n.lib.normalize == nil
	run := func() driver.Code {
		return n.lib.normalize(n.handle, CUDNN_BATCHNORM_SPATIAL, one, zero, p.x, b.X, p.x, b.Y, p.channels, b.Scale,
			b.Bias,
			b.Mean, b.Variance, b.Eps)
	}
	switch {
	case b.Backward:
		field, missing = "normalizeBackward", n.lib.normalizeBackward == nil
		run = func() driver.Code {
			return n.lib.normalizeBackward(n.handle, CUDNN_BATCHNORM_SPATIAL, one, zero, one, zero, p.x, b.X, p.x, b.DY,
				p.x, b.DX, p.channels,
				b.Scale, b.DScale, b.DBias, b.Eps, b.SavedMean, b.SavedInverse)
		}
	case b.Train:
		field, missing = "normalizeTraining", n.lib.normalizeTraining == nil
		run = func() driver.Code {
			return n.lib.normalizeTraining(n.handle, CUDNN_BATCHNORM_SPATIAL, one, zero, p.x, b.X, p.x, b.Y, p.channels,
				b.Scale, b.Bias,
				b.Momentum, b.Mean, b.Variance, b.Eps, b.SavedMean, b.SavedInverse)
		}
	}
	s := n.step(field, run)
	if missing {
		return s, nil, n.lackError(s.name)
	}
	return s, func() {}, nil
}
