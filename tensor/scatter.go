package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (t *Tensor) scatter(ids, src *Tensor, dim int) (*Tensor, error) {
	return t.scattered("scatter", ids, src, dim, "")
}

func (t *Tensor) scatterAdd(ids, src *Tensor, dim int) (*Tensor, error) {
	return t.scattered("scatter add", ids, src, dim, "add")
}

// indexAdd is a scatter whose ids are broadcast over the other dims.
func (t *Tensor) indexAdd(ids, src *Tensor, dim int) (*Tensor, error) {
	const op = "index add"
	out, err := t.plain().addedAt(op, ids, src.plain(), dim)
	if err == nil && tracked(t, src) {
		out.by(op, via{t, same}, via{src, func(g *Tensor) *Tensor { return g.IndexSelect(ids, dim) }})
	}
	return out, err
}

func (t *Tensor) addedAt(op string, ids, src *Tensor, dim int) (*Tensor, error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if ids == nil || src == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "ids or the other tensor are nil")
	}
	if ids.Rank() != 1 {
		return nil, fault(op, ErrShape, []*Tensor{t, ids}, "ids have shape %v, want a vector", ids.layout.Shape)
	}
	want := t.Dims()
	want[d] = ids.ElemCount()
	if !slices.Equal(src.layout.Shape, want) {
		return nil, fault(op, ErrShape, []*Tensor{t, ids, src},
			"the other tensor has shape %v, want %v: that of t, with one slice for each of %d ids in dim %d",
			src.layout.Shape, want, ids.ElemCount(), dim)
	}
	line := slices.Repeat([]int{1}, t.Rank())
	line[d] = ids.ElemCount()
	return Try(func() *Tensor {
		return must(t.scattered(op, must(must(ids.reshape(op, line)).broadcastAs(op, want)), src, dim, "add"))
	})
}

func (t *Tensor) scattered(op string, ids, src *Tensor, dim int, join string) (*Tensor, error) {
	out, err := t.plain().scatteredTo(op, ids, src.plain(), dim, join)
	if err == nil && tracked(t, src) {
		kept := same
		if join == "" {
			kept = func(g *Tensor) *Tensor { return g.Scatter(ids, g.dev.Zeros(g.dtype, ids.layout.Shape...), dim) }
		}
		out.by(op, via{t, kept}, via{src, func(g *Tensor) *Tensor { return g.Gather(ids, dim) }})
	}
	return out, err
}

func (t *Tensor) scatteredTo(op string, ids, src *Tensor, dim int, join string) (*Tensor, error) {
	d, ids, err := t.scatterArgs(op, ids, src, dim)
	if err != nil {
		return nil, err
	}
	if join != "" && t.dtype.IsSmallFloat() { // rounded once
		return Try(func() *Tensor { return must(t.wide().scatteredTo(op, ids, src.wide(), d, join)).ToDType(t.dtype) })
	}
	out, err := t.copied(op)
	if err != nil || ids.ElemCount() == 0 {
		return out, err
	}
	return out, out.scatterInto(op, ids, src, d, join, out.outOfRange(op, ids, d))
}

// scatterArgs checks the operands of a scatter. It returns the dim, and ids in one of the types that kernels take.
func (t *Tensor) scatterArgs(op string, ids, src *Tensor, dim int) (int, *Tensor, error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return 0, nil, err
	}
	if ids, err = t.checkIDs(op, ids); err != nil {
		return 0, nil, err
	}
	if err := t.checkSource(op, ids, src); err != nil {
		return 0, nil, err
	}
	return d, ids, t.fitIDs(op, ids, d)
}

// scatterInto writes the elements of src to those of t, or joins them by an operation. bad is the error for an id
// that is out of range.
func (t *Tensor) scatterInto(op string, ids, src *Tensor, dim int, join string, bad backend.IndexErrorFunc) error {
	index, from := ids.operand(), src.operand()
	if t.dtype == C128 || t.dtype.IsComplex() && join != "" {
		bad = bad.OfPairs()
		err := t.dev.backend.Scatter(index.Twice(), from.Reals(), t.writeOperand().Reals(), dim, join, bad)
		return failure(op, t.dev, bad.Naming(err))
	}
	if err := accepts(op, t, kernels.Numbers); join != "" && err != nil {
		return err
	}
	err := t.dev.backend.Scatter(index, from, t.writeOperand(), dim, join, bad)
	return failure(op, t.dev, bad.Naming(err))
}

func (t *Tensor) checkSource(op string, ids, src *Tensor) error {
	if src == nil {
		return fault(op, ErrShape, []*Tensor{t, ids}, "the other tensor is nil")
	}
	if err := sameDevice(op, t, src); err != nil {
		return err
	}
	if src.dtype != t.dtype {
		return dtypesDiffer(op, t, src, "t", "src")
	}
	if !slices.Equal(ids.layout.Shape, src.layout.Shape) {
		return fault(op, ErrShape, []*Tensor{t, ids, src},
			"ids have shape %v and the other tensor %v: want one id for each element", ids.layout.Shape,
			src.layout.Shape)
	}
	return nil
}
