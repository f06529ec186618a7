package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ScalerConfig holds the numbers of a Scaler. Start from DefaultScaler, which has those of PyTorch's GradScaler.
type ScalerConfig struct {
	Scale    float64 // the first one
	Growth   float64 // what it is multiplied by after Interval steps in a row that were not skipped
	Backoff  float64 // and after a step that was
	Interval int
}

// DefaultScaler returns the default numbers: Scale 65536, Growth 2, Backoff 0.5, Interval 2000.
func DefaultScaler() ScalerConfig {
	return ScalerConfig{Scale: 65536, Growth: 2, Backoff: 0.5, Interval: 2000}
}

// Scaler keeps small gradients of F16 from becoming zero: losses are multiplied by a scale, gradients are divided by
// it, and steps whose gradients leave the range of F16 are left out, after which the scale is reduced. It does what
// PyTorch's GradScaler does.
//
//	scaler := nn.NewScaler(opt, nn.DefaultScaler())
//	nn.TrainStep(opt, func() *tensor.Tensor { return scaler.Loss(loss(x, y)) })
//	scaler.Update()
type Scaler struct {
	Config ScalerConfig

	of     Optimizer
	state  ScalerState
	seen   int // skipped steps of the optimizer
	losses int // that were multiplied
}

// ScalerState is what a Scaler has found out.
type ScalerState struct {
	Scale float64 `json:"scale"`
	Good  int     `json:"good"` // steps in a row that were not skipped
}

// scalable is an optimizer that divides gradients and leaves steps out: those of this package.
type scalable interface {
	gradients() []*Gradients
	Skipped() int
}

func (s *SGD) gradients() []*Gradients { return []*Gradients{&s.Gradients} }

// NewScaler returns a Scaler for an optimizer, whose Scale and SkipNotFinite it sets. From then on each step of the
// optimizer wants a loss that Loss has multiplied; without one it panics with ErrGradient, until the optimizer's
// Gradients are nn.Gradients{} or others without the Scaler's scale. It panics with ErrGradient for
// optimizers that do not know those, and with ErrShape when a number makes no sense.
func NewScaler(o Optimizer, c ScalerConfig) *Scaler {
	const op = "scaler"
	if _, ok := o.(scalable); !ok {
		extend.Fail(op, tensor.ErrGradient, nil, "nn.NewAdamW and nn.NewSGD make some that do",
			"a %T cannot divide gradients, or leave steps out", o)
	}
	if !(c.Scale > 0 && c.Growth >= 1 && c.Backoff > 0 && c.Backoff <= 1 && c.Interval >= 1) {
		extend.ShapeNoting(op, nil, "nn.DefaultScaler() has the usual ones", "a number makes no sense: %+v", c)
	}
	s := &Scaler{Config: c, of: o}
	s.SetState(ScalerState{Scale: c.Scale})
	return s
}

// Scale returns what losses are multiplied by.
func (s *Scaler) Scale() float64 { return s.state.Scale }

// Loss multiplies a loss, which becomes F32 if it is of a small float.
func (s *Scaler) Loss(loss *tensor.Tensor) *tensor.Tensor {
	s.losses++
	return extend.Wide(loss).Mul(s.state.Scale)
}

// checkScaled panics before a step that would divide gradients by the scale of a Scaler, which has multiplied no loss
// since the step before. Steps of graphs replay its product.
func (m *varState) checkScaled(g Gradients) {
	if g.scaler == nil || g.Scale != g.scaler.state.Scale {
		return
	}
	if g.scaler.losses == m.losses {
		extend.Fail(m.op, tensor.ErrGradient, nil,
			"scaler.Loss(loss) multiplies it; to go on without the Scaler, set opt.Gradients, or opt.Config.Gradients, to nn.Gradients{}",
			"a Scaler has the optimizer divide gradients by %v, but since the last step its Loss has multiplied no loss", g.Scale)
	}
	m.losses = g.scaler.losses
}

// Update adapts the scale after a step, and reports whether that was skipped. It waits for the device.
func (s *Scaler) Update() (skipped bool) {
	n := skips(s.of)
	skipped = n > s.seen
	state := s.state
	if skipped {
		state.Scale *= s.Config.Backoff
		state.Good = 0
	} else if state.Good++; state.Good == s.Config.Interval {
		state.Scale *= s.Config.Growth
		state.Good = 0
	}
	s.SetState(state)
	return skipped
}

// skips grows with each step that is skipped, also of groups of which some were frozen at times.
func skips(o Optimizer) (n int) {
	g, ok := o.(*Groups)
	if !ok {
		return o.(scalable).Skipped()
	}
	for _, member := range g.groups {
		n += member.Skipped()
	}
	return n
}

// State returns what the Scaler has found out, for SetState of another one.
func (s *Scaler) State() ScalerState { return s.state }

// SetState goes on from what State has returned, for the optimizer as it is now.
func (s *Scaler) SetState(state ScalerState) {
	s.state, s.seen = state, skips(s.of)
	for _, g := range s.of.(scalable).gradients() {
		g.Scale, g.SkipNotFinite, g.scaler = state.Scale, true, s
	}
}
