package tokenizers

import "errors"

// ByToken returns an error where the text of tokens is not that of each, one after the other (Bytes): some decoders
// change a token's text by those around it.
func (t *Tokenizer) ByToken() error {
	if t.chain != nil {
		return errors.New("tokenizers: the decoder of the tokenizer changes tokens by those around them")
	}
	return nil
}

// Bytes returns what a token adds to a text that it does not begin: none for special tokens and for numbers that are
// not tokens. They may be a part of a character. ByToken says whether a tokenizer's tokens have such bytes.
func (t *Tokenizer) Bytes(id int) []byte {
	if t.Piece(id) == "" || t.special[id] {
		return nil
	}
	return []byte(t.decode.between + t.Text(id))
}
