package tokenizers

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
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
	vocab := map[string]int{}
	for i, piece := range g.Tokens {
		vocab[piece.(string)] = i
	}
	falcon, err := json.Marshal(map[string]any{"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": g.Merges},
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []map[string]any{
			{"type": "Punctuation", "behavior": "Contiguous"}, {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
			{"type": "Digits", "individual_digits": false},
			{"type": "Split", "pattern": map[string]any{"Regex": "[0-9][0-9][0-9]"}, "behavior": "Isolated", "invert": false}}}})
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	if err == nil {
		err = os.WriteFile(path, falcon, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	tok, err := ReadJSON(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range g.Texts {
		if got := tok.Encode(text); !slices.Equal(got, g.IDs["falcon"][i]) {
			t.Errorf("tokenizer.json of Falcon: %q: %v, want %v", text, got, g.IDs["falcon"][i])
		}
	}
	for _, pre := range []any{nil, "default", "kimi-k2", "tiny_aya"} {
		of := maps.Clone(meta)
		if of["tokenizer.ggml.pre"] = pre; pre == nil {
			delete(of, "tokenizer.ggml.pre")
		}
		if _, err := FromGGUF(of); err == nil || !strings.Contains(err.Error(), "tokenizer.ggml.pre") {
			t.Errorf("%v: %v", pre, err)
		}
	}
}
