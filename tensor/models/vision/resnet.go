package vision

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// resnetBlock is two or three convolutions, added to what they read, or to a convolution of it.
type resnetBlock struct {
	convs    []normedConv
	shortcut normedConv // without a convolution for the input itself
	activate tensor.Func
}

// Forward takes channels [n c h w] to such.
func (b *resnetBlock) Forward(x *tensor.Tensor) *tensor.Tensor { return b.ForwardT(x, false) }

// ForwardT is Forward, with the batch norms of a training.
func (b *resnetBlock) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	y := x
	for i, c := range b.convs {
		if y = c.forward(y, train); i < len(b.convs)-1 {
			y = y.Relu() // whatever hidden_act is, as in transformers
		}
	}
	if b.shortcut.conv != nil {
		x = b.shortcut.forward(x, train)
	}
	return b.activate(y.Add(x))
}

// normedConv is a convolution and the batch norm after it.
type normedConv struct {
	conv *nn.Conv2d
	norm *nn.BatchNorm // nil where the convolution has absorbed it
}

func (c normedConv) forward(x *tensor.Tensor, train bool) *tensor.Tensor {
	if x = c.conv.Forward(x); c.norm != nil {
		x = c.norm.ForwardT(x, train)
	}
	return x
}

// newNormedConv takes the weights of both: of files as one convolution.
func newNormedConv(in, out, kernel, stride int, at *nn.Params) normedConv {
	c := nn.NewConv2d(in, out, kernel, nn.ConvConfig{Padding: kernel / 2, Stride: stride, NoBias: true},
		at.At("convolution"))
	norm := nn.BatchNormOf(out, at.At("normalization"))
	at.Ignore("normalization.num_batches_tracked")
	if at.New() {
		return normedConv{c, norm}
	}
	return normedConv{conv: c.AbsorbBatchNorm(norm)}
}

// newResnetBlock takes the weights of a block, of which the largest ResNets have bottlenecks: three convolutions, of
// which the middle one has a quarter of the channels.
func newResnetBlock(in, out, stride int, j *jsonConfig, act tensor.Func, at *nn.Params) *resnetBlock {
	b := &resnetBlock{activate: act}
	if in != out || stride != 1 {
		b.shortcut = newNormedConv(in, out, 1, stride, at.At("shortcut"))
	}
	conv := func(i, in, out, kernel, stride int) {
		b.convs = append(b.convs, newNormedConv(in, out, kernel, stride, at.At("layer", i)))
	}
	if j.LayerType == "basic" {
		conv(0, in, out, 3, stride)
		conv(1, out, out, 3, 1)
		return b
	}
	first, second, mid := 1, stride, out/4
	if j.SmallerInFirst {
		first, second = stride, 1
	}
	conv(0, in, mid, 1, first)
	conv(1, mid, mid, 3, second)
	conv(2, mid, out, 1, 1)
	return b
}

// resnet is ResNet 18 to 152 (He et al., 2015).
func resnet(m *Model, j *jsonConfig, p *nn.Params) error {
	c := &m.Config
	act := activation(c.Activation)
	stem := c.Stem
	switch {
	case j.LayerType != "" && j.LayerType != "basic" && j.LayerType != "bottleneck":
		return fmt.Errorf("vision: layer_type %q is not supported: want basic or bottleneck", j.LayerType)
	case stem < 1 || stem > maxWidth:
		return fmt.Errorf("vision: an embedding_size of %d is not possible", stem)
	}
	return p.Build(func() {
		b, headed := parts.Under(p, "resnet", "embedder.embedder.convolution.weight")
		first := newNormedConv(3, stem, 7, 2, b.At("embedder", "embedder"))
		var blocks []tensor.Module
		in := stem
		for stage, out := range c.Dims {
			stride := 2
			if stage == 0 && !j.FirstSmaller {
				stride = 1
			}
			for i := range c.Depths[stage] {
				at := b.At("encoder", "stages", stage, "layers", i)
				blocks = append(blocks, newResnetBlock(in, out, stride, j, act, at))
				in, stride = out, 1
			}
		}
		pool := nn.PoolOptions{Stride: []int{2}, Padding: []int{1}}
		m.hidden = func(x *tensor.Tensor, train bool) *tensor.Tensor {
			x = nn.MaxPool(act(first.forward(x, train)), []int{3, 3}, pool)
			return nn.Sequential(blocks).ForwardT(x, train)
		}
		m.pool = meanChannels
		if last := m.classifier(j, headed, c.Dim, p.At("classifier", 1), p); last != nil {
			m.head = func(_, pooled *tensor.Tensor) *tensor.Tensor { return last.Forward(pooled) }
		}
	})
}

// meanChannels is the mean of each channel, [n c h w] to [n c].
func meanChannels(x *tensor.Tensor) *tensor.Tensor { return x.FlattenFrom(2).Mean(2) }
