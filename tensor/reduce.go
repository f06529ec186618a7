package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// reduce folds dims that have been resolved. They disappear, or stay with size 1 if keep is set.
func (t *Tensor) reduce(name string, dims []int, keep bool) (*Tensor, error) {
	if t.dtype.IsComplex() {
		return t.complexReduce(name, dims, keep)
	}
	t = t.inAutocast(name)
	y, err := t.fold(name, dims, keep)
	if err == nil && tracked(t) {
		t.reduced(name, y, dims)
	}
	return y, err
}

func (t *Tensor) fold(name string, dims []int, keep bool) (*Tensor, error) {
	op := backend.ReduceOps[name]
	if err := accepts(name, t, op.On); err != nil {
		return nil, err
	}
	var order, kept, shape []int
	for d, size := range t.layout.Shape {
		switch {
		case !slices.Contains(dims, d):
			order = append(order, d)
			kept = append(kept, size)
			shape = append(shape, size)
		case keep:
			shape = append(shape, 1)
		}
	}
	rows, cols := backend.Product(kept), 1
	for _, d := range dims {
		cols *= t.layout.Shape[d]
	}
	dt := op.Out(t.dtype)
	if op.Arg && uint64(cols) > math.MaxUint32 {
		return nil, fault(name, ErrShape, []*Tensor{t}, "positions up to %d do not fit u32", cols)
	}
	if cols == 0 && !op.Empty {
		return nil, fault(name, ErrShape, []*Tensor{t}, "no elements to choose from in shape %v", t.layout.Shape)
	}
	if rows == 0 {
		return empty(name, shape, dt, t.dev)
	}
	if cols == 0 {
		return full(name, emptyFold(op, dt), shape, dt, t.dev)
	}
	switch {
	case name == "mean" && !t.dtype.IsFloat():
		return t.integerMean(dims, keep, cols)
	case op.Via != "":
		truth, err := t.truth(name)
		if err != nil {
			return nil, err
		}
		return truth.fold(op.Via, dims, keep)
	case op.To(t.dtype) != t.dtype:
		return Try(func() *Tensor {
			return must(must(t.plain().toDType(name, op.To(t.dtype))).fold(name, dims, keep)).ToDType(dt)
		})
	}
	in := t.deferrable()
	in.Layout = in.Layout.Permute(append(order, dims...))
	s, err := t.dev.backend.Reduce(op, in, rows, cols)
	if err != nil {
		return nil, failure(name, t.dev, err)
	}
	return dense(t.dev, dt, shape, s), nil
}

// integerMean is the mean of cols integers in each row. Sums of I64 might wrap.
func (t *Tensor) integerMean(dims []int, keep bool, cols int) (*Tensor, error) {
	x := t
	if t.dtype.Size() == 8 {
		x = t.ToDType(F64)
	}
	return Try(func() *Tensor { return must(x.fold("sum", dims, keep)).ToDType(F64).Div(cols).ToDType(F32) })
}

// emptyFold is the result of an op for no elements.
func emptyFold(op *kernels.ReduceOp, dt DType) any {
	if !dt.IsFloat() {
		return op.IntRef(dt)(nil)
	}
	return op.Ref(nil)
}

func (t *Tensor) reduceDims(name string, dims []int, keep bool) *Tensor {
	axes, err := t.axes(name, dims)
	check(err)
	if backend.ReduceOps[name].Arg && len(dims) > 1 {
		check(fault(name, ErrShape, []*Tensor{t}, "dims %v: an index belongs to one dim, or to all elements", dims).
			note("x.Flatten merges adjacent dims; without dims the index counts all elements in row-major order"))
	}
	return must(t.reduce(name, axes, keep))
}

// wide returns F16, BF16 and F8E4M3 as F32, for operations of several steps that round once.
func (t *Tensor) wide() *Tensor {
	if t.dtype.IsSmallFloat() {
		return t.ToDType(F32)
	}
	return t
}

// Softmax returns exp(x) / Σ exp(x) along a dim, computed without overflow. It takes float types only.
func (t *Tensor) Softmax(dim int) *Tensor { return must(t.softmax("softmax", dim, false)) }

// LogSoftmax returns log(Softmax(dim)), computed without overflow and without losing small values.
func (t *Tensor) LogSoftmax(dim int) *Tensor { return must(t.softmax("log softmax", dim, true)) }

func (t *Tensor) softmax(op string, dim int, log bool) (*Tensor, error) {
	t = t.inAutocast(op)
	y, err := t.plain().softmaxed(op, dim, log)
	if err == nil && tracked(t) {
		y.by(op, via{t, softmaxGradient(y, dim, log)})
	}
	return y, err
}

func (t *Tensor) softmaxed(op string, dim int, log bool) (*Tensor, error) {
	if err := accepts(op, t, kernels.Floats); err != nil {
		return nil, err
	}
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if b := t.dev.backend; b.ReadsStrides() {
		return t.result(op, t.dtype, func() (backend.Storage, error) { return b.Softmax(t.operand(), d, log) })
	}
	last := t.Rank() - 1
	x, err := t.view(t.layout.Transpose(d, last)).contiguous(op)
	if err != nil {
		return nil, err
	}
	y, err := x.result(op, x.dtype, func() (backend.Storage, error) {
		return x.dev.backend.Softmax(x.operand(), last, log)
	})
	if err != nil {
		return nil, err
	}
	return y.view(y.layout.Transpose(d, last)), nil
}

// sumType is the type of sums of elements of dt.
func sumType(dt DType) DType { return backend.ReduceOps["sum"].Out(dt) }
