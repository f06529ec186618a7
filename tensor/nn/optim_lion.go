package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// LionConfig holds the hyperparameters of Lion. Start from DefaultLion.
type LionConfig struct {
	LR           float64 // learning rate: about a tenth of that of AdamW
	Beta1, Beta2 float64 // shares of the running mean in a step, and of what it keeps
	WeightDecay  float64 // fraction of a variable, times LR, that a step subtracts from it: ten times that of AdamW
	Gradients    Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultLion returns the default hyperparameters: LR 1e-4, Beta1 0.9, Beta2 0.99.
func DefaultLion() LionConfig { return LionConfig{LR: 1e-4, Beta1: 0.9, Beta2: 0.99} }

// Lion takes steps of one size along the sign of a running mean of gradients (Chen et al., "Symbolic Discovery of
// Optimization Algorithms", 2023): w ← w − LR·(sign(Beta1·m + (1−Beta1)·g) + WeightDecay·w), then
// m ← Beta2·m + (1−Beta2)·g. Its state is half that of Adam. For variables of F16, BF16 and F8E4M3 the means are of
// F32. A step writes variables and means in place, in one launch on a GPU for up to 64 variables.
type Lion struct {
	Config LionConfig

	Ruled
}

// NewLion returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or there
// twice, with ErrDType when one is complex, and with ErrShape when a number of the config makes no sense: a Beta
// outside of [0, 1), or one below 0.
func NewLion(vars []*tensor.Tensor, config LionConfig) *Lion {
	l := &Lion{Config: config}
	c := &l.Config
	if !(c.LR >= 0 && c.Beta1 >= 0 && c.Beta1 < 1 && c.Beta2 >= 0 && c.Beta2 < 1 && c.WeightDecay >= 0) {
		extend.ShapeNoting("lion", nil, "nn.DefaultLion() has the usual ones",
			"a number makes no sense: %+v: want 0 ≤ Beta1, Beta2 < 1 and none below 0", *c)
	}
	l.Ruled = NewRuled(vars, lionRules(c))
	return l
}

func lionRules(c *LionConfig) Rules {
	return Rules{Op: "lion", Name: "nn.Lion", Config: c, LR: &c.LR, Gradients: &c.Gradients,
		MasterWeights: &c.MasterWeights, States: []string{"mean"},
		Rule: func(int, func() int) optim.Rule {
			return optim.Lion{LR: c.LR, Decay: 1 - c.LR*c.WeightDecay, Beta1: c.Beta1, Beta2: c.Beta2}
		}}
}

var _ = KeepRules(lionRules)
