package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (t *Tensor) sortLastDim(asc bool) (values, ids *Tensor, err error) {
	return t.sorted("sort last dim", everything, -1, asc)
}

func (t *Tensor) argSortLastDim(asc bool) (*Tensor, error) {
	_, ids, err := t.sorted("arg sort last dim", everything, -1, asc)
	return ids, err
}

func (t *Tensor) sort(dim int, asc bool) (values, ids *Tensor, err error) {
	return t.sorted("sort", everything, dim, asc)
}

func (t *Tensor) argSort(dim int, asc bool) (*Tensor, error) {
	_, ids, err := t.sorted("arg sort", everything, dim, asc)
	return ids, err
}

// everything stands for all elements of a dim.
const everything = -1

func (t *Tensor) topK(k, dim int, largest bool) (values, ids *Tensor, err error) {
	const op = "top k"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, nil, err
	}
	if n := t.layout.Shape[d]; k < 0 || k > n {
		return nil, nil, fault(op, ErrIndex, []*Tensor{t}, "%d elements of dim %d, which has %d, in shape %v", k, dim,
			n, t.layout.Shape)
	}
	return t.sorted(op, k, dim, !largest)
}

// sorted returns the first `keep` elements of sorted rows along dim, and their positions.
func (t *Tensor) sorted(op string, keep, dim int, asc bool) (values, ids *Tensor, err error) {
	values, ids, err = t.plain().ordered(op, keep, dim, asc)
	if at, shape := ids, t.layout.Shape; err == nil && tracked(t) {
		values.by(op, via{t, func(g *Tensor) *Tensor { return g.dev.Zeros(g.dtype, shape...).Scatter(at, g, dim) }})
	}
	return values, ids, err
}

func (t *Tensor) ordered(op string, keep, dim int, asc bool) (values, ids *Tensor, err error) {
	if err := accepts(op, t, kernels.All); err != nil {
		return nil, nil, err
	}
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, nil, err
	}
	last := t.Rank() - 1
	x, err := t.view(t.layout.Transpose(d, last)).forKernel(op)
	if err != nil {
		return nil, nil, err
	}
	shape := x.Dims()
	cols := shape[last]
	if keep == everything {
		keep = cols
	}
	shape[last] = keep
	back := backend.Dense(shape).Transpose(d, last)
	if backend.Product(shape) == 0 {
		if values, err = empty(op, back.Shape, t.dtype, t.dev); err != nil {
			return nil, nil, err
		}
		ids, err = empty(op, back.Shape, U32, t.dev)
		return values, ids, err
	}
	if uint64(cols) > math.MaxUint32 {
		return nil, nil, fault(op, ErrShape, []*Tensor{t}, "positions up to %d do not fit u32", cols)
	}
	for _, dt := range []DType{t.dtype, U32} {
		if err := checkMemory(op, shape, dt, t.dev); err != nil {
			return nil, nil, err
		}
	}
	v, i, err := t.dev.backend.Sort(x.operand(), x.ElemCount()/cols, cols, keep, !asc)
	if err != nil {
		return nil, nil, failure(op, t.dev, err)
	}
	return result(t.dev, t.dtype, back, v), result(t.dev, U32, back, i), nil
}
