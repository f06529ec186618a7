package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// RMSpropConfig holds the hyperparameters of RMSprop. Start from DefaultRMSprop, which has the defaults of PyTorch.
type RMSpropConfig struct {
	LR          float64 // learning rate
	Alpha       float64 // decay rate of the running mean of squares
	Eps         float64 // added to the root of the mean square, against division by zero
	WeightDecay float64 // share of a variable that is added to its gradient
	Momentum    float64 // share of the last step that is added to a step
	Centered    bool    // the square of the running mean is subtracted from the mean square
	Gradients   Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultRMSprop returns the default hyperparameters: LR 0.01, Alpha 0.99, Eps 1e-8.
func DefaultRMSprop() RMSpropConfig { return RMSpropConfig{LR: 0.01, Alpha: 0.99, Eps: 1e-8} }

// RMSprop divides gradients by the root of a running mean of their squares, after Hinton's lecture 6e of "Neural
// Networks for Machine Learning". For variables of F16, BF16 and F8E4M3 the running means are of F32. A step writes
// variables and means in place, in one launch on a GPU for up to 64 variables.
type RMSprop struct {
	Config RMSpropConfig

	Ruled
}

// NewRMSprop returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex, and with ErrShape when a number of the config makes no sense: Alpha outside
// of [0, 1), one below 0, or 0 for both Alpha and Eps.
func NewRMSprop(vars []*tensor.Tensor, config RMSpropConfig) *RMSprop {
	r := &RMSprop{Config: config}
	c := &r.Config
	if !(c.LR >= 0 && c.Alpha >= 0 && c.Alpha < 1 && c.Eps >= 0 && c.WeightDecay >= 0 && c.Momentum >= 0 &&
		c.Alpha+c.Eps > 0) {
		extend.ShapeNoting("rmsprop", nil, "nn.DefaultRMSprop() has the usual ones",
			"a number makes no sense: %+v: want 0 ≤ Alpha < 1, none below 0, and Alpha or Eps above it", *c)
	}
	r.Ruled = NewRuled(vars, rmspropRules(c))
	return r
}

func rmspropRules(c *RMSpropConfig) Rules {
	return Rules{Op: "rmsprop", Name: "nn.RMSprop", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"square", "mean", "sum"},
		Without: func() [3]bool { return [3]bool{1: !c.Centered, 2: c.Momentum == 0} },
		Rule: func(int, func() int) optim.Rule {
			return optim.RMSprop{LR: c.LR, Decay: c.WeightDecay, Alpha: c.Alpha, Eps: c.Eps, Momentum: c.Momentum}
		}}
}

var _ = KeepRules(rmspropRules)
