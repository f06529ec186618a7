package tensor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// The shape rules, one function per kind of operation. Backends never compute a shape.

// checkShape refuses negative sizes and counts beyond what memory can address.
func checkShape(op string, shape []int, dt DType) error {
	if err := shapes.Check(shape, dt.Size()); err != nil {
		return faultBelow(op, err)
	}
	return nil
}

// inferShape replaces the one -1 in shape so that it has n elements. Without -1 it returns shape itself.
func inferShape(op string, shape []int, n int) ([]int, error) {
	shape, err := shapes.Infer(shape, n)
	if err != nil {
		return nil, faultBelow(op, err)
	}
	return shape, nil
}

// broadcastTogether checks that tensors share device and dtype and broadcasts them to one shape.
func broadcastTogether(op string, ts ...*Tensor) ([]*Tensor, error) {
	if err := sameDevice(op, ts...); err != nil {
		return nil, err
	}
	for _, t := range ts[1:] {
		if t.dtype != ts[0].dtype {
			return nil, dtypesDiffer(op, ts[0], t, "a", "b")
		}
	}
	return broadcastAll(op, ts...)
}

func sameDevice(op string, ts ...*Tensor) error {
	for _, t := range ts {
		if err := t.alive(op); err != nil {
			return err
		}
	}
	for _, t := range ts[1:] {
		if t.dev != ts[0].dev {
			return fault(op, ErrDevice, ts, "tensors are on different devices: %s and %s", ts[0].dev.Location(),
				t.dev.Location()).
				note("move one of them first, as in %s", ts[0].dev.moveHint("b", "a"))
		}
	}
	return nil
}

// broadcastAll broadcasts tensors to one shape, in place.
func broadcastAll(op string, ts ...*Tensor) ([]*Tensor, error) {
	shape := ts[0].layout.Shape
	for _, t := range ts[1:] {
		if slices.Equal(shape, t.layout.Shape) {
			continue
		}
		s, ok := shapes.Broadcast(shape, t.layout.Shape)
		if !ok {
			return nil, broadcastError(op, ts)
		}
		shape = s
	}
	for i, t := range ts {
		if !slices.Equal(t.layout.Shape, shape) {
			l, _ := t.layout.Broadcast(shape)
			ts[i] = t.broadcastView(l)
		}
	}
	return ts, nil
}

func broadcastError(op string, ts []*Tensor) error {
	texts := make([]string, len(ts))
	for i, t := range ts {
		texts[i] = fmt.Sprint(t.layout.Shape)
	}
	e := fault(op, ErrShape, ts, "shapes do not broadcast: %s", strings.Join(texts, " and "))
	if len(ts) == 2 {
		where, note := shapes.NoBroadcast(ts[0].layout.Shape, ts[1].layout.Shape)
		e.Message += where
		e.note("%s", note)
	}
	return e
}
