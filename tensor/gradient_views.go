package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// The gradients of views: the gradient of a view's elements, at their positions in the whole.

// reshaped is a view with another shape of as many elements.
func (t *Tensor) reshaped(l backend.Layout) *Tensor {
	v := t.view(l)
	if shape := t.layout.Shape; tracked(t) {
		v.by("reshape", via{t, func(g *Tensor) *Tensor { return g.Reshape(shape...) }})
	}
	return v
}

// swapped is a view with two dims swapped.
func (t *Tensor) swapped(a, b int) *Tensor {
	v := t.view(t.layout.Transpose(a, b))
	if tracked(t) {
		v.by("transpose", via{t, func(g *Tensor) *Tensor { return g.Transpose(a, b) }})
	}
	return v
}

// broadcastView is a view in which elements repeat.
func (t *Tensor) broadcastView(l backend.Layout) *Tensor {
	v := t.view(l)
	if shape := t.layout.Shape; tracked(t) {
		v.by("broadcast", via{t, func(g *Tensor) *Tensor { return g.sumTo(shape) }})
	}
	return v
}

// part is a view of every step-th of n elements of dim d from start on.
func (t *Tensor) part(d, start, n, step int) *Tensor {
	v := t.view(t.layout.Narrow(d, start, n).Subsample(d, step))
	if tracked(t) {
		v.by("narrow", via{t, partGradient(t.layout, d, start, n, step)})
	}
	return v
}

// partGradient is the gradient of a part of a tensor with that layout. It is not part of part, so that views that are
// not tracked need one allocation less.
func partGradient(of backend.Layout, d, start, n, step int) func(g *Tensor) *Tensor {
	return func(g *Tensor) *Tensor {
		if step == 1 && n == of.Shape[d] {
			return g
		}
		if step == 1 && n > 0 && !tracked(g) {
			part := g.Detach()
			part.parts = &parts{of: of, dim: d, ranges: [][2]int{{start, start + n}}}
			return part
		}
		whole := g.dev.Zeros(g.dtype, of.Shape...)
		whole.view(whole.layout.Narrow(d, start, n).Subsample(d, step)).CopySet(g.Detach())
		if tracked(g) {
			whole.by("embed", via{g, func(h *Tensor) *Tensor { return h.part(d, start, n, step) }})
		}
		return whole
	}
}

// sumTo adds the elements that BroadcastAs has repeated, for a result of that shape.
func (t *Tensor) sumTo(shape []int) *Tensor {
	lead := t.Rank() - len(shape)
	var dims []int
	for d, n := range t.layout.Shape {
		if d < lead || shape[d-lead] != n {
			dims = append(dims, d)
		}
	}
	if len(dims) == 0 {
		return t
	}
	return t.SumKeepDim(dims...).Reshape(shape...)
}

// foldWindows adds the elements of windows at their positions in the dim: the gradient of Unfold.
func (t *Tensor) foldWindows(d, size, step int) func(g *Tensor) *Tensor {
	shape := t.layout.Shape
	return func(g *Tensor) *Tensor { // [… windows … size]
		count := g.layout.Shape[d]
		order := make([]int, 0, g.Rank()) // size moves behind the windows
		for i := range g.Rank() - 1 {
			if order = append(order, i); i == d {
				order = append(order, g.Rank()-1)
			}
		}
		flat := slices.Clone(shape)
		flat[d] = count * size
		ids := g.dev.Arange(I64, float64(count)).Mul(step).Unsqueeze(1).Add(g.dev.Arange(I64, float64(size)))
		return g.dev.Zeros(g.dtype, shape...).IndexAdd(ids.FlattenAll(), g.Permute(order...).Reshape(flat...), d)
	}
}

// replacement returns the gradients of a copy of t in which a part was replaced by src.
func (t *Tensor) replacement(src *Tensor, part func(x *Tensor) *Tensor) []via {
	shape := src.layout.Shape
	var rest func(g *Tensor) *Tensor // without the part; it is its own adjoint
	rest = func(g *Tensor) *Tensor {
		r := g.Detach().Copy()
		part(r).ZeroSet()
		if tracked(g) {
			r.by("rest", via{g, rest})
		}
		return r
	}
	return []via{
		{t, rest},
		{src, func(g *Tensor) *Tensor { return part(g).sumTo(shape) }},
	}
}
