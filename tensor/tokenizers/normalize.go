package tokenizers

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// forms are Unicode's normal forms.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

// normalForm is a normal form of a text; characters that have one in Go's tables only stay as they are.
func normalForm(form norm.Form) func(string) string {
	if form != norm.NFKC && form != norm.NFKD {
		return form.String
	}
	return func(text string) string {
		if strings.IndexFunc(text, compatible.has) < 0 {
			return form.String(text)
		}
		var b strings.Builder
		for text != "" {
			at := strings.IndexFunc(text, compatible.has)
			if at < 0 {
				at = len(text)
			}
			b.WriteString(form.String(text[:at]))
			text = text[at:]
			if text != "" {
				n := len(string([]rune(text[:min(len(text), 4)])[0]))
				b.WriteString(text[:n])
				text = text[n:]
			}
		}
		return b.String()
	}
}

func (t *Tokenizer) addNormalizer(s *jsonStep) error {
	add := func(f func(string) string) { t.normalize = append(t.normalize, f) }
	addTaking := func(f func(string) string, takes func(text string) bool) {
		if t.takes == nil {
			t.takes = map[int]func(string) bool{}
		}
		t.takes[len(t.normalize)] = takes
		add(f)
	}
	// filter adds a step that takes characters away, and which of them at the begin.
	filter := func(f, begin func(string) string) {
		addTaking(f, func(text string) bool {
			_, n := utf8.DecodeRuneInString(text)
			return begin(text[:n]) == ""
		})
	}
	on := func(b *bool) bool { return b == nil || *b }
	if form, ok := forms[s.Type]; ok {
		add(normalForm(form))
		return nil
	}
	switch s.Type {
	case "Sequence":
		for i := range s.Normalizers {
			if err := t.addNormalizer(&s.Normalizers[i]); err != nil {
				return err
			}
		}
	case "Prepend":
		add(func(text string) string {
			if text == "" {
				return text
			}
			return s.Prepend + text
		})
	case "Replace":
		spans, err := s.replaced()
		if err != nil {
			return err
		}
		addTaking(func(text string) string { return replace(text, spans, s.Content) }, func(text string) bool {
			begin := spans(text)[0] // what replaces several characters is in the place of the last one
			return begin.match && (s.Content == "" && begin.text != "" || utf8.RuneCountInString(begin.text) > 1)
		})
	case "Lowercase":
		add(lower)
	case "Strip":
		filter(func(text string) string { return stripSpaces(text, on(s.StripLeft), on(s.StripRight)) },
			func(text string) string { return stripSpaces(text, on(s.StripLeft), false) })
	case "StripAccents":
		f := func(text string) string { return without(text, isAccent) }
		filter(f, f)
	case "Nmt":
		filter(nmt, nmt)
	case "ByteLevel":
		add(toByteRunes)
	case "BertNormalizer":
		filter(s.bert(), s.bert())
	case "Precompiled":
		f, err := precompiled(s.Charsmap)
		if err != nil {
			return err
		}
		add(f)
	default:
		return fmt.Errorf("tokenizers: the normalizer %s is not supported", s.Type)
	}
	return nil
}

// replaced finds what Replace replaces: a text or a pattern.
func (s *jsonStep) replaced() (func(string) []span, error) {
	if s.Pattern.String != nil {
		if *s.Pattern.String == "" {
			return nil, fmt.Errorf("tokenizers: Replace of an empty text is not supported")
		}
		return textSpans(*s.Pattern.String), nil
	}
	if s.Pattern.Regex == nil {
		return nil, fmt.Errorf("tokenizers: Replace has neither a text nor a pattern")
	}
	p, err := newSplitter(*s.Pattern.Regex)
	if err != nil {
		return nil, err
	}
	return p.spans, nil
}

func replace(text string, spans func(string) []span, content string) string {
	var b strings.Builder
	for _, part := range spans(text) {
		if part.match {
			b.WriteString(content)
		} else {
			b.WriteString(part.text)
		}
	}
	return b.String()
}

// lower is the lower case of each character on its own. Of only one it is two: an i with a dot.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if l, ok := lowerMore[r]; ok {
			return l
		}
		return unicode.ToLower(r)
	}, strings.ReplaceAll(text, "İ", "i\u0307"))
}

// stripSpaces removes white space at the ends.
func stripSpaces(text string, left, right bool) string {
	if left {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if right {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

func without(text string, gone func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if gone(r) {
			return -1
		}
		return r
	}, text)
}

func isAccent(r rune) bool {
	return unicode.Is(unicode.M, r) && !marksLost.has(r) || r == 0x1CF2 || r == 0x1CF3
}

// nmt is SentencePiece's treatment of control characters and spaces.
func nmt(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
			return -1
		case r == '\t', r == '\n', r == 0xC, r == '\r', r == 0x1680, r >= 0x200B && r <= 0x200F, r == 0x2028,
			r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return ' '
		}
		return r
	}, text)
}

// bert is BERT's normalizer.
func (s *jsonStep) bert() func(string) string {
	on := func(b *bool) bool { return b == nil || *b }
	clean, chinese, small := on(s.CleanText), on(s.Chinese), on(s.Lowercase)
	accents := small
	if s.StripAccents != nil {
		accents = *s.StripAccents
	}
	return func(text string) string {
		if clean {
			text = cleaned(text)
		}
		if chinese {
			text = spaced(text)
		}
		if accents {
			text = without(norm.NFD.String(text), func(r rune) bool {
				return unicode.Is(unicode.Mn, r) && !bertLost.has(r) || bertMore.has(r)
			})
		}
		if small {
			text = lower(text)
		}
		return text
	}
}

// cleaned has no control characters, and plain spaces.
func cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0x890 || r == 0x891 || r == 0x8E2 || r == 0x110CD || r >= 0x13430 && r <= 0x1343F:
			return r // newer format characters
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case r == 0, r == 0xFFFD, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
}

// ideographs are the characters that are words of their own for BERT.
var ideographs = ranges{{0x4E00, 0x9FFF}, {0x3400, 0x4DBF}, {0xF900, 0xFAFF}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F},
	{0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}}

// spaced has spaces around ideographs.
func spaced(text string) string {
	if strings.IndexFunc(text, ideographs.has) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if ideographs.has(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// precompiled reads the table of a SentencePiece model, in base64.
func precompiled(encoded string) (func(string) string, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("tokenizers: the normalizer Precompiled: %w", err)
	}
	m, err := newCharsMap(data)
	if err != nil {
		return nil, fmt.Errorf("tokenizers: the normalizer Precompiled: %w", err)
	}
	return m.normalize, nil
}
