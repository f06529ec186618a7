package random

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
)

// Permutation returns the integers from 0 to n-1 in random order, with type U32, as torch.randperm does: the order
// that sorts n random keys of 64 bits.
func (g *Generator) Permutation(n int, dev *tensor.Device) *tensor.Tensor {
	c := g.call("permutation", []int{n}, tensor.U32, dev)
	return draw.Order(c.Into, g.take(fours(n)))
}

// Shuffle returns the slices of x along a dim in random order: the elements of a vector, the rows of a matrix for dim
// 0.
func (g *Generator) Shuffle(x *tensor.Tensor, dim int) *tensor.Tensor {
	dim = x.NormalizeAxis(dim)
	return x.IndexSelect(g.Permutation(x.Dim(dim), x.Device()), dim)
}

// Choice returns count slices of x along dim 0, such as elements of a vector or rows of a matrix, in the order in
// which they were drawn: with replacement, or each at most once. weights are their relative probabilities, a vector;
// nil means equal ones. It panics with ErrValue when there are not so many slices, or weights above 0.
func (g *Generator) Choice(x *tensor.Tensor, count int, replace bool, weights *tensor.Tensor) *tensor.Tensor {
	const op = "choice"
	if x.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{x}, "want a vector or a tensor of slices, not a scalar")
	}
	n, dev := x.Dim(0), x.Device()
	switch {
	case weights != nil:
		if weights.Rank() != 1 || weights.Dim(0) != n {
			extend.Shape(op, []*tensor.Tensor{x, weights},
				"want a vector of %d weights, not shape %v", n, weights.Dims())
		}
		return x.IndexSelect(g.Multinomial(weights, count, replace), 0)
	case count < 0 || count > n && !replace || count > 0 && n == 0:
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{x}, "", "%d of %d slices", count, n)
	case !replace:
		return x.IndexSelect(g.Permutation(n, dev).Narrow(0, 0, count), 0)
	case count == 0:
		return x.Narrow(0, 0, 0)
	}
	return x.IndexSelect(g.Integers(0, n, []int{count}, tensor.U32, dev), 0)
}

// Multinomial returns indices of weights [n] or of each row of weights [… n], drawn with probabilities proportional
// to them, with type U32, as torch.multinomial does: [count] or [… count]. Weights are numbers from 0 on, with a sum
// above 0 in each row, of any real type. Without replacement an index occurs once in a row at most. The call waits
// for the device. It panics with ErrValue for other weights, and when there are less than count above 0.
func (g *Generator) Multinomial(weights *tensor.Tensor, count int, replace bool) *tensor.Tensor {
	const op = "multinomial"
	if weights.Rank() == 0 || weights.Dim(-1) == 0 {
		extend.Shape(op, []*tensor.Tensor{weights}, "want at least one weight, not shape %v", weights.Dims())
	}
	shape := weights.Dims()
	shape[len(shape)-1] = count
	c := g.call(op, shape, tensor.F64, weights.Device())
	domain.FromZero("a weight").Elements(c.Op, weights)
	w := weights.Detach().ToDType(tensor.F64)
	if w.ElemCount() == 0 || count == 0 {
		return c.Device.Zeros(tensor.U32, shape...)
	}
	want := 1
	if !replace {
		want = count
	}
	if have := int(w.CountNonzero(-1).Min().ToScalar()); have < want {
		extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{weights}, "",
			"%d weights are above 0: want at least %d", have, want)
	}
	// no row overflows
	w = w.Div(w.MaxKeepDim(-1))
	if !replace {
		c.Shape = w.Dims()
		_, ids := c.logUniform().Neg().Div(w).TopK(count, -1, false)
		return ids
	}
	sums := w.CumSum(-1)
	total := sums.Narrow(-1, sums.Dim(-1)-1, 1)
	return sums.SearchSorted(c.standard(false, 0, 1).Mul(total), true)
}
