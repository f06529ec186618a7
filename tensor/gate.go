package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// siluMul gives the bits of the two operations. Where results are deferred those become one kernel by themselves.
func (t *Tensor) siluMul(y *Tensor) (*Tensor, error) {
	const op = "silu mul"
	if y == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	a, ok := t.dev.backend.(*accelerator)
	if ok && !tracked(t, y) && slices.Contains(kernels.Floats, t.dtype) && t.dtype == y.dtype && t.dev == y.dev && slices.Equal(t.layout.Shape, y.layout.Shape) && !a.deferring() {
		return t.result(op, t.dtype, func() (storage, error) { return a.siluMul(t.operand(), y.operand()) })
	}
	gate, err := t.unary("silu")
	if err != nil {
		return nil, err
	}
	return gate.binary("mul", y)
}

func (a *accelerator) siluMul(x, y operand) (storage, error) {
	os := []operand{x, y}
	if err := a.simplify(os); err != nil {
		return nil, err
	}
	n := x.layout.ElemCount()
	s, err := a.alloc(n * x.dtype.Size())
	if err != nil {
		return nil, err
	}
	args := layouts(pointer(pointer(rocm.NewArgs(), os[0]), os[1]).Buffer(buffer(s), 0), os).U64(uint64(n))
	return s, a.launch("silu_mul_"+x.dtype.String(), blocks(n), args)
}
