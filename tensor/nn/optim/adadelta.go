package optim

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn"
)

// AdadeltaConfig holds the hyperparameters of Adadelta. Start from DefaultAdadelta, which has the defaults of PyTorch.
type AdadeltaConfig struct {
	LR          float64 // what the steps are multiplied by
	Rho         float64 // decay rate of the running means
	Eps         float64 // added to both means under their roots
	WeightDecay float64 // share of a variable that is added to its gradient
	Gradients   nn.Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultAdadelta returns the default hyperparameters: LR 1, Rho 0.9, Eps 1e-6.
func DefaultAdadelta() AdadeltaConfig { return AdadeltaConfig{LR: 1, Rho: 0.9, Eps: 1e-6} }

// Adadelta divides gradients by the root of a running mean of their squares, and multiplies them by that of the steps'
// squares, so that steps have the unit of the variable (Zeiler, "ADADELTA: An Adaptive Learning Rate Method", 2012).
type Adadelta struct {
	Config AdadeltaConfig
	nn.Ruled
}

// NewAdadelta returns the optimizer for variables.
func NewAdadelta(vars []*tensor.Tensor, config AdadeltaConfig) *Adadelta {
	a := &Adadelta{Config: config}
	c := &a.Config
	rules := adadeltaRules(c)
	checkConfig(c.LR >= 0 && c.Rho >= 0 && c.Rho <= 1 && c.Eps > 0 && c.WeightDecay >= 0, rules, "Rho ≤ 1, Eps above 0")
	a.Ruled = nn.NewRuled(vars, rules)
	return a
}

func adadeltaRules(c *AdadeltaConfig) nn.Rules {
	return nn.Rules{Op: "adadelta", Name: "optim.Adadelta", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"square", "steps"},
		Rule: func(int, func() int) optim.Rule {
			return optim.Adadelta{LR: c.LR, Decay: c.WeightDecay, Rho: c.Rho, Eps: c.Eps}
		}}
}

var _ = nn.KeepRules(adadeltaRules)
