package tokenizers

import (
	"slices"
	"testing"
)

// TestSmolLM: of the pattern smollm digits are words of their own, as in Hugging Face's tokenizers, which gave the
// pieces.
func TestSmolLM(t *testing.T) {
	var pieces []any
	for _, r := range "12abxĠÂ½²" {
		pieces = append(pieces, string(r))
	}
	merges := []any{"1 2", "Ġ 1", "Ġ a", "a b"}
	for _, merged := range []string{"12", "Ġ1", "Ġa", "ab"} {
		pieces = append(pieces, merged)
	}
	tok, err := FromGGUF(map[string]any{"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm",
		"tokenizer.ggml.tokens": pieces, "tokenizer.ggml.merges": merges})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"12 ab 12": {"1", "2", "Ġa", "b", "Ġ", "1", "2"},
		"x1 1  ab": {"x", "1", "Ġ", "1", "Ġ", "Ġa", "b"},
		"½12 a²":   {"Â", "½", "1", "2", "Ġa", "Â", "²"},
	} {
		var got []string
		for _, id := range tok.EncodePrompt(text) {
			got = append(got, tok.Piece(id))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestUnknownIsSpecial: the unknown token of a GGUF file is read where a prompt spells it out, as by llama.cpp, and not
// in the texts of others.
func TestUnknownIsSpecial(t *testing.T) {
	tok, err := FromGGUF(map[string]any{"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": []any{"<unk>", "<", "u", "n", "k", ">"},
		"tokenizer.ggml.scores": []any{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, "tokenizer.ggml.token_type": []any{uint64(2), uint64(1), uint64(1), uint64(1), uint64(1), uint64(1)},
		"tokenizer.ggml.add_space_prefix": false})
	if err != nil {
		t.Fatal(err)
	}
	if ids := tok.EncodePrompt("n<unk>k"); !slices.Equal(ids, []int{3, 0, 4}) {
		t.Error(ids)
	}
	if ids := tok.EncodePlain("<unk>"); !slices.Equal(ids, []int{1, 2, 3, 4, 5}) {
		t.Error(ids)
	}
}
