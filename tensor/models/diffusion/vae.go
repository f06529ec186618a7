package diffusion

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// VAE makes small pictures of other channels, latents, of pictures, and pictures of those: a variational autoencoder
// (Kingma and Welling, 2013; Rombach et al., 2022).
type VAE struct {
	Config *VAEConfig
	Tile   int // pictures are read and made in tiles of so many pixels, which take less memory; 0 is as a whole

	dtype             tensor.DType
	encoder, decoder  *coder
	quant, afterQuant *nn.Conv2d // nil for none
	mean, std         *tensor.Tensor
	pause             func() // as that of UNet
}

// VAEConfig are the sizes of a VAE.
type VAEConfig struct {
	Channels []int   // of the blocks
	Layers   int     // residual blocks of each of them
	Latents  int     // channels of latents
	Size     int     // of the pictures of the training, in pixels
	Scale    float64 // the factor of latents
	Shift    float64 // what is subtracted from them before, for Transformers

	blocks              blockConfig
	attends             bool
	quantIn, quantOut   bool
	latentMean, lateStd []float64 // of the channels of latents; nil for 0 and 1
	upcast              bool      // it computes in F32
}

// readVAE reads vae/config.json.
func readVAE(folder string) (*VAEConfig, error) {
	c, err := readConfig(folder, "vae", "config.json")
	if err != nil {
		return nil, err
	}
	v := &VAEConfig{Channels: c.channels(), Layers: c.between("layers_per_block", 1, 1, maxLayers),
		Latents: c.between("latent_channels", 4, 1, maxWidth), Scale: value(c, "scaling_factor", 0.18215),
		Shift: value(c, "shift_factor", 0.0), Size: values(c, "sample_size", 1, 32)[0],
		attends: value(c, "mid_block_add_attention", true), quantIn: value(c, "use_quant_conv", true),
		quantOut: value(c, "use_post_quant_conv", true), upcast: value(c, "force_upcast", true)}
	v.blocks = blockConfig{groups: value(c, "norm_num_groups", 32), eps: pixelEps,
		activate: c.activation("act_fn", "silu"), scale: 1}
	n := len(v.Channels)
	c.blocks("down_block_types", n, "DownEncoderBlock2D")
	c.blocks("up_block_types", n, "UpDecoderBlock2D")
	if c.is("latents_mean") && c.is("latents_std") { // one alone is not used
		v.latentMean, v.lateStd = values(c, "latents_mean", v.Latents, 0.0), values(c, "latents_std", v.Latents, 1.0)
	}
	c.only("in_channels", 3.0)
	c.only("out_channels", 3.0)
	if v.Scale == 0 {
		c.fail("scaling_factor is 0")
	}
	return v, c.end()
}

// Factor is how many pixels of a picture a side of a pixel of latents has.
func (c *VAEConfig) Factor() int { return 1 << (len(c.Channels) - 1) }

// count is about how many weights there are.
func (c *VAEConfig) count() (n float64) {
	for _, width := range c.Channels {
		n += 36 * float64(width) * float64(width) * float64(c.Layers)
	}
	return n
}

// coder is the part of a VAE that reads pictures, or that makes them.
type coder struct {
	in, out *nn.Conv2d
	blocks  []*coderBlock
	first   *resnet // of the middle
	attend  *pixelAttention
	last    *resnet
	norm    *normed
	decodes bool
}

// coderBlock is a block of a coder, which makes pictures smaller or larger, or, as the last one, neither.
type coderBlock struct {
	resnets []*resnet
	down    *down
	up      *up
}

// pixelAttention lets pixels attend to each other, with one head. It is nil where there is none.
type pixelAttention struct {
	norm *nn.GroupNormLayer
	*attention
}

func newPixelAttention(c *blockConfig, channels int, p *nn.Params) *pixelAttention {
	a := &pixelAttention{nn.NewGroupNorm(c.groups, channels, c.eps, p.At("group_norm")), &attention{}}
	names := [4]string{"to_q", "to_k", "to_v", "to_out.0"}
	if p.Has("query.weight") { // of older files
		names = [4]string{"query", "key", "value", "proj_attn"}
	}
	a.Heads = 1
	for i, to := range []**nn.Linear{&a.Q, &a.K, &a.V, &a.Out} {
		*to = nn.NewLinear(channels, channels, p.At(names[i]))
	}
	return a
}

func (a *pixelAttention) forward(x *tensor.Tensor) *tensor.Tensor {
	if a == nil {
		return x
	}
	return pictureOf(a.attention.forward(rowsOf(a.norm.Forward(x)), nil), x.Dim(2), x.Dim(3)).Add(x)
}

// newVAE takes the weights of a VAE, inside of a Build.
func newVAE(c *VAEConfig, p *nn.Params) *VAE {
	v := &VAE{Config: c, dtype: p.DType(), encoder: c.newCoder(false, p.At("encoder")),
		decoder: c.newCoder(true, p.At("decoder"))}
	if c.quantIn {
		v.quant = nn.NewConv2d(2*c.Latents, 2*c.Latents, 1, nn.ConvConfig{}, p.At("quant_conv"))
	}
	if c.quantOut {
		v.afterQuant = nn.NewConv2d(c.Latents, c.Latents, 1, nn.ConvConfig{}, p.At("post_quant_conv"))
	}
	if c.lateStd != nil {
		v.mean = p.Device().FromSlice(c.latentMean, 1, c.Latents, 1, 1).ToDType(tensor.F32)
		v.std = p.Device().FromSlice(c.lateStd, 1, c.Latents, 1, 1).ToDType(tensor.F32)
	}
	return v
}

// newCoder takes the weights of the part that reads pictures, or of that which makes them.
func (c *VAEConfig) newCoder(decodes bool, p *nn.Params) *coder {
	widths, last := slices.Clone(c.Channels), c.Channels[len(c.Channels)-1]
	k := &coder{decodes: decodes}
	name, layers, in, end := "down_blocks", c.Layers, 3, 2*c.Latents
	if decodes {
		name, layers, in, end = "up_blocks", c.Layers+1, c.Latents, 3
		slices.Reverse(widths)
	}
	k.in = conv3(in, widths[0], p.At("conv_in"))
	width := widths[0]
	for i, out := range widths {
		b, at := &coderBlock{}, p.At(name, i)
		for j := range layers {
			b.resnets = append(b.resnets, newResnet(&c.blocks, width, out, at.At("resnets", j)))
			width = out
		}
		switch {
		case i == len(widths)-1:
		case decodes:
			b.up = newUp(out, at)
		default:
			b.down = newDown(&c.blocks, out, at)
		}
		k.blocks = append(k.blocks, b)
	}
	mid := p.At("mid_block")
	k.first = newResnet(&c.blocks, last, last, mid.At("resnets", 0))
	k.last = newResnet(&c.blocks, last, last, mid.At("resnets", 1))
	if c.attends {
		k.attend = newPixelAttention(&c.blocks, last, mid.At("attentions", 0))
	}
	k.norm, k.out = c.blocks.norm(width, p.At("conv_norm_out")), conv3(width, end, p.At("conv_out"))
	return k
}

func (k *coder) forward(x *tensor.Tensor, pause func()) *tensor.Tensor {
	x = k.in.Forward(x)
	if k.decodes {
		x = k.middle(x)
	}
	for _, b := range k.blocks {
		for _, r := range b.resnets {
			called(pause)
			x = r.forward(x, nil)
		}
		switch {
		case b.down != nil:
			x = b.down.forward(x)
		case b.up != nil:
			x = b.up.forward(x, 2*x.Dim(2), 2*x.Dim(3))
		}
	}
	if !k.decodes {
		x = k.middle(x)
	}
	return k.out.Forward(k.norm.forward(x))
}

func (k *coder) middle(x *tensor.Tensor) *tensor.Tensor {
	return k.last.forward(k.attend.forward(k.first.forward(x, nil)), nil)
}

// Encode returns mean and standard deviation of the latents of pictures [n 3 height width] with numbers from -1 to 1,
// F32 [n channels height/Factor width/Factor]. The latents that a UNet reads are those of Scaled. It panics with
// ErrShape for other shapes, and for sizes that Factor does not divide.
func (v *VAE) Encode(pictures *tensor.Tensor) (mean, std *tensor.Tensor) {
	f := v.Config.Factor()
	if pictures.Rank() != 4 || pictures.Dim(1) != 3 || pictures.Dim(2)%f != 0 || pictures.Dim(3)%f != 0 {
		panic(&tensor.Error{Op: "vae", Kind: tensor.ErrShape, Shapes: [][]int{pictures.Dims()},
			Message: fmt.Sprintf("want pictures [n 3 height width] with sizes that %d divides", f)})
	}
	x := v.encodeTiles(pictures.ToDType(v.dtype)).ToDType(tensor.F32)
	n := v.Config.Latents
	return x.Narrow(1, 0, n).Contiguous(), x.Narrow(1, n, n).Clamp(-30, 20).Mul(0.5).Exp()
}

// Decode returns pictures [n 3 height·Factor width·Factor] of latents [n channels height width], F32 with numbers that
// should be from -1 to 1. It panics with ErrShape for other shapes.
func (v *VAE) Decode(latents *tensor.Tensor) *tensor.Tensor {
	if latents.Rank() != 4 || latents.Dim(1) != v.Config.Latents {
		panic(&tensor.Error{Op: "vae", Kind: tensor.ErrShape, Shapes: [][]int{latents.Dims()},
			Message: fmt.Sprintf("want latents [n %d height width]", v.Config.Latents)})
	}
	return v.decodeTiles(latents.ToDType(v.dtype)).ToDType(tensor.F32)
}

// Scaled are latents of Encode as a UNet reads them, and Unscaled the inverse.
func (v *VAE) Scaled(latents *tensor.Tensor) *tensor.Tensor {
	if v.std != nil {
		latents = latents.Sub(v.mean).Div(v.std)
	}
	if v.Config.Shift != 0 {
		latents = latents.Sub(v.Config.Shift)
	}
	return latents.Mul(v.Config.Scale)
}

// Unscaled are latents of a UNet as Decode takes them.
func (v *VAE) Unscaled(latents *tensor.Tensor) *tensor.Tensor {
	if v.std != nil {
		return latents.Mul(v.std).Mul(1 / v.Config.Scale).Add(v.mean)
	}
	latents = latents.Mul(1 / v.Config.Scale)
	if v.Config.Shift != 0 {
		latents = latents.Add(v.Config.Shift)
	}
	return latents
}

func (v *VAE) encode(x *tensor.Tensor) *tensor.Tensor {
	if x = v.encoder.forward(x, v.pause); v.quant != nil {
		x = v.quant.Forward(x)
	}
	return x
}

func (v *VAE) decode(x *tensor.Tensor) *tensor.Tensor {
	if v.afterQuant != nil {
		x = v.afterQuant.Forward(x)
	}
	return v.decoder.forward(x, v.pause)
}
