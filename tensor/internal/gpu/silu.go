package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// MultipliesSilu is false while results are deferred: the two operations become one kernel anyway.
func (b *Backend) MultipliesSilu() bool { return !b.fusion.deferring() }

func (b *Backend) SiluMul(x, y backend.Operand) (backend.Storage, error) {
	os := []backend.Operand{x, y}
	if err := b.fitDimsTogether(os); err != nil {
		return nil, err
	}
	n := x.Layout.ElemCount()
	s, err := b.Alloc(n * x.DType.Size())
	if err != nil {
		return nil, err
	}
	args := layouts(pointer(pointer(rocm.NewArgs(), os[0]), os[1]).Buffer(buffer(s), 0), os).U64(uint64(n))
	return s, b.Launch("silu_mul_"+x.DType.String(), blocks(n), args)
}
