package tokenizers

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a part of a text that a pattern matches, or that lies between matches.
type span struct {
	text  string
	match bool
}

// Behaviours of a pre-tokenizer: what becomes of matches.
var behaviors = map[string]func([]span) []string{
	"Removed": func(all []span) (words []string) {
		for _, s := range all {
			if !s.match {
				words = append(words, s.text)
			}
		}
		return words
	},
	"Isolated": func(all []span) (words []string) {
		for _, s := range all {
			words = append(words, s.text)
		}
		return words
	},
	"Contiguous": func(all []span) (words []string) {
		for i, s := range all {
			if i > 0 && s.match == all[i-1].match {
				words[len(words)-1] += s.text
			} else {
				words = append(words, s.text)
			}
		}
		return words
	},
	"MergedWithPrevious": func(all []span) (words []string) {
		for i, s := range all {
			if i > 0 && s.match && !all[i-1].match {
				words[len(words)-1] += s.text
			} else {
				words = append(words, s.text)
			}
		}
		return words
	},
	"MergedWithNext": func(all []span) (words []string) {
		for i, s := range slices.Backward(all) {
			if i < len(all)-1 && s.match && !all[i+1].match {
				words[len(words)-1] = s.text + words[len(words)-1]
			} else {
				words = append(words, s.text)
			}
		}
		slices.Reverse(words)
		return words
	},
}

// charSpans are the characters of a kind, each a match, and what lies between them.
func charSpans(is func(rune) bool) func(string) []span {
	return func(text string) (all []span) {
		start := 0
		for i, r := range text {
			if !is(r) {
				continue
			}
			if i > start {
				all = append(all, span{text[start:i], false})
			}
			_, n := utf8.DecodeRuneInString(text[i:])
			all = append(all, span{text[i : i+n], true})
			start = i + n
		}
		if start < len(text) {
			all = append(all, span{text[start:], false})
		}
		return all
	}
}

// textSpans are the occurrences of a text.
func textSpans(of string) func(string) []span {
	return func(text string) (all []span) {
		for text != "" {
			at := strings.Index(text, of)
			if at < 0 {
				return append(all, span{text, false})
			}
			if at > 0 {
				all = append(all, span{text[:at], false})
			}
			all = append(all, span{of, true})
			text = text[at+len(of):]
		}
		return all
	}
}

// inverted makes matches of what lies between them.
func inverted(spans func(string) []span) func(string) []span {
	return func(text string) []span {
		all := spans(text)
		for i := range all {
			all[i].match = !all[i].match
		}
		return all
	}
}

// addSpans adds a pre-tokenizer.
func (t *Tokenizer) addSpans(spans func(string) []span, behavior string) error {
	words, ok := behaviors[behavior]
	if !ok {
		return fmt.Errorf("tokenizers: the behavior %q of a pre-tokenizer is not supported", behavior)
	}
	t.split = append(t.split, each(func(text string) []string { return words(spans(text)) }))
	return nil
}

// isPunctuation reports whether a character is punctuation for BERT's pre-tokenizer and others.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7F && !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	return unicode.IsPunct(r) && !punctLost.has(r) || punctMore.has(r)
}

func isNumber(r rune) bool { return unicode.IsNumber(r) || numbersMore.has(r) }

// wordSpans are the matches of \w+|[^\w\s]+.
func wordSpans(text string) (all []span) {
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 0
		case inWord(r):
			return 1
		}
		return 2
	}
	start, was := 0, 0
	for i, r := range text {
		is := kind(r)
		if i > start && is != was {
			all = append(all, span{text[start:i], was != 0})
			start = i
		}
		was = is
	}
	if start < len(text) {
		all = append(all, span{text[start:], was != 0})
	}
	return all
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
		return t.addSplitStep(s)
	case "Digits":
		numbers := charSpans(isNumber)
		if t.byteLevel { // after which words are letters of bytes, as Falcon's are
			numbers = byteNumbers
		}
		if s.Individual {
			return t.addSpans(numbers, "Isolated")
		}
		return t.addSpans(numbers, "Contiguous")
	case "WhitespaceSplit":
		return t.addSpans(charSpans(unicode.IsSpace), "Removed")
	case "Whitespace":
		return t.addSpans(inverted(wordSpans), "Removed")
	case "BertPreTokenizer":
		if err := t.addSpans(charSpans(unicode.IsSpace), "Removed"); err != nil {
			return err
		}
		return t.addSpans(charSpans(isPunctuation), "Isolated")
	case "Punctuation":
		behavior := s.Behavior
		if behavior == "" {
			behavior = "Isolated"
		}
		return t.addSpans(charSpans(isPunctuation), behavior)
	case "CharDelimiterSplit":
		r, n := utf8.DecodeRuneInString(s.Delimiter)
		if n == 0 || n != len(s.Delimiter) {
			return fmt.Errorf("tokenizers: the delimiter of CharDelimiterSplit is %q, not one character", s.Delimiter)
		}
		return t.addSpans(charSpans(func(c rune) bool { return c == r }), "Removed")
	case "Metaspace":
		return t.addMetaspace(s)
	case "UnicodeScripts", "FixedLength":
		return t.addCutter(s)
	default:
		return fmt.Errorf("tokenizers: the pre-tokenizer %s is not supported", s.Type)
	}
	return nil
}

// addSplitStep adds a split at a text or a pattern.
func (t *Tokenizer) addSplitStep(s *jsonStep) error {
	var spans func(string) []span
	switch {
	case s.Pattern.String != nil && *s.Pattern.String != "":
		spans = textSpans(*s.Pattern.String)
	case s.Pattern.Regex != nil:
		p, err := newSplitter(*s.Pattern.Regex)
		if err != nil {
			return err
		}
		spans = p.spans
	default:
		return fmt.Errorf("tokenizers: Split has neither a text nor a pattern")
	}
	if s.Invert {
		spans = inverted(spans)
	}
	return t.addSpans(spans, s.Behavior)
}

func (t *Tokenizer) addPattern(pattern string) error {
	p, err := newSplitter(pattern)
	if err != nil {
		return err
	}
	return t.addSpans(p.spans, "Isolated")
}

// addCutter adds UnicodeScripts or FixedLength.
func (t *Tokenizer) addCutter(s *jsonStep) error {
	if t.byteLevel {
		return fmt.Errorf("tokenizers: the pre-tokenizer %s after ByteLevel is not supported", s.Type)
	}
	cut := byScript
	if s.Type == "FixedLength" {
		n := 5 // as in Hugging Face's tokenizers
		if s.Length != nil {
			n = *s.Length
		}
		if n < 1 {
			return fmt.Errorf("tokenizers: the length of FixedLength is %d: want at least 1", n)
		}
		cut = byLength(n)
	}
	t.split = append(t.split, each(cut))
	return nil
}
