package tensor

// matmulGradients are those of the product, of that shape, of x and y, which are the user's a and b as matrices.
func matmulGradients(a, b, x, y *Tensor, shape []int) []via {
	left, right := a.layout.Shape, b.layout.Shape
	rows, cols := x.layout.Shape, y.layout.Shape
	pa, pb := a.plain(), b.plain()
	return []via{
		{a, func(g *Tensor) *Tensor {
			return g.Reshape(shape...).MatMul(pb.Reshape(cols...).T()).sumTo(rows).Reshape(left...)
		}},
		{b, func(g *Tensor) *Tensor {
			g = g.Reshape(shape...)
			x, y := pa.Reshape(rows...), pb.Reshape(cols...)
			if x.Rank() > 2 && y.Rank() == 2 { // one matrix for the whole batch: one product over all rows
				x, g = x.Reshape(-1, x.Dim(-1)), g.Reshape(-1, g.Dim(-1))
			}
			if s := y.layout.Strides; y.Rank() == 2 && x.Rank() == 2 && s[0] == 1 && s[1] > 1 { // a view of its transpose
				return g.T().MatMul(x).T().Reshape(right...)
			}
			return x.T().MatMul(g).sumTo(y.layout.Shape).Reshape(right...)
		}},
	}
}
