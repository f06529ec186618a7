package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
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

// BackwardStep computes the gradients of a loss and takes a step of the optimizer with them. The optimizers of this
// package do not keep gradients: their memory is freed.
func BackwardStep(o Optimizer, loss *tensor.Tensor) {
	grads := loss.Backward()
	o.Step(grads)
	if _, ours := o.(interface{ keepsNoGradients() }); ours {
		extend.FreeGradients(grads)
	}
}

// TrainStep takes a step against the loss that f computes, and returns the loss, which depends on no variable any more.
// No more memory is in use than the step needs: see tensor.Scoped, which says what becomes of tensors that f makes.
//
//	loss := nn.TrainStep(opt, func() *tensor.Tensor { return nn.CrossEntropy(model(x), y) })
func TrainStep(o Optimizer, f func() *tensor.Tensor) *tensor.Tensor {
	loss := tensor.Scoped(f)
	BackwardStep(o, loss)
	return loss.Detach()
}

// Gradients say what the steps of an optimizer do with gradients before they use them, in the order of the fields. The
// zero value leaves them as they are. The gradients in the GradStore do not change. On a GPU nothing is read back, so
// that a step waits for nothing.
type Gradients struct {
	Scale     float64 // they are divided by it: what the loss was multiplied by; 0 stands for 1
	ClipNorm  float64 // they are scaled down to a Euclidean norm, over all variables, of at most this; 0 for any
	ClipValue float64 // their elements are clamped to ±ClipValue; 0 for no limit
	// A gradient with an element that is infinite or NaN makes a step change nothing. Such a step does not count.
	SkipNotFinite bool

	scaler *Scaler // which has set Scale
}

func (g Gradients) before(op string) optim.Before {
	if !(g.ClipNorm >= 0 && g.ClipValue >= 0) || math.IsNaN(g.Scale) {
		extend.ShapeNoting(op, nil, "0 stands for no limit", "a limit of gradients makes no sense: %+v", g)
	}
	b := optim.Unchanged
	if g.Scale != 0 {
		b.Factor = 1 / g.Scale
	}
	if g.ClipNorm != 0 {
		b.Norm = g.ClipNorm
	}
	if g.ClipValue != 0 {
		b.Value = g.ClipValue
	}
	b.SkipNotFinite = g.SkipNotFinite
	return b
}

// varState is what the optimizers share: variables, what is kept for each of them, and the steps that change both.
type varState struct {
	op     string
	vars   []*tensor.Tensor
	state  [3][]*tensor.Tensor // of optim.StateType; nil until a variable has had a gradient
	master []*tensor.Tensor    // the variables of small floats in F32, if they are kept
	steps  optim.Steps
	left   int // steps of operations that were skipped
	late   optim.Lateness
	losses int // that a Scaler had multiplied by the last step
	// also has the variables of other groups, whose gradients count for the norm and for SkipNotFinite; nil alone
	also *Groups
}

func (*varState) keepsNoGradients() {}

func newVarState(op string, vars []*tensor.Tensor) varState {
	checkVars(op, vars)
	m := varState{op: op, vars: vars, master: make([]*tensor.Tensor, len(vars))}
	for i := range m.state {
		m.state[i] = make([]*tensor.Tensor, len(vars))
	}
	return m
}

// settings are what a step of an optimizer does. uses says which states the rule has, master whether small floats have
// one in F32.
type settings struct {
	rule   optim.Rule
	before Gradients
	uses   [3]bool
	master bool
}

// Skipped returns how many steps were skipped because of gradients that were not finite. It waits for the device.
func (m *varState) Skipped() int { return m.left + m.steps.Skipped() }

// step changes the variables that have gradients. next counts the step and returns its settings. In a capture it is
// called for each replay; count returns the settings of the last step.
func (m *varState) step(grads *tensor.GradStore, now func() settings, count func()) {
	replayed := slices.ContainsFunc(m.vars, func(v *tensor.Tensor) bool { return extend.Recording(v.Device()) != nil })
	if !replayed {
		count()
	}
	s := now()
	slots := m.slots(grads, s, replayed)
	plan := m.plan(s)
	plan.Also = m.others(grads)
	m.steps.Step(m.op, slots, plan, m.again(s, slots, now, count))
}

// plan is what optim does with the settings.
func (m *varState) plan(s settings) optim.Plan {
	return optim.Plan{Rule: s.rule, Before: s.before.before(m.op)}
}

// again returns what a replay calls for its step.
func (m *varState) again(was settings, slots []optim.Slot, now func() settings, count func()) optim.Next {
	change := m.also.changes()
	check := func() (optim.Plan, error) {
		s := now()
		if m.also.changes() != change {
			return optim.Plan{}, optim.Changed("a group was frozen or thawed")
		}
		if s.uses != was.uses || s.master != was.master {
			return optim.Plan{}, optim.Changed("momentum, Centered or MasterWeights was turned on or off")
		}
		for _, s := range slots {
			i := slices.Index(m.vars, s.W)
			for k, t := range s.State {
				if t != nil && t != m.state[k][i] || s.Master != nil && s.Master != m.master[i] {
					return optim.Plan{}, optim.Changed("the optimizer's state was replaced, as Load does,")
				}
			}
		}
		return m.plan(s), nil
	}
	return optim.Next{Check: check, Step: func() optim.Plan {
		for _, s := range slots {
			extend.Written(m.op, s.W) // gradients of what was computed before would be wrong
		}
		count()
		return m.plan(now())
	}}
}

// slots are the variables that have gradients, with their state.
func (m *varState) slots(grads *tensor.GradStore, with settings, replayed bool) (slots []optim.Slot) {
	has := func(i int) bool { return grads.Get(m.vars[i]) != nil }
	var late map[int]int
	if steps, ok := optim.Counted(with.rule); ok {
		late = m.late.Step(steps, len(m.vars), has, m.steps.Skipped, replayed)
	}
	for i, v := range m.vars {
		grad := grads.Get(v)
		if grad == nil {
			continue
		}
		s := optim.Slot{W: v, G: grad, Late: late[i]}
		for k := range with.uses {
			if with.uses[k] {
				if m.state[k][i] == nil {
					optim.CheckCapture(m.op, v.Device())
					m.state[k][i] = v.Device().Zeros(optim.StateType(v.DType()), v.Dims()...).Kept()
				}
				s.State[k] = m.state[k][i]
			}
		}
		if with.master && v.DType().IsSmallFloat() {
			if m.master[i] == nil {
				optim.CheckCapture(m.op, v.Device())
				m.master[i] = v.Detach().ToDType(tensor.F32).Kept()
			}
			s.Master = m.master[i]
		}
		slots = append(slots, s)
	}
	return slots
}

// checkVars panics when one of vars is not a variable, or there twice.
func checkVars(op string, vars []*tensor.Tensor) {
	for i, v := range vars {
		if v == nil || !v.IsVariable() {
			panic(&tensor.Error{Op: op, Kind: tensor.ErrGradient,
				Message: fmt.Sprintf("tensor %d of %d is not a variable", i, len(vars)),
				Notes:   []string{"tensor.NewVar makes one"}})
		}
		if first := slices.Index(vars[:i], v); first >= 0 {
			panic(&tensor.Error{Op: op, Kind: tensor.ErrGradient,
				Message: fmt.Sprintf("tensor %d is tensor %d once more", i, first),
				Notes:   []string{"a step changes every variable once"}})
		}
	}
}

// checkReal panics when one of vars is complex.
func checkReal(op string, vars []*tensor.Tensor) {
	if i := slices.IndexFunc(vars, func(v *tensor.Tensor) bool { return v.DType().IsComplex() }); i >= 0 {
		extend.Fail(op, tensor.ErrDType, vars[i:i+1],
			"w.ViewAsComplex() of a variable of f32 is complex, and has gradients",
			"variable %d of %d is complex: %v; squares of its gradients have no order", i, len(vars), vars[i].DType())
	}
}

// named returns the states by their names in a file, and the variables in F32 if they are kept.
func (m *varState) named(master bool, names ...string) map[string][]*tensor.Tensor {
	of := map[string][]*tensor.Tensor{}
	for i, name := range names {
		of[name] = m.state[i]
	}
	if master {
		of["master"] = m.master
	}
	return of
}

// number is a setting as the file has it.
func number(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
