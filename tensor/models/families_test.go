package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models"
)

// changed opens the model of a folder of testdata with another config.json and other weights.
func changed(
	t *testing.T, folder string, config func(string) string, weights func([]formats.Named) []formats.Named,
) (*models.Llama, error) {
	t.Helper()
	named, err := formats.ReadSafetensors(filepath.Join("testdata", folder, "model.safetensors"), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", folder, "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	if err := os.WriteFile(filepath.Join(into, "config.json"), []byte(config(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteSafetensors(filepath.Join(into, "model.safetensors"), weights(named), nil); err != nil {
		t.Fatal(err)
	}
	m, _, err := models.OpenLlama(into, tensor.F32, tensor.CPU())
	return m, err
}

// TestNextTokenLayers: layers of DeepSeek V3 that guess further tokens are left out.
func TestNextTokenLayers(t *testing.T) {
	if _, err := changed(t, "deepseek3", func(c string) string { return c }, func(w []formats.Named) []formats.Named {
		return append(w, formats.Named{Name: "model.layers.2.eh_proj.weight", Tensor: tensor.Zeros(16, 32)})
	}); err != nil {
		t.Error(err)
	}
}

// TestKimi: Kimi K2 is DeepSeek V3 under another name.
func TestKimi(t *testing.T) {
	m, err := changed(t, "deepseek3", func(c string) string { return strings.ReplaceAll(c, "deepseek_v3", "kimi_k2") },
		func(w []formats.Named) []formats.Named { return w })
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goldens(t) {
		if g.name != "deepseek3" {
			continue
		}
		for i, row := range m.Forward(g.IDs).ToVec2() {
			g.near(t, row, i)
		}
	}
}

// TestLayerPattern: which layers see everything may be said in letters.
func TestLayerPattern(t *testing.T) {
	kinds := regexp.MustCompile(`(?s)"layer_types": \[.*?\],`)
	for pattern, want := range map[string]string{`4`: "", `"LLLG"`: "", `"LGLL"`: "is not supported", `null`: "no layer has it"} {
		m, err := changed(t, "exaone4", func(c string) string {
			return strings.Replace(kinds.ReplaceAllString(c, ""), `"sliding_window_pattern": 4`, `"sliding_window_pattern": `+pattern, 1)
		}, func(w []formats.Named) []formats.Named { return w })
		if want == "" && (err != nil || !slices.Equal(m.Config.NoRope, []bool{false, false, false, true})) {
			t.Errorf("%s: %v", pattern, err)
		} else if want != "" && pattern != "null" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// TestLongContext: files that say more positions than there can be tables for are errors before there is memory for
// them.
func TestLongContext(t *testing.T) {
	_, err := changed(t, "qwen2", func(c string) string {
		return strings.Replace(c, `"max_position_embeddings": 64`, `"max_position_embeddings": 1000000000`, 1)
	}, func(w []formats.Named) []formats.Named { return w })
	if err == nil || !strings.Contains(err.Error(), "1000000000 positions") {
		t.Error(err)
	}
}

// TestWholeLlama4: the language model of files that have a part for images, too.
func TestWholeLlama4(t *testing.T) {
	m, err := changed(t, "llama4", func(c string) string {
		return `{"model_type": "llama4", "text_config": ` + c + `}`
	}, func(w []formats.Named) []formats.Named {
		for i := range w {
			w[i].Name = "language_model." + w[i].Name
		}
		return append(w, formats.Named{Name: "vision_model.class_embedding", Tensor: tensor.Zeros(4)})
	})
	if err != nil {
		t.Fatal(err)
	}
	g := golden{folder: "testdata/llama4"}
	raw, err := os.ReadFile(filepath.Join(g.folder, "logits.json"))
	if err == nil {
		err = json.Unmarshal(raw, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range m.Forward(g.IDs).ToVec2() {
		g.near(t, row, i)
	}
	for config, want := range map[string]string{
		`"text_config": {"model_type": "llama"}`: "want llama4_text",
		`"text_config": {"model_type": "llama4_text"}, "quantization_config": {"quant_method": "compressed-tensors"}`: `"compressed-tensors" is not supported`,
	} {
		if _, err := changed(t, "llama4", func(string) string { return `{"model_type": "llama4", ` + config + `}` },
			func(w []formats.Named) []formats.Named { return w }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// TestWithoutImages: the language models of files that have a part for images, too.
func TestWithoutImages(t *testing.T) {
	for folder, kind := range map[string]string{"ministral3": "mistral3", "qwen3_5": "qwen3_5"} {
		m, err := changed(t, folder, func(c string) string {
			return `{"model_type": "` + kind + `", "vision_config": {}, "text_config": ` + c + `}`
		}, func(w []formats.Named) []formats.Named {
			for i := range w {
				w[i].Name = strings.Replace(w[i].Name, "model.", "model.language_model.", 1)
			}
			return append(w, formats.Named{Name: "model.visual.pos_embed.weight", Tensor: tensor.Zeros(4)},
				formats.Named{Name: "model.vision_tower.ln_pre.weight", Tensor: tensor.Zeros(4)})
		})
		if err != nil {
			t.Fatal(kind, err)
		}
		for _, g := range goldens(t) {
			if g.name == folder {
				g.near(t, m.Forward(g.IDs).Get(len(g.IDs)-1).ToVec1(), len(g.IDs)-1)
			}
		}
	}
}

// TestManyLayers: files that say more layers than they have are errors, before there is memory for them.
func TestManyLayers(t *testing.T) {
	thorough.Slow(t)
	number := regexp.MustCompile(`"(num_hidden_layers|n_layers?|num_layers)": \d+`)
	kinds := regexp.MustCompile(`(?s)"(layer_types|layers_block_type|attn_layer_indices|attention_types)": \[.*?\n  \],`)
	for _, folder := range []string{"jamba", "bamba", "falcon_h1", "granite4", "lfm2", "lfm2_moe", "qwen3_next", "bloom", "mpt", "gpt_neo", "opt", "nemotron_h", "ernie4_5_moe",
		"hunyuan_moe", "exaone_moe", "cwm", "mamba"} {
		for _, layers := range []string{"1000000000", "100000", "0", "-3"} {
			for _, listed := range []bool{true, false} {
				_, err := changed(t, folder, func(c string) string {
					c = number.ReplaceAllString(c, `"$1": `+layers)
					if !listed {
						c = kinds.ReplaceAllString(c, "")
					}
					return c
				}, func(w []formats.Named) []formats.Named { return w })
				if err == nil && !(folder == "nemotron_h" && listed) { // which lists its layers
					t.Errorf("%s with %s layers: no error", folder, layers)
				}
			}
		}
	}
}
