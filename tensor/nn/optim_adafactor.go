package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// AdafactorConfig holds the hyperparameters of Adafactor. Start from DefaultAdafactor, which has the defaults of
// PyTorch.
type AdafactorConfig struct {
	LR          float64 // learning rate: steps are relative to the root of the mean square of a variable
	Decay       float64 // in step n the share of the new squares in the means is n to this power
	Eps1        float64 // least root of a mean square; 0 is the epsilon of the variable's type
	Eps2        float64 // least root of the mean square of a variable
	Clip        float64 // steps whose root of the mean square is larger are scaled down to it
	WeightDecay float64 // fraction of a variable, times LR, that a step subtracts from it
	Gradients   Gradients
	// Small floats have a copy in F32, which the steps change, and of which they are rounded.
	MasterWeights bool
}

// DefaultAdafactor returns the default hyperparameters: LR 0.01, Decay -0.8, Eps2 1e-3, Clip 1.
func DefaultAdafactor() AdafactorConfig {
	return AdafactorConfig{LR: 0.01, Decay: -0.8, Eps2: 1e-3, Clip: 1}
}

// Adafactor is Adam without a mean of gradients and with the squares of a matrix known by the means of its rows and
// columns, so that its state is small (Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory
// Cost", 2018), in the form of PyTorch. A step is made of operations of tensors; SkipNotFinite and ClipNorm wait for
// the device.
type Adafactor struct {
	Config AdafactorConfig

	varState
	count int // of the steps
}

// NewAdafactor returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, or
// there twice, with ErrDType when one is complex, and with ErrShape when a number of the config makes no sense.
func NewAdafactor(vars []*tensor.Tensor, config AdafactorConfig) *Adafactor {
	a := &Adafactor{Config: config, varState: newVarState("adafactor", vars)}
	checkReal("adafactor", vars)
	c := config
	if !(c.LR >= 0 && c.Decay <= 0 && c.Eps1 >= 0 && c.Eps2 >= 0 && c.Clip >= 1 && c.WeightDecay >= 0) {
		extend.ShapeNoting("adafactor", nil, "nn.DefaultAdafactor() has the usual ones",
			"a number makes no sense: %+v: want Decay ≤ 0, Clip ≥ 1 and no other below 0", c)
	}
	return a
}

// LearningRate returns the size of the steps.
func (a *Adafactor) LearningRate() float64 { return a.Config.LR }

// SetLearningRate sets the size of the steps.
func (a *Adafactor) SetLearningRate(lr float64) { a.Config.LR = lr }

// Step changes every variable that has a gradient.
func (a *Adafactor) Step(grads *tensor.GradStore) {
	a.checkScaled(a.Config.Gradients)
	before := a.left
	a.count++
	has := func(i int) bool { return grads.Get(a.vars[i]) != nil }
	a.late.Step(a.count, len(a.vars), has, func() int { return 0 }, false)
	a.composedStep(grads, a.Config.Gradients, a.Config.MasterWeights, a.rule)
	if a.left != before {
		a.count--
	}
}

func (a *Adafactor) rule(i int, w, g *tensor.Tensor) *tensor.Tensor {
	c, n := a.Config, float64(a.count-a.late.Of(i)) // the variable's own steps
	eps1 := c.Eps1
	if eps1 == 0 {
		eps1 = epsilon(a.vars[i].DType())
	}
	share := math.Pow(n, c.Decay)
	count := math.Sqrt(float64(w.ElemCount()))
	size := w.Sqr().Sum().Sqrt().Div(count).Maximum(c.Eps2).Mul(min(c.LR, 1/math.Sqrt(n)))
	if c.WeightDecay != 0 {
		w = w.Mul(1 - c.LR*c.WeightDecay)
	}
	squares := g.Sqr()
	var mean *tensor.Tensor
	if shape := g.Dims(); len(shape) > 1 {
		rows := average(a.stateOf(0, i, saved.Shape(saved.Rows, shape)), squares.Mean(-1), share).Unsqueeze(-1)
		columns := average(a.stateOf(1, i, saved.Shape(saved.Columns, shape)), squares.Mean(-2), share).Unsqueeze(-2)
		mean = rows.Mul(columns).Div(rows.MeanKeepDim(-2).Maximum(eps1))
	} else {
		mean = average(a.stateOf(2, i, shape), squares, share)
	}
	step := g.Mul(mean.Maximum(eps1 * eps1).Rsqrt())
	limit := step.Sqr().Sum().Sqrt().Div(count * c.Clip).Maximum(1)
	return w.Sub(step.Mul(size.Div(limit)))
}

// epsilon is the distance from 1 to the next number of a type.
func epsilon(dt tensor.DType) float64 {
	switch dt {
	case tensor.F64:
		return 0x1p-52
	case tensor.F32:
		return 0x1p-23
	case tensor.F16:
		return 0x1p-10
	case tensor.BF16:
		return 0x1p-7
	}
	return 0x1p-3
}

// Save writes what the optimizer has gathered, the means of squares and the number of steps, to a safetensors file,
// to go on with Load another day. The parameters are saved apart, by Params.Save.
func (a *Adafactor) Save(path string) error { return a.saved().Save(path) }

// Load sets what Save has written, for an optimizer of as many variables with the same shapes, in the same order;
// the learning rate and the other numbers, too. After an error nothing was changed.
func (a *Adafactor) Load(path string) error { return a.saved().Load(path) }

func (a *Adafactor) saved() saved.State {
	c := &a.Config
	steps := float64(a.count)
	numbers := map[string]*float64{"lr": &c.LR, "decay": &c.Decay, "eps1": &c.Eps1, "eps2": &c.Eps2, "clip": &c.Clip,
		"weight_decay": &c.WeightDecay, "steps": &steps}
	late := a.late.Numbers(numbers, len(a.vars), a.count)
	return saved.State{
		Kind: "adafactor", Vars: a.vars, Numbers: numbers,
		Tensors: a.named(c.MasterWeights, saved.Rows, saved.Columns, "square"),
		Loaded:  func() { a.count, a.left = int(steps), 0; late() },
	}
}

func (a *Adafactor) gradients() []*Gradients { return []*Gradients{&a.Config.Gradients} }
