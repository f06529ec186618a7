package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Optimizer changes variables by their gradients, to make a loss smaller.
type Optimizer interface {
	// Step changes every variable that has a gradient in grads.
	Step(grads *tensor.GradStore)
	// LearningRate returns the size of the steps.
	LearningRate() float64
	// SetLearningRate sets the size of the steps, as schedules do.
	SetLearningRate(lr float64)
}

// BackwardStep computes the gradients of a loss and takes a step of the optimizer with them.
func BackwardStep(o Optimizer, loss *tensor.Tensor) { o.Step(loss.Backward()) }

// checkVars panics when one of vars is not a variable.
func checkVars(op string, vars []*tensor.Tensor) {
	for i, v := range vars {
		if v == nil || !v.IsVariable() {
			panic(&tensor.Error{Op: op, Kind: tensor.ErrGradient,
				Message: fmt.Sprintf("tensor %d of %d is not a variable", i, len(vars)),
				Notes:   []string{"tensor.NewVar makes one"}})
		}
	}
}

// SGD is gradient descent: w ← w - lr·g. With Momentum m the steps follow a running sum of gradients, b ← m·b + g, as
// in PyTorch, with Nesterov g + m·b; WeightDecay adds that share of w to g.
type SGD struct {
	Momentum    float64
	Nesterov    bool
	WeightDecay float64

	vars []*tensor.Tensor
	lr   float64
	sums []*tensor.Tensor
}

// NewSGD returns plain gradient descent for variables; its fields can be set afterwards. It panics with ErrGradient
// when a tensor is not a variable.
func NewSGD(vars []*tensor.Tensor, lr float64) *SGD {
	checkVars("sgd", vars)
	return &SGD{vars: vars, lr: lr, sums: make([]*tensor.Tensor, len(vars))}
}

// LearningRate returns the size of the steps.
func (s *SGD) LearningRate() float64 { return s.lr }

// SetLearningRate sets the size of the steps.
func (s *SGD) SetLearningRate(lr float64) { s.lr = lr }

// Step changes every variable that has a gradient.
func (s *SGD) Step(grads *tensor.GradStore) {
	for i, v := range s.vars {
		g := grads.Get(v)
		if g == nil {
			continue
		}
		w := extend.Wide(v.Detach())
		g = extend.Wide(g)
		if s.WeightDecay != 0 {
			g = g.Add(w.Mul(s.WeightDecay))
		}
		if s.Momentum != 0 {
			if s.sums[i] == nil {
				s.sums[i] = g
			} else {
				s.sums[i] = s.sums[i].Mul(s.Momentum).Add(g)
			}
			if s.Nesterov {
				g = g.Add(s.sums[i].Mul(s.Momentum))
			} else {
				g = s.sums[i]
			}
		}
		v.Set(w.Sub(g.Mul(s.lr)).ToDType(v.DType()))
	}
}

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
}

// DefaultAdamW returns the default hyperparameters: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-8, WeightDecay 0.01.
func DefaultAdamW() AdamWConfig {
	return AdamWConfig{LR: 0.001, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.01}
}

// AdamW is Adam with decoupled weight decay, after Loshchilov and Hutter, "Decoupled Weight
// Decay Regularization". For variables of F16, BF16 and F8E4M3 the running means are of F32.
type AdamW struct {
	Config AdamWConfig

	vars          []*tensor.Tensor
	means, square []*tensor.Tensor
	steps         int
}

// NewAdamW returns the optimizer for variables. It panics with ErrGradient when a tensor is not a variable, with
// ErrDType when one is complex, and with ErrShape when a number of the config makes no sense: a Beta outside of [0, 1),
// one below 0, or 0 for both Beta2 and Eps, of which a gradient of 0 makes NaN.
func NewAdamW(vars []*tensor.Tensor, config AdamWConfig) *AdamW {
	checkVars("adamw", vars)
	if i := slices.IndexFunc(vars, func(v *tensor.Tensor) bool { return v.DType().IsComplex() }); i >= 0 {
		extend.Fail("adamw", tensor.ErrDType, vars[i:i+1],
			"w.ViewAsComplex() of a variable of f32 is complex, and has gradients",
			"variable %d of %d is complex: %v; squares of its gradients have no order", i, len(vars), vars[i].DType())
	}
	switch c := config; {
	case c.Beta2 == 0 && c.Eps == 0:
		extend.ShapeNoting("adamw", nil, "c := nn.DefaultAdamW(); c.LR = 0.01 has the usual ones",
			"Beta2 and Eps are 0: a gradient of 0 would become NaN")
	case !(c.LR >= 0 && c.Beta1 >= 0 && c.Beta1 < 1 && c.Beta2 >= 0 && c.Beta2 < 1 && c.Eps >= 0 && c.WeightDecay >= 0):
		extend.ShapeNoting("adamw", nil, "nn.DefaultAdamW() has the usual ones",
			"a number makes no sense: %+v: want 0 ≤ Beta1, Beta2 < 1 and none below 0", c)
	}
	return &AdamW{Config: config, vars: vars, means: make([]*tensor.Tensor, len(vars)),
		square: make([]*tensor.Tensor, len(vars))}
}

// LearningRate returns the size of the steps.
func (a *AdamW) LearningRate() float64 { return a.Config.LR }

// SetLearningRate sets the size of the steps.
func (a *AdamW) SetLearningRate(lr float64) { a.Config.LR = lr }

// Step changes every variable that has a gradient.
func (a *AdamW) Step(grads *tensor.GradStore) {
	a.steps++
	c := a.Config
	ofMean, ofSquare := 1/(1-math.Pow(c.Beta1, float64(a.steps))), 1/(1-math.Pow(c.Beta2, float64(a.steps)))
	for i, v := range a.vars {
		g := grads.Get(v)
		if g == nil {
			continue
		}
		g = extend.Wide(g)
		a.means[i] = running(a.means[i], g, c.Beta1)
		a.square[i] = running(a.square[i], g.Sqr(), c.Beta2)
		step := a.means[i].Mul(ofMean).Div(a.square[i].Mul(ofSquare).Sqrt().Affine(1, c.Eps))
		v.Set(extend.Wide(v.Detach()).Mul(1 - c.LR*c.WeightDecay).Sub(step.Mul(c.LR)).ToDType(v.DType()))
	}
}

// running is a mean of which a share is kept when x comes in; it begins with 0.
func running(mean, x *tensor.Tensor, keep float64) *tensor.Tensor {
	x = x.Mul(1 - keep)
	if mean == nil {
		return x
	}
	return mean.Mul(keep).Add(x)
}

// ClipGradNorm scales the gradients of vars down to a Euclidean norm, over all of them, of at most limit, in grads, and
// returns the norm that they had. As in PyTorch a norm that is not finite scales nothing sensibly: look at the result.
func ClipGradNorm(grads *tensor.GradStore, vars []*tensor.Tensor, limit float64) float64 {
	sum := 0.0
	for _, v := range vars {
		if g := grads.Get(v); g != nil {
			n := extend.Wide(g).Norm().ToScalar()
			sum += n * n
		}
	}
	norm := math.Sqrt(sum)
	if norm > limit {
		for _, v := range vars {
			if g := grads.Get(v); g != nil {
				grads.Insert(v, g.Mul(limit/(norm+1e-6)))
			}
		}
	}
	return norm
}

// Schedule gives the learning rate of a step, counted from 0.
type Schedule func(step int) float64

// Warmup begins with a share of lr that grows to lr in so many steps; then follows s, whose own steps are counted from
// there.
func Warmup(lr float64, steps int, s Schedule) Schedule {
	return func(step int) float64 {
		if step < steps {
			return lr * float64(step+1) / float64(steps)
		}
		return s(step - steps)
	}
}

// CosineDecay falls from lr to least in so many steps along half a cosine, and stays there.
func CosineDecay(lr, least float64, steps int) Schedule {
	return func(step int) float64 {
		part := min(float64(step)/float64(max(steps, 1)), 1)
		return least + (lr-least)*(1+math.Cos(math.Pi*part))/2
	}
}

// StepDecay multiplies lr by factor after every so many steps.
func StepDecay(lr, factor float64, every int) Schedule {
	return func(step int) float64 { return lr * math.Pow(factor, float64(step/max(every, 1))) }
}
