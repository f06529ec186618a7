package tensor

import (
	"math"
	"slices"
)

// Masks are Bool or integers, as the conditions of WhereCond are: an element that is not 0 is true.

// checkMask returns a mask in one of the types that conditions of kernels have.
func (t *Tensor) checkMask(op string, mask *Tensor) (*Tensor, error) {
	if mask == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the mask is nil")
	}
	if err := sameDevice(op, t, mask); err != nil {
		return nil, err
	}
	if mask.dtype.IsFloat() || mask.dtype.IsComplex() {
		return nil, fault(op, ErrDType, []*Tensor{t, mask},
			"a mask of %v: it takes bool, as comparisons give, or integers",
			mask.dtype).note("x.Ne(0) is where x is not 0")
	}
	return mask.forCondition()
}

func (t *Tensor) maskedFill(mask *Tensor, value any) (*Tensor, error) {
	const op = "masked fill"
	mask, err := t.checkMask(op, mask)
	if err != nil {
		return nil, err
	}
	y, err := t.other(op, value)
	if err != nil {
		return nil, err
	}
	if y.Rank() != 0 {
		return nil, fault(op, ErrShape, []*Tensor{t, y}, "the value has shape %v, want a number or a tensor of rank 0",
			y.layout.Shape).
			note("mask.WhereCond(y, x) takes elements of y where the mask is not 0")
	}
	if mask, err = mask.broadcastAs(op, t.layout.Shape); err != nil {
		return nil, err
	}
	return mask.where(op, y, t)
}

func (t *Tensor) maskedSelect(mask *Tensor) (*Tensor, error) {
	const op = "masked select"
	mask, err := t.checkMask(op, mask)
	if err != nil {
		return nil, err
	}
	if mask, err = mask.maskBytes(op); err != nil {
		return nil, err
	}
	ts, err := broadcastAll(op, t, mask)
	if err != nil {
		return nil, t.rowsBy(mask, err)
	}
	x, mask := ts[0], ts[1]
	if x.dtype.IsComplex() {
		return asComplex(Try(func() *Tensor {
			parts := x.asReal().MaskedSelect(mask.Unsqueeze(-1))
			return parts.Reshape(parts.ElemCount()/2, 2)
		}))
	}
	if x.ElemCount() == 0 {
		return empty(op, []int{0}, t.dtype, t.dev)
	}
	in := x.operand()
	s, count, err := t.dev.backend.Masked(mask.operand(), &in)
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	out := dense(t.dev, t.dtype, []int{count}, s)
	if tracked(x) {
		out.by(op, via{x, func(g *Tensor) *Tensor { return g.spread(mask) }})
	}
	return out, nil
}

// rowsBy is the code that selects rows, for a mask that does not broadcast but has one element per row.
func (t *Tensor) rowsBy(mask *Tensor, err error) error {
	e, ok := err.(*Error)
	if r := mask.Rank(); ok && r > 0 && r < t.Rank() && slices.Equal(mask.layout.Shape, t.layout.Shape[:r]) {
		e.Notes = nil
		e.note("x.I(mask) picks along the leading dims and keeps the others")
	}
	return err
}

// spread returns the elements of a vector at the positions where the mask is not 0, in order, and 0 elsewhere.
func (t *Tensor) spread(mask *Tensor) *Tensor {
	if t.ElemCount() == 0 {
		return t.dev.Zeros(t.dtype, mask.layout.Shape...)
	}
	before := mask.Ne(0).FlattenAll().CumSum(0).Maximum(1).Sub(1)
	return mask.WhereCond(t.IndexSelect(before, 0).Reshape(mask.layout.Shape...), 0)
}

func (t *Tensor) nonzero() (*Tensor, error) {
	const op = "nonzero"
	for d, n := range t.layout.Shape {
		if uint64(n) > math.MaxUint32 {
			return nil, fault(op, ErrShape, []*Tensor{t}, "positions up to %d of dim %d do not fit u32", n, d)
		}
	}
	mask, err := t.plain().maskBytes(op)
	if err != nil {
		return nil, err
	}
	if t.ElemCount() == 0 {
		return empty(op, []int{0, t.Rank()}, U32, t.dev)
	}
	s, count, err := t.dev.backend.Masked(mask.operand(), nil)
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	return dense(t.dev, U32, []int{count, t.Rank()}, s), nil
}

// maskBytes returns bytes that are not 0 where t is not.
func (t *Tensor) maskBytes(op string) (*Tensor, error) {
	if err := t.alive(op); err != nil || t.dtype.Stored() == U8 {
		return t, err
	}
	return t.compare("ne", 0)
}
