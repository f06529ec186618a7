package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
)

var normOps = []operator{
	{name: "BatchNormalization", attrs: "epsilon is_test momentum spatial training_mode", in: [2]int{5, 5}, run: batchNorm},
	{name: "GroupNormalization", since: 18, attrs: "epsilon num_groups stash_type", in: [2]int{3, 3}, run: groupNorm},
	{name: "Hardmax", attrs: "axis", in: [2]int{1, 1}, run: by(hardmax)},
	{name: "InstanceNormalization", attrs: "epsilon", in: [2]int{3, 3}, run: func(c *call) tensors {
		x := c.x(0)
		c.spatial(x)
		return one(nn.GroupNorm(x, x.Dim(1), c.x(1), c.x(2), c.float("epsilon", 1e-5)))
	}},
	{name: "LRN", attrs: "alpha beta bias size", in: [2]int{1, 1}, run: by(localResponse)},
	{name: "LayerNormalization", attrs: "axis epsilon stash_type", in: [2]int{2, 3}, run: layerNorm},
	{name: "LogSoftmax", attrs: "axis", in: [2]int{1, 1}, run: by(softmax((*tensor.Tensor).LogSoftmax))},
	{name: "LpNormalization", attrs: "axis p", in: [2]int{1, 1}, run: by(lpNorm)},
	{name: "MeanVarianceNormalization", attrs: "axes", in: [2]int{1, 1}, run: by(meanVariance)},
	{name: "RMSNormalization", attrs: "axis epsilon stash_type", in: [2]int{2, 2}, run: rmsNorm},
	{name: "Softmax", attrs: "axis", in: [2]int{1, 1}, run: by(softmax((*tensor.Tensor).Softmax))},
}

// batchNorm is x·a + b with a = scale/√(var + ε): with the statistics of the file, or with training_mode those of the
// batch, which are averaged with those of the file for the other outputs.
func batchNorm(c *call) tensors {
	x := c.x(0)
	if c.int("spatial", 1) == 0 || c.version < 7 && c.int("is_test", 0) == 0 {
		c.fail("BatchNormalization with spatial 0, or that of opset 6 without is_test, is not supported")
	}
	mean, variance := extend.Wide(c.x(3)), extend.Wide(c.x(4))
	if c.int("training_mode", 0) == 0 {
		return one(c.normalized(x, mean, variance))
	}
	var dims []int
	for d := range x.Rank() {
		if d != 1 {
			dims = append(dims, d)
		}
	}
	wide := extend.Wide(x)
	now, spread := wide.Mean(dims...), wide.VarWith(0, dims...)
	m := c.float("momentum", 0.9)
	next := func(old, new *tensor.Tensor, like *tensor.Tensor) *tensor.Tensor {
		return old.Mul(m).Add(new.Mul(1 - m)).ToDType(like.DType())
	}
	return tensors{c.normalized(x, now, spread), next(mean, now, c.x(3)), next(variance, spread, c.x(4))}
}

// normalized scales channels by statistics.
func (c *call) normalized(x, mean, variance *tensor.Tensor) *tensor.Tensor {
	if x.Rank() < 2 {
		x = x.Unsqueeze(-1)
		return c.normalized(x.Reshape(x.Dim(0), 1), mean, variance).Reshape(x.Dim(0))
	}
	for i := 1; i < 5; i++ {
		if d := c.dims(i); len(d) != 1 || d[0] != x.Dim(1) {
			c.fail("input %d has the shape %s for %d channels", i, shapeText(d), x.Dim(1))
		}
	}
	scale := extend.Wide(c.x(1)).Div(variance.Add(c.float("epsilon", 1e-5)).Sqrt())
	shift := extend.Wide(c.x(2)).Sub(mean.Mul(scale))
	y := extend.Wide(x).Mul(along(scale, x.Rank(), 1)).Add(along(shift, x.Rank(), 1))
	return y.ToDType(x.DType())
}

// groupNorm has a scale and bias for each channel, and before opset 21 for each group.
func groupNorm(c *call) tensors {
	x, scale, bias, groups := c.x(0), c.x(1), c.x(2), c.int("num_groups", 1)
	if c.version < 21 {
		if groups < 1 || x.Rank() < 2 || x.Dim(1)%groups != 0 {
			c.fail("%d groups do not divide the channels of shape %s", groups, shapeText(x.Dims()))
		}
		scale, bias = scale.RepeatInterleave(x.Dim(1)/groups, 0), bias.RepeatInterleave(x.Dim(1)/groups, 0)
	}
	return one(nn.GroupNorm(x, groups, scale, bias, c.float("epsilon", 1e-5)))
}

// layerNorm normalises the dims from an axis on, and also gives their means and the inverses of their deviations.
func layerNorm(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", -1), x.Rank())
	eps := c.float("epsilon", 1e-5)
	scale, bias := c.x(1), c.opt(2)
	if c.outputs == 1 && axis == x.Rank()-1 && scale.Rank() == 1 && (bias == nil || bias.Rank() == 1) {
		if bias == nil {
			bias = scale.ZerosLike()
		}
		return one(nn.LayerNorm(x, scale, bias, eps))
	}
	dims := from(axis, x.Rank())
	wide := extend.Wide(x)
	mean := wide.MeanKeepDim(dims...)
	centred := wide.Sub(mean)
	inverse := centred.Sqr().MeanKeepDim(dims...).Add(eps).Rsqrt()
	y := centred.Mul(inverse).ToDType(x.DType()).Mul(scale)
	if bias != nil {
		y = y.Add(bias)
	}
	return tensors{c.shaped(y, x), mean, inverse}[:max(c.outputs, 1)]
}

func rmsNorm(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", -1), x.Rank())
	wide := extend.Wide(x)
	root := wide.Sqr().MeanKeepDim(from(axis, x.Rank())...).Add(c.float("epsilon", 1e-5)).Rsqrt()
	return one(c.shaped(wide.Mul(root).ToDType(x.DType()).Mul(c.x(1)), x))
}

// shaped returns a result that must have the shape of the input: parameters are broadcast to it, and not it to them.
func (c *call) shaped(y, x *tensor.Tensor) *tensor.Tensor {
	if !slices.Equal(y.Dims(), x.Dims()) {
		c.fail("parameters do not fit the shape %s: the result would have %s", shapeText(x.Dims()), shapeText(y.Dims()))
	}
	return y
}

// from lists dims.
func from(first, n int) (dims []int) {
	for d := first; d < n; d++ {
		dims = append(dims, d)
	}
	return dims
}

// softmax is along one axis; before opset 13 it was along all dims from the axis on.
func softmax(f func(x *tensor.Tensor, dim int) *tensor.Tensor) func(c *call, x *tensor.Tensor) *tensor.Tensor {
	return func(c *call, x *tensor.Tensor) *tensor.Tensor {
		if c.version >= 13 {
			return f(x, c.axis(c.int("axis", -1), x.Rank()))
		}
		return f(c.rows(x), 1).Reshape(x.Dims()...)
	}
}

// rows makes a matrix of a tensor, of the dims before the attribute axis, 1 by default, and from it on.
func (c *call) rows(x *tensor.Tensor) *tensor.Tensor {
	axis := c.int("axis", 1)
	if axis != x.Rank() {
		axis = c.axis(axis, x.Rank())
	}
	shape := x.Dims()
	return x.Reshape(product(shape[:axis]), product(shape[axis:]))
}

func product(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// hardmax is 1 at the first maximum along an axis, and 0 elsewhere.
func hardmax(c *call, x *tensor.Tensor) *tensor.Tensor {
	y, axis := x, 1
	if c.version < 13 {
		y = c.rows(x)
	} else {
		axis = c.axis(c.int("axis", -1), x.Rank())
	}
	shape := slices.Repeat([]int{1}, y.Rank())
	shape[axis] = y.Dim(axis)
	ids := x.Device().Arange(tensor.I64, float64(y.Dim(axis))).Reshape(shape...)
	return y.ArgMaxKeepDim(axis).ToDType(tensor.I64).Eq(ids).ToDType(x.DType()).Reshape(x.Dims()...)
}

// lpNorm divides by the 1- or 2-norm along an axis; zeros stay zeros.
func lpNorm(c *call, x *tensor.Tensor) *tensor.Tensor {
	norm := x.NormPKeepDim(float64(c.int("p", 2)), c.axis(c.int("axis", -1), x.Rank()))
	return norm.Eq(0).WhereCond(0, x.Div(norm)).ToDType(x.DType())
}

func meanVariance(c *call, x *tensor.Tensor) *tensor.Tensor {
	axes := c.list("axes")
	if axes == nil {
		axes = []int{0, 2, 3}
	}
	axes = c.axes(axes, x.Rank())
	wide := extend.Wide(x)
	centred := wide.Sub(wide.MeanKeepDim(axes...))
	return centred.Div(centred.Sqr().MeanKeepDim(axes...).Sqrt().Add(1e-9)).ToDType(x.DType())
}

// localResponse divides by (bias + alpha/size · Σ x²)^beta, of so many channels around each.
func localResponse(c *call, x *tensor.Tensor) *tensor.Tensor {
	size := c.int("size", 0)
	c.spatial(x)
	if size < 1 || size > 2*x.Dim(1)+1 {
		size = min(max(size, 1), 2*x.Dim(1)+1) // more channels than there are add nothing
	}
	squares := c.padDim(x.Sqr(), 1, (size-1)/2, size/2, 0)
	sums := squares.Narrow(1, 0, x.Dim(1))
	for i := 1; i < size; i++ {
		sums = sums.Add(squares.Narrow(1, i, x.Dim(1)))
	}
	mean := sums.Mul(c.float("alpha", 0.0001) / float64(c.int("size", 1)))
	return x.Div(mean.Add(c.float("bias", 1)).Powf(c.float("beta", 0.75)))
}
