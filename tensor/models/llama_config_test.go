package models

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/quant"
)

// TestWindows: how far back queries see, as transformers reads it from config.json.
func TestWindows(t *testing.T) {
	for _, c := range []struct {
		model, more string
		window      int
		wrong       string
	}{
		{"mistral", `"sliding_window": 4096`, 4096, ""},
		{"mistral", `"sliding_window": null`, 0, ""},
		{"qwen2", `"sliding_window": 4096`, 0, ""},
		{"qwen2", `"sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 2`, 0, ""},
		{"qwen2", `"sliding_window": 4096, "use_sliding_window": true, "max_window_layers": 0`, 4096, ""},
		{"qwen3", `"sliding_window": 4096, "use_sliding_window": true, "max_window_layers": 4`, 0, ""},
		{"qwen3", `"sliding_window": 4096, "use_sliding_window": true, "max_window_layers": 2`, 0,
			"max_window_layers 2 of 4"},
	} {
		text := `{"model_type": "` + c.model +
			`", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 4, "num_attention_heads": 2, "vocab_size": 9, "max_position_embeddings": 16, ` + c.more + `}`
		var j jsonConfig
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			t.Fatal(err)
		}
		config, err := j.config()
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s, %s: %v, want …%s…", c.model, c.more, err, c.wrong)
			}
		} else if err != nil || config.Window != c.window {
			t.Errorf("%s, %s: a window of %d and %v, want %d", c.model, c.more, config.Window, err, c.window)
		}
	}
}

// TestGGUFRope: a rotary embedding that is not supported is an error, and not another one.
func TestGGUFRope(t *testing.T) {
	embedding := []formats.Packed{{Name: "token_embd.weight",
		Tensor: quant.Quantize(tensor.Ones(9, 8), quant.F32)}}
	for _, c := range []struct {
		key   string
		value any
		wrong string
	}{
		{"llama.rope.scaling.type", "none", ""},
		{"llama.rope.scaling.type", "yarn", `"yarn" is not supported`},
		{"llama.rope.dimension_count", uint32(4), ""},
		{"llama.rope.dimension_count", uint32(2), "2 of the 4 elements"},
	} {
		path := filepath.Join(t.TempDir(), "x.gguf")
		meta := map[string]any{"general.architecture": "llama", "llama.embedding_length": uint32(8),
			"llama.feed_forward_length": uint32(8), "llama.block_count": uint32(1),
			"llama.attention.head_count": uint32(2), "llama.context_length": uint32(16), c.key: c.value}
		if err := formats.WriteGGUF(path, embedding, meta); err != nil {
			t.Fatal(err)
		}
		f, err := formats.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := ggufConfig(f); (err == nil) != (c.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s %v: %v, want …%s…", c.key, c.value, err, c.wrong)
		}
	}
}
