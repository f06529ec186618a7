package nn

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
	"github.com/gorocm/gorocm/tensor/nn/internal/saved"
)

// EMA is an exponential moving average of variables: m ← m + (1-Decay)·(w-m) after each step, as in PyTorch's
// get_ema_multi_avg_fn. The averages often do better on new data than the variables. An update is one launch on a GPU
// for up to 64 variables; averages of small floats are gathered in F32.
//
//	ema := nn.NewEMA(p.Vars(), 0.999)
//	trainer.Step(x, y)
//	ema.Update()
//	ema.Swap() // the model computes with the averages, until the next Swap
type EMA struct {
	Decay float64
	// Warmup limits Decay to (1+n)/(10+n) in update n, so that early variables are forgotten.
	Warmup bool

	vars, means, wide []*tensor.Tensor // wide are the averages of small floats in F32
	count             int
	swapped           bool
	steps             optim.Steps
}

// NewEMA returns averages that begin as the variables are now. It panics with ErrGradient when a tensor is not a
// variable, or there twice, with ErrDType when one is complex, and with ErrShape when decay is not from 0 to 1.
func NewEMA(vars []*tensor.Tensor, decay float64) *EMA {
	const op = "ema"
	checkVars(op, vars)
	checkReal(op, vars)
	if !(decay >= 0 && decay <= 1) {
		extend.ShapeNoting(op, nil, "0.999 is usual", "want a decay from 0 to 1, not %v", decay)
	}
	e := &EMA{Decay: decay, vars: vars, wide: make([]*tensor.Tensor, len(vars))}
	for i, v := range vars {
		e.means = append(e.means, v.Detach().Copy().Kept())
		if v.DType().IsSmallFloat() {
			e.wide[i] = v.Detach().ToDType(tensor.F32).Kept()
		}
	}
	return e
}

// Update takes the variables as they are now into the averages. It panics with ErrGradient between two calls of Swap.
func (e *EMA) Update() {
	if e.swapped {
		extend.Fail("ema", tensor.ErrGradient, nil, "call Swap once more first", "the variables are the averages now")
	}
	for _, v := range e.vars {
		extend.NotCaptured("ema", v.Device(), "call Update after the step that is captured")
	}
	e.count++
	decay := e.Decay
	if e.Warmup {
		decay = min(decay, float64(1+e.count)/float64(10+e.count))
	}
	slots := make([]optim.Slot, len(e.vars))
	for i, v := range e.vars {
		slots[i] = optim.Slot{W: e.means[i], G: v.Detach(), Master: e.wide[i]}
	}
	// gradient descent of a mean with the variable as its gradient and a decay of -1: m + (1-decay)·(w - m)
	rule := optim.SGD{LR: decay - 1, Decay: -1}
	e.steps.Step("ema", slots, optim.Plan{Rule: rule, Before: optim.Unchanged}, optim.Next{})
}

// Swap exchanges the elements of the variables and of the averages. A second call exchanges them back.
func (e *EMA) Swap() {
	for i, v := range e.vars {
		was := v.Detach().Copy()
		v.CopySet(e.means[i])
		e.means[i].CopySet(was)
	}
	e.swapped = !e.swapped
}

// Means returns the averages, in the order of the variables.
func (e *EMA) Means() []*tensor.Tensor {
	list := make([]*tensor.Tensor, len(e.means))
	for i, m := range e.means {
		list[i] = m.Detach()
	}
	return list
}

const (
	emaKind    = "ema"
	updatesKey = "updates"
)

// Save writes the averages to a safetensors file, to go on with Load another day.
func (e *EMA) Save(path string) error {
	count, means := float64(e.count), slices.Clone(e.means)
	for i, m := range e.wide {
		if m != nil {
			means[i] = m
		}
	}
	return e.state(&count, means).Save(path)
}

// Load sets what Save has written, for as many variables with the same shapes, in the same order. After an error
// nothing was changed.
func (e *EMA) Load(path string) error {
	var count float64
	means := make([]*tensor.Tensor, len(e.vars))
	if err := e.state(&count, means).Load(path); err != nil {
		return err
	}
	for i, m := range means {
		if m == nil {
			return fmt.Errorf("nn: %s: there is no average of variable %d", path, i)
		}
	}
	for i, m := range means {
		if e.wide[i] != nil {
			e.wide[i].CopySet(m)
		}
		e.means[i].CopySet(m.ToDType(e.means[i].DType()))
	}
	e.count, e.swapped = int(count), false
	return nil
}

func (e *EMA) state(count *float64, means []*tensor.Tensor) saved.State {
	return saved.State{Kind: emaKind, Vars: e.vars, Numbers: map[string]*float64{updatesKey: count},
		Tensors: map[string][]*tensor.Tensor{"mean": means}}
}
