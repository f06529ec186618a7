package tokenizers

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// forms are Unicode's normal forms.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func (t *Tokenizer) addNormalizer(s *jsonStep) error {
	if form, ok := forms[s.Type]; ok {
		t.normalize = append(t.normalize, form.String)
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
		t.normalize = append(t.normalize, func(text string) string {
			if text == "" {
				return text
			}
			return s.Prepend + text
		})
	case "Replace":
		if s.Pattern.String == nil {
			return fmt.Errorf("tokenizers: the normalizer Replace by a pattern is not supported")
		}
		from := *s.Pattern.String
		t.normalize = append(t.normalize, func(text string) string { return strings.ReplaceAll(text, from, s.Content) })
	case "Lowercase":
		t.normalize = append(t.normalize, lower)
	default:
		return fmt.Errorf("tokenizers: the normalizer %s is not supported", s.Type)
	}
	return nil
}

// lower is the lower case of each character on its own. Of only one it is two: an i with a dot.
func lower(text string) string {
	return strings.Map(unicode.ToLower, strings.ReplaceAll(text, "İ", "i\u0307"))
}

func (t *Tokenizer) addSplit(s *jsonStep) error {
	on := func(b *bool) bool { return b == nil || *b }
	switch s.Type {
	case "Sequence":
		for i := range s.Pretokenizers {
			if err := t.addSplit(&s.Pretokenizers[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
		t.byteLevel = true
		if s.AddPrefixSpace != nil && *s.AddPrefixSpace {
			t.split = append(t.split, each(func(w string) []string { return []string{prefixed(w, " ")} }))
		}
		if on(s.UseRegex) {
			return t.addPattern(gpt2Pattern)
		}
	case "Split":
		if s.Pattern.Regex == nil || s.Behavior != "Isolated" || s.Invert {
			return fmt.Errorf("tokenizers: Split is supported only by an isolated pattern")
		}
		return t.addPattern(*s.Pattern.Regex)
	case "Digits":
		t.split = append(t.split, each(digits(s.Individual)))
	case "WhitespaceSplit":
		t.split = append(t.split, each(strings.Fields))
	case "Metaspace":
		return t.addMetaspace(s)
	default:
		return fmt.Errorf("tokenizers: the pre-tokenizer %s is not supported", s.Type)
	}
	return nil
}

func (t *Tokenizer) addPattern(pattern string) error {
	p, err := newSplitter(pattern)
	if err == nil {
		t.split = append(t.split, each(p.cut))
	}
	return err
}

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

func (t *Tokenizer) addDecoder(s *jsonStep) error {
	steps := []jsonStep{*s}
	if s.Type == "Sequence" {
		steps = s.Decoders
	}
	fused := false
	for _, s := range steps {
		if err := t.decode.add(&s, fused); err != nil {
			return err
		}
		fused = fused || s.Type == "Fuse"
	}
	return nil
}

// add adds a step of a decoder. fused says that it is given one text, not tokens.
func (d *decoding) add(s *jsonStep, fused bool) error {
	switch s.Type {
	case "ByteLevel":
		d.letters = true
	case "Metaspace":
		d.space = s.symbol()
		if s.scheme() != "never" {
			d.begin = withoutAll
		}
	case "Replace":
		if s.Pattern.String == nil || s.Content != " " || d.bytes || fused {
			return fmt.Errorf("tokenizers: the decoder Replace is supported only if it inserts a space, " +
				"before other decoders")
		}
		d.space = *s.Pattern.String
	case "ByteFallback":
		d.bytes = true
	case "Fuse":
	case "Strip":
		if s.Content != " " || s.Start != 1 || s.Stop != 0 || !fused {
			return fmt.Errorf("tokenizers: the decoder Strip is supported only for one space before a text, " +
				"after Fuse")
		}
		d.begin = withoutOne
	default:
		return fmt.Errorf("tokenizers: the decoder %s is not supported", s.Type)
	}
	return nil
}

// addTemplate finds out which tokens begin and end a text.
func (t *Tokenizer) addTemplate(s *jsonStep) error {
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			if err := t.addTemplate(&s.Processors[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
	case "RobertaProcessing", "BertProcessing":
		for _, end := range []struct {
			token []any
			id    *int
			add   *bool
		}{{s.Cls, &t.BOS, &t.AddBOS}, {s.Sep, &t.EOS, &t.AddEOS}} {
			if len(end.token) == 2 {
				if err := t.setEnd(fmt.Sprint(end.token[0]), end.id, end.add); err != nil {
					return err
				}
			}
		}
	case "TemplateProcessing":
		before := true
		for _, part := range s.Single {
			var err error
			switch {
			case part.Sequence != nil:
				before = false
			case part.SpecialToken == nil:
			case before:
				err = t.setEnd(part.SpecialToken.ID, &t.BOS, &t.AddBOS)
			default:
				err = t.setEnd(part.SpecialToken.ID, &t.EOS, &t.AddEOS)
			}
			if err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("tokenizers: the post-processor %s is not supported", s.Type)
	}
	return nil
}

func (t *Tokenizer) setEnd(piece string, id *int, add *bool) error {
	n, ok := t.ID(piece)
	if !ok {
		return fmt.Errorf("tokenizers: the post-processor names %q, which is not in the vocabulary", piece)
	}
	if *add {
		return fmt.Errorf("tokenizers: the post-processor adds several tokens on one side")
	}
	*id, *add = n, true
	return nil
}
