package optim

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn"
)

// NAdamConfig holds the hyperparameters of NAdam. Start from DefaultNAdam, which has the defaults of PyTorch.
type NAdamConfig struct {
	LR            float64 // learning rate
	Beta1, Beta2  float64 // decay rates of the running means of the gradients and of their squares
	Eps           float64 // added to the root of the mean square, against division by zero
	WeightDecay   float64 // share of a variable that is added to its gradient
	Decoupled     bool    // WeightDecay is the share, times LR, that a step subtracts from a variable instead
	MomentumDecay float64 // how fast Beta1 grows from its half in the beginning
	Gradients     nn.Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultNAdam returns the default hyperparameters: LR 0.002, Beta1 0.9, Beta2 0.999, Eps 1e-8, MomentumDecay 0.004.
func DefaultNAdam() NAdamConfig {
	return NAdamConfig{LR: 0.002, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, MomentumDecay: 0.004}
}

// NAdam is Adam with Nesterov's momentum (Dozat, "Incorporating Nesterov Momentum into Adam", 2016). SkipNotFinite
// waits for the device.
type NAdam struct {
	Config NAdamConfig
	nn.Ruled
}

// NewNAdam returns the optimizer for variables.
func NewNAdam(vars []*tensor.Tensor, config NAdamConfig) *NAdam {
	a := &NAdam{Config: config}
	c := &a.Config
	rules := nadamRules(c)
	checkConfig(areAdams(c.LR, c.Beta1, c.Beta2, c.Eps, c.WeightDecay) && c.MomentumDecay >= 0, rules, betas)
	a.Ruled = nn.NewRuled(vars, rules)
	return a
}

func nadamRules(c *NAdamConfig) nn.Rules {
	return nn.Rules{Op: "nadam", Name: "optim.NAdam", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean", "square"},
		Rule: func(steps int, skipped func() int) optim.Rule {
			return optim.NAdam{LR: c.LR, Decay: c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps,
				MomentumDecay: c.MomentumDecay, Decoupled: c.Decoupled, Steps: steps, Skipped: skipped()}
		}}
}

var _ = nn.KeepRules(nadamRules)

const betas = "0 ≤ Beta1, Beta2 < 1, Eps or Beta2 above 0,"

func areAdams(lr, beta1, beta2, eps, decay float64) bool {
	return lr >= 0 && beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1 && eps >= 0 && decay >= 0 && beta2+eps > 0
}

// RAdamConfig holds the hyperparameters of RAdam. Start from DefaultRAdam, which has the defaults of PyTorch.
type RAdamConfig struct {
	LR           float64 // learning rate
	Beta1, Beta2 float64 // decay rates of the running means of the gradients and of their squares
	Eps          float64 // added to the root of the mean square, against division by zero
	WeightDecay  float64 // share of a variable that is added to its gradient
	Decoupled    bool    // WeightDecay is the share, times LR, that a step subtracts from a variable instead
	Gradients    nn.Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultRAdam returns the default hyperparameters: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-8.
func DefaultRAdam() RAdamConfig { return RAdamConfig{LR: 0.001, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8} }

// RAdam is Adam whose first steps, for which too few squares of gradients are known, are those of momentum, and whose
// next ones are smaller (Liu et al., "On the Variance of the Adaptive Learning Rate and Beyond", 2020). It needs no
// warmup. SkipNotFinite waits for the device.
type RAdam struct {
	Config RAdamConfig
	nn.Ruled
}

// NewRAdam returns the optimizer for variables.
func NewRAdam(vars []*tensor.Tensor, config RAdamConfig) *RAdam {
	a := &RAdam{Config: config}
	c := &a.Config
	rules := radamRules(c)
	checkConfig(areAdams(c.LR, c.Beta1, c.Beta2, c.Eps, c.WeightDecay), rules, betas)
	a.Ruled = nn.NewRuled(vars, rules)
	return a
}

func radamRules(c *RAdamConfig) nn.Rules {
	return nn.Rules{Op: "radam", Name: "optim.RAdam", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean", "square"},
		Rule: func(steps int, skipped func() int) optim.Rule {
			return optim.NAdam{LR: c.LR, Decay: c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps,
				Rectified: true, Decoupled: c.Decoupled, Steps: steps, Skipped: skipped()}
		}}
}

var _ = nn.KeepRules(radamRules)
