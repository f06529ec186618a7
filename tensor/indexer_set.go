package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/dtypes"
)

// Writing to the elements that an index selects.

func (t *Tensor) setI(value any, index ...any) error {
	return t.writeI("set index", value, index, "")
}

func (t *Tensor) addI(value any, index ...any) error {
	return t.writeI("add index", value, index, "add")
}

// writeI writes value, broadcast, to the elements that I(index...) selects, or adds it to them.
func (t *Tensor) writeI(op string, value any, index []any, join string) error {
	index, err := t.indices(op, index)
	if err != nil {
		return err
	}
	index, flips, err := t.forwards(op, index)
	if err != nil {
		return err
	}
	part, marks, err := t.plain().basic(op, index)
	if err != nil {
		return err
	}
	src, err := t.elementsFor(op, value)
	if err != nil {
		return err
	}
	if err := t.writableI(op, src); err != nil || part.ElemCount() == 0 {
		return err
	}
	if len(marks) > 0 {
		return part.writeByIDs(op, src, marks, join)
	}
	if src, err = src.broadcastAs(op, part.layout.Shape); err != nil {
		return err
	}
	return Catch(func() error {
		src := src.Flip(flips...)
		if join != "" {
			src = part.Add(src)
		}
		return part.set(op, src)
	})
}

// forwards replaces ranges with negative steps by those that select the same elements in the order of memory, and
// lists the dims of the selection in which the order was changed. Beside ids it would be another one.
func (t *Tensor) forwards(op string, index []any) (out []any, flips []int, err error) {
	out = slices.Clone(index)
	dim, d, marked := 0, 0, false
	for i, x := range index {
		switch x := x.(type) {
		case int:
			d--
		case *Tensor:
			marked = true
			dim, d = dim+indexedDims(x)-1, d+indexedDims(x)-1
		case Range:
			if x.Step >= 0 {
				break
			}
			start, n, step, err := x.resolve(op, t, dim)
			if err != nil {
				return nil, nil, err
			}
			out[i], flips = Range{start, start + n, -step}, append(flips, d)
		}
		d++
		if x != NewAxis {
			dim++
		}
	}
	if marked && flips != nil {
		return nil, nil, fault(op, ErrIndex, []*Tensor{t}, "a negative step beside ids or a mask").
			note("x.Flip(dim) reverses the value that is written")
	}
	return out, flips, nil
}

// elementsFor returns a value as elements of t: a Go number, or a tensor whose values t holds, but for the digits of
// floats. It is a copy where it would be read while t is written to.
func (t *Tensor) elementsFor(op string, value any) (*Tensor, error) {
	src, err := t.other(op, value)
	switch {
	case err != nil:
		return nil, err
	case src.store == t.store:
		return src.plain().copied(op)
	case src.dtype == t.dtype:
		return src, nil
	}
	if !t.dtype.IsFloat() && !dtypes.Holds(t.dtype, src.dtype) {
		return nil, t.dtypesDifferInto(op, src)
	}
	return src.toDType(op, t.dtype)
}

// writableI checks that src may be written to a part of t.
func (t *Tensor) writableI(op string, src *Tensor) error {
	if err := sameDevice(op, t, src); err != nil {
		return err
	}
	if err := unwatched(op, t, src); err != nil {
		return err
	}
	if err := t.checkNoOverlap(op); err != nil {
		return err
	}
	return t.writable(op)
}

// writeByIDs writes src to the elements of t that ids and masks select.
func (t *Tensor) writeByIDs(op string, src *Tensor, marks []idsOf, join string) error {
	if x := marks[0]; len(marks) == 1 && isMask(x.ids) && src.Rank() == 0 && join == "" {
		return t.writeByMask(op, src, x)
	}
	p, err := t.pairing(op, marks)
	if err != nil || p.flat.ElemCount() == 0 {
		return err
	}
	if p.flat.store == t.store {
		if p.flat, err = p.flat.copied(op); err != nil {
			return err
		}
	}
	target := t
	if !slices.IsSorted(p.perm) || !t.IsContiguous() || join != "" && t.dtype.IsSmallFloat() {
		if target, err = t.wide().copied(op); err != nil {
			return err
		}
	}
	rows, err := p.rows(op, target)
	if err != nil {
		return err
	}
	if !rows.IsContiguous() { // a permutation
		if rows, err = rows.copied(op); err != nil {
			return err
		}
	}
	ids, from, bad, err := p.spread(op, rows, src)
	if err != nil {
		return err
	}
	if err := rows.scatterInto(op, ids, from, p.at, join, bad); err != nil || rows.store == t.store {
		return err
	}
	return Catch(func() error { // back to where the elements came from
		whole := rows.ToDType(t.dtype).Reshape(t.view(t.layout.Permute(p.perm)).Dims()...)
		return t.view(t.layout.Permute(p.perm)).set(op, whole)
	})
}

// writeByMask is writeByIDs for a number where a mask is set, which need not know where that is.
func (t *Tensor) writeByMask(op string, src *Tensor, mark idsOf) error {
	if err := t.fitsMask(op, mark.ids, mark.dim); err != nil {
		return err
	}
	rest := t.Rank() - mark.dim - mark.ids.Rank()
	shape := slices.Concat(mark.ids.layout.Shape, slices.Repeat([]int{1}, rest))
	mask, err := mark.ids.reshape(op, shape)
	if err != nil {
		return err
	}
	if mask, err = mask.broadcastAs(op, t.layout.Shape); err != nil {
		return err
	}
	chosen, err := mask.where(op, src, t)
	if err != nil {
		return err
	}
	return t.set(op, chosen)
}

// spread returns ids and elements of one shape for a scatter to rows, and the error for an id that is out of range.
func (p *pairing) spread(op string, rows, src *Tensor) (ids, from *Tensor, bad backend.IndexErrorFunc, err error) {
	before, after := rows.layout.Shape[:p.at], rows.layout.Shape[p.at+1:]
	if from, err = src.broadcastAs(op, slices.Concat(before, p.shape, after)); err != nil {
		return nil, nil, nil, err
	}
	count := p.flat.ElemCount()
	each := slices.Concat(before, []int{count}, after)
	if from, err = from.reshape(op, each); err != nil {
		return nil, nil, nil, err
	}
	if from, err = from.toDType(op, rows.dtype); err != nil {
		return nil, nil, nil, err
	}
	line := slices.Repeat([]int{1}, rows.Rank())
	line[p.at] = count
	if ids, err = p.flat.reshape(op, line); err != nil {
		return nil, nil, nil, err
	}
	if ids, err = ids.broadcastAs(op, each); err != nil {
		return nil, nil, nil, err
	}
	right := backend.Product(after)
	return ids, from, func(position int) error { return p.bad(position / right % count) }, nil
}

// put writes to elements by their positions in row-major order.
func (t *Tensor) put(ids, src *Tensor) error {
	const op = "put"
	if ids == nil {
		return fault(op, ErrShape, []*Tensor{t}, "ids are nil")
	}
	if !t.IsContiguous() {
		return fault(op, ErrShape, []*Tensor{t}, "the tensor is not contiguous").note("x.Contiguous() is")
	}
	flat := t.plain().view(backend.Dense([]int{t.ElemCount()}))
	flat.layout.Offset = t.layout.Offset
	if err := t.writable(op); err != nil {
		return err
	}
	return flat.writeI(op, src, []any{ids}, "")
}

func (t *Tensor) take(ids *Tensor) (*Tensor, error) {
	flat, err := t.reshape("take", []int{t.ElemCount()})
	if err != nil {
		return nil, err
	}
	return flat.i(ids)
}
