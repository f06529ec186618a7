package tokenizers

import "fmt"

// String returns how many tokens there are, and those that begin and end a text.
func (t *Tokenizer) String() string {
	text := fmt.Sprintf("tokenizers.Tokenizer: %d tokens", t.Size())
	for _, end := range []struct {
		name string
		id   int
	}{{"BOS", t.BOS}, {"EOS", t.EOS}} {
		if end.id >= 0 {
			text += fmt.Sprintf(", %s %d %q", end.name, end.id, t.Piece(end.id))
		}
	}
	return text
}
