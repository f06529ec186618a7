package tensor

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// The gradients of parts, as Narrow and Chunk return them. Such a gradient is 0 outside of the part. While gradients
// are added up, it has the elements of the part alone; those of parts that do not overlap are copied side by side. They
// get the order of dims in memory of the tensor whose parts they are, so that the gradient of a transposed one is dense
// once it is transposed back.

// parts says that a gradient is known in ranges of a dim, and is 0 elsewhere.
type parts struct {
	of     backend.Layout // of the tensor whose gradient it is
	dim    int
	ranges [][2]int // starts and ends, in order
	joined bool     // the tensor has the whole shape, and nobody else has it; elsewhere its elements are not set yet
}

// gradientShape is the shape of the tensor whose gradient t is.
func (t *Tensor) gradientShape() []int {
	if t.parts != nil {
		return t.parts.of.Shape
	}
	return t.layout.Shape
}

// accumulated returns the sum of gradients of one tensor, of which the first may be nil.
func accumulated(sum, d *Tensor, keep bool) *Tensor {
	if !keep && d.parts == nil {
		d = d.Detach()
	}
	if sum == nil {
		return d
	}
	if p, q := sum.parts, d.parts; p != nil && q != nil && p.dim == q.dim && !shapes.Overlap(p.ranges, q.ranges) {
		out := sum.side()
		out.setPart(d)
		return out
	}
	return sum.whole().Add(d.whole())
}

// side returns the gradient of a part in a tensor of the whole shape, beside which others are set.
func (t *Tensor) side() *Tensor {
	if t.parts.joined {
		return t
	}
	of := t.parts.of
	order := make([]int, of.Rank()) // of dims in memory
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of.Strides[b], of.Strides[a]) })
	shape := make([]int, len(order))
	for i, d := range order {
		shape[i] = of.Shape[d]
	}
	out := must(empty("gradient", shape, t.dtype, t.dev))
	out = out.view(out.layout.Permute(shapes.Inverse(order)))
	out.parts = &parts{of: of, dim: t.parts.dim, joined: true}
	out.setPart(t)
	return out
}

// setPart sets the ranges of the gradient d of a part, which is not joined.
func (t *Tensor) setPart(d *Tensor) {
	r := d.parts.ranges[0]
	t.view(t.layout.Narrow(t.parts.dim, r[0], r[1]-r[0])).CopySet(d.Detach())
	t.parts.ranges = append(t.parts.ranges, r)
	slices.SortFunc(t.parts.ranges, func(a, b [2]int) int { return a[0] - b[0] })
}

// whole returns the gradient of a part, or of parts, with zeros around it, and another tensor as it is.
func (t *Tensor) whole() *Tensor {
	if t.parts == nil {
		return t
	}
	out := t.side()
	p, end := out.parts, 0
	zero := func(to int) {
		if to > end {
			out.view(out.layout.Narrow(p.dim, end, to-end)).ZeroSet()
		}
	}
	for _, r := range p.ranges {
		zero(r[0])
		end = r[1]
	}
	zero(p.of.Shape[p.dim])
	return out.Detach()
}
