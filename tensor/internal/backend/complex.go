package backend

import (
	"slices"
)

// Reals returns a complex operand as one of its parts: with a last dim of size 2 for the real and the imaginary part.
func (o Operand) Reals() Operand {
	return Operand{Store: o.Store, DType: o.DType.Real(), Layout: o.Layout.Pairs()}
}

// Part returns the real (0) or imaginary (1) parts of a complex operand.
func (o Operand) Part(i int) Operand {
	r := o.Reals()
	r.Layout = r.Layout.Narrow(len(o.Layout.Shape), i, 1).DropDim(len(o.Layout.Shape))
	return r
}

// Twice repeats every element, along a new last dim of size 2: the indices of the parts of complex numbers.
func (o Operand) Twice() Operand {
	l := Layout{Shape: append(slices.Clone(o.Layout.Shape), 2), Strides: append(slices.Clone(o.Layout.Strides), 0),
		Offset: o.Layout.Offset}
	return Operand{Store: o.Store, DType: o.DType, Layout: l}
}

// Pairs is the layout of the parts of elements that are pairs. They are the last dim.
func (l Layout) Pairs() Layout {
	strides := make([]int, 0, len(l.Strides)+1)
	for _, s := range l.Strides {
		strides = append(strides, 2*s)
	}
	return Layout{Shape: append(slices.Clone(l.Shape), 2), Strides: append(strides, 1), Offset: 2 * l.Offset}
}

// FromPairs is the inverse of Pairs. It reports false where the parts of an element are not adjacent, or elements are
// not at even positions.
func (l Layout) FromPairs() (Layout, bool) {
	last := len(l.Shape) - 1
	if last < 0 || l.Shape[last] != 2 || l.Strides[last] != 1 || l.Offset%2 != 0 {
		return Layout{}, false
	}
	p := Layout{Shape: slices.Clone(l.Shape[:last]), Strides: make([]int, last), Offset: l.Offset / 2}
	for d, s := range l.Strides[:last] {
		if s%2 != 0 && l.Shape[d] > 1 {
			return Layout{}, false
		}
		p.Strides[d] = s / 2
	}
	return p, true
}
