package diffusion

import (
	"errors"
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// readFlow reads the parts of Stable Diffusion 3 or FLUX.
func (p *Pipeline) readFlow(folder string, adapters []Adapter) error {
	if len(adapters) > 0 {
		return errors.New("diffusion: adapters are for pipelines with a UNet: this one has a transformer")
	}
	flux := p.family == ofFlux
	c, err := readTransformer(folder, flux)
	if err != nil {
		return err
	}
	vae, err := readVAE(folder)
	if err != nil {
		return err
	}
	numbers, last := []string{"", "_2"}, "_3"
	if flux {
		numbers, last, p.withLong = []string{""}, "_2", true
	}
	for _, number := range numbers {
		t, err := readText(folder, number, !flux)
		if err != nil {
			return err
		}
		t.pooled = flux
		p.texts = append(p.texts, t)
	}
	if p.withLong {
		if p.long, err = readLongText(folder, last); err != nil {
			return err
		}
	}
	if err := p.fitFlow(c, vae); err != nil {
		return err
	}
	p.Options = defaults[p.family]
	if err := p.takeTexts(folder, nil); err != nil {
		return err
	}
	if p.long != nil {
		err := open(folder, p.long.name, textStems, p.long.config.Count(), p.dtype, p.dev, nil, 0, p.long.take)
		if err != nil {
			return err
		}
	}
	err = open(folder, "transformer", weightStems, c.count(), p.dtype, p.dev, nil, 0,
		func(w *nn.Params) { p.Transformer = newMMDiT(c, w) })
	if err != nil {
		return err
	}
	return p.takeVAE(folder, vae)
}

// fitFlow returns an error when the parts do not fit each other.
func (p *Pipeline) fitFlow(c *TransformerConfig, v *VAEConfig) error {
	width, whole := 0, 0
	for _, t := range p.texts {
		width += t.config.Dim
		if whole += t.projected; t.pooled {
			whole += t.config.Dim
		}
		if t.context != p.texts[0].context {
			return fmt.Errorf("diffusion: the text encoders read %d and %d tokens", p.texts[0].context, t.context)
		}
	}
	switch {
	case p.Scheduler.flow == nil:
		return fmt.Errorf("diffusion: a transformer goes with %s, not with %s", flowKind, p.Scheduler.Kind)
	case c.Latents != v.Latents:
		return fmt.Errorf("diffusion: a transformer of %d latent channels does not fit a VAE of latent_channels %d",
			c.Latents, v.Latents)
	case whole != c.Whole:
		return fmt.Errorf("diffusion: text encoders give rows of whole texts of width %d, and pooled_projection_dim of the "+
			"transformer is %d", whole, c.Whole)
	case p.long != nil && p.long.config.Dim != c.Text || p.family == ofSD3 && width > c.Text:
		return fmt.Errorf("diffusion: joint_attention_dim of the transformer is %d, which does not fit the text encoders",
			c.Text)
	}
	return nil
}

// encodeLong is Encode for Transformers: of CLIP, SD3 reads rows that zeros make as wide as those of T5, and FLUX none.
func (p *Pipeline) encodeLong(text string) (rows, whole *tensor.Tensor) {
	tokens := p.Options.TextTokens
	if tokens == 0 {
		if tokens = 256; p.family == ofFlux {
			tokens *= 2
		}
	}
	var clip, wholes, all []*tensor.Tensor
	for _, t := range p.texts {
		one, of := t.rows(text, true)
		clip, wholes = append(clip, one), append(wholes, of)
	}
	if p.family == ofSD3 {
		x, width := tensor.Cat(clip, 2), p.Transformer.Config.Text
		all = append(all, x.Pad(2, 0, width-x.Dim(2), 0))
	}
	if p.long != nil {
		all = append(all, p.long.rows(text, tokens))
	} else {
		all = append(all, p.dev.Zeros(p.dtype, 1, tokens, p.Transformer.Config.Text))
	}
	return tensor.Cat(all, 1), tensor.Cat(wholes, 1)
}
