package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Read reads config.json of a language model, or of that in a vision-language model, whose Text is not nil then.
func Read(folder string) (*JSON, error) {
	file, whole := filepath.Join(folder, "config.json"), &JSON{}
	if err := parts.ReadJSON(file, whole); err != nil {
		return nil, err
	}
	if texts := withoutImages[whole.ModelType]; texts != nil {
		return whole.text(texts)
	}
	if !vision.IsTower(whole.ModelType) {
		whole.Text = nil
		return whole, nil
	}
	if strings.HasPrefix(whole.ModelType, "qwen2") && whole.Text == nil { // older files have it all in one
		whole.ModelType, whole.Text = whole.ModelType+"_text", json.RawMessage("{}")
		return whole, nil
	}
	// What transformers takes where the file leaves it out, as those of LLaVA 1.5 do.
	j := &JSON{ModelType: "llama", Dim: 4096, Hidden: 11008, Layers: 32, Heads: 32, Vocab: 32000, Context: 2048,
		Eps: 1e-6, EOS: whole.EOS}
	of := struct {
		ModelType string `json:"model_type"`
	}{"llama"}
	if whole.Text == nil {
		whole.Text = json.RawMessage("{}")
	}
	if whole.ModelType == "gemma3" {
		of.ModelType = "gemma3_text"
	}
	if err := json.Unmarshal(whole.Text, &of); err != nil {
		return nil, fmt.Errorf("config.json: text_config: %w", err)
	}
	switch of.ModelType {
	case "llama":
	case "gemma3_text":
		j = &JSON{ModelType: "gemma3_text", Dim: 2304, Hidden: 9216, Layers: 26, Heads: 8, KVHeads: 4,
			HeadDim: 256, Vocab: 262208, Context: 131072, Eps: 1e-6, QueryScalar: 256, Window: 4096, EOS: whole.EOS}
	default: // others have other sizes
		j = &JSON{EOS: whole.EOS}
	}
	if err := json.Unmarshal(whole.Text, j); err != nil {
		return nil, fmt.Errorf("config.json: text_config: %w", err)
	}
	if j.Text = whole.Text; j.Tied == nil {
		j.Tied = whole.Tied
	}
	if j.Quantization == nil {
		j.Quantization = whole.Quantization
	}
	return j, nil
}

// withoutImages are vision-language models whose images are not read, and the model_types of their language models.
var withoutImages = map[string][]string{"llama4": {"llama4_text"}, "mistral3": {"mistral", "ministral3"},
	"qwen3_5": {"qwen3_5_text"}, "qwen3_5_moe": {"qwen3_5_moe_text"}}

// text is the language model in config.json of such a model.
func (j *JSON) text(types []string) (*JSON, error) {
	t := &JSON{EOS: j.EOS, Tied: j.Tied, Quantization: j.Quantization}
	if j.Text == nil {
		return nil, fmt.Errorf("config.json: text_config is missing")
	}
	if err := json.Unmarshal(j.Text, t); err != nil {
		return nil, fmt.Errorf("config.json: text_config: %w", err)
	}
	if !slices.Contains(types, t.ModelType) {
		return nil, fmt.Errorf("config.json: text_config: model_type %q is not supported: want %s", t.ModelType,
			strings.Join(types, " or "))
	}
	t.Text, t.Whole = nil, true
	return t, nil
}

// AloneOf are the names in the files of such a model, without those of the parts for images.
func AloneOf(c *LlamaConfig, p *nn.Params) error {
	if err := BesideVision(c, p); err != nil {
		return err
	}
	ignored := []string{"vision_model.", "multi_modal_projector.", "vision_tower.", "model.vision_tower.",
		"model.multi_modal_projector.", "model.visual.", "visual."}
	c.names.IgnoredUnder = slices.Concat(c.names.IgnoredUnder, ignored)
	return nil
}

// BesideVision has the names of the weights of a language model that is a part of p.
func BesideVision(c *LlamaConfig, p *nn.Params) (err error) {
	names := c.names
	if names == nil {
		names = Files[1]
	}
	base := "language_model.model"
	for _, path := range []string{"model.text_model", "model.language_model", "model"} {
		if p.Has(path + ".embed_tokens.weight") {
			base = path
		}
	}
	output := "lm_head"
	if p.Has("language_model.lm_head.weight") {
		output = "language_model.lm_head"
	}
	c.names, err = names.below(base, output)
	return err
}

// below are the names of a model that is a part of a larger one.
func (n *Names) below(base, output string) (*Names, error) {
	m := *n
	m.Output = output
	for _, name := range []*string{&m.Embedding, &m.Norm, &m.Layers} {
		rest, ok := strings.CutPrefix(*name, "model.")
		if !ok {
			return nil, fmt.Errorf("models: a language model with weights %s is not supported in a vision-language model", *name)
		}
		*name = base + "." + rest
	}
	return &m, nil
}
