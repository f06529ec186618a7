package tokenizers

import "unicode/utf8"

// wordPiece cuts a word into the longest tokens, from its begin on: BERT's model. Tokens within a word have a prefix.
type wordPiece struct {
	prefix  string // of tokens that do not begin a word
	longest int    // characters of a word; longer ones are unknown
}

func (m *wordPiece) tokens(t *Tokenizer, word string, plain bool, out []int) []int {
	if utf8.RuneCountInString(word) > m.longest {
		return t.missing(word, out)
	}
	before := len(out)
	for start := 0; start < len(word); {
		end := len(word)
		for ; end > start; end-- {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			piece := word[start:end]
			if start > 0 {
				piece = m.prefix + piece
			}
			if id, ok := t.ids[piece]; ok && !(plain && t.special[id]) {
				out = append(out, id)
				break
			}
		}
		if end == start { // the word is unknown as a whole
			return t.missing(word, out[:before])
		}
		start = end
	}
	return out
}

// wordLevel has a token for each word.
type wordLevel struct{}

func (wordLevel) tokens(t *Tokenizer, word string, plain bool, out []int) []int {
	if id, ok := t.ids[word]; ok && !(plain && t.special[id]) {
		return append(out, id)
	}
	return t.missing(word, out)
}
