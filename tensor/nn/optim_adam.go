package nn

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// AdamConfig holds the hyperparameters of Adam. Start from DefaultAdam, which has the defaults of PyTorch.
type AdamConfig struct {
	LR           float64 // learning rate
	Beta1, Beta2 float64 // decay rates of the running means of the gradients and of their squares
	Eps          float64 // added to the root of the mean square, against division by zero
	WeightDecay  float64 // share of a variable that is added to its gradient: AdamW decays variables instead
	AMSGrad      bool    // the largest mean square so far takes the place of the mean square
	Gradients    Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultAdam returns the default hyperparameters: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-8.
func DefaultAdam() AdamConfig { return AdamConfig{LR: 0.001, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8} }

// Adam divides running means of gradients by the root of running means of their squares (Kingma and Ba, "Adam: A Method
// for Stochastic Optimization", 2015), with AMSGrad as in Reddi, Kale and Kumar, "On the Convergence of Adam and
// Beyond", 2018. For variables of F16, BF16 and F8E4M3 the running means are of F32. A step writes variables and means
// in place, in one launch on a GPU for up to 64 variables.
type Adam struct {
	Config AdamConfig

	Ruled
}

// NewAdam returns the optimizer for variables. It panics as NewAdamW does.
func NewAdam(vars []*tensor.Tensor, config AdamConfig) *Adam {
	a := &Adam{Config: config}
	c := &a.Config
	checkAdam("adam", "nn.DefaultAdam()", *c, c.LR, c.Beta1, c.Beta2, c.Eps, c.WeightDecay)
	a.Ruled = NewRuled(vars, adamRules(c))
	return a
}

func adamRules(c *AdamConfig) Rules {
	return Rules{Op: "adam", Name: "nn.Adam", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean", "square", "largest"},
		Without: func() [3]bool { return [3]bool{2: !c.AMSGrad} },
		Rule: func(steps int, _ func() int) optim.Rule {
			return optim.AdamW{LR: c.LR, Decay: c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps, Coupled: true,
				Steps: steps}
		}}
}

var _ = KeepRules(adamRules)

// checkAdam panics when hyperparameters of Adam make no sense.
func checkAdam(op, usual string, config any, lr, beta1, beta2, eps, decay float64) {
	switch {
	case beta2 == 0 && eps == 0:
		extend.ShapeNoting(op, nil, fmt.Sprintf("c := %s; c.LR = 0.01 has the usual ones", usual),
			"Beta2 and Eps are 0: a gradient of 0 would become NaN")
	case !(lr >= 0 && beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1 && eps >= 0 && decay >= 0):
		extend.ShapeNoting(op, nil, fmt.Sprintf("%s has the usual ones", usual),
			"a number makes no sense: %+v: want 0 ≤ Beta1, Beta2 < 1 and none below 0", config)
	}
}
