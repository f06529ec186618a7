package linalg

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Outer returns the products [m n] of every element of x with every element of y, which have m and n elements.
func Outer(x, y *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice("outer", x, y)
	return x.FlattenAll().Unsqueeze(1).Mul(y.FlattenAll())
}

// VDot returns the sum of the products of the elements of x, conjugated if they are complex, and y, which have equally
// many.
func VDot(x, y *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice("vdot", x, y)
	if x.ElemCount() != y.ElemCount() {
		extend.Shape("vdot", []*tensor.Tensor{x, y}, "%d elements and %d", x.ElemCount(), y.ElemCount())
	}
	dt, err := tensor.Promote(x.DType(), y.DType())
	if err != nil {
		extend.DType("vdot", []*tensor.Tensor{x, y}, "%v and %v have no common type", x.DType(), y.DType())
	}
	return x.FlattenAll().ToDType(dt).Conj().Dot(y.FlattenAll().ToDType(dt))
}

// Kron returns the Kronecker product of x and y: every element of x times y. Sizes of the result are the products of
// those of x and y; a shape with fewer dims has ones before.
func Kron(x, y *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice("kron", x, y)
	rank := max(x.Rank(), y.Rank())
	a, b := padded(x.Dims(), rank), padded(y.Dims(), rank)
	var left, right, shape []int
	for d := range rank {
		left, right, shape = append(left, a[d], 1), append(right, 1, b[d]), append(shape, a[d]*b[d])
	}
	return x.Reshape(left...).Mul(y.Reshape(right...)).Reshape(shape...)
}

func padded(shape []int, rank int) []int {
	return append(slices.Repeat([]int{1}, rank-len(shape)), shape...)
}

// Cross returns the cross products of vectors along a dim of size 3 of x and y, which are broadcast to one shape.
func Cross(x, y *tensor.Tensor, dim int) *tensor.Tensor {
	const op = "cross"
	extend.SameDevice(op, x, y)
	for _, t := range []*tensor.Tensor{x, y} {
		if dim < -t.Rank() || dim >= t.Rank() || t.Dim(dim) != 3 {
			extend.Shape(op, []*tensor.Tensor{x, y}, "want three elements along dim %d, not a shape of %v", dim,
				t.Dims())
		}
	}
	return x.Roll(-1, dim).Mul(y.Roll(-2, dim)).Sub(x.Roll(-2, dim).Mul(y.Roll(-1, dim)))
}

// TensorDot returns the sums of products of x and y over the last n dims of x and the first n dims of y, which have the
// same sizes. The other dims of x, then those of y, are the dims of the result.
func TensorDot(x, y *tensor.Tensor, n int) *tensor.Tensor {
	const op = "tensordot"
	extend.SameDevice(op, x, y)
	if n < 0 || n > x.Rank() || n > y.Rank() {
		extend.Shape(op, []*tensor.Tensor{x, y}, "%d dims of shapes %v and %v", n, x.Dims(), y.Dims())
	}
	a, b := make([]int, n), make([]int, n)
	for i := range n {
		a[i], b[i] = x.Rank()-n+i, i
	}
	return TensorDotDims(x, y, a, b)
}

// TensorDotDims is TensorDot over dims of x and of y, which are paired in the order given.
func TensorDotDims(x, y *tensor.Tensor, dimsX, dimsY []int) *tensor.Tensor {
	const op = "tensordot"
	extend.SameDevice(op, x, y)
	if len(dimsX) != len(dimsY) {
		extend.Shape(op, []*tensor.Tensor{x, y}, "%d dims and %d do not pair", len(dimsX), len(dimsY))
	}
	p := pairProduct(op, x, y)
	a, b := p.terms[0].labels, p.terms[1].labels
	for i := range dimsX {
		dx, dy := axis(op, x, dimsX[i]), axis(op, y, dimsY[i])
		if x.Dim(dx) != y.Dim(dy) {
			extend.Shape(op, []*tensor.Tensor{x, y}, "dim %d of %v and dim %d of %v differ in size", dx, x.Dims(), dy,
				y.Dims())
		}
		if slices.Contains(p.out, a[dx]) && slices.Contains(p.out, b[dy]) {
			p.out = slices.DeleteFunc(p.out, func(l label) bool { return l == a[dx] || l == b[dy] })
			b[dy] = a[dx]
			continue
		}
		extend.Shape(op, []*tensor.Tensor{x, y}, "a dim is named twice in %v or %v", dimsX, dimsY)
	}
	return p.contract()
}

// pairProduct returns the product of all elements of x with all of y.
func pairProduct(op string, x, y *tensor.Tensor) *product {
	dt, err := tensor.Promote(x.DType(), y.DType())
	if err != nil {
		extend.DType(op, []*tensor.Tensor{x, y}, "%v and %v have no common type", x.DType(), y.DType())
	}
	p := &product{op: op, given: []*tensor.Tensor{x, y}, size: map[label]int{}, dt: dt}
	next := 1
	for _, t := range p.given {
		labels := make([]label, t.Rank())
		for d := range labels {
			labels[d] = next
			p.size[next] = t.Dim(d)
			next++
		}
		p.terms, p.out = append(p.terms, term{t.ToDType(dt), labels}), append(p.out, labels...)
	}
	return p
}

// axis counts a dim from the front.
func axis(op string, x *tensor.Tensor, dim int) int {
	d := dim
	if d < 0 {
		d += x.Rank()
	}
	if d < 0 || d >= x.Rank() {
		extend.Fail(op, tensor.ErrIndex, []*tensor.Tensor{x}, "", "there is no dim %d in shape %v", dim, x.Dims())
	}
	return d
}

// MultiDot returns the product of matrices, in the order that takes the fewest multiplications. The first one may be a
// vector, which is a row, and the last one too, which is a column; the result has no dim for these.
func MultiDot(ms ...*tensor.Tensor) *tensor.Tensor {
	const op = "multi_dot"
	if len(ms) == 0 {
		extend.Shape(op, nil, "there are no matrices")
	}
	extend.SameDevice(op, ms...)
	p := &product{op: op, given: ms, size: map[label]int{}, dt: ms[0].DType()}
	for i, m := range ms {
		labels := []label{i + 1, i + 2}
		vector := m.Rank() == 1 && (i == 0 || i == len(ms)-1)
		switch {
		case vector && i == 0:
			labels = []label{2}
		case vector:
			labels = []label{i + 1}
		case m.Rank() != 2:
			extend.Shape(op, ms, "want matrices, not shape %v", m.Dims())
		}
		for d, l := range labels {
			if n, ok := p.size[l]; ok && n != m.Dim(d) {
				extend.Shape(op, ms, "%v has %d rows, and the matrix before it %d columns", m.Dims(), m.Dim(d), n)
			}
			p.size[l] = m.Dim(d)
		}
		dt, err := tensor.Promote(p.dt, m.DType())
		if err != nil {
			extend.DType(op, ms, "%v and %v have no common type", p.dt, m.DType())
		}
		p.dt = dt
		p.terms = append(p.terms, term{m, labels})
	}
	for i := range p.terms {
		p.terms[i].x = p.terms[i].x.ToDType(p.dt)
	}
	for _, l := range []label{1, len(ms) + 1} {
		if _, ok := p.size[l]; ok {
			p.out = append(p.out, l)
		}
	}
	return p.contract()
}
