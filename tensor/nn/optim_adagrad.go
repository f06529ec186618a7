package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// AdagradConfig holds the hyperparameters of Adagrad. Start from DefaultAdagrad, which has the defaults of PyTorch.
type AdagradConfig struct {
	LR          float64 // learning rate
	LRDecay     float64 // in step n the learning rate is divided by 1 + (n-1)·LRDecay
	WeightDecay float64 // share of a variable that is added to its gradient
	Initial     float64 // the sums of squares begin with it
	Eps         float64 // added to the root of the sum, against division by zero
	Gradients   Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultAdagrad returns the default hyperparameters: LR 0.01, Eps 1e-10.
func DefaultAdagrad() AdagradConfig { return AdagradConfig{LR: 0.01, Eps: 1e-10} }

// Adagrad divides gradients by the root of the sum of their squares so far (Duchi, Hazan and Singer, "Adaptive
// Subgradient Methods", 2011). For variables of F16, BF16 and F8E4M3 the sums are of F32. A step writes variables and
// sums in place, in one launch on a GPU for up to 64 variables.
type Adagrad struct {
	Config AdagradConfig

	Ruled
}

// NewAdagrad returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex, and with ErrShape when a number of the config is below 0, or Initial and
// Eps are both 0.
func NewAdagrad(vars []*tensor.Tensor, config AdagradConfig) *Adagrad {
	a := &Adagrad{Config: config}
	c := &a.Config
	if !(c.LR >= 0 && c.LRDecay >= 0 && c.WeightDecay >= 0 && c.Initial >= 0 && c.Eps >= 0 && c.Initial+c.Eps > 0) {
		extend.ShapeNoting("adagrad", nil, "nn.DefaultAdagrad() has the usual ones",
			"a number makes no sense: %+v: want none below 0, and Initial or Eps above it", *c)
	}
	a.Ruled = NewRuled(vars, adagradRules(c))
	return a
}

func adagradRules(c *AdagradConfig) Rules {
	return Rules{Op: "adagrad", Name: "nn.Adagrad", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"sum"}, Begin: map[int]*float64{0: &c.Initial},
		Rule: func(steps int, _ func() int) optim.Rule {
			return optim.Adagrad{LR: c.LR, Decay: c.WeightDecay, LRDecay: c.LRDecay, Eps: c.Eps, Steps: steps}
		}}
}

var _ = KeepRules(adagradRules)
