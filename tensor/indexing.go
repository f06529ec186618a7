package tensor

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// IndexSelect selects the elements of a dim at the positions ids, in that order; ids is a vector of integers. The
// result has len(ids) elements in that dim. Negative ids are not allowed. An id out of range is an ErrIndex:
// IndexSelect panics with it on the CPU. A GPU reports it asynchronously: the next call that waits for the device
// panics.
func (t *Tensor) IndexSelect(ids *Tensor, dim int) *Tensor {
	return must(t.indexSelect("index select", ids, dim))
}

func (t *Tensor) indexSelect(op string, ids *Tensor, dim int) (*Tensor, error) {
	return t.indexSelectBy(op, ids, dim, nil)
}

// indexSelectBy is indexSelect with the error for ids that are out of range; nil for the usual one.
func (t *Tensor) indexSelectBy(op string, ids *Tensor, dim int, bad backend.IndexErrorFunc) (*Tensor, error) {
	out, err := t.selected(op, ids, dim, bad)
	if shape := t.layout.Shape; err == nil && tracked(t) {
		out.by(op, via{t, func(g *Tensor) *Tensor { return g.selectGradient(op, ids, shape, dim) }})
	}
	return out, err
}

func (t *Tensor) selected(op string, ids *Tensor, dim int, bad backend.IndexErrorFunc) (*Tensor, error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if ids, err = t.checkIDs(op, ids); err != nil {
		return nil, err
	}
	if ids.Rank() != 1 {
		return nil, fault(op, ErrShape, []*Tensor{t, ids}, "ids have shape %v, want a vector", ids.layout.Shape)
	}
	shape := t.Dims()
	size, count := shape[d], ids.ElemCount()
	shape[d] = count
	left, right := backend.Product(shape[:d]), backend.Product(shape[d+1:])
	if left*right*count == 0 {
		return empty(op, shape, t.dtype, t.dev)
	}
	if err := checkMemory(op, shape, t.dtype, t.dev); err != nil {
		return nil, err
	}
	if bad == nil {
		bad = t.outOfRange(op, ids, d)
	}
	var s backend.Storage
	if t.IsContiguous() {
		if ids, err = ids.forKernel(op); err != nil {
			return nil, err
		}
		in := t.operand()
		if t.dtype == C128 {
			in, right = in.Reals(), 2*right
		}
		s, err = t.dev.backend.IndexSelect(ids.operand(), in, left, size, count, right, bad)
	} else { // broadcast ids gather elements of any layout
		each := ids.operand()
		each.Layout = backend.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: ids.layout.Offset}
		each.Layout.Strides[d] = ids.layout.Strides[0]
		inVector := bad
		bad = func(position int) error { return inVector(position / right % count) }
		s, err = t.gatherFrom(each, d, bad)
	}
	if err != nil {
		return nil, failure(op, t.dev, bad.Naming(err))
	}
	return dense(t.dev, t.dtype, shape, s), nil
}

// outOfRange returns the function that makes errors for ids that are out of range for a dim of t. It may be called
// later, and does not keep t in memory.
func (t *Tensor) outOfRange(op string, ids *Tensor, dim int) backend.IndexErrorFunc {
	outline := &Tensor{dtype: t.dtype, layout: t.layout, dev: t.dev}
	return func(position int) error {
		shape := outline.layout.Shape
		e := fault(op, ErrIndex, []*Tensor{outline, ids}, "an id is out of range for dim %d of shape %v", dim, shape)
		at, one := ids.Dims(), ids.layout
		for k := ids.Rank() - 1; k >= 0; k-- {
			at[k], position = position%ids.layout.Shape[k], position/ids.layout.Shape[k]
			one = one.Narrow(k, at[k], 1)
		}
		if ids.alive(op) == nil {
			if v, err := ids.view(one).float64s(op); err == nil {
				e.Message = fmt.Sprintf("ids%v = %.0f is out of range for dim %d of shape %v", at, v[0], dim, shape)
			}
		}
		if shape[dim] == 0 {
			return e.note("dim %d has no elements", dim)
		}
		return e.note("ids are 0 to %d", shape[dim]-1)
	}
}

// checkIDs returns ids in one of the types that index kernels take.
func (t *Tensor) checkIDs(op string, ids *Tensor) (*Tensor, error) {
	if ids == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "ids are nil")
	}
	if err := sameDevice(op, t, ids); err != nil {
		return nil, err
	}
	switch ids.dtype {
	case U8, U32, I64:
		return ids, nil
	case I8, U16, I16, I32, U64:
		return ids.toDType(op, I64)
	}
	return nil, fault(op, ErrDType, []*Tensor{t, ids}, "ids have dtype %v, want integers", ids.dtype).
		note("convert them first, as in ids.ToDType(tensor.I64)")
}

// Embedding looks up rows: t is a table [n h], ids has any shape; the result has the shape of ids with h appended.
// It panics with ErrIndex when an id is out of range.
func (t *Tensor) Embedding(ids *Tensor) *Tensor {
	const op = "embedding"
	if t.Rank() != 2 {
		check(fault(op, ErrShape, []*Tensor{t}, "want a table of rank 2, not shape %v", t.layout.Shape))
	}
	ids, err := t.checkIDs(op, ids)
	check(err)
	rows := must(t.indexSelect(op, must(ids.reshape(op, []int{ids.ElemCount()})), 0))
	return must(rows.reshape(op, append(ids.Dims(), t.layout.Shape[1])))
}

func (t *Tensor) gather(ids *Tensor, dim int) (*Tensor, error) {
	const op = "gather"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if ids, err = t.checkIDs(op, ids); err != nil {
		return nil, err
	}
	if err := t.fitIDs(op, ids, d); err != nil {
		return nil, err
	}
	bad := t.outOfRange(op, ids, d)
	out, err := ids.result(op, t.dtype, func() (backend.Storage, error) {
		return t.gatherFrom(ids.operand(), d, bad)
	})
	if shape := t.layout.Shape; err == nil && tracked(t) {
		out.by(op, via{t, func(g *Tensor) *Tensor { return g.dev.Zeros(g.dtype, shape...).ScatterAdd(ids, g, d) }})
	}
	return out, err
}

// gatherFrom gathers elements of t.
func (t *Tensor) gatherFrom(ids backend.Operand, dim int, bad backend.IndexErrorFunc) (backend.Storage, error) {
	if t.dtype == C128 {
		s, err := t.dev.backend.Gather(ids.Twice(), t.operand().Reals(), dim, bad.OfPairs())
		return s, bad.OfPairs().Naming(err)
	}
	s, err := t.dev.backend.Gather(ids, t.operand(), dim, bad)
	return s, bad.Naming(err)
}

// fitIDs checks that ids have the rank of t, and no larger sizes outside of dim.
func (t *Tensor) fitIDs(op string, ids *Tensor, dim int) error {
	fits := ids.Rank() == t.Rank()
	for k := 0; fits && k < t.Rank(); k++ {
		fits = k == dim || ids.layout.Shape[k] <= t.layout.Shape[k]
	}
	if !fits {
		return fault(op, ErrShape, []*Tensor{t, ids}, "ids of shape %v do not fit shape %v along dim %d",
			ids.layout.Shape, t.layout.Shape, dim)
	}
	return nil
}

// Flip reverses the order of the elements along dims.
func (t *Tensor) Flip(dims ...int) *Tensor {
	const op = "flip"
	if len(dims) == 0 {
		return t.Copy()
	}
	axes, err := t.axes(op, dims)
	check(err)
	for _, d := range axes {
		t = must(t.indexSelect(op, must(arange(float64(t.layout.Shape[d]-1), -1, -1, I64, t.dev)), d))
	}
	return t
}
