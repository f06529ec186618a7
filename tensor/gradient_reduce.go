package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// The gradients of reductions, and of the rotation of pairs.

// reduced records that y is a reduction of t over dims.
func (t *Tensor) reduced(name string, y *Tensor, dims []int) *Tensor {
	keep := slices.Clone(t.layout.Shape)
	n := 1
	for _, d := range dims {
		n *= keep[d]
		keep[d] = 1
	}
	shape := t.layout.Shape
	spread := func(g *Tensor) *Tensor { return g.Reshape(keep...).BroadcastAs(shape...) }
	switch name {
	case "sum":
		return y.by(name, via{t, spread})
	case "mean":
		return y.by(name, via{t, func(g *Tensor) *Tensor { return spread(g.wide().Div(max(n, 1)).ToDType(g.dtype)) }})
	}
	x := t.plain()
	if name == "prod" {
		return y.by(name, via{t, func(g *Tensor) *Tensor { return x.productGradient(spread(g), dims) }})
	}
	return y.by(name, via{t, func(g *Tensor) *Tensor { // equal maxima share the gradient
		is := x.Eq(y.plain().Reshape(keep...))
		share := g.wide().Reshape(keep...).Div(is.ToDType(g.wide().dtype).SumKeepDim(dims...))
		return is.WhereCond(share.ToDType(g.dtype), 0)
	}})
}

// productGradient is that of the product of t along dims, for the gradient g of the product at each element: the
// product of the other elements. One zero leaves a gradient to itself alone, two zeros leave none.
func (t *Tensor) productGradient(g *Tensor, dims []int) *Tensor {
	x := t.wide()
	if tracked(x) { // where there are zeros, the formula below has no gradient
		return g.wide().Mul(x.productsOfOthers(dims)).ToDType(g.dtype)
	}
	isZero := x.Eq(0)
	others := isZero.WhereCond(1, x)
	zeros := must(isZero.fold("sum", dims, true))
	product := must(others.fold("prod", dims, true))
	each := isZero.WhereCond(zeros.Eq(1), zeros.Eq(0)).WhereCond(product.Div(others), 0)
	return g.wide().Mul(each).ToDType(g.dtype)
}

// productsOfOthers returns, for each element of t, the product of all others along dims.
func (t *Tensor) productsOfOthers(dims []int) *Tensor {
	order := make([]int, 0, t.Rank())
	for d := range t.Rank() {
		if !slices.Contains(dims, d) {
			order = append(order, d)
		}
	}
	order = append(order, dims...)
	x := t.Permute(order...)
	rows := x.Reshape(-1, backend.Product(x.layout.Shape[t.Rank()-len(dims):]))
	n := rows.Dim(1)
	before := rows.Pad(1, 1, 0, 1).CumProd(1).Narrow(1, 0, n)
	after := rows.Flip(1).Pad(1, 1, 0, 1).CumProd(1).Narrow(1, 0, n).Flip(1)
	return before.Mul(after).Reshape(x.layout.Shape...).Permute(shapes.Inverse(order)...)
}

// rotationGradients are those of the rotation of pairs. The gradient of the pairs is rotated back; those of cos and
// sin are sums over all pairs that an angle has rotated.
func rotationGradients(op string, t, cos, sin *Tensor, dim int, interleaved bool) []via {
	x, c, s := t.plain(), cos.plain(), sin.plain()
	// angle reduces products of pairs [batch, …, half] to the shape of cos.
	angle := func(p *Tensor, dt DType) *Tensor {
		other := 3 - dim // the dim of heads
		p = p.SumKeepDim(other).Squeeze(other)
		if len(c.layout.Shape) == 2 {
			p = p.Sum(0)
		}
		return p.Pad(-2, 0, c.Dim(-2)-p.Dim(-2), 0).ToDType(dt) // cos may have more positions
	}
	pairs := func(x *Tensor) (a, b *Tensor) {
		half := x.Dim(-1) / 2
		if interleaved {
			x = x.Reshape(x.Dim(0), x.Dim(1), x.Dim(2), half, 2)
			return x.GetOnDim(-1, 0), x.GetOnDim(-1, 1)
		}
		return x.Narrow(-1, 0, half), x.Narrow(-1, half, half)
	}
	return []via{
		{t, func(g *Tensor) *Tensor { return must(g.rotate(op, c, s.Neg(), dim, interleaved)) }},
		{cos, func(g *Tensor) *Tensor {
			a, b := pairs(x.wide())
			ga, gb := pairs(g.wide())
			return angle(ga.Mul(a).Add(gb.Mul(b)), g.dtype)
		}},
		{sin, func(g *Tensor) *Tensor {
			a, b := pairs(x.wide())
			ga, gb := pairs(g.wide())
			return angle(gb.Mul(a).Sub(ga.Mul(b)), g.dtype)
		}},
	}
}
