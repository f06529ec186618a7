package tensor

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// Range is a selection of elements of a dim: those from Start up to but without End, every Step-th of them. Negative
// numbers count from the end. An End of math.MaxInt means up to the last element, a Step of 0 means 1. With a negative
// Step the elements come in the opposite order: a Start of 0 then means the last element, and an End of math.MaxInt
// down to the first. It is made by R, From, Until, All and By.
type Range struct{ Start, End, Step int }

// All is the Range of all elements of a dim.
var All = Range{End: math.MaxInt}

// R is the Range of the elements from start up to but without end, start:end in Python. There are none when end comes
// before start.
func R(start, end int) Range { return Range{Start: start, End: end} }

// From is the Range of the elements from start on, start: in Python.
func From(start int) Range { return Range{Start: start, End: math.MaxInt} }

// Until is the Range of the elements before end, :end in Python.
func Until(end int) Range { return Range{End: end} }

// By keeps every step-th element of a Range, beginning with its first. All.By(-1) reverses a dim, as ::-1 does in
// Python, and R(5, 2).By(-1) selects the elements 5, 4 and 3.
func (r Range) By(step int) Range {
	r.Step = step
	return r
}

// String returns the range as Python writes it.
func (r Range) String() string { return shapes.RangeText(r.Start, r.End, r.Step) }

// resolve returns the first element in memory, how many there are from there to the last one of the range, and the
// step, in dim d of t. A negative step is for elements that follow each other in the opposite order.
func (r Range) resolve(op string, t *Tensor, d int) (start, n, step int, err error) {
	size := t.layout.Shape[d]
	start, n, step, ok := shapes.Range(r.Start, r.End, r.Step, size)
	if !ok {
		return 0, 0, 0, fault(op, ErrIndex, []*Tensor{t}, "the range %v goes beyond dim %d, which has %d, of shape %v",
			r, d, size, t.layout.Shape)
	}
	return start, n, step, nil
}

// slice keeps the elements of dim d that r selects: as a view, or as a copy if the step is negative. Errors name the
// dim of the tensor that it came from.
func (t *Tensor) slice(op string, of *Tensor, dim, d int, r Range) (*Tensor, error) {
	start, n, step, err := r.resolve(op, of, dim)
	if err != nil {
		return nil, err
	}
	if step > 0 {
		return t.part(d, start, n, step), nil
	}
	return Try(func() *Tensor { return t.part(d, start, n, -step).Flip(d) })
}
