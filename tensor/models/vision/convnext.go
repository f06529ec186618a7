package vision

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// channelNorm is a LayerNorm of the channels of [n c h w].
type channelNorm struct{ *nn.LayerNormLayer }

func (n channelNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	return n.LayerNormLayer.Forward(x.Permute(0, 2, 3, 1).Contiguous()).Permute(0, 3, 1, 2).Contiguous()
}

// convnextBlock is a convolution of each channel alone, and a feed-forward part of each pixel.
type convnextBlock struct {
	conv  *nn.Conv2d
	norm  *nn.LayerNormLayer
	feed  parts.FeedForward
	scale *tensor.Tensor // nil for none
}

// Forward takes channels [n c h w] to such.
func (b *convnextBlock) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := b.feed.Forward(b.norm.Forward(b.conv.Forward(x).Permute(0, 2, 3, 1).Contiguous()))
	if b.scale != nil {
		y = y.Mul(b.scale)
	}
	return x.Add(y.Permute(0, 3, 1, 2))
}

// convnext is ConvNeXt (Liu et al., 2022).
func convnext(m *Model, j *jsonConfig, p *nn.Params) error {
	c := &m.Config
	act := activation(c.Activation)
	const eps = 1e-6 // of all norms but the last
	begin := 1e-6
	set(&begin, j.LayerScaleBegin)
	return p.Build(func() {
		b, headed := parts.Under(p, "convnext", "embeddings.patch_embeddings.weight")
		at := b.At("embeddings")
		layers := []tensor.Module{
			nn.NewConv2d(3, c.Dims[0], c.Patch, nn.ConvConfig{Stride: c.Patch}, at.At("patch_embeddings")),
			channelNorm{nn.NewLayerNorm(c.Dims[0], eps, at.At("layernorm"))}}
		for stage, dim := range c.Dims {
			at := b.At("encoder", "stages", stage)
			if stage > 0 {
				before := c.Dims[stage-1]
				layers = append(layers, channelNorm{nn.NewLayerNorm(before, eps, at.At("downsampling_layer", 0))},
					nn.NewConv2d(before, dim, 2, nn.ConvConfig{Stride: 2}, at.At("downsampling_layer", 1)))
			}
			for i := range c.Depths[stage] {
				at := at.At("layers", i)
				block := &convnextBlock{
					conv: nn.NewConv2d(dim, dim, 7, nn.ConvConfig{Padding: 3, Groups: dim}, at.At("dwconv")),
					norm: nn.NewLayerNorm(dim, eps, at.At("layernorm")),
					feed: parts.FeedForward{Activate: act, Up: nn.NewLinear(dim, 4*dim, at.At("pwconv1")),
						Down: nn.NewLinear(4*dim, dim, at.At("pwconv2"))}}
				if begin > 0 {
					block.scale = at.Get("layer_scale_parameter", []int{dim}, nn.Const(begin))
				}
				layers = append(layers, block)
			}
		}
		norm := nn.NewLayerNorm(c.Dim, c.Eps, b.At("layernorm"))
		m.hidden = func(x *tensor.Tensor, _ bool) *tensor.Tensor { return nn.Sequential(layers).Forward(x) }
		m.pool = func(x *tensor.Tensor) *tensor.Tensor { return norm.Forward(meanChannels(x)) }
		if last := m.classifier(j, headed, c.Dim, p.At("classifier"), p); last != nil {
			m.head = func(_, pooled *tensor.Tensor) *tensor.Tensor { return last.Forward(pooled) }
		}
	})
}
