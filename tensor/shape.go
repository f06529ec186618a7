package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	n := dt.Size()
	for _, d := range shape {
		if d < 0 {
			return &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("negative size in shape %v", shape),
				Shapes: [][]int{shape}}
		}
	}
	for _, d := range shape {
		if d == 0 {
			return nil
		}
		if n > math.MaxInt/d {
			return &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("shape %v has too many elements", shape),
				Shapes: [][]int{shape}}
		}
		n *= d
	}
	return nil
}

// inferShape replaces the one -1 in shape so that it has n elements. Without -1 it returns shape itself.
func inferShape(op string, shape []int, n int) ([]int, error) {
	hole, known := -1, 1
	for i, d := range shape {
		switch {
		case d == -1 && hole < 0:
			hole = i
		case d == -1:
			return nil, &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("more than one -1 in shape %v", shape),
				Shapes: [][]int{shape}}
		case d < 0:
			return nil, &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("negative size in shape %v", shape),
				Shapes: [][]int{shape}}
		default:
			known *= d
		}
	}
	if hole >= 0 && known > 0 && n%known == 0 {
		shape = slices.Clone(shape)
		shape[hole] = n / known
		return shape, nil
	}
	if hole >= 0 || known != n {
		e := &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("%d elements do not fit shape %v", n, shape),
			Shapes: [][]int{shape}}
		if hole < 0 {
			e.Message += fmt.Sprintf(", which has %d", known)
		}
		return nil, e
	}
	return shape, nil
}

// broadcastShapes returns the shape to which both broadcast, by NumPy's rule: dims are matched from the right, and a
// dim of size 1 or a missing one takes the other's size.
func broadcastShapes(a, b []int) ([]int, bool) {
	out := make([]int, max(len(a), len(b)))
	for i := 1; i <= len(out); i++ {
		x, y := 1, 1
		if i <= len(a) {
			x = a[len(a)-i]
		}
		if i <= len(b) {
			y = b[len(b)-i]
		}
		switch {
		case x == y || y == 1:
			out[len(out)-i] = x
		case x == 1:
			out[len(out)-i] = y
		default:
			return nil, false
		}
	}
	return out, true
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
		s, ok := broadcastShapes(shape, t.layout.Shape)
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
	shapes := make([]string, len(ts))
	for i, t := range ts {
		shapes[i] = fmt.Sprint(t.layout.Shape)
	}
	e := fault(op, ErrShape, ts, "shapes do not broadcast: %s", strings.Join(shapes, " and "))
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
