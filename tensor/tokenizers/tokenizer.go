package tokenizers

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tokenizer turns text into tokens and back. It may be used by several goroutines.
type Tokenizer struct {
	BOS, EOS       int // the tokens that begin and end a text; -1 for none. Encode adds those that AddBOS and AddEOS say
	AddBOS, AddEOS bool

	pieces    []string       // the text of each token, as the vocabulary has it
	ids       map[string]int // of pieces
	special   map[int]bool   // tokens that are no text: Decode leaves them out
	added     [256][]added   // tokens that are found in the text as they are, by their first byte, longest first
	bytes     [256]int       // the tokens <0x00> to <0xFF>; -1 where they are not
	unknown   int            // stands for what has no token; -1 drops it
	model     model
	normalize []func(string) string
	split     []func([]string) []string
	byteLevel bool                                 // pieces are written in the letters of byteRunes
	space     string                               // what pieces have for a space
	strip     bool                                 // a text began with a space that was put there, which Decode takes away
	prefix    func(text string, first bool) string // puts something before a text, or nil; first is false after an added token
}

// added is a token that is found in the text before anything else.
type added struct {
	text    string
	id      int
	special bool
}

// model turns a word into tokens.
type model interface {
	tokens(t *Tokenizer, word string, out []int) []int
}

// maxPiece is how many bytes a token of a vocabulary may have.
const maxPiece = 1 << 16

// newTokenizer returns a tokenizer without a model.
func newTokenizer(pieces []string) (*Tokenizer, error) {
	t := &Tokenizer{BOS: -1, EOS: -1, pieces: pieces, ids: make(map[string]int, len(pieces)), special: map[int]bool{}, unknown: -1, space: " "}
	if len(pieces) == 0 {
		return nil, fmt.Errorf("tokenizers: the vocabulary is empty")
	}
	for id, piece := range pieces {
		if len(piece) > maxPiece {
			return nil, fmt.Errorf("tokenizers: token %d has %d bytes, more than %d", id, len(piece), maxPiece)
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

// setAdded notes the tokens that are found as they are, the longest first.
func (t *Tokenizer) setAdded(list []added) {
	list = slices.DeleteFunc(list, func(a added) bool { return a.text == "" })
	slices.SortStableFunc(list, func(a, b added) int { return len(b.text) - len(a.text) })
	for _, a := range list {
		if a.special {
			t.special[a.id] = true
		}
		t.added[a.text[0]] = append(t.added[a.text[0]], a)
	}
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
	id, ok := t.ids[piece]
	return id, ok
}

// Special reports whether a token is no text, such as the begin of one.
func (t *Tokenizer) Special(id int) bool { return t.special[id] }

// Encode returns the tokens of a text, with BOS and EOS where the model wants them. Special tokens that are spelled out in the text become those tokens: for text
// that others wrote use EncodePlain.
func (t *Tokenizer) Encode(text string) []int {
	var ids []int
	if t.AddBOS && t.BOS >= 0 {
		ids = append(ids, t.BOS)
	}
	first := true
	for text != "" {
		at, found := t.nextAdded(text)
		if at > 0 {
			ids = t.plain(text[:at], first, ids)
			first = false
		}
		if found == nil {
			break
		}
		ids = append(ids, found.id)
		text = text[at+len(found.text):]
		first = false
	}
	if t.AddEOS && t.EOS >= 0 {
		ids = append(ids, t.EOS)
	}
	return ids
}

// EncodePlain returns the tokens of a text in which nothing is special, without BOS and EOS.
func (t *Tokenizer) EncodePlain(text string) []int { return t.plain(text, true, nil) }

// nextAdded finds the first added token in a text; without one it returns the length of the text.
func (t *Tokenizer) nextAdded(text string) (int, *added) {
	for at := range len(text) {
		for i, a := range t.added[text[at]] {
			if strings.HasPrefix(text[at:], a.text) {
				return at, &t.added[text[at]][i]
			}
		}
	}
	return len(text), nil
}

// plain appends the tokens of text without added ones.
func (t *Tokenizer) plain(text string, first bool, out []int) []int {
	if text == "" {
		return out
	}
	for _, f := range t.normalize {
		text = f(text)
	}
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
			out = t.model.tokens(t, word, out)
		}
	}
	return out
}

// missing appends what stands for a piece of text that has no token: its bytes, or the unknown token.
func (t *Tokenizer) missing(piece string, out []int) []int {
	for i := range len(piece) {
		if t.bytes[piece[i]] < 0 {
			if t.unknown >= 0 {
				out = append(out, t.unknown)
			}
			return out
		}
	}
	for i := range len(piece) {
		out = append(out, t.bytes[piece[i]])
	}
	return out
}

// Decode returns the text of tokens, without special ones. Bytes that are no UTF-8 become U+FFFD. It ignores numbers that are no tokens.
func (t *Tokenizer) Decode(ids []int) string {
	d := t.Stream()
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(d.Next(id))
	}
	text.WriteString(d.Flush())
	return text.String()
}

// bytesOf returns the bytes of a token.
func (t *Tokenizer) bytesOf(id int) string {
	piece := t.pieces[id]
	if t.byteLevel {
		if s, ok := fromByteRunes(piece); ok {
			return s
		}
		return piece
	}
	if len(piece) == 6 && strings.HasPrefix(piece, "<0x") {
		var b byte
		if n, err := fmt.Sscanf(piece, "<0x%02X>", &b); n == 1 && err == nil && t.bytes[b] == id {
			return string([]byte{b})
		}
	}
	if t.space != " " {
		piece = strings.ReplaceAll(piece, t.space, " ")
	}
	return piece
}

// Stream is text that comes token by token. A character whose bytes are in several tokens comes with the last of them.
type Stream struct {
	t       *Tokenizer
	started bool
	held    []byte // the begin of a character
}

// Stream returns an empty Stream, for the tokens of one text.
func (t *Tokenizer) Stream() *Stream { return &Stream{t: t} }

// Next adds a token and returns the text that is complete with it, which may be empty.
func (s *Stream) Next(id int) string {
	t := s.t
	if id < 0 || id >= len(t.pieces) || t.special[id] {
		return ""
	}
	piece := t.bytesOf(id)
	if !s.started {
		s.started = true
		if t.strip {
			piece = strings.TrimPrefix(piece, " ")
		}
	}
	s.held = append(s.held, piece...)
	end := completeUntil(s.held)
	text := strings.ToValidUTF8(string(s.held[:end]), "\uFFFD")
	s.held = append(s.held[:0], s.held[end:]...)
	return text
}

// Flush returns what is left, a character whose end never came, as U+FFFD.
func (s *Stream) Flush() string {
	text := strings.ToValidUTF8(string(s.held), "\uFFFD")
	s.held = s.held[:0]
	return text
}

// completeUntil returns where the begin of an unfinished character at the end of b begins.
func completeUntil(b []byte) int {
	for back := 1; back <= min(utf8.UTFMax-1, len(b)); back++ {
		at := len(b) - back
		if utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}
