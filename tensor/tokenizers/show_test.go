package tokenizers

import (
	"fmt"
	"testing"
)

func TestShown(t *testing.T) {
	tok, err := newTokenizer([]string{"<s>", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if tok.BOS, tok.EOS = 0, -1; fmt.Sprint(tok) != `tokenizers.Tokenizer: 3 tokens, BOS 0 "<s>"` {
		t.Error(tok)
	}
}
