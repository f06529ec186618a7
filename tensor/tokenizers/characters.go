package tokenizers

import (
	"maps"
	"slices"
)

// Characters returns a tokenizer whose tokens are the characters of a text, in their order in Unicode. Other characters
// have no token and are left out. It panics for an empty text.
func Characters(text string) *Tokenizer {
	seen := map[string]bool{}
	for _, r := range text {
		seen[string(r)] = true
	}
	t, err := newTokenizer(slices.Sorted(maps.Keys(seen)))
	if err != nil {
		panic(err)
	}
	t.model = &bpe{merges: map[pair]merge{}}
	return t
}
