package vision

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// readSmol reads the sizes of SmolVLM and Idefics 3 (Laurençon et al., "Building and better understanding
// vision-language models", 2024): SigLIP, of whose rows neighbours are put side by side before one product.
func (t *Tower) readSmol(prepare *jsonProcessor) (err error) {
	j := t.json
	if t.Config, err = j.Image.config("idefics3_vision"); err != nil {
		return err
	}
	c := &t.Config
	j.layers, t.TokenID = c.Layers, 128257
	if j.Shuffle == nil {
		j.Shuffle = new(2)
	}
	if s := *j.Shuffle; s < 1 || s > maxWidth || c.Image[0] != c.Image[1] || c.Image[0]/c.Patch%s != 0 {
		return fmt.Errorf("vision: a scale_factor of %d does not divide %d × %d patches", s, c.Image[0]/c.Patch, c.Image[1]/c.Patch)
	}
	if t.Processor, t.Tiles, err = prepare.tiles(); err != nil {
		return err
	}
	return t.checkTiles()
}

// checkTiles returns an error unless tiles have the size of the model.
func (t *Tower) checkTiles() error {
	switch edge := t.Config.Image[0]; {
	case t.Tiles.Edge != edge:
		return fmt.Errorf("vision: tiles of %d pixels (max_image_size) are prepared for a model of %d (image_size): want one size",
			t.Tiles.Edge, edge)
	case t.Tiles.Longest < 1 || t.Tiles.Longest > maxSide:
		return fmt.Errorf("vision: a longest_edge of %d is not possible: want 1 to %d", t.Tiles.Longest, maxSide)
	}
	return nil
}

func (t *Tower) smol(p *nn.Params) {
	c, s := &t.Config, *t.json.Shuffle
	at := p.At("model", "vision_model")
	rows := t.vision(at)
	norm := nn.NewLayerNorm(c.Dim, c.Eps, at.At("post_layernorm"))
	product := nn.NewLinearNoBias(c.Dim*s*s, t.Width, p.At("model", "connector", "modality_projection", "proj"))
	t.forward = func(pixels *tensor.Tensor) *tensor.Tensor {
		return product.Forward(shuffled(norm.Forward(rows(pixels)), s))
	}
}

// shuffled makes of each square of s × s rows [n rows dim] of a square image one row, [n rows/s² dim·s²].
func shuffled(x *tensor.Tensor, s int) *tensor.Tensor {
	n, dim, side := x.Dim(0), x.Dim(2), 1
	for side*side < x.Dim(1) {
		side++
	}
	x = x.Reshape(n, side/s, s, side/s, s, dim).Permute(0, 1, 3, 2, 4, 5)
	return x.Reshape(n, side*side/s/s, s*s*dim)
}
