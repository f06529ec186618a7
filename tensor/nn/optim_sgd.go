package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// SGD is gradient descent: w ← w - lr·g. With Momentum m the steps follow a running sum of gradients, b ← m·b + g, as
// in PyTorch, with Nesterov g + m·b; WeightDecay adds that share of w to g. For variables of F16, BF16 and F8E4M3 the
// sums are of F32. A step writes variables and sums in place, in one launch on a GPU for up to 64 variables.
type SGD struct {
	Momentum    float64
	Nesterov    bool
	WeightDecay float64
	Gradients   Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool

	varState
	lr float64
}

// NewSGD returns plain gradient descent for variables; its fields can be set afterwards. It panics with ErrGradient
// when a tensor is not a variable, or there twice.
func NewSGD(vars []*tensor.Tensor, lr float64) *SGD {
	return &SGD{varState: newVarState("sgd", vars), lr: lr}
}

// LearningRate returns the size of the steps.
func (s *SGD) LearningRate() float64 { return s.lr }

// SetLearningRate sets the size of the steps.
func (s *SGD) SetLearningRate(lr float64) { s.lr = lr }

// Step changes every variable that has a gradient.
func (s *SGD) Step(grads *tensor.GradStore) {
	s.checkScaled(s.Gradients)
	s.step(grads, s.settings, func() {})
}

func (s *SGD) settings() settings {
	rule := optim.SGD{LR: s.lr, Decay: s.WeightDecay, Momentum: s.Momentum, Nesterov: s.Nesterov}
	return settings{rule, s.Gradients, [3]bool{s.Momentum != 0}, s.MasterWeights}
}

// Save writes what the optimizer has gathered, the running sums of gradients, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (s *SGD) Save(path string) error { return s.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (s *SGD) Load(path string) error { return s.saved().Load(path) }

func (s *SGD) saved() saved.State {
	nesterov := number(s.Nesterov)
	return saved.State{
		Kind: "sgd", Vars: s.vars,
		Numbers: map[string]*float64{"lr": &s.lr, "momentum": &s.Momentum, "weight_decay": &s.WeightDecay,
			"nesterov": &nesterov},
		Tensors: s.named(s.MasterWeights, "sum"),
		Loaded:  func() { s.Nesterov = nesterov != 0; s.steps.Reset() },
	}
}
