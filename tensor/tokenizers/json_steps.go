package tokenizers

import (
	"strings"
)

// prefixed returns text with a prefix, unless it begins so.
func prefixed(text, prefix string) string {
	if strings.HasPrefix(text, prefix) {
		return text
	}
	return prefix + text
}

func (t *Tokenizer) addMetaspace(s *jsonStep) error {
	t.space = s.symbol()
	scheme := s.scheme()
	t.split = append(t.split, each(func(w string) []string { return []string{strings.ReplaceAll(w, " ", t.space)} }))
	switch scheme {
	case "always":
		t.split = append(t.split, each(func(w string) []string { return []string{prefixed(w, t.space)} }))
	case "first":
		t.prefix = func(text string, first bool) string {
			if first && !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, t.space) {
				return t.space + text
			}
			return text
		}
	}
	if s.Split == nil || *s.Split {
		t.split = append(t.split, each(metaspace(t.space)))
	}
	return nil
}

// symbol is what stands for a space.
func (s *jsonStep) symbol() string {
	if s.Replacement == "" {
		return "▁"
	}
	return s.Replacement
}

// scheme says when Metaspace puts a space before a text.
func (s *jsonStep) scheme() string {
	if s.PrependScheme != "" {
		return s.PrependScheme
	}
	if s.AddPrefixSpace == nil || *s.AddPrefixSpace {
		return "always"
	}
	return "never"
}

// add adds a step of a decoder, and reports whether a decoding has it. fused says that it is given one text, not
// tokens.
func (d *decoding) add(s *jsonStep, fused bool) bool {
	switch s.Type {
	case "ByteLevel":
		d.letters = true
	case "Metaspace":
		d.space = s.symbol()
		if s.scheme() != "never" {
			d.begin = withoutAll
		}
	case "Replace":
		if s.Pattern.String == nil || s.Content != " " || d.bytes || fused || d.space != "" {
			return false
		}
		d.space = *s.Pattern.String
	case "ByteFallback":
		d.bytes = true
	case "Fuse":
	case "Strip":
		if s.Content != " " || s.Start != 1 || s.Stop != 0 || !fused {
			return false
		}
		d.begin = withoutOne
	default:
		return false
	}
	return true
}
