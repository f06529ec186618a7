package vision

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// attentionPool makes one row of those of an image: a row that is learned attends to them.
type attentionPool struct {
	probe     *tensor.Tensor // [1 1 dim]
	attention *nn.MultiheadAttention
	norm      *nn.LayerNormLayer
	feed      parts.FeedForward
}

func newAttentionPool(c *Config, at *nn.Params) *attentionPool {
	return &attentionPool{probe: at.Get("probe", []int{1, 1, c.Dim}, nil),
		attention: nn.NewMultiheadAttention(c.Dim, c.Heads, at.At("attention")),
		norm:      nn.NewLayerNorm(c.Dim, c.Eps, at.At("layernorm")),
		feed: parts.FeedForward{Activate: activation(c.Activation), Up: nn.NewLinear(c.Dim, c.Hidden, at.At("mlp", "fc1")),
			Down: nn.NewLinear(c.Hidden, c.Dim, at.At("mlp", "fc2"))}}
}

// forward takes rows [n rows dim] to [n dim].
func (a *attentionPool) forward(rows *tensor.Tensor) *tensor.Tensor {
	probe := a.probe.BroadcastAs(rows.Dim(0), 1, rows.Dim(2))
	x := a.attention.Forward(probe, rows, rows, nn.Attend{})
	return x.Add(a.feed.Forward(a.norm.Forward(x))).Squeeze(1)
}

// siglip is SigLIP. Texts are filled up to all positions, and the row of a text is its last one.
func siglip(c *CLIP, j *jsonPair, p *nn.Params) error {
	return p.Build(func() {
		e, image, texts := c.towers(p)
		pool := newAttentionPool(&c.Config, p.At("vision_model", "head"))
		last := nn.NewLinear(c.Text.Dim, parts.FirstOf(j.Text.Projection, c.Text.Dim), p.At("text_model", "head"))
		c.scale = math.Exp(p.Get("logit_scale", []int{1}, nil).ToDType(tensor.F32).Squeeze(0).ToScalar())
		c.shift = p.Get("logit_bias", []int{1}, nil).ToDType(tensor.F32).Squeeze(0).ToScalar()
		c.image = func(x *tensor.Tensor) *tensor.Tensor {
			return pool.forward(image.norm.Forward(rowsOf(image.layers, e.forward(x), nn.Attend{})))
		}
		c.text = func(ids [][]int) *tensor.Tensor {
			n := c.Text.Context
			return last.Forward(texts.Rows(ids, n, c.pad, nn.Attend{}).Narrow(1, n-1, 1).Squeeze(1))
		}
	})
}
