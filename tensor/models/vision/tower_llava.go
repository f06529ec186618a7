package vision

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/nn"
)

// readLlava reads the sizes of LLaVA 1.5 (Liu et al., "Improved Baselines with Visual Instruction Tuning", 2023): CLIP
// or SigLIP, of which one of the last layers is projected by two products.
func (t *Tower) readLlava(prepare *jsonProcessor) (err error) {
	j := t.json
	of := map[string]string{"": "clip", "clip_vision_model": "clip", "siglip_vision_model": "siglip"}[j.Image.ModelType]
	if of == "" {
		return fmt.Errorf("vision: a vision_config of model_type %q is not supported: want clip_vision_model or "+
			"siglip_vision_model", j.Image.ModelType)
	}
	if t.Config, err = j.Image.config(of); err != nil {
		return err
	}
	j.clip, t.TokenID = of == "clip", 32000
	layer := -2
	if j.Layer != nil && json.Unmarshal(j.Layer, &layer) != nil {
		return fmt.Errorf("vision: vision_feature_layer is %s: want one number", j.Layer)
	}
	if j.layers = layer; layer < 0 {
		j.layers = t.Config.Layers + 1 + layer
	}
	if j.layers < 0 || j.layers > t.Config.Layers {
		return fmt.Errorf("vision: vision_feature_layer is %d for %d layers", layer, t.Config.Layers)
	}
	j.Strategy = parts.FirstOf(j.Strategy, "default")
	if !slices.Contains([]string{"default", "full"}, j.Strategy) || !j.clip && j.Strategy == "default" {
		return fmt.Errorf("vision: vision_feature_select_strategy %q is not supported for %s: want full, or with CLIP default",
			j.Strategy, of)
	}
	j.Act = parts.FirstOf(j.Act, "gelu")
	if _, err := nn.ParseActivation(j.Act); err != nil {
		return err
	}
	if t.Processor, err = prepare.processor(); err != nil {
		return err
	}
	return t.checkWhole()
}

// checkWhole returns an error unless images come out of the Processor with the size of the model.
func (t *Tower) checkWhole() error {
	p := t.Processor
	h, w := p.Height, p.Width
	if p.Crop {
		h, w = p.CropHeight, p.CropWidth
	}
	if !(p.Crop || p.Resize && p.ShortestEdge == 0) || [2]int{h, w} != t.Config.Image {
		return fmt.Errorf("vision: images of %d × %d are prepared for a model of %d × %d: want one size", w, h,
			t.Config.Image[1], t.Config.Image[0])
	}
	return nil
}

func (t *Tower) llava(p *nn.Params) {
	c, j := &t.Config, t.json
	probe := "embeddings.patch_embedding.weight"
	at := within(p, probe, "model.vision_tower.vision_model", "vision_tower.vision_model", "model.vision_tower",
		"vision_tower")
	rows := t.vision(at)
	parts.IgnoreUnder(at, "post_layernorm.", "head.")
	projector := within(p, "linear_1.weight", "model.multi_modal_projector", "multi_modal_projector")
	bias := j.Bias == nil || *j.Bias
	feed := parts.FeedForward{Activate: activation(j.Act),
		Up:   parts.Linear(c.Dim, t.Width, bias, projector.At("linear_1")),
		Down: parts.Linear(t.Width, t.Width, bias, projector.At("linear_2"))}
	t.forward = func(pixels *tensor.Tensor) *tensor.Tensor {
		x := rows(pixels)
		if j.clip && j.Strategy == "default" { // without the row of the image as a whole
			x = x.Narrow(1, 1, x.Dim(1)-1)
		}
		return feed.Forward(x)
	}
}
