package optim

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn"
)

// ASGDConfig holds the hyperparameters of ASGD. Start from DefaultASGD, which has the defaults of PyTorch.
type ASGDConfig struct {
	LR          float64 // learning rate of the first step
	Lambda      float64 // variables decay by it, and the learning rate with it
	Alpha       float64 // in step n the learning rate is LR / (1 + Lambda·LR·(n-1)) to this power
	T0          float64 // the step behind which the mean of the variables begins
	WeightDecay float64 // share of a variable that is added to its gradient
	Gradients   nn.Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultASGD returns the default hyperparameters: LR 0.01, Lambda 1e-4, Alpha 0.75, T0 1e6.
func DefaultASGD() ASGDConfig { return ASGDConfig{LR: 0.01, Lambda: 1e-4, Alpha: 0.75, T0: 1e6} }

// ASGD is stochastic gradient descent with smaller and smaller steps, which keeps the mean of the variables of all
// steps behind T0 (Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992). A learning rate
// that is set takes effect in the next step, in PyTorch in the one after it. SkipNotFinite waits for the device.
type ASGD struct {
	Config ASGDConfig
	nn.Ruled
}

// NewASGD returns the optimizer for variables.
func NewASGD(vars []*tensor.Tensor, config ASGDConfig) *ASGD {
	a := &ASGD{Config: config}
	c := &a.Config
	rules := asgdRules(c)
	checkConfig(c.LR >= 0 && c.Lambda >= 0 && c.Alpha >= 0 && c.T0 >= 0 && c.WeightDecay >= 0, rules, "numbers")
	a.Ruled = nn.NewRuled(vars, rules)
	return a
}

func asgdRules(c *ASGDConfig) nn.Rules {
	return nn.Rules{Op: "asgd", Name: "optim.ASGD", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean"},
		Rule: func(steps int, skipped func() int) optim.Rule {
			return optim.ASGD{LR: c.LR, Decay: c.WeightDecay, Lambda: c.Lambda, Alpha: c.Alpha, T0: c.T0, Steps: steps,
				Skipped: skipped()}
		}}
}

var _ = nn.KeepRules(asgdRules)

// Means returns the mean of each variable, in the order of the variables and with the type of its state: up to step
// T0 + 1 its value, and nil where there was no gradient. Later steps change these tensors.
func (a *ASGD) Means() []*tensor.Tensor { return a.State("mean") }
