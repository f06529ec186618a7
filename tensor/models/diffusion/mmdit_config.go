package diffusion

import "fmt"

// TransformerConfig are the sizes of a Transformer.
type TransformerConfig struct {
	Latents   int // channels of latents
	Patch     int // latents of a side of a patch, which is a row
	Size      int // of the pictures of the training, in latents
	Heads     int
	HeadDim   int
	Layers    int // with rows of the text beside those of the picture
	Singles   int // of FLUX: layers after those, for which both are rows alike
	Text      int // width of the rows of texts
	Whole     int // width of the row of a whole text
	Positions int // of SD3: patches of a side of the largest picture
	Axes      []int
	// of FLUX: how many numbers of a head are rotated by the place in the text, the row and the column
	Guided bool // it is told the guidance

	dual     []bool // of SD3.5: layers in which the picture's rows attend to each other alone, too
	normalQK bool   // queries and keys are normalised
	flux     bool
}

// Width is that of rows.
func (c *TransformerConfig) Width() int { return c.Heads * c.HeadDim }

// readTransformer reads transformer/config.json of Stable Diffusion 3 or FLUX.
func readTransformer(folder string, flux bool) (*TransformerConfig, error) {
	c, err := readConfig(folder, "transformer", "config.json")
	if err != nil {
		return nil, err
	}
	t := &TransformerConfig{flux: flux, normalQK: flux}
	if flux {
		t.readFlux(c)
	} else {
		t.readSD3(c)
	}
	if c.err == nil && (t.Heads > maxWidth/t.HeadDim || t.HeadDim%2 != 0) {
		c.fail("%d heads of %d numbers: want a width of at most %d, of heads of an even number", t.Heads, t.HeadDim, maxWidth)
	}
	return t, c.end()
}

func (t *TransformerConfig) readSD3(c *config) {
	t.Latents, t.Patch = c.between("in_channels", 16, 1, maxWidth), c.between("patch_size", 2, 1, 64)
	t.Size, t.Layers = c.between("sample_size", 128, 1, maxWidth), c.between("num_layers", 18, 1, maxLayers)
	t.Heads = c.between("num_attention_heads", 18, 1, maxWidth)
	t.HeadDim = c.between("attention_head_dim", 64, 1, maxWidth)
	t.Text = c.between("joint_attention_dim", 4096, 1, maxWidth)
	t.Whole = c.between("pooled_projection_dim", 2048, 1, maxWidth)
	t.Positions = c.between("pos_embed_max_size", 96, 1, 1<<12)
	c.only("qk_norm", nil, "rms_norm")
	t.normalQK, t.dual = c.is("qk_norm"), make([]bool, t.Layers)
	for _, i := range value(c, "dual_attention_layers", []int{}) {
		if i < 0 || i >= t.Layers {
			c.fail("dual_attention_layers has layer %d: there are %d", i, t.Layers)
			return
		}
		t.dual[i] = true
	}
	if n := value(c, "out_channels", 16); n != t.Latents {
		c.fail("out_channels is %d and in_channels %d, which is not supported: want one number", n, t.Latents)
	}
	if n := value(c, "caption_projection_dim", 1152); n != t.Width() {
		c.fail("caption_projection_dim is %d: want the width of rows, %d", n, t.Width())
	}
}

func (t *TransformerConfig) readFlux(c *config) {
	const side = 2 // latents of a patch
	c.only("patch_size", 1.0)
	in := c.between("in_channels", 64, 1, maxWidth)
	if in%(side*side) != 0 {
		c.fail("in_channels is %d: want a multiple of %d", in, side*side)
	}
	if n := value(c, "out_channels", in); n != in {
		c.fail("out_channels is %d and in_channels %d, which is not supported: want one number", n, in)
	}
	t.Latents, t.Patch = in/(side*side), side
	t.Layers, t.Singles = c.between("num_layers", 19, 1, maxLayers), c.between("num_single_layers", 38, 0, maxLayers)
	t.Heads = c.between("num_attention_heads", 24, 1, maxWidth)
	t.HeadDim = c.between("attention_head_dim", 128, 1, maxWidth)
	t.Text = c.between("joint_attention_dim", 4096, 1, maxWidth)
	t.Whole = c.between("pooled_projection_dim", 768, 1, maxWidth)
	t.Guided, t.Size = value(c, "guidance_embeds", false), 128
	t.Axes = value(c, "axes_dims_rope", []int{16, 56, 56})
	sum := 0
	for _, n := range t.Axes {
		if sum += n; n < 0 || n%2 != 0 || sum > maxWidth {
			c.fail("axes_dims_rope is %v: want even numbers", t.Axes)
			return
		}
	}
	if len(t.Axes) != 3 || sum != t.HeadDim {
		c.fail("axes_dims_rope is %v: want three numbers whose sum is attention_head_dim, %d", t.Axes, t.HeadDim)
	}
}

// count is about how many weights there are.
func (c *TransformerConfig) count() float64 {
	w := float64(c.Width())
	return w*w*(36*float64(c.Layers)+15*float64(c.Singles)) + w*float64(c.Text+c.Whole) +
		w*float64(c.Positions)*float64(c.Positions)
}

// String says what it is, in a line.
func (c *TransformerConfig) String() string {
	if c.flux {
		return fmt.Sprintf("FLUX, %d and %d layers of width %d", c.Layers, c.Singles, c.Width())
	}
	return fmt.Sprintf("Stable Diffusion 3, %d layers of width %d", c.Layers, c.Width())
}
