package tensor

import "math"

// Reductions of the elements that are not NaN.

func (t *Tensor) nanSum(dims []int, keep bool) (*Tensor, error) {
	return t.overDims("nan sum", dims, keep, func(axes []int) *Tensor { return t.without(0).SumKeepDim(axes...) })
}

// without returns t with a value in the place of NaN.
func (t *Tensor) without(value float64) *Tensor {
	if t.dtype == Bool || t.dtype.IsInt() {
		return t
	}
	return t.IsNaN().WhereCond(value, t)
}

// numbers counts the elements along dims that are not NaN.
func (t *Tensor) numbers(axes []int) *Tensor { return t.Eq(t).SumKeepDim(axes...).ToDType(t.dtype) }

func (t *Tensor) nanMean(dims []int, keep bool) (*Tensor, error) {
	return t.composed("nan mean", dims, keep, (*Tensor).meanOfNumbers)
}

func (t *Tensor) meanOfNumbers(axes []int) *Tensor {
	return t.without(0).SumKeepDim(axes...).Div(t.numbers(axes))
}

func (t *Tensor) nanMax(dims []int, keep bool) (*Tensor, error) {
	return t.nanExtreme("nan max", dims, keep, (*Tensor).MaxKeepDim, math.Inf(-1))
}

func (t *Tensor) nanMin(dims []int, keep bool) (*Tensor, error) {
	return t.nanExtreme("nan min", dims, keep, (*Tensor).MinKeepDim, math.Inf(1))
}

// nanExtreme reduces with the worst value in the place of NaN.
func (t *Tensor) nanExtreme(
	op string, dims []int, keep bool, reduce func(t *Tensor, dims ...int) *Tensor, worst float64,
) (*Tensor, error) {
	return t.overDims(op, dims, keep, func(axes []int) *Tensor {
		if !t.dtype.IsFloat() {
			return reduce(t, axes...)
		}
		x := t.wide() // F8E4M3 has no infinities
		best := reduce(x.without(worst), axes...)
		return x.numbers(axes).Eq(0).WhereCond(math.NaN(), best).ToDType(t.dtype)
	})
}

func (t *Tensor) nanVar(dims []int, keep bool) (*Tensor, error) {
	return t.composed("nan var", dims, keep, (*Tensor).varianceOfNumbers)
}

func (t *Tensor) nanStd(dims []int, keep bool) (*Tensor, error) {
	return t.composed("nan std", dims, keep,
		func(x *Tensor, axes []int) *Tensor { return x.varianceOfNumbers(axes).deviation() })
}

func (t *Tensor) varianceOfNumbers(axes []int) *Tensor {
	squares := t.Sub(t.meanOfNumbers(axes)).without(0).Sqr().SumKeepDim(axes...)
	return squares.Div(t.numbers(axes).Sub(1).Maximum(0)) // 0/0 is NaN
}

func (t *Tensor) nanMedian(dims []int, keep bool) (*Tensor, error) {
	return t.overSorted("nan median", dims, keep, func(sorted *Tensor) *Tensor {
		at := sorted.Eq(sorted).SumKeepDim(-1).Sub(1).Relu().Div(2)
		return sorted.Gather(at, -1)
	})
}

func (t *Tensor) nanQuantile(q float64, dims []int, keep bool) (*Tensor, error) {
	const op = "nan quantile"
	if err := t.checkFraction(op, q); err != nil {
		return nil, err
	}
	return t.quantiles(op, dims, keep, func(sorted *Tensor) *Tensor {
		last := sorted.Eq(sorted).SumKeepDim(-1).Sub(1).Relu()
		at := last.ToDType(F64).Mul(q)
		low := at.Floor()
		below := low.ToDType(I64)
		return between(sorted.Gather(below, -1), sorted.Gather(below.Add(1).Minimum(last), -1),
			at.Sub(low).ToDType(sorted.dtype))
	})
}
