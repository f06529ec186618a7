package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
