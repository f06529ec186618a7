package shapes

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Check refuses negative sizes, and more elements than memory can address. size is that of an element in bytes.
func Check(shape []int, size int) error {
	n := size
	for _, d := range shape {
		if d < 0 {
			return &backend.ShapeError{Shape: shape, Message: fmt.Sprintf("negative size in shape %v", shape)}
		}
	}
	for _, d := range shape {
		if d == 0 {
			return nil
		}
		if n > math.MaxInt/d {
			return &backend.ShapeError{Shape: shape, Message: fmt.Sprintf("shape %v has too many elements", shape)}
		}
		n *= d
	}
	return nil
}

// Infer replaces the one -1 in shape so that it has n elements. Without -1 it returns shape itself.
func Infer(shape []int, n int) ([]int, error) {
	hole, known := -1, 1
	for i, d := range shape {
		switch {
		case d == -1 && hole < 0:
			hole = i
		case d == -1:
			return nil, &backend.ShapeError{Shape: shape, Message: fmt.Sprintf("more than one -1 in shape %v", shape)}
		case d < 0:
			return nil, &backend.ShapeError{Shape: shape, Message: fmt.Sprintf("negative size in shape %v", shape)}
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
		e := &backend.ShapeError{Shape: shape, Message: fmt.Sprintf("%d elements do not fit shape %v", n, shape)}
		if hole < 0 {
			e.Message += fmt.Sprintf(", which has %d", known)
		}
		return nil, e
	}
	return shape, nil
}

// Broadcast returns the shape to which both broadcast, by NumPy's rule: dims are matched from the right, and a dim of
// size 1 or a missing one takes the other's size. It returns false where sizes differ.
func Broadcast(a, b []int) ([]int, bool) {
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

// Inverse is the order of dims that undoes a permutation of them.
func Inverse(order []int) []int {
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	return back
}
