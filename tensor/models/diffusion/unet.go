package diffusion

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// UNet tells what is noise in noisy pictures of a VAE's latents (Ronneberger et al., 2015; Rombach et al., 2022).
type UNet struct {
	Config *UNetConfig

	dtype        tensor.DType
	in, out      *nn.Conv2d
	time1, time2 *nn.Linear
	add1, add2   *nn.Linear // of SDXL, or nil
	down         []*downBlock
	mid          *midBlock // nil for none
	up           []*upBlock
	norm         *normed
	pause        func() // is called between residual blocks, and may panic to end the work; nil is none
}

// downBlock makes pictures smaller. Transformers are nil without any.
type downBlock struct {
	resnets      []*resnet
	transformers []*transformer
	down         *down // nil in the last one
}

// midBlock is between the blocks.
type midBlock struct {
	first, last *resnet
	transformer *transformer
}

// upBlock makes pictures larger, and reads what the downBlock of that size gave.
type upBlock struct {
	resnets      []*resnet
	transformers []*transformer
	up           *up // nil in the last one
}

// newUNet takes the weights of a UNet, inside of a Build.
func newUNet(c *UNetConfig, p *nn.Params) *UNet {
	n := len(c.Channels)
	first, last := c.Channels[0], c.Channels[n-1]
	u := &UNet{Config: c, dtype: p.DType(),
		in:    nn.NewConv2d(c.Inputs, first, c.kernelIn, nn.ConvConfig{Padding: (c.kernelIn - 1) / 2}, p.At("conv_in")),
		time1: nn.NewLinear(first, c.time, p.At("time_embedding.linear_1")),
		time2: nn.NewLinear(c.time, c.time, p.At("time_embedding.linear_2"))}
	if c.Added > 0 {
		u.add1 = nn.NewLinear(c.Added, c.time, p.At("add_embedding.linear_1"))
		u.add2 = nn.NewLinear(c.time, c.time, p.At("add_embedding.linear_2"))
	}
	channels := first
	for i := range n {
		u.down = append(u.down, c.newDownBlock(i, channels, p.At("down_blocks", i)))
		channels = c.Channels[i]
	}
	if c.mid {
		mid, at := c.blocks, p.At("mid_block")
		mid.scale = c.midScale
		u.mid = &midBlock{newResnet(&mid, last, last, at.At("resnets", 0)),
			newResnet(&mid, last, last, at.At("resnets", 1)),
			newTransformer(&c.blocks, last, c.Heads[n-1], c.Transformers[n-1], at.At("attentions", 0))}
	}
	for i := range n {
		u.up = append(u.up, c.newUpBlock(i, channels, p.At("up_blocks", i)))
		channels = c.Channels[n-1-i]
	}
	u.norm = c.blocks.norm(first, p.At("conv_norm_out"))
	u.out = nn.NewConv2d(first, c.Outputs, c.kernelOut, nn.ConvConfig{Padding: (c.kernelOut - 1) / 2}, p.At("conv_out"))
	return u
}

func (c *UNetConfig) newDownBlock(i, in int, p *nn.Params) *downBlock {
	b, out := &downBlock{}, c.Channels[i]
	for k := range c.Layers[i] {
		b.resnets = append(b.resnets, newResnet(&c.blocks, in, out, p.At("resnets", k)))
		if in = out; c.down[i] {
			b.transformers = append(b.transformers,
				newTransformer(&c.blocks, out, c.Heads[i], c.Transformers[i], p.At("attentions", k)))
		}
	}
	if i < len(c.Channels)-1 {
		b.down = newDown(&c.blocks, out, p)
	}
	return b
}

// newUpBlock takes block i of those that make pictures larger, which reads pictures of in channels.
func (c *UNetConfig) newUpBlock(i, in int, p *nn.Params) *upBlock {
	b, level := &upBlock{}, len(c.Channels)-1-i
	out, skip := c.Channels[level], c.Channels[max(level-1, 0)]
	for k := range c.Layers[level] + 1 {
		beside := out
		if k == c.Layers[level] {
			beside = skip
		}
		b.resnets = append(b.resnets, newResnet(&c.blocks, in+beside, out, p.At("resnets", k)))
		if in = out; c.up[i] {
			b.transformers = append(b.transformers,
				newTransformer(&c.blocks, out, c.Heads[level], c.Transformers[level], p.At("attentions", k)))
		}
	}
	if level > 0 {
		b.up = newUp(out, p)
	}
	return b
}

// Condition is what a UNet or a Transformer is told of pictures.
type Condition struct {
	Text *tensor.Tensor // rows of texts [n rows width]
	// with SDXL, the rows [n width] that are added to those of the time, with a Transformer those of whole texts; else
	// nil
	Added    *tensor.Tensor
	Guidance float64 // which a Transformer of Config.Guided is told
}

// Forward returns what is noise in noisy pictures x [n channels height width] at a time, which counts from 0, no noise,
// to the 1000 of the training. Sizes need not be those of the training. It panics with ErrShape for shapes that do not
// fit.
func (u *UNet) Forward(x *tensor.Tensor, time float64, o Condition) *tensor.Tensor {
	u.check(x, o)
	x = x.ToDType(u.dtype)
	text := o.Text.ToDType(u.dtype)
	t := u.times(time, x.Device())
	if o.Added != nil {
		t = t.Add(u.add2.Forward(u.add1.Forward(o.Added.ToDType(u.dtype)).Silu()))
	}
	t = u.Config.blocks.activate(t)
	x = u.in.Forward(x)
	skips := []*tensor.Tensor{x}
	for _, b := range u.down {
		x, skips = b.forward(x, t, text, skips, u.pause)
	}
	if u.mid != nil {
		x = u.mid.last.forward(u.mid.transformer.forward(u.mid.first.forward(x, t), text), t)
	}
	for _, b := range u.up {
		x, skips = b.forward(x, t, text, skips, u.pause)
	}
	return u.out.Forward(u.norm.forward(x)).ToDType(tensor.F32)
}

func (u *UNet) check(x *tensor.Tensor, o Condition) {
	c := u.Config
	if x.Rank() != 4 || x.Dim(1) != c.Inputs {
		panic(&tensor.Error{Op: "unet", Kind: tensor.ErrShape, Shapes: [][]int{x.Dims()},
			Message: fmt.Sprintf("want pictures [n %d height width]", c.Inputs)})
	}
	if o.Text == nil || o.Text.Rank() != 3 || o.Text.Dim(0) != x.Dim(0) || o.Text.Dim(2) != c.Text {
		panic(&tensor.Error{Op: "unet", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("want rows of texts [%d rows %d]", x.Dim(0), c.Text)})
	}
	if (o.Added != nil) != (c.Added > 0) || o.Added != nil && (o.Added.Rank() != 2 || o.Added.Dim(1) != c.Added) {
		panic(&tensor.Error{Op: "unet", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("want added rows of width %d, or none for 0", c.Added)})
	}
}

// times are the rows of a time [1 width].
func (u *UNet) times(time float64, dev *tensor.Device) *tensor.Tensor {
	waves := u.waves([]float64{time}, u.Config.Channels[0])
	x := dev.FromSlice(waves, 1, len(waves)).ToDType(u.dtype)
	return u.time2.Forward(u.Config.blocks.activate(u.time1.Forward(x)))
}

// waves are sines and cosines of numbers, a row of a width for each, one after the other.
func (u *UNet) waves(numbers []float64, width int) []float32 {
	half := width / 2
	out := make([]float32, len(numbers)*width)
	for i, x := range numbers {
		row := out[i*width : (i+1)*width]
		for k := range half {
			sin, cos := math.Sincos(x * math.Exp(-math.Log(10000)*float64(k)/(float64(half)-u.Config.shift)))
			if u.Config.cosFirst {
				sin, cos = cos, sin
			}
			row[k], row[half+k] = float32(sin), float32(cos)
		}
	}
	return out
}

// called calls a function that need not be there.
func called(f func()) {
	if f != nil {
		f()
	}
}

func (b *downBlock) forward(x, t, text *tensor.Tensor, skips []*tensor.Tensor, pause func()) (
	*tensor.Tensor, []*tensor.Tensor,
) {
	for i, r := range b.resnets {
		called(pause)
		if x = r.forward(x, t); b.transformers != nil {
			x = b.transformers[i].forward(x, text)
		}
		skips = append(skips, x)
	}
	if b.down != nil {
		x = b.down.forward(x)
		skips = append(skips, x)
	}
	return x, skips
}

func (b *upBlock) forward(x, t, text *tensor.Tensor, skips []*tensor.Tensor, pause func()) (
	*tensor.Tensor, []*tensor.Tensor,
) {
	for i, r := range b.resnets {
		called(pause)
		n := len(skips) - 1
		x = r.forward(tensor.Cat([]*tensor.Tensor{x, skips[n]}, 1), t)
		if skips = skips[:n]; b.transformers != nil {
			x = b.transformers[i].forward(x, text)
		}
	}
	if b.up != nil {
		to := skips[len(skips)-1]
		x = b.up.forward(x, to.Dim(2), to.Dim(3))
	}
	return x, skips
}
