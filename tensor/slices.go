package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (t *Tensor) unfold(dim, size, step int) (*Tensor, error) {
	const op = "unfold"
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	n := t.layout.Shape[d]
	if size < 1 || step < 1 || size > n {
		return nil, fault(op, ErrShape, []*Tensor{t},
			"windows of %d elements, %d apart, of dim %d, which has %d, of shape %v", size, step, dim, n,
			t.layout.Shape).
			note("size and step are above 0, and a window is no longer than the dim")
	}
	v := t.view(t.layout.Unfold(d, size, step))
	if tracked(t) {
		v.by(op, via{t, t.foldWindows(d, size, step)})
	}
	return v, nil
}

func (t *Tensor) flattenTo(end int) (*Tensor, error) { return t.flatten("flatten to", 0, end) }

func (t *Tensor) flattenFrom(start int) (*Tensor, error) { return t.flatten("flatten from", start, -1) }

func (t *Tensor) sliceScatter(src *Tensor, dim, start int) (*Tensor, error) {
	const op = "slice scatter"
	out, err := t.replaced(op, func(out *Tensor) error { return out.setSlice(op, src.plain(), dim, start) })
	if err == nil && tracked(t, src) {
		d, _ := t.axis(op, dim) // setSlice has checked it
		n := src.layout.Shape[d]
		out.by(op, t.replacement(src, func(x *Tensor) *Tensor { return x.Narrow(d, start, n) })...)
	}
	return out, err
}

func (t *Tensor) sliceScatter0(src *Tensor, start int) (*Tensor, error) {
	return t.sliceScatter(src, 0, start)
}

func (t *Tensor) sliceAssign(ranges []Range, src *Tensor) (*Tensor, error) {
	const op = "slice assign"
	if len(ranges) != t.Rank() {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%d ranges for shape %v, want one for each dim", len(ranges),
			t.layout.Shape)
	}
	if src == nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	sliced := func(part *Tensor) (*Tensor, error) {
		for d, r := range ranges {
			if r.Step < 0 {
				return nil, fault(op, ErrIndex, []*Tensor{t}, "the range %v of dim %d has a negative step", r, d).
					note("SetI writes to elements in any order")
			}
			var err error
			if part, err = part.slice(op, t, d, d, r); err != nil {
				return nil, err
			}
		}
		return part, nil
	}
	out, err := t.replaced(op, func(out *Tensor) error {
		part, err := sliced(out)
		if err != nil {
			return err
		}
		if !slices.Equal(part.layout.Shape, src.layout.Shape) {
			return fault(op, ErrShape, []*Tensor{t, src}, "the part %v of shape %v has shape %v, the other tensor %v",
				ranges, t.layout.Shape, part.layout.Shape, src.layout.Shape)
		}
		return part.set(op, src.plain())
	})
	if err == nil && tracked(t, src) {
		out.by(op, t.replacement(src, func(x *Tensor) *Tensor { return must(sliced(x)) })...)
	}
	return out, err
}

// replaced returns a copy of t after set has written to it. The copy is made last, so that a mistake costs nothing.
func (t *Tensor) replaced(op string, set func(out *Tensor) error) (*Tensor, error) {
	out, err := t.plain().copied(op)
	if err != nil {
		return nil, err
	}
	return out, set(out)
}

func (t *Tensor) tril(diagonal int) (*Tensor, error) { return t.triangular("tril", "ge", diagonal) }

func (t *Tensor) triu(diagonal int) (*Tensor, error) { return t.triangular("triu", "le", diagonal) }

// triangular keeps the elements for which the comparison of row + diagonal with the column is true.
func (t *Tensor) triangular(op, compare string, diagonal int) (*Tensor, error) {
	r := t.Rank()
	if r < 2 {
		return nil, fault(op, ErrShape, []*Tensor{t}, "want matrices, not shape %v", t.layout.Shape)
	}
	rows, cols := t.layout.Shape[r-2], t.layout.Shape[r-1]
	return Try(func() *Tensor {
		row := must(arange(float64(diagonal), float64(diagonal+rows), 1, I64, t.dev)).Unsqueeze(1)
		keep := must(row.compare(compare, must(arange(0, float64(cols), 1, I64, t.dev))))
		return must(keep.where(op, t, must(t.dev.number(op, t.dtype, backend.Scalar{}))))
	})
}

// CmpOp is a comparison for Tensor.Cmp.
type CmpOp string

// The comparisons.
const (
	CmpEq CmpOp = "eq"
	CmpNe CmpOp = "ne"
	CmpLt CmpOp = "lt"
	CmpLe CmpOp = "le"
	CmpGt CmpOp = "gt"
	CmpGe CmpOp = "ge"
)

// Cmp compares as the method of that name does: t.Cmp(y, CmpLt) is t.Lt(y). It panics with ErrDType for another op.
func (t *Tensor) Cmp(y any, op CmpOp) *Tensor {
	if backend.CompareOps[string(op)] == nil {
		check(&Error{Op: "cmp", Kind: ErrDType, Message: fmt.Sprintf("no comparison %q", op),
			Notes: []string{"comparisons are eq, ne, lt, le, gt and ge"}})
	}
	return must(t.compare(string(op), y))
}
