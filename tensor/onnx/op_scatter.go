package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var scatterOps = []operator{
	{name: "Scatter", attrs: "axis", in: [2]int{3, 3}, run: scatterElements},
	{name: "ScatterElements", attrs: "axis reduction", in: [2]int{3, 3}, run: scatterElements},
	{name: "ScatterND", attrs: "reduction", in: [2]int{3, 3}, run: scatterND},
	{name: "TensorScatter", attrs: "axis mode", in: [2]int{2, 3}, run: tensorScatter},
}

// scatter replaces elements along a dim, or reduces them with those that are there.
func (c *call) scatter(x, ids, src *tensor.Tensor, axis int) *tensor.Tensor {
	switch kind := c.text("reduction", "none"); kind {
	case "none":
		return x.Scatter(ids, src, axis)
	case "add":
		return x.ScatterAdd(ids, src, axis)
	case "mul":
		return x.ScatterReduce(ids, src, axis, "prod", true)
	case "max":
		return x.ScatterReduce(ids, src, axis, "amax", true)
	case "min":
		return x.ScatterReduce(ids, src, axis, "amin", true)
	default:
		c.fail("there is no reduction %q", kind)
		return nil
	}
}

func scatterElements(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	return one(c.scatter(x, c.positive(1, x.Dim(axis)).Contiguous(), c.x(2), axis))
}

// scatterND writes slices at rows of indices.
func scatterND(c *call) tensors {
	x, ids, src := c.x(0), c.x(1), c.x(2)
	if ids.Rank() < 1 || ids.Dim(-1) > x.Rank() || ids.Dim(-1) < 1 {
		c.fail("rows of indices of shape %s do not fit a tensor of %d dims", shapeText(ids.Dims()), x.Rank())
	}
	n := ids.Dim(-1)
	dims := x.Dims()
	rest := product(dims[n:])
	if want := slices.Concat(ids.Dims()[:ids.Rank()-1], dims[n:]); !slices.Equal(want, src.Dims()) {
		c.fail("updates have the shape %s, and %s is needed", shapeText(src.Dims()), shapeText(want))
	}
	at := c.places(ids, dims[:n]).Reshape(-1, 1)
	count := at.Dim(0)
	at = at.BroadcastAs(count, rest).Contiguous()
	y := c.scatter(x.Reshape(product(dims[:n]), rest), at, src.Reshape(count, rest), 0)
	return one(y.Reshape(dims...))
}

// tensorScatter writes the new keys or values of a cache, at a position of each batch.
func tensorScatter(c *call) tensors {
	x, src := c.x(0), c.x(1)
	axis := c.axis(c.int("axis", -2), x.Rank())
	if axis == 0 || src.Rank() != x.Rank() {
		c.fail("the axis of positions is that of the batch, or updates have other dims")
	}
	n, rank := src.Dim(axis), x.Rank()
	at := c.dev.Arange(tensor.I64, float64(n)).Reshape(shapeAlong(n, rank, axis)...)
	if begin := c.opt(2); begin != nil {
		at = at.Add(begin.Reshape(shapeAlong(begin.ElemCount(), rank, 0)...))
	}
	switch mode := c.text("mode", "linear"); mode {
	case "linear":
	case "circular":
		at = at.Mod(x.Dim(axis))
	default:
		c.fail("there is no mode %q", mode)
	}
	return one(x.Scatter(at.BroadcastAs(src.Dims()...).Contiguous(), src, axis))
}
