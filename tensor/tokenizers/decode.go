package tokenizers

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoding is how the pieces of tokens become text.
type decoding struct {
	letters bool   // pieces are written in the letters of byteRunes
	bytes   bool   // <0x41> is the byte 0x41
	space   string // what pieces have for a space; empty for a space
	begin   begin
	between string // comes between tokens
	single  bool   // of a run of bytes that is not UTF-8, those that are wrong alone become U+FFFD, each
	unknown string // the text of the unknown token
}

// begin says what is taken from the begin of a text, where something was put before it.
type begin int

const (
	asItIs      begin = iota
	withoutOne        // space
	withoutAll        // spaces of the first token
	withoutEach       // space of each token before there is text
)

// Decode returns the text of tokens, without special ones. Bytes that are not UTF-8 become U+FFFD. It ignores numbers
// that are not tokens.
func (t *Tokenizer) Decode(ids []int) string {
	if t.chain != nil {
		return t.decodeAll(ids)
	}
	s := t.Stream()
	s.whole = true
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(s.Next(id))
	}
	text.WriteString(s.Flush())
	return text.String()
}

// Text returns what a token alone is written as: bytes that may be the part of a character, and special tokens as the
// vocabulary has them. A text is more than its tokens' (Decode): a space at its begin may be left out, for one.
func (t *Tokenizer) Text(id int) string {
	piece := t.Piece(id)
	if t.special[id] {
		return piece
	}
	if b, single := byteOf(piece); single && t.decode.bytes {
		return string([]byte{b})
	}
	if t.decode.letters {
		if text, ok := fromByteRunes(piece); ok {
			return text
		}
		return piece
	}
	if t.decode.space != "" {
		return strings.ReplaceAll(piece, t.decode.space, " ")
	}
	return piece
}

// Stream is text that comes token by token. A character whose bytes are in several tokens comes with the last of them.
type Stream struct {
	t       *Tokenizer
	tokens  int    // that were shown
	started bool   // there was text
	held    []byte // the begin of a character
	// tokens for single bytes wait for the next other token: where one of a run is wrong, all are, as in Hugging Face's
	// tokenizers, unless decoding.single says otherwise
	whole bool
	run   []byte
	// with a chain: all tokens, and their text that was returned
	ids   []int
	shown string
}

// Stream returns an empty Stream, for the tokens of one text.
func (t *Tokenizer) Stream() *Stream { return &Stream{t: t} }

// Next adds a token and returns the text that is complete with it, which may be empty.
func (s *Stream) Next(id int) string {
	t, d := s.t, &s.t.decode
	if t.chain != nil {
		s.ids = append(s.ids, id)
		return s.more(false)
	}
	if id == t.unknown && d.unknown != "" {
		text := s.endRun()
		s.started = true // no space of its text was put there
		s.tokens++
		return text + s.add([]byte(d.unknown))
	}
	if t.Piece(id) == "" || t.special[id] {
		return ""
	}
	s.tokens++
	piece := t.pieces[id]
	b, single := byteOf(piece)
	switch {
	case d.letters:
		if text, ok := fromByteRunes(piece); ok {
			piece = text
		}
	case d.bytes && single && s.whole:
		s.run = append(s.run, b)
		return ""
	case d.bytes && single:
		s.started = s.started || d.single
		return s.add([]byte{b})
	case d.space != "":
		if d.begin == withoutAll && s.tokens == 1 {
			piece = strings.ReplaceAll(piece, d.space, "")
		}
		piece = strings.ReplaceAll(piece, d.space, " ")
	}
	if s.tokens > 1 {
		piece = d.between + piece
	}
	return s.endRun() + s.add([]byte(piece))
}

// add returns the characters that are complete with some bytes.
func (s *Stream) add(bytes []byte) string {
	s.held = append(s.held, bytes...)
	end := completeUntil(s.held)
	text := s.show(s.t.decode.lossy(s.held[:end]))
	s.held = append(s.held[:0], s.held[end:]...)
	return text
}

// show takes from the begin of a text what was put there.
func (s *Stream) show(text string) string {
	if !s.started && text != "" {
		switch s.t.decode.begin {
		case withoutOne:
			text = strings.TrimPrefix(text, " ")
		case withoutEach:
			text = strings.TrimPrefix(text, " ")
			s.started = text != ""
			return text
		}
		s.started = true
	}
	return text
}

// endRun returns the text of the tokens for single bytes that have waited.
func (s *Stream) endRun() string {
	text := string(s.run)
	switch {
	case s.t.decode.single:
		text = s.t.decode.lossy(s.run)
		s.started = s.started || text != "" // a space that is a byte was not put there
	case !utf8.ValidString(text):
		text = strings.Repeat("\uFFFD", len(s.run))
	}
	s.run = s.run[:0]
	return s.show(text)
}

// Flush returns what is left, a character whose end never came, as U+FFFD.
func (s *Stream) Flush() string {
	if s.t.chain != nil {
		return s.more(true)
	}
	text := s.endRun() + s.show(s.t.decode.lossy(s.held))
	s.held = s.held[:0]
	return text
}

// more returns the text of all tokens after what was returned, with a chain: it may change what the last token was.
// What may be an unfinished character waits for the end.
func (s *Stream) more(end bool) string {
	text := s.t.decodeAll(s.ids)
	if !end {
		text = strings.TrimRight(text, "\uFFFD")
	}
	rest, ok := strings.CutPrefix(text, s.shown)
	if !ok {
		return ""
	}
	s.shown = text
	return rest
}

// byteOf returns the byte that a piece such as <0x41> stands for.
func byteOf(piece string) (byte, bool) {
	if len(piece) != 6 || !strings.HasPrefix(piece, "<0x") || piece[5] != '>' {
		return 0, false
	}
	n, err := strconv.ParseUint(piece[3:5], 16, 8)
	return byte(n), err == nil
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

// lossy returns bytes as text.
func (d *decoding) lossy(b []byte) string {
	if d.single {
		return string([]rune(string(b)))
	}
	return lossy(b)
}

// lossy returns bytes as text, with U+FFFD for each longest begin of a character that does not go on, as the web's
// standard for UTF-8 has it.
func lossy(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var text strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			for n < len(b) && !utf8.FullRune(b[:n+1]) { // b[:n] could go on, and does so
				n++
			}
		}
		text.WriteRune(r)
		b = b[n:]
	}
	return text.String()
}
