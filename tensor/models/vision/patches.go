package vision

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// patches make rows of the patches of an image, with their positions.
type patches struct {
	projection *nn.Conv2d
	class      *tensor.Tensor // the row of the image as a whole, [1 1 dim]; nil for none
	positions  *tensor.Tensor // [1 rows dim], that of class first
	registers  *tensor.Tensor // rows without positions, between that of class and the patches, [1 n dim]; nil for none
	size       int            // of a patch
	grid       [2]int         // patches of the image that the positions are for
}

// newPatches takes the projection, with a bias or without. Families have other names for the class and the positions.
func newPatches(c *Config, projection *nn.Params, bias bool) *patches {
	return &patches{size: c.Patch, grid: [2]int{c.Image[0] / c.Patch, c.Image[1] / c.Patch},
		projection: nn.NewConv2d(3, c.Dim, c.Patch, nn.ConvConfig{Stride: c.Patch, NoBias: !bias}, projection)}
}

// forward takes pixels [n 3 h w] to rows [n rows dim].
func (e *patches) forward(pixels *tensor.Tensor) *tensor.Tensor {
	h, w := pixels.Dim(2)/e.size, pixels.Dim(3)/e.size
	x := e.projection.Forward(pixels).FlattenFrom(2).Transpose(1, 2)
	if e.class != nil {
		class := e.class.BroadcastAs(x.Dim(0), 1, x.Dim(2))
		x = tensor.Cat([]*tensor.Tensor{class, x}, 1)
	}
	x = x.Add(e.at(h, w))
	if e.registers == nil {
		return x
	}
	registers := e.registers.BroadcastAs(x.Dim(0), e.registers.Dim(1), x.Dim(2))
	return tensor.Cat([]*tensor.Tensor{x.Narrow(1, 0, 1), registers, x.Narrow(1, 1, x.Dim(1)-1)}, 1)
}

// at are the positions of an image of so many patches. Those of another image are interpolated, as transformers does it
// for DINOv2, and on request for others.
func (e *patches) at(h, w int) *tensor.Tensor {
	if h == e.grid[0] && w == e.grid[1] {
		return e.positions
	}
	first, dim := 0, e.positions.Dim(2)
	if e.class != nil {
		first = 1
	}
	grid := e.positions.Narrow(1, first, e.grid[0]*e.grid[1]).ToDType(tensor.F32)
	grid = grid.Reshape(1, e.grid[0], e.grid[1], dim).Permute(0, 3, 1, 2)
	grid = nn.Interpolate(grid, []int{h, w}, nn.ByCubic, nn.InterpolateOptions{Antialias: e.registers != nil})
	rows := grid.Permute(0, 2, 3, 1).Reshape(1, h*w, dim).ToDType(e.positions.DType())
	if first == 0 {
		return rows
	}
	return tensor.Cat([]*tensor.Tensor{e.positions.Narrow(1, 0, 1), rows}, 1)
}

// layerNames are what the weights of a layer of a transformer are called.
type layerNames struct {
	q, k, v, out, up, down, norm1, norm2 string
}

// newLayer takes the weights of a layer whose norms come before its parts.
func newLayer(c *Config, act tensor.Func, n *layerNames, qkvBias bool, at *nn.Params) *parts.Layer {
	qkv := func(name string) *nn.Linear { return parts.Linear(c.Dim, c.Dim, qkvBias, at.At(name)) }
	l := &parts.Layer{Before: true,
		Self: parts.Attention{Heads: c.Heads, Q: qkv(n.q), K: qkv(n.k), V: qkv(n.v),
			Out: nn.NewLinear(c.Dim, c.Dim, at.At(n.out))},
		Feed:  parts.FeedForward{Activate: act},
		Norm1: nn.NewLayerNorm(c.Dim, c.Eps, at.At(n.norm1)), Norm2: nn.NewLayerNorm(c.Dim, c.Eps, at.At(n.norm2))}
	if n.up != "" {
		l.Feed.Up = nn.NewLinear(c.Dim, c.Hidden, at.At(n.up))
		l.Feed.Down = nn.NewLinear(c.Hidden, c.Dim, at.At(n.down))
	}
	return l
}

// rowsOf are the layers of a transformer, one after the other.
func rowsOf(layers []*parts.Layer, x *tensor.Tensor, o nn.Attend) *tensor.Tensor {
	for _, l := range layers {
		x = l.Forward(x, o)
	}
	return x
}

// firstRow is the row of an image as a whole.
func firstRow(hidden *tensor.Tensor) *tensor.Tensor { return hidden.Narrow(1, 0, 1).Squeeze(1) }

// unit are rows of length 1.
func unit(x *tensor.Tensor) *tensor.Tensor { return x.Div(x.Sqr().SumKeepDim(-1).Sqrt()) }
