package tokenizers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// added is a token that is found in the text before anything else.
type added struct {
	text    string
	id      int
	special bool
	alone   bool // only where no letter, digit or underscore touches it: single_word
	left    bool // with the white space before it: lstrip
	right   bool // with the white space after it: rstrip
	// in the normalized text, where it is looked for as it is normalized itself; otherwise in the text as it came
	normalized bool
}

// finder finds added tokens, by their first byte, longest first.
type finder [256][]added

func newFinder(list []added) *finder {
	f := new(finder)
	list = slices.DeleteFunc(list, func(a added) bool { return a.text == "" })
	slices.SortStableFunc(list, func(a, b added) int { return len(b.text) - len(a.text) })
	for _, a := range list {
		f[a.text[0]] = append(f[a.text[0]], a)
	}
	return f
}

// part is a stretch of a text: a token, or what lies between tokens.
type part struct {
	start, end int
	token      *added // nil between tokens
}

// parts cuts a text at the tokens in it, as Hugging Face's tokenizers do: at each place the longest token, from left to
// right; one that must stand alone and does not is text, and what comes after it is looked at.
func (f *finder) parts(text string) []part {
	var all []part
	done := 0
	for at := 0; at < len(text); {
		a := f.match(text[at:])
		if a == nil {
			at++
			continue
		}
		start, end := at, at+len(a.text)
		at = end
		if a.alone && (endsInWord(text[:start]) || beginsWithWord(text[end:])) {
			continue
		}
		if a.left {
			start = max(len(strings.TrimRightFunc(text[:start], unicode.IsSpace)), done)
		}
		if a.right {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if done < start {
			all = append(all, part{done, start, nil})
		}
		all = append(all, part{start, end, a})
		done = end
	}
	if done < len(text) {
		all = append(all, part{done, len(text), nil})
	}
	return all
}

// match returns the longest token that text begins with, or nil.
func (f *finder) match(text string) *added {
	for i, a := range f[text[0]] {
		if strings.HasPrefix(text, a.text) {
			return &f[text[0]][i]
		}
	}
	return nil
}

func endsInWord(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n > 0 && inWord(r)
}

func beginsWithWord(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && inWord(r)
}

// inWord is \w of Unicode's regular expressions.
func inWord(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Nl, unicode.Other_Alphabetic, unicode.Mark, unicode.Nd, unicode.Pc,
		unicode.Join_Control) || r > 0x896 && wordMore.has(r)
}
