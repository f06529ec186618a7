package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Operations that join the elements up to each one along a dim, and their gradients.

// scan runs a row of kernels.Scans. The result has the type in which the kernels compute, or is of positions.
func (t *Tensor) scan(name string, dim int) (*Tensor, error) {
	op := backend.ScanOps[name]
	if t.Rank() == 0 && (dim == 0 || dim == -1) {
		return Try(func() *Tensor { return must(t.reshaped(backend.Dense([]int{1})).scan(name, 0)).Reshape() })
	}
	d, err := t.axis(name, dim)
	if err != nil {
		return nil, err
	}
	if t, err = t.plain().toDType(name, op.ScanTo(t.dtype)); err != nil {
		return nil, err
	}
	out := t.dtype
	if op.Arg {
		out = U32
		if n := t.layout.Shape[d]; uint64(n) > math.MaxUint32 {
			return nil, fault(name, ErrShape, []*Tensor{t}, "positions up to %d do not fit u32", n)
		}
	}
	last := t.Rank() - 1
	x := t.view(t.layout.Transpose(d, last))
	y, err := x.result(name, out, func() (backend.Storage, error) {
		cols := x.layout.Shape[last]
		return t.dev.backend.Scan(op, x.operand(), x.ElemCount()/cols, cols)
	})
	if err != nil {
		return nil, err
	}
	return y.view(y.layout.Transpose(d, last)), nil
}

// scanTo is scan with a result of another type, and with the gradient rule back.
func (t *Tensor) scanTo(name string, dim int, dt DType, back func(y, g *Tensor) *Tensor) (*Tensor, error) {
	y, err := t.scan(name, dim)
	if err != nil {
		return nil, err
	}
	if y, err = y.toDType(name, dt); err == nil && tracked(t) {
		y.by(name, via{t, func(g *Tensor) *Tensor { return back(y.plain(), g) }})
	}
	return y, err
}

// upward returns the sums of the elements from each one to the last along a dim.
func (t *Tensor) upward(dim int) *Tensor {
	if t.Rank() == 0 {
		return t
	}
	return t.Flip(dim).CumSum(dim).Flip(dim)
}

func (t *Tensor) cumSum(dim int) (*Tensor, error) {
	t = t.inAutocast("cumsum")
	if t.dtype.IsComplex() {
		if d, err := t.axis("cumsum", dim); err == nil {
			return asComplex(t.asReal().cumSum(d))
		} else if t.Rank() > 0 || dim != 0 && dim != -1 {
			return nil, err
		}
		return t.copied("cumsum")
	}
	return t.scanTo("cumsum", dim, sumType(t.dtype), func(_, g *Tensor) *Tensor { return g.upward(dim) })
}

func (t *Tensor) cumProd(dim int) (*Tensor, error) {
	t = t.inAutocast("cumprod")
	if t.dtype.IsComplex() {
		if t.Rank() == 0 && (dim == 0 || dim == -1) {
			return t.copied("cumprod")
		}
		return Try(func() *Tensor { _, products := t.doublings(dim); return products.Copy() })
	}
	x := t.plain()
	return t.scanTo("cumprod", dim, sumType(t.dtype), func(y, g *Tensor) *Tensor {
		w, v := x.wide(), g.wide()
		if tracked(w) { // where there are zeros, the formula below has no gradient
			return w.doublingGradient(v, dim).ToDType(g.dtype)
		}
		isZero := w.Eq(0)
		zeros := isZero.ToDType(I64).CumSum(dim)
		first := isZero.And(zeros.Eq(1))
		// Before the first zero products are divided by the element. At it, products are made without it; after it,
		// all products are 0.
		before := v.Mul(y.wide()).upward(dim).Div(isZero.WhereCond(1, w))
		at := v.Mul(first.WhereCond(1, w).CumProd(dim)).Mul(zeros.Ne(0)).upward(dim)
		return zeros.Eq(0).WhereCond(before, first.WhereCond(at, 0)).ToDType(g.dtype)
	})
}

// doublings multiplies each element by the product up to the one 1, 2, 4, … before, and returns what each step took.
func (t *Tensor) doublings(dim int) (steps []*Tensor, products *Tensor) {
	for s, n := 1, t.Dim(dim); s < n; s *= 2 {
		steps = append(steps, t)
		t = Cat([]*Tensor{t.Narrow(dim, 0, s), t.Narrow(dim, s, n-s).Mul(t.Narrow(dim, 0, n-s))}, dim)
	}
	return steps, t
}

// doublingGradient is the gradient of the products of doublings for the gradient g of these.
func (t *Tensor) doublingGradient(g *Tensor, dim int) *Tensor {
	if t.Rank() == 0 {
		return g
	}
	steps, _ := t.doublings(dim)
	for i, x := range slices.Backward(steps) {
		s, rest := 1<<i, t.Dim(dim)-1<<i
		low, high := g.Narrow(dim, 0, s), g.Narrow(dim, s, rest)
		g = Cat([]*Tensor{low, high.Mul(x.Narrow(dim, 0, rest))}, dim).
			Add(high.Mul(x.Narrow(dim, s, rest)).Pad(dim, 0, s, 0))
	}
	return g
}

func (t *Tensor) logCumSumExp(dim int) (*Tensor, error) {
	const op = "logcumsumexp"
	x, err := t.forFloats(op, backend.UnaryOps["exp"].On)
	if err != nil {
		return nil, err
	}
	return x.scanTo(op, dim, x.dtype, func(y, g *Tensor) *Tensor {
		w, v, last := x.plain().wide(), g.wide(), y.wide()
		// The gradient of element i is the sum of g·exp(x[i] - y) from i on, which is computed from logarithms, of
		// positive and negative g apart.
		low := math.Inf(-1)
		share := func(part *Tensor) *Tensor {
			terms := last.Eq(low).WhereCond(low, part.Log().Sub(last))
			if terms.Rank() > 0 {
				terms = terms.Flip(dim).LogCumSumExp(dim).Flip(dim)
			}
			return w.Eq(low).WhereCond(0, terms.Add(w).Exp())
		}
		return share(v.Relu()).Sub(share(v.Neg().Relu())).ToDType(g.dtype)
	})
}

func (t *Tensor) cumMax(dim int) (values, ids *Tensor, err error) { return t.bestSoFar("cummax", dim) }

func (t *Tensor) cumMin(dim int) (values, ids *Tensor, err error) { return t.bestSoFar("cummin", dim) }

func (t *Tensor) bestSoFar(name string, dim int) (values, ids *Tensor, err error) {
	if ids, err = t.scan(name, dim); err != nil {
		return nil, nil, err
	}
	if t.Rank() == 0 {
		return t.Copy(), ids, nil
	}
	values, err = t.gather(ids, dim)
	return values, ids, err
}
