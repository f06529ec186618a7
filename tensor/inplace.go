package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Operations that write to the elements of a tensor. They take effect in the order of the calls, on every device.

func (t *Tensor) constSet(value any) error { return t.filled("const set", value) }

func (t *Tensor) zeroSet() error { return t.filled("zero set", 0) }

func (t *Tensor) oneSet() error { return t.filled("one set", 1) }

func (t *Tensor) filled(op string, value any) error {
	s, err := number(op, value, t.dtype)
	if err != nil {
		return err
	}
	if err := t.writable(op); err != nil || t.ElemCount() == 0 {
		return err
	}
	return failure(op, t.dev, t.dev.fill(t.overwriteOperand(), s))
}

func (t *Tensor) copySet(src *Tensor) error {
	const op = "copy set"
	if src == t {
		return t.writable(op)
	}
	if src == nil || src.dev == t.dev {
		return t.set(op, src)
	}
	if t.dev.IsCPU() && t.IsContiguous() && src.dtype == t.dtype && slices.Equal(src.layout.Shape, t.layout.Shape) &&
		t.ElemCount() > 0 {
		return t.fetchFrom(op, src)
	}
	over, err := src.toDevice(op, t.dev)
	if err != nil {
		return err
	}
	return t.set(op, over)
}

// fetchFrom copies elements from a GPU directly to those of t.
func (t *Tensor) fetchFrom(op string, src *Tensor) error {
	if err := unwatched(op, t, src); err != nil {
		return err
	}
	if err := t.writable(op); err != nil {
		return err
	}
	h := t.prepareOverwrite().(*host.Storage)
	return src.readTo(op, h.Data[t.layout.Offset*t.dtype.Size():][:t.Bytes()])
}

// set writes src, broadcast to the shape of t, to the elements of t.
func (t *Tensor) set(op string, src *Tensor) error {
	if err := t.checkWrite(op, src); err != nil {
		return err
	}
	from, err := src.broadcastAs(op, t.layout.Shape)
	if err != nil || t.ElemCount() == 0 {
		return err
	}
	return failure(op, t.dev, t.dev.backend.Copy(from.operand(), t.overwriteOperand()))
}

// checkWrite checks that the elements of src can be written to those of t, whatever the shapes.
func (t *Tensor) checkWrite(op string, src *Tensor) error {
	if src == nil {
		return fault(op, ErrShape, []*Tensor{t}, "the other tensor is nil")
	}
	if err := sameDevice(op, t, src); err != nil {
		return err
	}
	if src.dtype != t.dtype {
		return t.dtypesDifferInto(op, src)
	}
	if src.store == t.store {
		return fault(op, ErrShape, []*Tensor{t, src}, "the other tensor shares the elements that are written to").
			note("src.Copy() has its own")
	}
	if err := unwatched(op, t, src); err != nil {
		return err
	}
	if err := t.checkNoOverlap(op); err != nil {
		return err
	}
	return t.writable(op)
}

// checkNoOverlap checks that no two elements of t share memory.
func (t *Tensor) checkNoOverlap(op string) error {
	if t.layout.MayOverlap() {
		return fault(op, ErrShape, []*Tensor{t}, "elements of the view repeat (%v)", t.layout).
			note("x.Copy() has elements of its own")
	}
	return nil
}

func (t *Tensor) sliceSet(src *Tensor, dim, offset int) error {
	return t.setSlice("slice set", src, dim, offset)
}

func (t *Tensor) setSlice(op string, src *Tensor, dim, offset int) error {
	d, err := t.axis(op, dim)
	if err != nil {
		return err
	}
	if err := t.checkWrite(op, src); err != nil {
		return err
	}
	want := t.Dims()
	if src.Rank() == t.Rank() {
		want[d] = src.layout.Shape[d]
	}
	if !slices.Equal(src.layout.Shape, want) || offset < 0 || offset > t.layout.Shape[d]-want[d] {
		return fault(op, ErrShape, []*Tensor{t, src}, "shape %v does not fit shape %v at %d of dim %d",
			src.layout.Shape, t.layout.Shape, offset, dim)
	}
	return t.view(t.layout.Narrow(d, offset, want[d])).set(op, src)
}

func (t *Tensor) scatterSet(ids, src *Tensor, dim int) error {
	return t.scatterTo("scatter set", ids, src, dim, "")
}

func (t *Tensor) scatterAddSet(ids, src *Tensor, dim int) error {
	return t.scatterTo("scatter add set", ids, src, dim, "add")
}

func (t *Tensor) scatterTo(op string, ids, src *Tensor, dim int, join string) error {
	if err := t.checkWrite(op, src); err != nil {
		return err
	}
	if ids != nil && ids.store == t.store {
		return fault(op, ErrShape, []*Tensor{t, ids},
			"ids share the elements that are written to").note("ids.Copy() has its own")
	}
	if join != "" && t.dtype.IsSmallFloat() { // added in F32 and rounded once
		sum, err := t.plain().scattered(op, ids, src, dim, "add")
		if err != nil {
			return err
		}
		return t.set(op, sum)
	}
	d, ids, err := t.scatterArgs(op, ids, src, dim)
	if err != nil || ids.ElemCount() == 0 {
		return err
	}
	return t.scatterInto(op, ids, src, d, join, t.outOfRange(op, ids, d))
}
