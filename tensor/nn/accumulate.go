package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// AccumulateStep takes one step of an optimizer against the mean of several losses, and returns that mean, which
// depends on no variable. Each loss is computed, and its gradients are, before the next one is: no more memory is in
// use than for one of them and the sums of the gradients. Losses are means over batches of one size: then the step is
// that of the batch that they are together.
//
//	nn.AccumulateStep(opt, func() *tensor.Tensor { return loss(first) }, func() *tensor.Tensor { return loss(second) })
//
// Gradients are added in their own type. It panics with ErrShape when there are no losses.
func AccumulateStep(o Optimizer, losses ...func() *tensor.Tensor) *tensor.Tensor {
	const op = "accumulate step"
	if len(losses) == 0 {
		extend.Shape(op, nil, "there are no losses")
	}
	var sum *tensor.GradStore
	var total *tensor.Tensor
	share := 1 / float64(len(losses))
	for _, f := range losses {
		loss := tensor.Scoped(func() *tensor.Tensor { return f().Mul(share) })
		grads := loss.Backward()
		if total == nil {
			total, sum = loss.Detach(), grads
			continue
		}
		total = total.Add(loss.Detach())
		sum = addGradients(varsOf(op, o), sum, grads)
	}
	o.Step(sum)
	if _, ours := o.(interface{ keepsNoGradients() }); ours {
		extend.FreeGradients(sum)
	}
	return total
}

// addGradients adds the gradients of variables in sum to those in grads, and frees sum.
func addGradients(vars []*tensor.Tensor, sum, grads *tensor.GradStore) *tensor.GradStore {
	for _, v := range vars {
		g, before := grads.Get(v), sum.Get(v)
		switch {
		case before == nil:
			continue
		case g == nil:
			g = before.Copy()
		default:
			g = g.Add(before)
		}
		extend.OwnGradients(grads, g)
		grads.Insert(v, g)
	}
	extend.FreeGradients(sum)
	return grads
}

// Vars returns the variables of the optimizer.
func (m *varState) Vars() []*tensor.Tensor { return slices.Clone(m.vars) }

// varsOf returns the variables of an optimizer.
func varsOf(op string, o Optimizer) []*tensor.Tensor {
	if v, ok := o.(interface{ Vars() []*tensor.Tensor }); ok {
		return v.Vars()
	}
	extend.Fail(op, tensor.ErrGradient, nil, "a method Vars() []*tensor.Tensor says so",
		"it is not known which variables a %T has", o)
	return nil
}
