package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// composedStep changes the variables that have gradients by operations of tensors: for rules that need more of a
// variable than one element. rule returns the new variable from the old one and its gradient, both of the type of the
// state, and changes the state of variable i. It reports false if the step was skipped.
func (m *varState) composedStep(
	grads *tensor.GradStore, g Gradients, master bool, rule func(i int, w, g *tensor.Tensor) *tensor.Tensor,
) {
	list := m.scaled(grads, g)
	for i, grad := range list {
		if grad == nil {
			continue
		}
		v := m.vars[i]
		tensor.NoGrad(func() {
			tensor.Scoped(func() *tensor.Tensor {
				next := rule(i, m.wide(i, master), extend.Wide(grad))
				if m.master[i] != nil {
					m.master[i].CopySet(next)
				}
				v.CopySet(next.ToDType(v.DType()))
				return nil
			})
		})
	}
}

// wide is variable i in the type of the state: its master, which is made if it is wanted.
func (m *varState) wide(i int, master bool) *tensor.Tensor {
	v := m.vars[i].Detach()
	if !master || !v.DType().IsSmallFloat() {
		return extend.Wide(v)
	}
	if m.master[i] == nil {
		m.master[i] = v.ToDType(tensor.F32).Kept()
	}
	return m.master[i]
}

// scaled returns the gradients of the variables as a rule sees them, nil for those without; none if the step is
// skipped.
func (m *varState) scaled(grads *tensor.GradStore, g Gradients) []*tensor.Tensor {
	before := g.before(m.op)
	list := make([]*tensor.Tensor, len(m.vars))
	var at []int
	var all []*tensor.Tensor
	for i, v := range m.vars {
		if grad := grads.Get(v); grad != nil && grad.ElemCount() > 0 {
			at, all = append(at, i), append(all, grad)
		}
	}
	if len(all) == 0 {
		return list
	}
	if m.also != nil || g.SkipNotFinite || g.ClipNorm != 0 {
		norm, _ := optim.Scaled(m.op, append(all, m.others(grads)...), before, optim.OnlyNorm)
		if n := norm.ToScalar(); g.SkipNotFinite && n-n != 0 {
			m.left++
			return list
		} else if g.ClipNorm != 0 && n > g.ClipNorm {
			before.Factor *= g.ClipNorm / (n + 1e-6)
		}
		before.Norm = optim.Unchanged.Norm
	}
	if before.Factor != 1 || before.Value != optim.Unchanged.Value {
		_, all = optim.Scaled(m.op, all, before, optim.NoNorm)
	}
	for k, i := range at {
		list[i] = all[k]
	}
	return list
}

// stateOf returns state k of variable i, zeros of a shape at first.
func (m *varState) stateOf(k, i int, shape []int) *tensor.Tensor {
	if m.state[k][i] == nil {
		v := m.vars[i]
		optim.CheckCapture(m.op, v.Device())
		m.state[k][i] = v.Device().Zeros(optim.StateType(v.DType()), shape...).Kept()
	}
	return m.state[k][i]
}

// average moves a state to x by a share of the way, and returns it.
func average(state, x *tensor.Tensor, share float64) *tensor.Tensor {
	state.CopySet(state.Add(x.Sub(state).Mul(share)))
	return state
}
