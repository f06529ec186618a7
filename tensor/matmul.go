package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// MatMul multiplies matrices: [m k] by [k n] gives [m n]. Dims before the last two are a batch and are broadcast. As in
// PyTorch, a vector on the left is a row, a vector on the right a column, and the dim of size 1 that this adds is
// dropped again, so two vectors give a scalar. Operands of different types are converted to their Promote type. F16,
// BF16 and F8E4M3 are added in F32. Integers wrap, as in PyTorch: convert them first where the sums leave the range of
// the type, as in x.ToDType(tensor.I64).
//
//	tensor.New([][]float32{{1, 2}, {3, 4}}).MatMul(tensor.Of(1, 10)) // [21, 43] f32
func (t *Tensor) MatMul(b *Tensor) *Tensor { return must(t.matmul("matmul", b)) }

// Dot returns the sum of the products of the elements of two vectors of one length, as a scalar of their Promote
// type. Integers wrap, as in PyTorch: masks that both mark are counted by a.Mul(b).Sum(). On the CPU products of F32
// and F64 are added as Sum adds.
func (t *Tensor) Dot(b *Tensor) *Tensor {
	if b == nil || t.Rank() != 1 || b.Rank() != 1 {
		check(notMatrices("dot", t, b, "want two vectors"))
	}
	return must(t.matmul("dot", b))
}

// Mv multiplies a matrix by a vector: [m k] by [k] gives [m].
func (t *Tensor) Mv(b *Tensor) *Tensor {
	if b == nil || t.Rank() != 2 || b.Rank() != 1 {
		check(notMatrices("mv", t, b, "want a matrix and a vector"))
	}
	return must(t.matmul("mv", b))
}

func notMatrices(op string, a, b *Tensor, want string) error {
	if b == nil {
		return fault(op, ErrShape, []*Tensor{a}, "the other tensor is nil")
	}
	return fault(op, ErrShape, []*Tensor{a, b}, "%s, not shapes %v and %v", want, a.layout.Shape, b.layout.Shape)
}

func (t *Tensor) matmul(op string, b *Tensor) (*Tensor, error) {
	if b == nil || t.Rank() == 0 || b.Rank() == 0 {
		return nil, notMatrices(op, t, b, "want vectors or matrices")
	}
	if err := sameDevice(op, t, b); err != nil {
		return nil, err
	}
	t, b = t.inAutocast(op), b.inAutocast(op)
	x, y := t, b
	// kernels add long dense vectors in lanes, and others one product after the other
	if t.Rank() == 1 && b.Rank() == 1 && !t.dev.IsCPU() {
		var err error
		if x, err = x.plain().contiguous(op); err != nil {
			return nil, err
		}
		if y, err = y.plain().contiguous(op); err != nil {
			return nil, err
		}
	}
	if t.Rank() == 1 {
		x = x.view(x.layout.InsertDim(0))
	}
	if b.Rank() == 1 {
		y = y.view(y.layout.InsertDim(1))
	}
	batch, err := matmulBatch(op, t, b, x, y)
	if err != nil {
		return nil, err
	}
	if t.dtype != b.dtype {
		if t, b, err = t.promoted(op, b, "a", "b"); err != nil {
			return nil, err
		}
		return t.matmul(op, b)
	}
	if t.dtype.IsComplex() {
		return t.complexMatmul(op, b)
	}
	if err := accepts(op, t, kernels.Numbers); err != nil {
		return nil, err
	}
	m, n := x.layout.Shape[x.Rank()-2], y.layout.Shape[y.Rank()-1]
	shape := append(make([]int, 0, len(batch)+2), batch...)
	if t.Rank() > 1 {
		shape = append(shape, m)
	}
	if b.Rank() > 1 {
		shape = append(shape, n)
	}
	out, err := multiply(op, x, y, batch, m, n, shape)
	if err != nil {
		return nil, err
	}
	if tracked(t, b) {
		out.by(op, matmulGradients(t, b, x, y, append(slices.Clone(batch), m, n))...)
	}
	return out, nil
}

// matmulBatch checks the shapes of x and y, made of the user's a and b, and returns the result's batch dims.
func matmulBatch(op string, a, b, x, y *Tensor) ([]int, error) {
	xs, ys := x.layout.Shape, y.layout.Shape
	k, k2 := xs[len(xs)-1], ys[len(ys)-2]
	if k != k2 {
		e := fault(op, ErrShape, []*Tensor{a, b}, "inner sizes differ: %v × %v (%d ≠ %d)", a.layout.Shape,
			b.layout.Shape, k, k2)
		return nil, noteTransposed(e, a, b)
	}
	batch, ok := shapes.Broadcast(xs[:len(xs)-2], ys[:len(ys)-2])
	if !ok {
		return nil, fault(op, ErrShape, []*Tensor{a, b}, "batch sizes differ: %v × %v", a.layout.Shape, b.layout.Shape).
			note("dims before the last two are matched from the right and must be equal or 1")
	}
	return batch, nil
}

// noteTransposed adds notes that say which transposed product would work.
func noteTransposed(e *Error, a, b *Tensor) *Error {
	as, bs := a.layout.Shape, b.layout.Shape
	if len(as) >= 2 && len(bs) == 1 && as[len(as)-2] == bs[0] {
		return e.note("a.T() has shape %v; a.T().MatMul(b) gives %v", a.T().layout.Shape,
			append(a.Dims()[:len(as)-2], as[len(as)-1]))
	}
	if len(as) < 2 || len(bs) < 2 {
		return e
	}
	m, k := as[len(as)-2], as[len(as)-1]
	k2, n := bs[len(bs)-2], bs[len(bs)-1]
	switch {
	case m == k2:
		e.note("a.T() has shape %v; a.T().MatMul(b) gives %v", a.T().layout.Shape, productShape(a.T(), b))
	case k == n:
		e.note("b.T() has shape %v; a.MatMul(b.T()) gives %v", b.T().layout.Shape, productShape(a, b.T()))
	case m == n:
		e.note("the other way round, b.MatMul(a) gives %v", productShape(b, a))
	}
	return e
}

func productShape(a, b *Tensor) string {
	as, bs := a.layout.Shape, b.layout.Shape
	batch, ok := shapes.Broadcast(as[:len(as)-2], bs[:len(bs)-2])
	if !ok {
		return "an error about the batch"
	}
	return fmt.Sprint(append(batch, as[len(as)-2], bs[len(bs)-1]))
}

// multiply computes the product of x [… m k] and y [… k n], whose batch dims broadcast to batch, as a dense tensor of
// a shape with as many elements.
func multiply(op string, x, y *Tensor, batch []int, m, n int, shape []int) (*Tensor, error) {
	k := x.layout.Shape[x.Rank()-1]
	count := backend.Product(batch)
	if count*m*n == 0 {
		return empty(op, shape, x.dtype, x.dev)
	}
	if k == 0 {
		return full(op, 0, shape, x.dtype, x.dev)
	}
	// One matrix on the right for a whole batch of rows: that is one tall product.
	if backend.Product(y.layout.Shape[:y.Rank()-2]) == 1 && count > 1 {
		if l, ok := x.layout.Reshape([]int{backend.Product(x.layout.Shape[:x.Rank()-1]), k}); ok &&
			backend.Product(l.Shape) == count*m*k {
			return multiply(op, x.view(l), y.view(y.layout.LastTwo()), nil, count*m, n, shape)
		}
	}
	x, xBatch, err := batched(op, x, batch)
	if err != nil {
		return nil, err
	}
	y, yBatch, err := batched(op, y, batch)
	if err != nil {
		return nil, err
	}
	xr, yr := x.layout.Strides[x.Rank()-2:], y.layout.Strides[y.Rank()-2:]
	p := kernels.MatMul{
		M: int64(m), N: int64(n), K: int64(k), Batch: int64(count),
		ARow: int64(xr[0]), ACol: int64(xr[1]), ABat: int64(xBatch),
		BRow: int64(yr[0]), BCol: int64(yr[1]), BBat: int64(yBatch),
		CRow: int64(n), CBat: int64(m * n),
	}
	if err := checkMemory(op, []int{count, m, n}, x.dtype, x.dev); err != nil {
		return nil, err
	}
	s, err := x.dev.backend.Matmul(x.operand(), y.operand(), p)
	if err != nil {
		return nil, failure(op, x.dev, err)
	}
	return dense(x.dev, x.dtype, shape, s), nil
}

// batched broadcasts a tensor to the batch dims and returns the one stride from matrix to matrix. Matrices without
// such a stride are copied.
func batched(op string, t *Tensor, batch []int) (*Tensor, int, error) {
	if own := t.layout.Shape[:t.Rank()-2]; slices.Equal(own, batch) { // the usual case
		if stride, ok := backend.CoalescedStride(batch, t.layout.Strides); ok {
			return t, stride, nil
		}
	}
	l, _ := t.layout.Broadcast(slices.Concat(batch, t.layout.Shape[t.Rank()-2:]))
	v := t.view(l)
	m := backend.Coalesce(batch, l.Strides[:len(batch)])
	if t.dev.backend.ReadsStrides() && len(m.Dims) <= kernels.MaxDims/2 {
		return v, m.Strides[0][0], nil // kernels take batches of any strides
	}
	if len(m.Dims) > 1 {
		c, err := v.copied(op)
		if err != nil {
			return nil, 0, err
		}
		v, m = c, backend.Coalesce(batch, c.layout.Strides[:len(batch)])
	}
	return v, m.Strides[0][0], nil
}
