package tensor

import "github.com/gorocm/gorocm/rocm"

// multipliesSilu says no while results are deferred: the two operations become one kernel by themselves.
func (a *accelerator) multipliesSilu() bool { return !a.deferring() }

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
