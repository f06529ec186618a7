package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Searching, and what sorting finds: equal elements.

func (t *Tensor) searchSorted(values *Tensor, right bool) (*Tensor, error) {
	const op = "searchsorted"
	if values == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "values is nil")
	}
	r := t.Rank()
	fits := r == 1 || r > 0 && r == values.Rank() && slices.Equal(t.layout.Shape[:r-1], values.layout.Shape[:r-1])
	if !fits {
		return nil, fault(op, ErrShape, []*Tensor{t, values}, "rows of shape %v for values of shape %v",
			t.layout.Shape, values.layout.Shape).
			note("a sorted vector takes values of any shape; sorted rows take values whose shape differs in the last dim")
	}
	a, b, err := t.plain().promoted(op, values.plain(), "t", "values")
	if err != nil {
		return nil, err
	}
	if err := accepts(op, a, kernels.All); err != nil {
		return nil, err
	}
	cols := a.layout.Shape[r-1]
	if uint64(cols) > math.MaxUint32 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "positions up to %d do not fit u32", cols)
	}
	each := b.ElemCount()
	if r > 1 {
		each = b.layout.Shape[r-1]
	}
	if cols == 0 {
		return full(op, 0, b.layout.Shape, U32, t.dev)
	}
	if a, err = a.contiguous(op); err != nil {
		return nil, err
	}
	if b, err = b.contiguous(op); err != nil {
		return nil, err
	}
	return b.result(op, U32, func() (backend.Storage, error) {
		return t.dev.backend.SearchSorted(a.operand(), b.operand(), cols, each, right)
	})
}

func (t *Tensor) bucketize(boundaries *Tensor, right bool) (*Tensor, error) {
	if boundaries == nil || boundaries.Rank() != 1 {
		return nil, fault("bucketize", ErrShape, []*Tensor{t}, "the boundaries are not a vector")
	}
	return boundaries.searchSorted(t, right)
}

func (t *Tensor) isIn(values *Tensor) (*Tensor, error) {
	const op = "is in"
	if values == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "values is nil")
	}
	n := values.ElemCount()
	if n == 0 {
		return full(op, false, t.layout.Shape, Bool, t.dev)
	}
	x, v, err := t.plain().promoted(op, values.plain(), "t", "values")
	if err != nil {
		return nil, err
	}
	return Try(func() *Tensor {
		sorted, _ := v.FlattenAll().SortLastDim(true)
		at := sorted.SearchSorted(x, false).ToDType(I64).Minimum(n - 1)
		return sorted.IndexSelect(at.FlattenAll(), 0).Reshape(x.layout.Shape...).Eq(x)
	})
}

func (t *Tensor) unique() (values, inverse, counts *Tensor, err error) {
	_, err = Try(func() *Tensor {
		values, inverse, counts = t.plain().FlattenAll().runs()
		inverse = inverse.Reshape(t.layout.Shape...)
		return nil
	})
	return values, inverse, counts, err
}

// runs is Unique of a vector: the runs of equal elements after sorting.
func (t *Tensor) runs() (values, inverse, counts *Tensor) {
	n := t.ElemCount()
	if n == 0 {
		return t, t.dev.Zeros(U32, 0), t.dev.Zeros(I64, 0)
	}
	sorted, ids := t.SortLastDim(true)
	isNew := sorted.startsRun()
	starts := isNew.Nonzero().FlattenAll()
	inverse = must(empty("unique", []int{n}, U32, t.dev))
	check(inverse.scatterInto("unique", ids, isNew.CumSum(0).Sub(1).ToDType(U32), 0, backend.Permute, nil))
	ends := Cat([]*Tensor{starts.Narrow(0, 1, starts.Dim(0)-1).ToDType(I64), t.dev.Full(I64, n, 1)}, 0)
	return sorted.IndexSelect(starts, 0), inverse, ends.Sub(starts.ToDType(I64))
}

// startsRun returns where elements differ from the one before them in their row, as the first does.
func (t *Tensor) startsRun() *Tensor {
	n := t.Dim(-1)
	first := t.dev.Ones(Bool, append(t.Dims()[:t.Rank()-1], 1)...)
	return Cat([]*Tensor{first, t.Narrow(-1, 1, n-1).Ne(t.Narrow(-1, 0, n-1))}, -1)
}

func (t *Tensor) diff(n, dim int) (*Tensor, error) {
	const op = "diff"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	switch {
	case n < 0:
		return nil, fault(op, ErrShape, []*Tensor{t}, "%d differences in succession: want 0 or more", n)
	case n == 0:
		return t.copied(op)
	}
	return Try(func() *Tensor {
		for range min(n, t.layout.Shape[d]) {
			t = t.Narrow(d, 1, t.Dim(d)-1).Sub(t.Narrow(d, 0, t.Dim(d)-1))
		}
		return t
	})
}
