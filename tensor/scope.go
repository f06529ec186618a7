package tensor

import "github.com/gorocm/gorocm/tensor/internal/scope"

// Scoped calls f and returns its result, and frees the memory of all other tensors that f makes: at once, instead of
// after a garbage collection, what the result depends on for gradients when Backward has used it, or the result is
// freed. A training step that computes its loss in a scope has no more memory in use than it needs:
//
//	loss := tensor.Scoped(func() *tensor.Tensor { return nn.CrossEntropy(model(x), y) })
//	nn.BackwardStep(opt, loss)
//
// A tensor that f stores elsewhere is freed, too: operations on it panic with ErrMemory. Kept has one that lasts.
// Variables last, as do tensors whose Data or Buffer was asked for, and those that custom operations have seen. What
// goroutines make that f starts is left to the garbage collector.
func Scoped(f func() *Tensor) *Tensor {
	var made scope.Made
	y := within(func(frame *scope.Frame) { frame.Made = &made }, f)
	switch {
	case y == nil:
		made.Leave(nil, false)
	case !y.TrackOp() || y.IsVariable():
		made.Leave(y.store, false)
	default:
		y.made.Owned = append(y.made.Owned, made.Leave(y.store, true)...)
	}
	return y
}

// within calls f in a frame of its own.
func within(change func(frame *scope.Frame), f func() *Tensor) *Tensor {
	defer scope.Enter(change)()
	return f()
}

// Kept returns t, whose memory no scope frees: see Scoped.
func (t *Tensor) Kept() *Tensor {
	t.store.MarkKept()
	return t
}

// NoGrad calls f, in which operations record nothing for gradients, as under PyTorch's no_grad: the results of f depend
// on no variable. It holds for the goroutine that calls it, and not for goroutines that f starts. A model whose
// parameters are variables computes in it with no more memory than its results take.
//
//	var y *tensor.Tensor
//	tensor.NoGrad(func() { y = model(x) })
func NoGrad(f func()) {
	defer scope.Enter(func(frame *scope.Frame) { frame.NoGrad = true })()
	f()
}

// inAutocast is t, which may be nil, in the type in which Autocast has an operation compute.
func (t *Tensor) inAutocast(op string) *Tensor {
	if t == nil {
		return t
	} else if dt, other := scope.Cast(op, t.dtype); other {
		return t.ToDType(dt)
	}
	return t
}
