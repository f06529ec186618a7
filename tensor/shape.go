package tensor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// The shape rules, one function per kind of operation. Backends never compute a shape.

// commas writes a shape as [2, 3].
func commas(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

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
		a, b := ts[0].layout.Shape, ts[1].layout.Shape
		for i := 1; i <= min(len(a), len(b)); i++ {
			if x, y := a[len(a)-i], b[len(b)-i]; x != y && x != 1 && y != 1 {
				e.Message += fmt.Sprintf(" (%d ≠ %d in dim -%d)", x, y, i)
				break
			}
		}
		if len(a) == 2 && len(b) == 1 && a[0] == b[0] {
			e.note("dims are matched from the right; b.Unsqueeze(1) has shape [%d 1] and is broadcast along the rows",
				b[0])
		} else if len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0] {
			e.note("b.T() has shape %v", a)
		} else {
			e.note("dims are matched from the right and must be equal or 1")
		}
	}
	return e
}
