package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var reduceOps = []operator{
	{name: "ArgMax", attrs: "axis keepdims select_last_index", in: [2]int{1, 1}, run: by(argExtreme((*tensor.Tensor).ArgMaxKeepDim))},
	{name: "ArgMin", attrs: "axis keepdims select_last_index", in: [2]int{1, 1}, run: by(argExtreme((*tensor.Tensor).ArgMinKeepDim))},
	{name: "CumProd", attrs: "exclusive reverse", in: [2]int{2, 2}, run: cumulative((*tensor.Tensor).CumProd, 1)},
	{name: "CumSum", attrs: "exclusive reverse", in: [2]int{2, 2}, run: cumulative((*tensor.Tensor).CumSum, 0)},
	{name: "ReduceL1", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return x.Abs().SumKeepDim(dims...)
	}, (*tensor.Tensor).Abs)},
	{name: "ReduceL2", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return floating(x).Sqr().SumKeepDim(dims...).Sqrt()
	}, (*tensor.Tensor).Abs)},
	{name: "ReduceLogSum", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return floating(x).SumKeepDim(dims...).Log()
	}, func(x *tensor.Tensor) *tensor.Tensor { return floating(x).Log() })},
	{name: "ReduceLogSumExp", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		if product(x.Dims()) == 0 {
			return floating(x).Exp().SumKeepDim(dims...).Log()
		}
		return floating(x).LogSumExpKeepDim(dims...)
	}, floating)},
	{name: "ReduceMax", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(extreme((*tensor.Tensor).MaxKeepDim, lowest), same)},
	{name: "ReduceMean", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return floating(x).MeanKeepDim(dims...)
	}, same)},
	{name: "ReduceMin", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(extreme((*tensor.Tensor).MinKeepDim, highest), same)},
	{name: "ReduceProd", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return x.ProdKeepDim(dims...)
	}, same)},
	{name: "ReduceSum", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return x.SumKeepDim(dims...)
	}, same)},
	{name: "ReduceSumSquare", attrs: "axes keepdims noop_with_empty_axes", in: [2]int{1, 2}, run: reduce(func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		return x.Sqr().SumKeepDim(dims...)
	}, (*tensor.Tensor).Sqr)},
	{name: "TopK", attrs: "axis k largest sorted", in: [2]int{1, 2}, run: topK},
}

func same(x *tensor.Tensor) *tensor.Tensor { return x }

// floating computes integers in F64, which holds their sums.
func floating(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsFloat() {
		return x
	}
	return x.ToDType(tensor.F64)
}

// reduce takes the axes from an attribute or an input. Without axes all are taken, or with noop_with_empty_axes none:
// then the result is what each gives for a single element. It has the type of the input.
func reduce(
	f func(x *tensor.Tensor, dims []int) *tensor.Tensor, each func(x *tensor.Tensor) *tensor.Tensor,
) func(c *call) tensors {
	return func(c *call) tensors {
		x := c.x(0)
		axes := c.list("axes")
		if c.has(1) {
			axes = c.ints(1)
		}
		if len(axes) == 0 {
			if c.int("noop_with_empty_axes", 0) != 0 || x.Rank() == 0 {
				return one(each(x).ToDType(x.DType()))
			}
			axes = from(0, x.Rank())
		}
		axes = c.axes(axes, x.Rank())
		return one(c.kept(f(x, axes).ToDType(x.DType()), axes))
	}
}

// kept drops the dims that were reduced unless keepdims says otherwise.
func (c *call) kept(x *tensor.Tensor, axes []int) *tensor.Tensor {
	if c.int("keepdims", 1) != 0 {
		return x
	}
	var shape []int
	for d, size := range x.Dims() {
		if !slices.Contains(axes, d) {
			shape = append(shape, size)
		}
	}
	return x.Reshape(shape...)
}

// extreme is a maximum or minimum, that of no elements the other end of the type.
func extreme(
	f func(x *tensor.Tensor, dims ...int) *tensor.Tensor, empty func(tensor.DType) any,
) func(x *tensor.Tensor, dims []int) *tensor.Tensor {
	return func(x *tensor.Tensor, dims []int) *tensor.Tensor {
		shape, count := x.Dims(), 1
		for _, d := range dims {
			count *= shape[d]
			shape[d] = 1
		}
		if count > 0 {
			return f(x, dims...)
		}
		return x.Device().Full(x.DType(), empty(x.DType()), shape...)
	}
}

// argExtreme gives the first of equal elements, or the last.
func argExtreme(f func(x *tensor.Tensor, dims ...int) *tensor.Tensor) func(c *call, x *tensor.Tensor) *tensor.Tensor {
	return func(c *call, x *tensor.Tensor) *tensor.Tensor {
		axis := c.axis(c.int("axis", 0), x.Rank())
		var y *tensor.Tensor
		if c.int("select_last_index", 0) != 0 {
			y = f(x.Flip(axis), axis).ToDType(tensor.I64).Affine(-1, float64(x.Dim(axis)-1))
		} else {
			y = f(x, axis).ToDType(tensor.I64)
		}
		return c.kept(y, []int{axis})
	}
}

// cumulative sums or multiplies along the axis of its second input; exclusive begins with none.
func cumulative(f func(x *tensor.Tensor, dim int) *tensor.Tensor, begin int) func(c *call) tensors {
	return func(c *call) tensors {
		x := c.x(0)
		axis := c.axis(c.integer(1, 0), x.Rank())
		reverse := c.int("reverse", 0) != 0
		y := x
		if reverse {
			y = y.Flip(axis)
		}
		if c.int("exclusive", 0) != 0 && x.Dim(axis) > 0 {
			y = y.Pad(axis, 1, 0, begin).Narrow(axis, 0, x.Dim(axis))
		}
		if y = f(y, axis).ToDType(x.DType()); reverse {
			y = y.Flip(axis)
		}
		return one(y)
	}
}

func topK(c *call) tensors {
	x := c.x(0)
	k := c.integer(1, c.int("k", 0))
	axis := c.axis(c.int("axis", -1), x.Rank())
	if k < 0 || k > x.Dim(axis) {
		c.fail("there are %d elements along axis %d, and k is %d", x.Dim(axis), axis, k)
	}
	values, ids := x.TopK(k, axis, c.int("largest", 1) != 0)
	return tensors{values, ids.ToDType(tensor.I64)}
}
