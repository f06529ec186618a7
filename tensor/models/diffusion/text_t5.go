package diffusion

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/parts"
	"github.com/gorocm/gorocm/tensor/models/internal/t5"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// longText is the encoder of a T5, with its tokenizer: it reads more of a text than CLIP does.
type longText struct {
	name      string // of its folder
	config    t5.Config
	tokenizer *tokenizers.Tokenizer
	pad       int
	net       *t5.Net
}

// readLongText reads what a folder has of the text encoder of a number.
func readLongText(folder, number string) (*longText, error) {
	t := &longText{name: "text_encoder" + number}
	var err error
	if t.config, err = t5.ReadConfig(filepath.Join(folder, t.name)); err != nil {
		return nil, fmt.Errorf("diffusion: %s: %w", t.name, err)
	}
	t.config.DecoderLayers = 0
	at := filepath.Join(folder, "tokenizer"+number)
	if t.tokenizer, err = tokenizers.ReadFolder(at); err != nil {
		return nil, err
	}
	if n := t.tokenizer.Size(); n > t.config.Vocab {
		return nil, fmt.Errorf("diffusion: tokenizer%s has %d tokens, and the text encoder %d", number, n, t.config.Vocab)
	}
	special, err := parts.SpecialTokens(at)
	if err != nil {
		return nil, err
	}
	pad := parts.FirstOf(special["pad_token"], "<pad>")
	id, ok := t.tokenizer.ID(pad)
	if !ok {
		return nil, fmt.Errorf("diffusion: tokenizer%s has no %q, which fills texts up", number, pad)
	}
	t.pad = id
	return t, nil
}

// rows are those of a text [1 tokens width], which is filled up or cut off to so many tokens.
func (t *longText) rows(text string, tokens int) *tensor.Tensor {
	ids := slices.Clone(t.tokenizer.Shorten(t.tokenizer.Encode(text), tokens))
	for len(ids) < tokens {
		ids = append(ids, t.pad)
	}
	return t.net.Hidden(ids)
}

// take takes the weights, inside of a Build.
func (t *longText) take(p *nn.Params) { t.net = t5.NewEncoder(&t.config, p) }
