package tensor

import (
	"errors"
	"slices"
)

// IndexSelect picks the elements of a dim that ids names, in that order; ids is a vector of integers. The result has
// len(ids) elements in that dim. It panics with ErrIndex when an id is out of range, and so waits for the device; there are
// no negative ids.
func (t *Tensor) IndexSelect(ids *Tensor, dim int) *Tensor {
	return must(t.indexSelect("index select", ids, dim))
}

func (t *Tensor) indexSelect(op string, ids *Tensor, dim int) (*Tensor, error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if ids, err = t.checkIDs(op, ids); err != nil {
		return nil, err
	}
	if ids.Rank() != 1 {
		return nil, fault(op, ErrShape, []*Tensor{t, ids}, "ids have shape %v, want a vector", ids.layout.shape)
	}
	if ids, err = ids.contiguous(op); err != nil {
		return nil, err
	}
	in, err := t.contiguous(op)
	if err != nil {
		return nil, err
	}
	shape := t.Dims()
	size, count := shape[d], ids.ElemCount()
	shape[d] = count
	left, right := product(shape[:d]), product(shape[d+1:])
	if left*right*count == 0 {
		return empty(op, shape, t.dtype, t.dev)
	}
	if err := room(op, shape, t.dtype, t.dev); err != nil {
		return nil, err
	}
	s, err := t.dev.backend.indexSelect(ids.operand(), in.operand(), left, size, count, right)
	var bad *indexFault
	if errors.As(err, &bad) {
		return nil, outOfRange(op, t, ids, bad.position, dim, size)
	}
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	return dense(t.dev, t.dtype, shape, s), nil
}

func outOfRange(op string, t, ids *Tensor, position, dim, size int) error {
	e := fault(op, ErrIndex, []*Tensor{t, ids}, "id %d is out of range for dim %d of shape %v, which has %d elements", position, dim, t.layout.shape, size)
	if v, err := ids.view(ids.layout.narrow(0, position, 1)).float64s(op); err == nil {
		e.Message = fault(op, ErrIndex, nil, "ids[%d] = %.0f is out of range for dim %d of shape %v", position, v[0], dim, t.layout.shape).Message
		e.note("ids are 0 to %d", size-1)
	}
	return e
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
	case I16, I32:
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
		check(fault(op, ErrShape, []*Tensor{t}, "want a table of rank 2, not shape %v", t.layout.shape))
	}
	ids, err := t.checkIDs(op, ids)
	check(err)
	rows := must(t.indexSelect(op, must(ids.reshape(op, []int{ids.ElemCount()})), 0))
	return must(rows.reshape(op, append(ids.Dims(), t.layout.shape[1])))
}

// Gather picks one element per id along a dim: for dim 0 out[i][j] = t[ids[i][j]][j], for dim 1 out[i][j] = t[i][ids[i][j]],
// and so on. ids has the rank of t, and no larger sizes outside of dim. The result has the shape of ids.
// It panics with ErrIndex when an id is out of range.
func (t *Tensor) Gather(ids *Tensor, dim int) *Tensor {
	const op = "gather"
	d, err := t.axis(op, dim)
	check(err)
	ids, err = t.checkIDs(op, ids)
	check(err)
	shape := ids.layout.shape
	fits := len(shape) == t.Rank()
	for k := 0; fits && k < len(shape); k++ {
		fits = k == d || shape[k] <= t.layout.shape[k]
	}
	if !fits {
		check(fault(op, ErrShape, []*Tensor{t, ids}, "ids of shape %v do not fit shape %v along dim %d", shape, t.layout.shape, dim))
	}
	if ids.ElemCount() == 0 {
		return must(empty(op, shape, t.dtype, t.dev))
	}
	ids = must(ids.toDType(op, I64))
	size := t.layout.shape[d]
	if lo, hi := ids.MinAll().ToScalarI64(), ids.MaxAll().ToScalarI64(); lo < 0 || hi >= int64(size) {
		if lo >= 0 {
			lo = hi
		}
		check(fault(op, ErrIndex, []*Tensor{t, ids}, "id %d is out of range for dim %d of shape %v", lo, dim, t.layout.shape).note("ids are 0 to %d", size-1))
	}
	// The place of every element in the flat tensor: its id for dim, its own position for the others.
	strides := denseStrides(t.layout.shape)
	flat := ids.Mul(strides[d])
	for k, n := range shape {
		if k != d && n > 1 {
			line := slices.Repeat([]int{1}, len(shape))
			line[k] = n
			flat = flat.Add(must(arange(0, float64(n*strides[k]), float64(strides[k]), I64, t.dev)).Reshape(line))
		}
	}
	return must(must(t.reshape(op, []int{t.ElemCount()})).indexSelect(op, flat.FlattenAll(), 0)).Reshape(shape)
}

// Flip reverses the order of the elements along dims.
func (t *Tensor) Flip(dims ...int) *Tensor {
	const op = "flip"
	if len(dims) == 0 {
		return t
	}
	axes, err := t.axes(op, dims)
	check(err)
	for _, d := range axes {
		if n := t.layout.shape[d]; n > 1 {
			t = must(t.indexSelect(op, must(arange(float64(n-1), -1, -1, I64, t.dev)), d))
		}
	}
	return t
}
