package diffusion

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// normed is a group norm and an activation.
type normed struct {
	norm     *nn.GroupNormLayer
	activate tensor.Func
}

func (n *normed) forward(x *tensor.Tensor) *tensor.Tensor { return n.activate(n.norm.Forward(x)) }

// blockConfig is what the blocks of a UNet or VAE have in common.
type blockConfig struct {
	groups   int
	eps      float64
	activate tensor.Func
	time     int     // width of the rows of times; 0 for none
	padding  int     // of convolutions that halve pictures; 0 pads right and below alone
	cross    int     // width of the rows of texts
	linear   bool    // projections of transformers are linear layers, not convolutions of one tap
	scale    float64 // what the sums of residual blocks are divided by
}

func (c *blockConfig) norm(channels int, p *nn.Params) *normed {
	return &normed{nn.NewGroupNorm(c.groups, channels, c.eps, p), c.activate}
}

func conv3(in, out int, p *nn.Params) *nn.Conv2d {
	return nn.NewConv2d(in, out, 3, nn.ConvConfig{Padding: 1}, p)
}

// resnet is a residual block: two convolutions, between which it learns the time.
type resnet struct {
	norm1, norm2 *normed
	conv1, conv2 *nn.Conv2d
	time         *nn.Linear // nil in a VAE
	shortcut     *nn.Conv2d // nil where the channels stay
	scale        float64
}

func newResnet(c *blockConfig, in, out int, p *nn.Params) *resnet {
	r := &resnet{norm1: c.norm(in, p.At("norm1")), conv1: conv3(in, out, p.At("conv1")),
		norm2: c.norm(out, p.At("norm2")), conv2: conv3(out, out, p.At("conv2")), scale: c.scale}
	if c.time > 0 {
		r.time = nn.NewLinear(c.time, out, p.At("time_emb_proj"))
	}
	if in != out {
		r.shortcut = nn.NewConv2d(in, out, 1, nn.ConvConfig{}, p.At("conv_shortcut"))
	}
	return r
}

// forward takes a picture [n in h w] to [n out h w]. time are activated rows of times [n width], nil in a VAE.
func (r *resnet) forward(x, time *tensor.Tensor) *tensor.Tensor {
	return tensor.Scoped(func() *tensor.Tensor { return r.sum(x, time) })
}

func (r *resnet) sum(x, time *tensor.Tensor) *tensor.Tensor {
	h := r.conv1.Forward(r.norm1.forward(x))
	if r.time != nil {
		h = h.Add(r.time.Forward(time).Unsqueeze(2).Unsqueeze(3))
	}
	h = r.conv2.Forward(r.norm2.forward(h))
	if r.shortcut != nil {
		x = r.shortcut.Forward(x)
	}
	if x = x.Add(h); r.scale != 1 {
		x = x.Div(r.scale)
	}
	return x
}

// down halves a picture.
type down struct {
	conv *nn.Conv2d
	pad  bool // right and below
}

func newDown(c *blockConfig, channels int, p *nn.Params) *down {
	conv := nn.NewConv2d(channels, channels, 3, nn.ConvConfig{Stride: 2, Padding: c.padding},
		p.At("downsamplers", 0, "conv"))
	return &down{conv, c.padding == 0}
}

func (d *down) forward(x *tensor.Tensor) *tensor.Tensor {
	if d.pad {
		x = x.Pad(-1, 0, 1, 0).Pad(-2, 0, 1, 0)
	}
	return d.conv.Forward(x)
}

// up doubles a picture, or gives it a size.
type up struct{ conv *nn.Conv2d }

func newUp(channels int, p *nn.Params) *up {
	return &up{conv3(channels, channels, p.At("upsamplers", 0, "conv"))}
}

func (u *up) forward(x *tensor.Tensor, h, w int) *tensor.Tensor {
	return u.conv.Forward(x.UpsampleNearest2d(h, w))
}

// activation is that of a config.
func (c *config) activation(key, usual string) tensor.Func {
	f, err := nn.ParseActivation(value(c, key, usual))
	if err != nil {
		c.fail("%s: %v", key, err)
	}
	return f
}

// channels are those of the blocks of a UNet or VAE.
func (c *config) channels() []int {
	list := value(c, "block_out_channels", []int(nil))
	if len(list) == 0 || len(list) > maxBlocks {
		c.fail("block_out_channels is %v: want 1 to %d numbers", list, maxBlocks)
	}
	groups := c.between("norm_num_groups", 32, 1, maxWidth)
	for _, n := range list {
		if n < 1 || n > maxWidth || n%groups != 0 {
			c.fail("block_out_channels has %d: want multiples of norm_num_groups, %d, of at most %d", n, groups, maxWidth)
		}
	}
	return list
}

// blocks are the kinds of blocks, which must be as many as n, and of those that known has.
func (c *config) blocks(key string, n int, known ...string) []string {
	list := value(c, key, []string(nil))
	if len(list) != n {
		c.fail("%s has %d blocks, and block_out_channels %d", key, len(list), n)
		return make([]string, n)
	}
	for _, kind := range list {
		if !slices.Contains(known, kind) {
			c.fail("%s has a %q, which is not supported: want %s", key, kind, fmt.Sprint(known))
		}
	}
	return list
}

// Bounds of what configs declare.
const (
	maxBlocks = 16
	maxWidth  = 1 << 15
	maxLayers = 64
)
