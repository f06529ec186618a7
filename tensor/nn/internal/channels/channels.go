// Package channels sums over the elements of channels, dim 1, for norms of batches: by kernels on GPUs, which read
// images in the order in which they are, and by operations of tensors elsewhere. It is one file.
package channels

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/gradients"
)

// Tensor is a tensor [batch channels …] whose channels are summed.
type Tensor struct {
	x    *tensor.Tensor
	dims []int              // all but that of the channels
	on   gradients.Launcher // nil for operations of tensors
	last bool               // the channels are last in memory
}

// Of returns x with sums by kernels where its device has them. These sums have no gradients.
func Of(x *tensor.Tensor) *Tensor {
	c := Composed(x)
	if !x.DType().IsFloat() || x.ElemCount() == 0 {
		return c
	}
	if l, ok := gradients.On(extend.Backend(x.Device())); ok {
		c.on = l
		c.last = !x.IsContiguous() && c.channelsLast(x).IsContiguous()
	}
	return c
}

// Composed returns x with sums by operations of tensors, which have gradients.
func Composed(x *tensor.Tensor) *Tensor {
	c := &Tensor{x: x, dims: []int{0}}
	for d := 2; d < x.Rank(); d++ {
		c.dims = append(c.dims, d)
	}
	return c
}

// channelsLast is t, of the shape of x, as [batch … channels].
func (c *Tensor) channelsLast(t *tensor.Tensor) *tensor.Tensor {
	return t.Permute(append(slices.Clip(c.dims), 1)...)
}

// Moments returns mean and variance (divided by n) of each channel, [channels], of small floats in F32.
func (c *Tensor) Moments() (mean, variance *tensor.Tensor) {
	if c.on == nil {
		w := extend.Wide(c.x)
		mean = w.MeanKeepDim(c.dims...)
		return mean.FlattenAll(), w.Sub(mean).Sqr().Mean(c.dims...)
	}
	in := c.operands(c.x)
	means := func(around *backend.Operand) *tensor.Tensor {
		return c.result(1, func() (backend.Storage, error) { return in.Means(c.on, around) }).FlattenAll()
	}
	mean = means(nil)
	around := extend.InMemory("batch norm", mean)
	return mean, means(&around)
}

// Products returns the sums of g, a gradient of the tensor's shape, and of its products with the distances from mean,
// for each channel, [channels].
func (c *Tensor) Products(g, mean *tensor.Tensor) (sum, product *tensor.Tensor) {
	if c.on == nil {
		v, line := extend.Wide(g), make([]int, c.x.Rank())
		for d := range line {
			line[d] = 1
		}
		line[1] = c.x.Dim(1)
		return v.Sum(c.dims...), v.Mul(extend.Wide(c.x).Sub(mean.Reshape(line...))).Sum(c.dims...)
	}
	in := c.operands(c.x)
	grad, around := c.dense(g), extend.InMemory("batch norm", mean)
	both := c.result(2, func() (backend.Storage, error) { return in.Products(c.on, grad, around) })
	return both.Get(0), both.Get(1)
}

// result is what a kernel has computed: rows of a number for each channel.
func (c *Tensor) result(rows int, run func() (backend.Storage, error)) *tensor.Tensor {
	dt := tensor.F32
	if c.x.DType() == tensor.F64 {
		dt = tensor.F64
	}
	return extend.New("batch norm", c.x.Device(), dt, []int{rows, c.x.Dim(1)}, run)
}

func (c *Tensor) operands(x *tensor.Tensor) *gradients.Channels {
	return &gradients.Channels{In: c.dense(x), Outer: x.Dim(0), Channels: x.Dim(1),
		Inner: x.ElemCount() / (x.Dim(0) * x.Dim(1)), Last: c.last}
}

// dense has the elements of a tensor in the order of x in memory.
func (c *Tensor) dense(t *tensor.Tensor) backend.Operand {
	if c.last {
		t = c.channelsLast(t)
	}
	return extend.Dense("batch norm", t)
}
