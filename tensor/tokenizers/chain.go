package tokenizers

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// addDecoder adds a decoder. The common ones, which give a text token by token, are a decoding; for others there is a
// chain.
func (t *Tokenizer) addDecoder(s *jsonStep) error {
	steps := []jsonStep{*s}
	if s.Type == "Sequence" {
		steps = s.Decoders
	}
	fused := false
	for i, s := range steps {
		if !t.decode.add(&s, fused) {
			t.decode, t.chain = decoding{}, nil
			return t.addChain(steps)
		}
		fused = fused || s.Type == "Fuse"
		if s.Type == "Metaspace" && len(steps) > 1 || s.Type == "ByteLevel" && i > 0 {
			t.decode = decoding{}
			return t.addChain(steps)
		}
	}
	return nil
}

// addChain adds steps that change the pieces of a text one after the other.
func (t *Tokenizer) addChain(steps []jsonStep) error {
	for i := range steps {
		if steps[i].Type == "Sequence" {
			if err := t.addChain(steps[i].Decoders); err != nil {
				return err
			}
			continue
		}
		f, err := steps[i].decoder()
		if err != nil {
			return err
		}
		t.chain = append(t.chain, f)
	}
	return nil
}

// eachPiece applies f to every piece.
func eachPiece(f func(i int, piece string) string) func([]string) []string {
	return func(pieces []string) []string {
		out := make([]string, len(pieces))
		for i, p := range pieces {
			out[i] = f(i, p)
		}
		return out
	}
}

// decoder is a step of a chain.
func (s *jsonStep) decoder() (func([]string) []string, error) {
	on := func(b *bool) bool { return b == nil || *b }
	switch s.Type {
	case "ByteLevel":
		return decodeLetters, nil
	case "ByteFallback":
		return decodeBytes, nil
	case "Fuse":
		return func(pieces []string) []string { return []string{strings.Join(pieces, "")} }, nil
	case "WordPiece":
		return decodeWordPiece(text0(s.Prefix, "##"), on(s.Cleanup)), nil
	case "BPEDecoder":
		suffix := text0(s.Suffix, "</w>")
		return func(pieces []string) []string {
			return eachPiece(func(i int, p string) string {
				space := " "
				if i == len(pieces)-1 {
					space = ""
				}
				return strings.ReplaceAll(p, suffix, space)
			})(pieces)
		}, nil
	case "CTC":
		return decodeCTC(text0(s.PadToken, "<pad>"), text0(s.WordDelimiter, "|"), on(s.Cleanup)), nil
	case "Metaspace":
		symbol, keeps := s.symbol(), s.scheme() == "never"
		return eachPiece(func(i int, p string) string {
			if i == 0 && !keeps {
				return strings.ReplaceAll(p, symbol, "")
			}
			return strings.ReplaceAll(p, symbol, " ")
		}), nil
	case "Strip":
		r, n := utf8.DecodeRuneInString(s.Content)
		if n == 0 || n != len(s.Content) || s.Start < 0 || s.Stop < 0 {
			return nil, fmt.Errorf("tokenizers: the decoder Strip takes %q off, which is not one character", s.Content)
		}
		return eachPiece(func(_ int, p string) string { return stripped(p, string(r), s.Start, s.Stop) }), nil
	case "Replace":
		spans, err := s.replaced()
		return eachPiece(func(_ int, p string) string { return replace(p, spans, s.Content) }), err
	}
	return nil, fmt.Errorf("tokenizers: the decoder %s is not supported", s.Type)
}

func text0(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// stripped is without up to so many of a character at each end.
func stripped(p, char string, start, stop int) string {
	for range start {
		p = strings.TrimPrefix(p, char)
	}
	for range stop {
		p = strings.TrimSuffix(p, char)
	}
	return p
}

// decodeLetters writes pieces in the letters of byteRunes as one text.
func decodeLetters(pieces []string) []string {
	var b strings.Builder
	for _, p := range pieces {
		if text, ok := fromByteRunes(p); ok {
			p = text
		}
		b.WriteString(p)
	}
	return []string{lossy([]byte(b.String()))}
}

// decodeBytes makes text of runs of tokens for single bytes; where one of a run is wrong, all are.
func decodeBytes(pieces []string) (out []string) {
	var run []byte
	end := func() {
		if text := string(run); utf8.ValidString(text) && len(run) > 0 {
			out = append(out, text)
		} else {
			out = append(out, slices.Repeat([]string{"\uFFFD"}, len(run))...)
		}
		run = run[:0]
	}
	for _, p := range pieces {
		if b, single := byteOf(p); single {
			run = append(run, b)
			continue
		}
		end()
		out = append(out, p)
	}
	end()
	return out
}

// cleanedUp is without the spaces before punctuation that word pieces have: replacements one after the other.
func cleanedUp(p string) string {
	for _, pair := range [][2]string{{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"},
		{" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}} {
		p = strings.ReplaceAll(p, pair[0], pair[1])
	}
	return p
}

func decodeWordPiece(prefix string, clean bool) func([]string) []string {
	return eachPiece(func(i int, p string) string {
		if i > 0 {
			if rest, ok := strings.CutPrefix(p, prefix); ok {
				p = rest
			} else {
				p = " " + p
			}
		}
		if clean {
			p = cleanedUp(p)
		}
		return p
	})
}

// decodeCTC is the decoder of models that give a token for each moment of a sound: repeated ones are one.
func decodeCTC(pad, delimiter string, clean bool) func([]string) []string {
	return func(pieces []string) (out []string) {
		for _, p := range slices.Compact(slices.Clone(pieces)) {
			if p = strings.ReplaceAll(p, pad, ""); clean {
				p = strings.ReplaceAll(cleanedUp(p), delimiter, " ")
			}
			if p != "" {
				out = append(out, p)
			}
		}
		return out
	}
}

// decodeAll is Decode by a chain.
func (t *Tokenizer) decodeAll(ids []int) string {
	var pieces []string
	for _, id := range ids {
		if p := t.Piece(id); p != "" && !t.special[id] {
			pieces = append(pieces, p)
		}
	}
	for _, f := range t.chain {
		pieces = f(pieces)
	}
	return strings.Join(pieces, "")
}
