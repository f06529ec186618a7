package tokenizers

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPre: each tokenizer.ggml.pre cuts words as the model does that it is named after: see testdata/pre.py.
func TestPre(t *testing.T) {
	var g struct {
		Tokens, Merges []any
		Texts          []string
		IDs            map[string][][]int
	}
	data, err := os.ReadFile("testdata/pre.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	meta := map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": g.Tokens, "tokenizer.ggml.merges": g.Merges}
	for pre, ids := range g.IDs {
		of := maps.Clone(meta)
		of["tokenizer.ggml.pre"] = pre
		tok, err := FromGGUF(of)
		if err != nil {
			t.Error(err)
			continue
		}
		tok.AddBOS = false
		for i, text := range g.Texts {
			if got := tok.Encode(text); !slices.Equal(got, ids[i]) {
				t.Errorf("%s: %q: %v, want %v", pre, text, got, ids[i])
			}
		}
	}
	for _, pre := range []any{nil, "default", "deepseek-llm", "tiny_aya"} {
		of := maps.Clone(meta)
		if of["tokenizer.ggml.pre"] = pre; pre == nil {
			delete(of, "tokenizer.ggml.pre")
		}
		if _, err := FromGGUF(of); err == nil || !strings.Contains(err.Error(), "tokenizer.ggml.pre") {
			t.Errorf("%v: %v", pre, err)
		}
	}
}
