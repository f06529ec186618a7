// Package access gives packages and tests below tensor what users of tensors must not have: memory without the promise
// that somebody may write to it, and the backends. It cannot import tensor, so tensors and devices are passed as any;
// package tensor sets the functions when it is initialised.
package access

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Buffer is (*tensor.Tensor).Buffer for kernels that only read, or write to a tensor that nobody has seen yet. After
// Buffer of the method, the memory may be written to at any time, so that no operation on the tensor may be deferred
// any more; after this one it may not. t is a *tensor.Tensor.
var Buffer func(t any) (buffer *rocm.Buffer, byteOffset int)

// For package extend, which has the types.
var (
	// Backend is what computes on a *tensor.Device.
	Backend func(device any) backend.Backend
	// Operand is a *tensor.Tensor as backends see it, with elements that may be deferred, or freed.
	Operand func(t any) backend.Operand
	// Written is Operand for a write to some elements, in memory: it counts as a change of a variable.
	Written func(op string, t any) backend.Operand
	// New returns a *tensor.Tensor of memory that run has filled.
	New func(op string, device any, dt kernels.DType, shape []int, run func() (backend.Storage, error)) any
	// IndexSelect is (*tensor.Tensor).IndexSelect, whose errors are those of op.
	IndexSelect func(op string, t, ids any, dim int) any
	// Room panics when the host has no memory for elements of a shape, or no tensor has it.
	Room func(op string, dt kernels.DType, shape []int)
	// Check panics with an error of a backend of a *tensor.Device as one of an operation.
	Check func(op string, device any, err error)
	// SameDevice panics when one of the *tensor.Tensor was freed, or they are on different devices.
	SameDevice func(op string, ts []any)
	// Tracked reports whether a *tensor.Tensor depends on a variable.
	Tracked func(t any) bool
	// Pool returns the means or the maxima of windows of images, a *tensor.Tensor, or their indices, without gradient.
	Pool func(op string, x any, p kernels.Pool, what backend.Pooled) any
	// Draw reserves counters of the random numbers of a *tensor.Device.
	Draw func(device any, counters int) (seed, counter uint64)
	// By records the operands of a *tensor.Tensor and the function to their gradients. once says that the gradients
	// have none.
	By func(y any, op string, operands []any, once bool, back func(g any) []any) any
	// Checkpoint is f(), a *tensor.Tensor, which gradients compute once more.
	Checkpoint func(op string, f func() any) any
	// Backward is (*tensor.Tensor).Backward of a loss, a *tensor.GradStore. ready is called with the gradient of each
	// variable, a *tensor.Tensor, as soon as it is complete.
	Backward func(loss any, ready func(id uint64, grad any)) any
	// FreeGradients frees the gradients of a *tensor.GradStore, as far as nothing else has their memory.
	FreeGradients func(grads any)
	// OwnGradients gives a *tensor.GradStore the memory of a *tensor.Tensor, to be freed with it.
	OwnGradients func(grads, t any)
	// Plain is a *tensor.Tensor without its part of the gradient graph, for functions to gradients.
	Plain func(t any) any
	// Gradients are those of a *tensor.Tensor by the tensors at, from its own. With keep, they have gradients.
	Gradients func(t, grad any, at []any, keep bool) []any
)

// For tests of the backends.
var (
	// NewDevice returns a *tensor.Device of its own for a backend.
	NewDevice func(kind, location string, b backend.Backend) any
	// Tensor returns a *tensor.Tensor of an operand on a *tensor.Device.
	Tensor func(device any, o backend.Operand) any
	// Reduce folds dims of a *tensor.Tensor by the reduction of a name, and returns a tensor.
	Reduce func(t any, name string, dims []int, keep bool) any
)
