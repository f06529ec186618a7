package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// AdamWConfig holds the hyperparameters of AdamW. Start from DefaultAdamW, which has the defaults of PyTorch and
// Candle: fields omitted from a literal are 0.
//
//	config := nn.DefaultAdamW()
//	config.LR = 0.01
type AdamWConfig struct {
	LR           float64 // learning rate
	Beta1, Beta2 float64 // decay rates of the running means of the gradients and of their squares
	Eps          float64 // added to the root of the mean square, against division by zero
	WeightDecay  float64 // fraction of a variable, times LR, that a step subtracts from it
	AMSGrad      bool    // the largest mean square so far takes the place of the mean square
	Gradients    Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded: steps that are too small
	// for BF16 add up. Without it, a variable of BF16 is changed as it is.
	MasterWeights bool
}

// DefaultAdamW returns the default hyperparameters: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-8, WeightDecay 0.01.
func DefaultAdamW() AdamWConfig {
	return AdamWConfig{LR: 0.001, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.01}
}

// AdamW is Adam with decoupled weight decay, after Loshchilov and Hutter, "Decoupled Weight Decay Regularization". For
// variables of F16, BF16 and F8E4M3 the running means are of F32. A step writes variables and means in place, in one
// launch on a GPU for up to 64 variables.
type AdamW struct {
	Config AdamWConfig

	Ruled
}

// NewAdamW returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex, and with ErrShape when a number of the config makes no sense: a Beta
// outside of [0, 1), one below 0, or 0 for both Beta2 and Eps, of which a gradient of 0 makes NaN.
func NewAdamW(vars []*tensor.Tensor, config AdamWConfig) *AdamW {
	a := &AdamW{Config: config}
	c := &a.Config
	checkAdam("adamw", "nn.DefaultAdamW()", *c, c.LR, c.Beta1, c.Beta2, c.Eps, c.WeightDecay)
	a.Ruled = NewRuled(vars, adamwRules(c))
	return a
}

func adamwRules(c *AdamWConfig) Rules {
	return Rules{Op: "adamw", Name: "nn.AdamW", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean", "square", "largest"},
		Without: func() [3]bool { return [3]bool{2: !c.AMSGrad} },
		Rule: func(steps int, _ func() int) optim.Rule {
			return optim.AdamW{LR: c.LR, Decay: 1 - c.LR*c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps,
				Steps: steps}
		}}
}

var _ = KeepRules(adamwRules)
