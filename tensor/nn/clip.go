package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/optim"
)

// GradNorm returns the Euclidean norm of the gradients of vars, over all of them: F64 of shape [], on the device of the
// first. It panics with ErrGradient when none of vars has a gradient.
func GradNorm(grads *tensor.GradStore, vars []*tensor.Tensor) *tensor.Tensor {
	const op = "grad norm"
	_, list := gradientsOf(op, grads, vars)
	norm, _ := optim.Scaled(op, list, optim.Unchanged, optim.OnlyNorm)
	return norm
}

// ClipGradNorm scales the gradients of vars down to a Euclidean norm, over all of them, of at most limit, in grads, and
// returns the norm that they had, as GradNorm does: it is not read back, so that nothing waits for a GPU. As in PyTorch
// a norm that is not finite scales nothing sensibly: look at the result, or set SkipNotFinite of the optimizer. The
// optimizer's own ClipNorm does the same without writing gradients.
func ClipGradNorm(grads *tensor.GradStore, vars []*tensor.Tensor, limit float64) *tensor.Tensor {
	before := optim.Unchanged
	before.Norm = limit
	return change("clip grad norm", grads, vars, before, optim.WithNorm)
}

// ClipGradValue clamps the elements of the gradients of vars to ±limit, in grads.
func ClipGradValue(grads *tensor.GradStore, vars []*tensor.Tensor, limit float64) {
	before := optim.Unchanged
	before.Value = limit
	change("clip grad value", grads, vars, before, optim.NoNorm)
}

// ScaleGrads multiplies the gradients of vars by a factor, in grads.
func ScaleGrads(grads *tensor.GradStore, vars []*tensor.Tensor, factor float64) {
	before := optim.Unchanged
	before.Factor = factor
	change("scale grads", grads, vars, before, optim.NoNorm)
}

// change replaces gradients by scaled ones, and returns the norm that they had if it is asked for.
func change(
	op string, grads *tensor.GradStore, vars []*tensor.Tensor, before optim.Before, what optim.Wanted,
) *tensor.Tensor {
	if !(before.Norm >= 0 && before.Value >= 0) || math.IsNaN(before.Factor) {
		extend.ShapeNoting(op, nil, "math.Inf(1) is no limit", "gradients cannot be limited to %v, or multiplied by %v",
			min(before.Norm, before.Value), before.Factor)
	}
	with, list := gradientsOf(op, grads, vars)
	norm, to := optim.Scaled(op, list, before, what)
	for i, v := range with {
		grads.Insert(v, to[i])
	}
	return norm
}

// gradientsOf returns the variables that have gradients with elements, and those.
func gradientsOf(op string, grads *tensor.GradStore, vars []*tensor.Tensor) (with, list []*tensor.Tensor) {
	for _, v := range vars {
		if g := grads.Get(v); g != nil && g.ElemCount() > 0 {
			with, list = append(with, v), append(list, g)
		}
	}
	if len(list) == 0 {
		extend.Fail(op, tensor.ErrGradient, nil, "grads := loss.Backward() has those of the variables that loss depends on",
			"none of %d variables has a gradient", len(vars))
	}
	return with, list
}
