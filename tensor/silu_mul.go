package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gradients"
)

// siluMul has the bits of the two operations. While results are deferred, these become one kernel by themselves.
func (t *Tensor) siluMul(y *Tensor) (*Tensor, error) {
	const op = "silu mul"
	if y == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	same := slices.Contains(kernels.Floats, t.dtype) && t.dtype == y.dtype && t.dev == y.dev &&
		slices.Equal(t.layout.Shape, y.layout.Shape)
	if _, ok := gradients.On(t.dev.backend); ok && same && tracked(t, y) {
		z, err := t.Detach().siluMul(y.Detach())
		if err != nil {
			return nil, err
		}
		return z.byFunction(op, []*Tensor{t, y}, false, siluMulGradients(t, y)), nil
	}
	b, ok := t.dev.backend.(backend.SiluMultiplier)
	if ok && same && !tracked(t, y) && b.MultipliesSilu() {
		return t.result(op, t.dtype, func() (backend.Storage, error) { return b.SiluMul(t.operand(), y.operand()) })
	}
	gate, err := t.unary("silu")
	if err != nil {
		return nil, err
	}
	return gate.binary("mul", y)
}
