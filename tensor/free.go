package tensor

import (
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Free gives the memory of t, and of the views that share it, back now instead of after a garbage collection; that,
// too, which a scope has left to the gradients of t: see Scoped. Loops over large tensors gain by it: the next result
// is written to memory that is still in the processor's cache, and a GPU's memory is available to others.
//
// A freed tensor has a shape, a dtype and a device, but no elements: operations on it panic with ErrMemory, as does
// Backward where it needs them. Methods that have nothing to do, such as Contiguous of a contiguous tensor, return t
// itself or a view, whose elements are freed with it. Results of Data and Buffer of t must not be used any more, and
// no other goroutine may be using t. Free may be called more than once.
func (t *Tensor) Free() {
	if t.store.MarkFreed() {
		t.store.Release()
	}
	if n := t.made; n != nil && n.Variable == nil {
		for _, item := range n.Owned {
			scope.Drop(item.Store)
		}
		n.Owned = nil
	}
}

// IsFreed reports whether Free has given the elements of t back.
func (t *Tensor) IsFreed() bool { return t.store.IsFreed() }

// alive returns an error if t was freed, and that of unchanged.
func (t *Tensor) alive(op string) error {
	if t.store.IsFreed() {
		const message = "the tensor of shape %v, %v on %v, was freed, or one that shares its memory"
		return fault(op, ErrMemory, []*Tensor{t}, message, t.layout.Shape, t.dtype, t.dev).
			note("call x.Free() after the last use; x.Copy() shares no memory")
	}
	return t.unchanged()
}

// unchanged returns an error if a gradient needs elements of t that are no longer there.
func (t *Tensor) unchanged() error {
	if t.store.Overwritten(scope.Passed) {
		const message = "the gradient needs elements of a tensor of shape %v, %v, that were overwritten since"
		return fault("backward", ErrGradient, []*Tensor{t}, message, t.layout.Shape, t.dtype).
			note("call Backward before the write, or have x.Copy() written to, which shares no memory")
	}
	return nil
}

// memory returns the storage of t with its elements computed. It panics when they were freed or cannot be computed.
func (t *Tensor) memory() backend.Storage {
	check(t.alive("use"))
	check(t.store.Materialize())
	return t.store
}

// prepareWrite is memory for a writer: results that depend on the old elements are computed first.
func (t *Tensor) prepareWrite() backend.Storage {
	check(t.alive("use"))
	check(t.store.PrepareWrite(false))
	return t.store
}

// prepareOverwrite is prepareWrite for a writer of all elements of t.
func (t *Tensor) prepareOverwrite() backend.Storage {
	if t.Bytes() != t.store.Size() || t.layout.MayOverlap() {
		return t.prepareWrite()
	}
	check(t.alive("use"))
	check(t.store.PrepareOverwrite())
	return t.store
}
