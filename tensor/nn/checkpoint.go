package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Checkpoint returns f(inputs...), and keeps nothing for gradients but the inputs: Backward calls f again, with the
// random numbers of the devices that it drew the first time. That takes the time of f once more, and saves the memory
// of what f computes on the way, as PyTorch's checkpoint does. The gradients of the inputs, and of the variables that f
// uses, are those of f(inputs...); so are gradients of gradients.
//
//	y := nn.Checkpoint(func(xs ...*tensor.Tensor) *tensor.Tensor { return layer.Forward(xs[0]) }, x)
//
// f must compute the same when it is called again: it must not depend on what changes meanwhile, as the generators of
// package random do. A variable that was changed is an error of kind ErrGradient. Checkpoint panics with ErrShape when
// an input or the result is nil.
func Checkpoint(f func(xs ...*tensor.Tensor) *tensor.Tensor, inputs ...*tensor.Tensor) *tensor.Tensor {
	const op = "checkpoint"
	if slices.Contains(inputs, nil) {
		extend.Shape(op, nil, "input %d of %d is nil", slices.Index(inputs, nil)+1, len(inputs))
	}
	call := func() *tensor.Tensor { return f(inputs...) }
	if dt, on := scope.Autocast(); on { // also when gradients call f again
		return extend.Checkpoint(op, func() *tensor.Tensor { return Autocast(dt, call) })
	}
	return extend.Checkpoint(op, call)
}
