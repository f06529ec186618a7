package vision

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// readGemma reads the sizes of Gemma 3 with images ("Gemma 3 Technical Report", 2025): SigLIP, whose rows are the mean
// of squares of patches before a norm and one product.
func (t *Tower) readGemma(prepare *jsonProcessor) (err error) {
	j := t.json
	if kind := j.Image.ModelType; kind != "siglip_vision_model" && kind != "" {
		return fmt.Errorf("vision: a vision_config of model_type %q is not supported: want siglip_vision_model", kind)
	}
	if t.Config, err = j.Image.config("siglip"); err != nil {
		return err
	}
	c := &t.Config
	j.layers, t.TokenID, t.BeginID, t.EndID = c.Layers, 262144, 255999, 256000
	set(&t.BeginID, j.Begin)
	set(&t.EndID, j.End)
	if j.PerImage == nil {
		j.PerImage = new(256)
	}
	if side := j.side(); side*side != *j.PerImage || c.Image[0] != c.Image[1] || c.Image[0]/c.Patch%side != 0 {
		return fmt.Errorf("vision: mm_tokens_per_image of %d is not possible for %d × %d patches: want squares of patches",
			*j.PerImage, c.Image[0]/c.Patch, c.Image[1]/c.Patch)
	}
	if prepare.PanAndScan != nil && *prepare.PanAndScan {
		return fmt.Errorf("vision: do_pan_and_scan is not supported: an image is read as a whole")
	}
	if t.Processor, err = prepare.processor(); err != nil {
		return err
	}
	t.Whole = true
	return t.checkWhole()
}

// side is how many rows, and columns, of image tokens an image has.
func (j *jsonTower) side() int {
	side := 1
	for side*side < *j.PerImage && side < maxWidth {
		side++
	}
	return side
}

func (t *Tower) gemma(p *nn.Params) {
	c, side := &t.Config, t.json.side()
	probe := "embeddings.patch_embedding.weight"
	at := within(p, probe, "model.vision_tower.vision_model", "vision_tower.vision_model", "model.vision_tower",
		"vision_tower")
	rows := t.vision(at)
	last := nn.NewLayerNorm(c.Dim, c.Eps, at.At("post_layernorm"))
	parts.IgnoreUnder(at, "head.")
	projector := within(p, "mm_input_projection_weight", "model.multi_modal_projector", "multi_modal_projector")
	norm := projector.Get("mm_soft_emb_norm.weight", []int{c.Dim}, nil).ToDType(tensor.F32)
	if !t.json.fromGGUF {
		norm = norm.Add(1)
	}
	product := projector.Get("mm_input_projection_weight", []int{c.Dim, t.Width}, nil)
	k := c.Image[0] / c.Patch / side
	t.forward = func(pixels *tensor.Tensor) *tensor.Tensor {
		x := last.Forward(rows(pixels))
		n := x.Dim(0)
		x = x.Reshape(n, side, k, side, k, c.Dim).Permute(0, 1, 3, 5, 2, 4).Reshape(n, side*side, c.Dim, k*k)
		x = x.ToDType(tensor.F32).Mean(-1).RmsNorm(norm, c.Eps)
		return x.ToDType(product.DType()).MatMul(product)
	}
}

// text is what stands for an image of so many image tokens in a prompt.
func (t *Tower) text(tokens int) string {
	all := strings.Repeat(t.Token, tokens)
	if t.BeginID < 0 {
		return all
	}
	return "\n\n" + t.Begin + all + t.End + "\n\n"
}

// Placeholder is what chat templates have for an image.
func (t *Tower) Placeholder() string {
	if t.BeginID < 0 {
		return t.Token
	}
	return t.Begin
}
