package models

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// imageToken sets the text of the token that images have in prompts.
func imageToken(tower *vision.Tower, tok *tokenizers.Tokenizer) error {
	id := tower.TokenID
	if id < 0 || id >= tok.Size() || tok.Piece(id) == "" {
		return fmt.Errorf("models: config.json says that token %d stands for images, and the tokenizer has %d tokens", id, tok.Size())
	}
	tower.Token = tok.Piece(id)
	if ids := tok.EncodePrompt(tower.Token); len(ids) != 1 || ids[0] != id {
		return fmt.Errorf("models: token %d, which stands for images, is %q, which the tokenizer reads as the tokens %v", id,
			tower.Token, ids)
	}
	if tower.BeginID < 0 {
		return nil
	}
	if tower.Begin, tower.End = tok.Piece(tower.BeginID), tok.Piece(tower.EndID); tower.Begin == "" || tower.End == "" {
		return fmt.Errorf("models: config.json says that the tokens %d and %d are around images, and the tokenizer has %d tokens",
			tower.BeginID, tower.EndID, tok.Size())
	}
	return nil
}
