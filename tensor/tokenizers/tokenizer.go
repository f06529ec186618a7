package tokenizers

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor/limits"
)

// Tokenizer turns text into tokens and back. It may be used by several goroutines.
type Tokenizer struct {
	// the tokens that begin and end a text; -1 for none. Encode adds those that AddBOS and AddEOS say
	BOS, EOS       int
	AddBOS, AddEOS bool

	pieces    []string       // the text of each token, as the vocabulary has it
	ids       map[string]int // of the pieces that the model knows
	names     map[string]int // of the added tokens that it does not know
	special   map[int]bool   // tokens that are not text: Decode leaves them out
	asCame    *finder        // the added tokens that are found in the text as it came
	asMade    *finder        // those that are found in the normalized text
	bytes     [256]int       // the tokens <0x00> to <0xFF>; -1 where they are not
	unknown   int            // stands for what has no token; -1 drops it
	model     model
	normalize []func(string) string
	takes     map[int]func(string) bool // of steps of normalize: whether one removes the first character of a text
	split     []func([]string) []string
	byteLevel bool   // words are written in the letters of byteRunes
	space     string // what words have for a space
	// puts something before a text, or nil; first is false after an added token
	prefix func(text string, first bool) string
	pieced *spNormalizer // of a SentencePiece model
	// applied to a text before added tokens are found in it, or nil; the space that it puts before one is no token
	whole  func(string) string
	decode decoding
	chain  []func([]string) []string // instead, for decoders that are no decoding
	// of the post-processor, and what it has before and after one text
	template      *template
	before, after []int
	source        string // the tokenizer.json, for WriteJSON; "" for others
}

// model turns a word into tokens. In plain text it makes no special tokens.
type model interface {
	tokens(t *Tokenizer, word string, plain bool, out []int) []int
}

// newTokenizer returns a tokenizer without a model.
func newTokenizer(pieces []string) (*Tokenizer, error) {
	t := &Tokenizer{BOS: -1, EOS: -1, pieces: pieces, ids: make(map[string]int, len(pieces)), special: map[int]bool{},
		unknown: -1, space: " "}
	t.setAdded(nil)
	if len(pieces) == 0 {
		return nil, fmt.Errorf("tokenizers: the vocabulary is empty")
	}
	for id, piece := range pieces {
		if n := len(piece); n > limits.TokenBytes.Value() {
			return nil, limits.TokenBytes.Check(n, fmt.Sprintf("tokenizers: token %d has %d bytes", id, n))
		}
		if _, ok := t.ids[piece]; !ok {
			t.ids[piece] = id
		}
	}
	for b := range t.bytes {
		t.bytes[b] = -1
		if id, ok := t.ids[fmt.Sprintf("<0x%02X>", b)]; ok {
			t.bytes[b] = id
		}
	}
	return t, nil
}

// setAdded notes the tokens that are found before the model is asked.
func (t *Tokenizer) setAdded(list []added) {
	var came, made []added
	t.names = map[string]int{}
	for _, a := range list {
		if a.special {
			t.special[a.id] = true
		}
		if _, known := t.ids[a.text]; !known {
			t.names[a.text] = a.id
		}
		if a.normalized {
			a.text, _ = t.normalForm(a.text)
			made = append(made, a)
		} else {
			came = append(came, a)
		}
	}
	t.asCame, t.asMade = newFinder(came), newFinder(made)
}

// Size returns how many tokens there are.
func (t *Tokenizer) Size() int { return len(t.pieces) }

// Piece returns a token as the vocabulary writes it, or "" when there is none of that number.
func (t *Tokenizer) Piece(id int) string {
	if id < 0 || id >= len(t.pieces) {
		return ""
	}
	return t.pieces[id]
}

// ID returns the token that the vocabulary writes so, and whether there is one.
func (t *Tokenizer) ID(piece string) (int, bool) {
	if id, ok := t.names[piece]; ok {
		return id, true
	}
	id, ok := t.ids[piece]
	return id, ok
}

// Special reports whether a token is not text, such as the begin of one.
func (t *Tokenizer) Special(id int) bool { return t.special[id] }

// Encode returns the tokens of a text, with BOS and EOS where the model wants them. Special tokens that are spelled out
// in the text become those tokens: for text that others wrote use EncodePlain.
func (t *Tokenizer) Encode(text string) []int {
	ids := append([]int(nil), t.beginning()...)
	ids = append(ids, t.EncodePrompt(text)...)
	return append(ids, t.end()...)
}

// EncodePrompt is Encode without BOS and EOS, for a text that has them itself where they belong, such as one of a chat
// template.
func (t *Tokenizer) EncodePrompt(text string) (ids []int) {
	if t.whole != nil && text != "" {
		text = t.whole(text)
	}
	for i, p := range t.asCame.parts(text) {
		if p.token != nil {
			if t.whole != nil && i == 1 && len(ids) == 1 && t.Piece(ids[0]) == t.space && p.token.special {
				ids = ids[:0]
			}
			ids = append(ids, p.token.id)
		} else {
			ids = t.between(text[p.start:p.end], p.start == 0, ids)
		}
	}
	return ids
}

// between appends the tokens of a text without the added tokens that are found in texts as they came. first says that
// the text begins with it.
func (t *Tokenizer) between(text string, first bool, out []int) []int {
	text, keeps := t.normalForm(text)
	first = first && keeps
	for _, p := range t.asMade.parts(text) {
		if p.token != nil {
			out = append(out, p.token.id)
		} else {
			out = t.words(text[p.start:p.end], first && p.start == 0, false, out)
		}
	}
	return out
}

// EncodePlain returns the tokens of a text in which nothing is special, without BOS and EOS.
func (t *Tokenizer) EncodePlain(text string) []int {
	if text == "" {
		return nil
	}
	if t.whole != nil {
		text = t.whole(text)
	}
	text, first := t.normalForm(text)
	return t.words(text, first, true, nil)
}

// normalForm returns the normalized text, and whether it begins with what the text begins with, as prefix wants to
// know: Hugging Face's tokenizers follow where each character comes from.
func (t *Tokenizer) normalForm(text string) (form string, keepsFirst bool) {
	keepsFirst = true
	for i, f := range t.normalize {
		if takes := t.takes[i]; t.prefix != nil && takes != nil && keepsFirst && text != "" {
			keepsFirst = !takes(text)
		}
		text = f(text)
	}
	return text, keepsFirst
}

// words appends the tokens of normalized text without added tokens.
func (t *Tokenizer) words(text string, first, plain bool, out []int) []int {
	if t.prefix != nil {
		text = t.prefix(text, first)
	}
	words := []string{text}
	for _, f := range t.split {
		words = f(words)
	}
	for _, word := range words {
		if t.byteLevel {
			word = toByteRunes(word)
		}
		if word != "" {
			out = t.model.tokens(t, word, plain, out)
		}
	}
	return out
}

// missing appends what stands for a piece of text that has no token: its bytes, or the unknown token.
func (t *Tokenizer) missing(piece string, out []int) []int {
	switch {
	case t.inBytes(piece):
		for i := range len(piece) {
			out = append(out, t.bytes[piece[i]])
		}
	case t.unknown >= 0:
		out = append(out, t.unknown)
	}
	return out
}

// inBytes reports whether there is a token for each byte of a text.
func (t *Tokenizer) inBytes(text string) bool {
	for i := range len(text) {
		if t.bytes[text[i]] < 0 {
			return false
		}
	}
	return true
}
