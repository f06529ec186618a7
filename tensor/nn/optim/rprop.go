package optim

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn"
)

// RpropConfig holds the hyperparameters of Rprop. Start from DefaultRprop, which has the defaults of PyTorch.
type RpropConfig struct {
	LR          float64 // size of the first steps
	Down, Up    float64 // what sizes are multiplied by where a gradient has changed its sign, and where not
	Least, Most float64 // limits of sizes
	Gradients   nn.Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultRprop returns the default hyperparameters: LR 0.01, Down 0.5, Up 1.2, Least 1e-6, Most 50.
func DefaultRprop() RpropConfig {
	return RpropConfig{LR: 0.01, Down: 0.5, Up: 1.2, Least: 1e-6, Most: 50}
}

// Rprop takes steps along the signs of gradients, each element in its own size, which grows while the sign stays and
// shrinks where it changes (Riedmiller and Braun, "A Direct Adaptive Method for Faster Backpropagation Learning: The
// RPROP Algorithm", 1993). It is for gradients of all data, not of batches. SetLearningRate is for elements that have
// not had a step yet.
type Rprop struct {
	Config RpropConfig
	nn.Ruled
}

// NewRprop returns the optimizer for variables.
func NewRprop(vars []*tensor.Tensor, config RpropConfig) *Rprop {
	r := &Rprop{Config: config}
	c := &r.Config
	rules := rpropRules(c)
	checkConfig(c.LR >= 0 && c.Down > 0 && c.Down < 1 && c.Up > 1 && c.Least >= 0 && c.Most >= c.Least, rules,
		"0 < Down < 1 < Up, Least ≤ Most")
	r.Ruled = nn.NewRuled(vars, rules)
	return r
}

func rpropRules(c *RpropConfig) nn.Rules {
	return nn.Rules{Op: "rprop", Name: "optim.Rprop", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"before", "size"}, Begin: map[int]*float64{1: &c.LR},
		Rule: func(int, func() int) optim.Rule {
			return optim.Rprop{Down: c.Down, Up: c.Up, Least: c.Least, Most: c.Most}
		}}
}

var _ = nn.KeepRules(rpropRules)
