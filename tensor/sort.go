package tensor

import "math"

func (t *Tensor) sortLastDim(asc bool) (values, ids *Tensor, err error) {
	return t.sorted("sort last dim", -1, asc)
}

func (t *Tensor) argSortLastDim(asc bool) (*Tensor, error) {
	_, ids, err := t.sorted("arg sort last dim", -1, asc)
	return ids, err
}

func (t *Tensor) sort(dim int, asc bool) (values, ids *Tensor, err error) {
	return t.sorted("sort", dim, asc)
}

func (t *Tensor) argSort(dim int, asc bool) (*Tensor, error) {
	_, ids, err := t.sorted("arg sort", dim, asc)
	return ids, err
}

func (t *Tensor) sorted(op string, dim int, asc bool) (values, ids *Tensor, err error) {
	values, ids, err = t.plain().ordered(op, dim, asc)
	if at := ids; err == nil && tracked(t) {
		values.by(op, via{t, func(g *Tensor) *Tensor { return g.ZerosLike().Scatter(at, g, dim) }})
	}
	return values, ids, err
}

func (t *Tensor) ordered(op string, dim int, asc bool) (values, ids *Tensor, err error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, nil, err
	}
	last := t.Rank() - 1
	x, err := t.view(t.layout.transpose(d, last)).forKernel(op)
	if err != nil {
		return nil, nil, err
	}
	shape := x.layout.shape
	if x.ElemCount() == 0 {
		if values, err = empty(op, t.layout.shape, t.dtype, t.dev); err != nil {
			return nil, nil, err
		}
		ids, err = empty(op, t.layout.shape, U32, t.dev)
		return values, ids, err
	}
	cols := shape[last]
	if cols > math.MaxUint32 {
		return nil, nil, fault(op, ErrShape, []*Tensor{t}, "positions up to %d do not fit u32", cols)
	}
	for _, dt := range []DType{t.dtype, U32} {
		if err := room(op, shape, dt, t.dev); err != nil {
			return nil, nil, err
		}
	}
	v, i, err := t.dev.backend.sort(x.operand(), x.ElemCount()/cols, cols, !asc)
	if err != nil {
		return nil, nil, failure(op, t.dev, err)
	}
	back := denseLayout(shape).transpose(d, last)
	return newTensor(t.dev, t.dtype, back, v), newTensor(t.dev, U32, back, i), nil
}
