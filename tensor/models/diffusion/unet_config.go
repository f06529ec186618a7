package diffusion

// UNetConfig are the sizes of a UNet.
type UNetConfig struct {
	Inputs, Outputs int   // channels: of a noisy picture, and of noise; 9 inputs are with a mask and a masked picture
	Size            int   // of the pictures of the training, in pixels of the VAE's latents
	Channels        []int // of the blocks
	Layers          []int // residual blocks of each block
	Transformers    []int // layers of the transformers of each block
	Heads           []int // of the transformers of each block
	Text            int   // width of the rows of texts
	Added           int   // width of the rows that are added to the time, with SDXL; 0 for none
	AddedTime       int   // width of each number of those

	down, up            []bool // which blocks have transformers
	mid                 bool
	blocks              blockConfig
	midScale            float64
	cosFirst            bool
	shift               float64
	kernelIn, kernelOut int
	time                int // width of the rows of times
}

// readUNet reads unet/config.json.
func readUNet(folder string) (*UNetConfig, error) {
	c, err := readConfig(folder, "unet", "config.json")
	if err != nil {
		return nil, err
	}
	u := &UNetConfig{Inputs: c.between("in_channels", 4, 1, maxWidth),
		Outputs: c.between("out_channels", 4, 1, maxWidth), Channels: c.channels()}
	n := len(u.Channels)
	u.Size = values(c, "sample_size", 1, 64)[0]
	u.Layers = values(c, "layers_per_block", n, 2)
	u.Transformers = values(c, "transformer_layers_per_block", n, 1)
	u.Heads = values(c, "attention_head_dim", n, 8) // which is so named by mistake
	text := values(c, "cross_attention_dim", n, 1280)
	u.blocks = blockConfig{groups: value(c, "norm_num_groups", 32), eps: value(c, "norm_eps", 1e-5),
		activate: c.activation("act_fn", "silu"), padding: c.between("downsample_padding", 1, 0, 1),
		linear: value(c, "use_linear_projection", false), scale: 1}
	u.midScale = value(c, "mid_block_scale_factor", 1.0)
	u.cosFirst, u.shift = value(c, "flip_sin_to_cos", true), value(c, "freq_shift", 0.0)
	u.kernelIn, u.kernelOut = c.between("conv_in_kernel", 3, 1, 15), c.between("conv_out_kernel", 3, 1, 15)
	u.readBlocks(c, text)
	u.readAdded(c)
	u.refuse(c)
	return u, c.end()
}

const (
	crossDown, plainDown = "CrossAttnDownBlock2D", "DownBlock2D"
	crossUp, plainUp     = "CrossAttnUpBlock2D", "UpBlock2D"
	crossMid             = "UNetMidBlock2DCrossAttn"
)

// readBlocks reads which blocks have transformers, and checks their sizes.
func (u *UNetConfig) readBlocks(c *config, text []int) {
	n := len(u.Channels)
	for _, kind := range c.blocks("down_block_types", n, crossDown, plainDown) {
		u.down = append(u.down, kind == crossDown)
	}
	for _, kind := range c.blocks("up_block_types", n, crossUp, plainUp) {
		u.up = append(u.up, kind == crossUp)
	}
	c.only("mid_block_type", crossMid, nil)
	kind, named := c.keys["mid_block_type"]
	u.mid = !named || string(kind) != "null"
	for i, channels := range u.Channels {
		switch {
		case u.Layers[i] < 1 || u.Layers[i] > maxLayers || u.Transformers[i] < 1 || u.Transformers[i] > maxLayers:
			c.fail("layers_per_block is %v and transformer_layers_per_block %v: want 1 to %d", u.Layers, u.Transformers, maxLayers)
		case u.Heads[i] < 1 || channels%u.Heads[i] != 0:
			c.fail("attention_head_dim is %v: want numbers of heads that divide block_out_channels, %v", u.Heads, u.Channels)
		case text[i] != text[0] || text[i] < 1 || text[i] > maxWidth:
			c.fail("cross_attention_dim is %v: want one number, of 1 to %d", text, maxWidth)
		}
	}
	if u.Size < 1 || u.Size > maxWidth {
		c.fail("sample_size is %d: want 1 to %d", u.Size, maxWidth)
	}
	if n > 0 {
		u.Text, u.time = text[0], 4*u.Channels[0]
	}
	u.time = c.between("time_embedding_dim", u.time, 1, maxWidth)
	u.blocks.time, u.blocks.cross = u.time, u.Text
}

// readAdded reads what SDXL adds to the time.
func (u *UNetConfig) readAdded(c *config) {
	c.only("addition_embed_type", nil, "text_time")
	if !c.is("addition_embed_type") {
		c.ignore("addition_time_embed_dim", "projection_class_embeddings_input_dim")
		return
	}
	u.AddedTime = c.between("addition_time_embed_dim", 256, 1, maxWidth)
	u.Added = c.between("projection_class_embeddings_input_dim", 0, 1, maxWidth)
}

// refuse names what is not supported.
func (u *UNetConfig) refuse(c *config) {
	for _, key := range []string{"class_embed_type", "num_class_embeds", "encoder_hid_dim", "encoder_hid_dim_type",
		"num_attention_heads", "time_embedding_act_fn", "timestep_post_act", "time_cond_proj_dim",
		"reverse_transformer_layers_per_block", "cross_attention_norm"} {
		c.only(key, nil)
	}
	for _, key := range []string{"center_input_sample", "dual_cross_attention", "class_embeddings_concat",
		"only_cross_attention"} {
		c.only(key, false)
	}
	c.only("mid_block_only_cross_attention", nil, false)
	c.only("resnet_time_scale_shift", "default")
	c.only("time_embedding_type", "positional")
	c.only("attention_type", "default")
	// of training, of blocks that are refused, or of how exactly is computed
	c.ignore("dropout", "upcast_attention", "addition_embed_type_num_heads", "resnet_out_scale_factor",
		"resnet_skip_time_act")
}

// count is about how many weights there are.
func (u *UNetConfig) count() (n float64) {
	for i, c := range u.Channels {
		width := float64(c)
		n += 18 * width * width * float64(u.Layers[i])
		if u.down[i] {
			n += float64(u.Layers[i]*u.Transformers[i]) * (18*width*width + 2*width*float64(u.Text))
		}
	}
	return n
}
