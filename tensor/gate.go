package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// siluMul gives the bits of the two operations. Where results are deferred those become one kernel by themselves.
func (t *Tensor) siluMul(y *Tensor) (*Tensor, error) {
	const op = "silu mul"
	if y == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	b, ok := t.dev.backend.(siluMultiplier)
	if ok && !tracked(t, y) && slices.Contains(kernels.Floats, t.dtype) && t.dtype == y.dtype && t.dev == y.dev && slices.Equal(t.layout.Shape, y.layout.Shape) && b.multipliesSilu() {
		return t.result(op, t.dtype, func() (storage, error) { return b.siluMul(t.operand(), y.operand()) })
	}
	gate, err := t.unary("silu")
	if err != nil {
		return nil, err
	}
	return gate.binary("mul", y)
}
