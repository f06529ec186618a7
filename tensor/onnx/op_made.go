package onnx

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var madeOps = []operator{
	{name: "Bernoulli", attrs: "dtype seed", in: [2]int{1, 1}, unfolded: true, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return x.RandLike().Lt(x).ToDType(c.elemAttr("dtype", x.DType()))
	})},
	{name: "Constant", attrs: "sparse_value value value_float value_floats value_int value_ints", in: [2]int{0, 0}},
	{name: "ConstantOfShape", attrs: "value", in: [2]int{1, 1}, run: constantOfShape},
	{name: "EyeLike", attrs: "dtype k", in: [2]int{1, 1}, run: eyeLike},
	{name: "OneHot", attrs: "axis", in: [2]int{3, 3}, run: oneHot},
	{name: "RandomNormal", attrs: "dtype mean scale seed shape", in: [2]int{0, 0}, unfolded: true, run: func(c *call) tensors {
		return one(c.normal(c.list("shape"), tensor.F32))
	}},
	{name: "RandomNormalLike", attrs: "dtype mean scale seed", in: [2]int{1, 1}, unfolded: true, run: func(c *call) tensors {
		return one(c.normal(c.dims(0), c.in[0].t.DType()))
	}},
	{name: "RandomUniform", attrs: "dtype high low seed shape", in: [2]int{0, 0}, unfolded: true, run: func(c *call) tensors {
		return one(c.uniform(c.list("shape"), tensor.F32))
	}},
	{name: "RandomUniformLike", attrs: "dtype high low seed", in: [2]int{1, 1}, unfolded: true, run: func(c *call) tensors {
		return one(c.uniform(c.dims(0), c.in[0].t.DType()))
	}},
	{name: "Range", attrs: "stash_type", in: [2]int{3, 3}, run: rangeOf},
}

func (c *call) normal(shape []int, dt tensor.DType) *tensor.Tensor {
	c.elements(shape)
	x := c.run.dev.Randn(tensor.F32, shape...).Affine(c.float("scale", 1), c.float("mean", 0))
	return x.ToDType(c.elemAttr("dtype", dt))
}

func (c *call) uniform(shape []int, dt tensor.DType) *tensor.Tensor {
	c.elements(shape)
	low, high := c.float("low", 0), c.float("high", 1)
	return c.run.dev.Rand(tensor.F32, shape...).Affine(high-low, low).ToDType(c.elemAttr("dtype", dt))
}

func constantOfShape(c *call) tensors {
	shape := c.ints(0)
	c.elements(shape)
	dev := c.room(shape...)
	a := c.attrs["value"]
	if a == nil || a.t == nil {
		return one(dev.Zeros(tensor.F32, shape...))
	}
	v, err := a.t.tensor(dev, nil)
	if err != nil {
		c.fail("value: %v", err)
	}
	if v.ElemCount() != 1 {
		c.fail("value has %d elements, and one is needed", v.ElemCount())
	}
	return one(v.Reshape().BroadcastAs(shape...).Contiguous())
}

func eyeLike(c *call) tensors {
	shape := c.dims(0)
	if len(shape) != 2 {
		c.fail("EyeLike takes matrices")
	}
	dev := c.room(shape...)
	k := min(max(c.int("k", 0), -shape[0]-1), shape[1]+1)
	whole := dev.Ones(tensor.U8, shape...)
	return one(whole.Triu(k).Tril(k).ToDType(c.elemAttr("dtype", c.in[0].t.DType())))
}

// rangeOf counts from a start up to but without a limit. Integers are exact.
func rangeOf(c *call) tensors {
	dt := c.dims0().DType()
	if dt.IsInt() {
		start, limit, step := c.integer(0, 0), c.integer(1, 0), c.integer(2, 0)
		if step == 0 {
			c.fail("a step of 0 is not possible")
		}
		n := 0
		if step > 0 && limit > start {
			n = int((uint64(limit-start)-1)/uint64(step)) + 1
		} else if step < 0 && limit < start {
			n = int((uint64(start-limit)-1)/uint64(-step)) + 1
		}
		c.elements([]int{n})
		return one(c.room(n).Arange(tensor.I64, float64(n)).Mul(step).Add(start).ToDType(dt))
	}
	start, limit, step := c.number(0, 0), c.number(1, 0), c.number(2, 0)
	n := math.Ceil((limit - start) / step)
	if math.IsNaN(n) || n > maxElements {
		c.fail("a range from %g to %g by %g is not possible", start, limit, step)
	}
	count := int(max(n, 0))
	return one(c.room(count).Arange(tensor.F64, float64(count)).Affine(step, start).ToDType(dt))
}

// dims0 is the first input, wherever it is.
func (c *call) dims0() *tensor.Tensor {
	c.dims(0)
	return c.in[0].t
}

// oneHot has off values and one on value along a new axis, where the index says, of which negative ones count from the
// end. Other indices give off values alone.
func oneHot(c *call) tensors {
	ids, depth := c.x(0), int(c.number(1, 0))
	if depth < 1 {
		c.fail("a depth of %d is not possible", depth)
	}
	values := c.x(2)
	if values.ElemCount() != 2 {
		c.fail("the values off and on are two, not %d", values.ElemCount())
	}
	rank := ids.Rank() + 1
	axis := c.axis(c.int("axis", -1), rank)
	shape := slices.Insert(ids.Dims(), axis, depth)
	c.elements(shape)
	c.room(shape...)
	ids, values = c.x(0).ToDType(tensor.I64), c.x(2)
	ids = ids.Ge(-depth).And(ids.Lt(0)).WhereCond(ids.Add(depth), ids)
	at := c.dev.Arange(tensor.I64, float64(depth)).Reshape(shapeAlong(depth, rank, axis)...)
	hot := ids.Unsqueeze(axis).Eq(at)
	return one(hot.WhereCond(values.FlattenAll().Get(1), values.FlattenAll().Get(0)))
}
