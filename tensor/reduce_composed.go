package tensor

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Reductions that are composed of others. Their functions compute with the dims kept.

// composed runs f on the elements, as floats that lose nothing between steps, and on the resolved dims. The result has
// the float type of t; that of integers, which are computed in F64, is DefaultDType.
func (t *Tensor) composed(
	op string, dims []int, keep bool, f func(x *Tensor, axes []int) *Tensor,
) (*Tensor, error) {
	x, dt := t.precise()
	return x.overDims(op, dims, keep, func(axes []int) *Tensor { return f(x, axes).ToDType(dt) })
}

// precise returns t in the type in which operations of several steps compute, and the type of their results.
func (t *Tensor) precise() (*Tensor, DType) {
	if !t.dtype.IsFloat() {
		return t.ToDType(F64), DefaultDType()
	}
	return t.wide(), t.dtype
}

// overDims runs f, whose result has the dims with size 1, and drops them unless they are kept.
func (t *Tensor) overDims(op string, dims []int, keep bool, f func(axes []int) *Tensor) (*Tensor, error) {
	axes, err := t.axes(op, dims)
	if err != nil {
		return nil, err
	}
	y, err := Try(func() *Tensor { return f(axes) })
	if err != nil || keep {
		return y, err
	}
	var shape []int
	for d, size := range y.layout.Shape {
		if !slices.Contains(axes, d) {
			shape = append(shape, size)
		}
	}
	return y.reshape(op, shape)
}

// count is the number of elements along dims.
func (t *Tensor) count(axes []int) int {
	n := 1
	for _, d := range axes {
		n *= t.layout.Shape[d]
	}
	return n
}

func (t *Tensor) countNonzero(dims []int, keep bool) (*Tensor, error) {
	truth, err := t.plain().truth("count nonzero")
	if err != nil {
		return nil, err
	}
	return truth.overDims("count nonzero", dims, keep, func(axes []int) *Tensor { return truth.SumKeepDim(axes...) })
}

func (t *Tensor) varOf(dims []int, keep bool) (*Tensor, error) { return t.varWith(1, dims, keep) }

func (t *Tensor) varWith(correction int, dims []int, keep bool) (*Tensor, error) {
	if t.dtype.IsComplex() {
		return Try(func() *Tensor {
			return must(t.Real().varWith(correction, dims, keep)).Add(must(t.Imag().varWith(correction, dims, keep)))
		})
	}
	return t.composed("var", dims, keep, func(x *Tensor, axes []int) *Tensor { return x.variance(correction, axes) })
}

// variance divides the sum of the squared distances from the mean by n-correction; 0/0 is NaN.
func (t *Tensor) variance(correction int, axes []int) *Tensor {
	away := t.Sub(t.MeanKeepDim(axes...))
	squares := away.Sqr()
	sum := squares.SumKeepDim(axes...)
	if !tracked(t) { // no gradient needs them
		scope.Drop(away.store)
		scope.Drop(squares.store)
	}
	return sum.Div(float64(max(t.count(axes)-correction, 0)))
}

func (t *Tensor) std(dims []int, keep bool) (*Tensor, error) { return t.stdWith(1, dims, keep) }

func (t *Tensor) stdWith(correction int, dims []int, keep bool) (*Tensor, error) {
	if t.dtype.IsComplex() {
		return Try(func() *Tensor { return must(t.varWith(correction, dims, keep)).deviation() })
	}
	return t.composed("std", dims, keep,
		func(x *Tensor, axes []int) *Tensor { return x.variance(correction, axes).deviation() })
}

// deviation is the square root of variances, with the gradient 0 where there is none, as PyTorch has it.
func (t *Tensor) deviation() *Tensor {
	y := t.plain().Sqrt()
	return y.by("std", via{t, func(g *Tensor) *Tensor {
		none := y.plain().Eq(0)
		return none.WhereCond(0, g.Div(none.WhereCond(1, y.plain())).Mul(0.5))
	}})
}

func (t *Tensor) norm(dims []int, keep bool) (*Tensor, error) { return t.normP(2, dims, keep) }

func (t *Tensor) normP(p float64, dims []int, keep bool) (*Tensor, error) {
	if p != p {
		return nil, fault("norm", ErrShape, []*Tensor{t}, "the order of the norm is NaN")
	}
	if t.dtype.IsComplex() {
		sizes, err := t.unary("abs")
		if err != nil {
			return nil, err
		}
		t = sizes
	}
	return t.composed("norm", dims, keep, func(x *Tensor, axes []int) *Tensor {
		switch {
		case p == 0:
			return x.Ne(0).WhereCond(x.Sign().Affine(0, 1), 0).SumKeepDim(axes...) // its gradient is 0
		case p == 1:
			return x.Abs().SumKeepDim(axes...)
		case math.IsInf(p, 1):
			return x.Abs().MaxKeepDim(axes...)
		case math.IsInf(p, -1):
			return x.Abs().MinKeepDim(axes...)
		}
		return x.powerNorm(p, axes, p != 2 || t.dtype == F32 || t.dtype == BF16)
	})
}

// powers returns Σ|x|^p, with far in F64: squares of F32 overflow beyond 1e19, and are lost below 1e-19.
func (t *Tensor) powers(p float64, axes []int, far bool) *Tensor {
	sum := func(x *Tensor) *Tensor {
		if p == 2 {
			return x.Sqr().SumKeepDim(axes...)
		}
		return x.Abs().Powf(p).SumKeepDim(axes...)
	}
	if !far {
		return sum(t)
	}
	if p == 2 && t.dev.IsCPU() && t.ElemCount() > 0 { // the host does with F32 where that is exact enough
		if y := sum(t); y.Min().ToScalar() > 0x1p-90 && y.Max().ToScalar() <= math.MaxFloat32 {
			return y
		}
	}
	return sum(t.ToDType(F64))
}

// powerNorm has a gradient rule of its own: that of the root is infinite where all elements are 0.
func (t *Tensor) powerNorm(p float64, axes []int, far bool) *Tensor {
	x := t.plain()
	if p == 2 {
		y := x.powers(p, axes, far).Sqrt().ToDType(t.dtype)
		size := y.plain()
		return y.by("norm", via{t, func(g *Tensor) *Tensor { return g.Mul(x.Div(size.Eq(0).WhereCond(1, size))) }})
	}
	y := x.powers(p, axes, far).Powf(1 / p).ToDType(t.dtype)
	size := y.plain()
	return y.by("norm", via{t, func(g *Tensor) *Tensor {
		none := x.Eq(0) // of these nothing reaches the size
		share := x.Abs().Div(none.WhereCond(1, size)).Powf(p - 1).Mul(x.Sign()).Mul(g)
		return none.WhereCond(0, share)
	}})
}

func (t *Tensor) logSumExp(dims []int, keep bool) (*Tensor, error) {
	return t.composed("log sum exp", dims, keep, (*Tensor).logSumOf)
}

func (t *Tensor) logSumOf(axes []int) *Tensor {
	if t.ElemCount() == 0 { // log(0)
		return t.Exp().SumKeepDim(axes...).Log()
	}
	x := t.plain()
	top := x.MaxKeepDim(axes...)
	top = top.Abs().Lt(math.Inf(1)).WhereCond(top, 0) // a row of -Inf has no finite maximum to subtract
	// The maxima are 1 each. The others are added separately, so that what they add to the logarithm of a single
	// maximum is not lost.
	isMax := x.Eq(top)
	count := isMax.SumKeepDim(axes...).ToDType(t.dtype)
	others := isMax.WhereCond(0, x.Sub(top).Exp()).SumKeepDim(axes...)
	y := others.Add(count.Sub(1)).Log1p().Add(top)
	return y.by("log sum exp", via{t, func(g *Tensor) *Tensor { // which, unlike y's parts, has derivatives where maxima are equal
		share := x.Sub(top).Exp()
		return g.Mul(share.Div(share.SumKeepDim(axes...)))
	}})
}

// AMinMax returns Min and Max along dimensions, or of all elements.
//
//	tensor.Of(3, 1, 6).AMinMax() // 1 f32, 6 f32
func (t *Tensor) AMinMax(dims ...int) (least, most *Tensor) { return t.Min(dims...), t.Max(dims...) }

func (t *Tensor) ptp(dims []int, keep bool) (*Tensor, error) {
	if err := accepts("ptp", t, kernels.Numbers); err != nil {
		return nil, err
	}
	return t.overDims("ptp", dims, keep,
		func(axes []int) *Tensor { return t.MaxKeepDim(axes...).Sub(t.MinKeepDim(axes...)).ToDType(t.dtype) })
}
