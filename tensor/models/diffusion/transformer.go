package diffusion

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// transformer lets the pixels of a picture attend to each other and to the rows of a text.
type transformer struct {
	norm    *nn.GroupNormLayer
	in, out *nn.Linear
	layers  []*layer
}

// layer is one of a transformer: attention of pixels to each other, to the text, and a gated feed-forward part.
type layer struct {
	norm1, norm2, norm3 *nn.LayerNormLayer
	self, cross         *attention
	gated, down         *nn.Linear
}

// pixelEps is that of the group norms of transformers.
const pixelEps = 1e-6

func newTransformer(c *blockConfig, channels, heads, layers int, p *nn.Params) *transformer {
	project := func(p *nn.Params) *nn.Linear {
		if c.linear {
			return nn.NewLinear(channels, channels, p)
		}
		return pixelLinear(channels, channels, p)
	}
	t := &transformer{norm: nn.NewGroupNorm(c.groups, channels, pixelEps, p.At("norm")), in: project(p.At("proj_in"))}
	for i := range layers {
		at := p.At("transformer_blocks", i)
		norm := func(name string) *nn.LayerNormLayer { return nn.NewLayerNorm(channels, 1e-5, at.At(name)) }
		t.layers = append(t.layers, &layer{norm1: norm("norm1"), norm2: norm("norm2"), norm3: norm("norm3"),
			self:  newAttention(channels, channels, heads, false, at.At("attn1")),
			cross: newAttention(channels, c.cross, heads, false, at.At("attn2")),
			gated: nn.NewLinear(channels, 8*channels, at.At("ff.net.0.proj")),
			down:  nn.NewLinear(4*channels, channels, at.At("ff.net.2"))})
	}
	t.out = project(p.At("proj_out"))
	return t
}

// pixelLinear is a convolution of one tap as a linear layer of the channels of a pixel.
func pixelLinear(in, out int, p *nn.Params) *nn.Linear {
	return &nn.Linear{Weight: p.Get("weight", []int{out, in, 1, 1}, nil).Reshape(out, in),
		Bias: p.Get("bias", []int{out}, nil)}
}

// forward takes a picture [n channels h w] and texts [n rows width] to such a picture.
func (t *transformer) forward(x, text *tensor.Tensor) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor {
		rows := t.in.Forward(rowsOf(t.norm.Forward(x)))
		for _, l := range t.layers {
			rows = tensor.Scoped(func() *tensor.Tensor { return l.forward(rows, text) })
		}
		return pictureOf(t.out.Forward(rows), x.Dim(2), x.Dim(3)).Add(x)
	})
}

func (l *layer) forward(rows, text *tensor.Tensor) *tensor.Tensor {
	rows = rows.Add(l.self.forward(l.norm1.Forward(rows), nil))
	rows = rows.Add(l.cross.forward(l.norm2.Forward(rows), text))
	both := l.gated.Forward(l.norm3.Forward(rows))
	n := both.Dim(2) / 2
	return rows.Add(l.down.Forward(both.Narrow(2, 0, n).Mul(both.Narrow(2, n, n).GeluErf())))
}

// rowsOf makes a picture [n channels h w] to rows of pixels [n h·w channels].
func rowsOf(x *tensor.Tensor) *tensor.Tensor {
	return x.Flatten(2, 3).Transpose(1, 2).Contiguous()
}

// pictureOf is the inverse of rowsOf.
func pictureOf(rows *tensor.Tensor, h, w int) *tensor.Tensor {
	return rows.Transpose(1, 2).Reshape(rows.Dim(0), rows.Dim(2), h, w)
}

// attention is that of several heads, between linear layers.
type attention struct {
	parts.Attention
}

// newAttention takes attention of rows of a width to rows of another one.
func newAttention(width, other, heads int, bias bool, p *nn.Params) *attention {
	a := &attention{parts.Attention{Heads: heads, Q: parts.Linear(width, width, bias, p.At("to_q")),
		K:   parts.Linear(other, width, bias, p.At("to_k")),
		V:   parts.Linear(other, width, bias, p.At("to_v")),
		Out: nn.NewLinear(width, width, p.At("to_out", 0))}}
	return a
}

// forward attends from rows [n rows width] to others, or to themselves for nil.
func (a *attention) forward(rows, others *tensor.Tensor) *tensor.Tensor {
	if others == nil {
		others = rows
	}
	k, v := a.Keys(others)
	return a.From(rows, k, v, nn.Attend{})
}
