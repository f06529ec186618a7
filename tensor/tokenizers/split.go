package tokenizers

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The patterns by which byte-level models cut text into words. \s+(?!\S) means: of several spaces before a word, all
// but the last.
const (
	gpt2Pattern   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Pattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// splitter cuts text at the matches of a pattern.
type splitter struct {
	re    *regexp.Regexp
	group int // of the alternative that takes spaces which a word may follow; 0 for none
}

const spaces = `\s+(?!\S)|\s+`

// newSplitter translates a pattern of tokenizer.json to Go's regular expressions, which take time in proportion to the
// text whatever the pattern is. These have no look-ahead: the one that the patterns of language models need is done by
// hand.
func newSplitter(pattern string) (*splitter, error) {
	source, hasSpaces := pattern, false
	if before, after, ok := strings.Cut(source, spaces); ok {
		source, hasSpaces = before+`(?P<spaces>\s+)`+after, true
	}
	source = unicodeSpaces(source)
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("tokenizers: the pattern %q: %w; the only look-ahead supported is %q", pattern, err, spaces)
	}
	s := &splitter{re: re}
	if hasSpaces {
		s.group = re.SubexpIndex("spaces")
	}
	return s, nil
}

// unicodeSpaces replaces \s, which is ASCII in Go, by all of Unicode's white space, and possessive quantifiers by plain
// ones.
func unicodeSpaces(pattern string) string {
	const class = `\s\v\x{85}\p{Z}`
	var b strings.Builder
	in := false // inside of brackets
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			switch {
			case pattern[i] != 's' && pattern[i] != 'S':
				b.WriteString(pattern[i-1 : i+1])
			case pattern[i] == 's' && in:
				b.WriteString(class)
			case pattern[i] == 's':
				b.WriteString("[" + class + "]")
			default:
				b.WriteString("[^" + class + "]")
			}
			continue
		case c == '[':
			in = true
		case c == ']':
			in = false
		case c == '+' && !in && i > 0 && strings.IndexByte("?+*", pattern[i-1]) >= 0 && (i < 2 || pattern[i-2] != '\\'):
			continue // possessive
		}
		b.WriteByte(c)
	}
	return b.String()
}

// cut returns the matches and, as words of their own, what lies between them.
func (s *splitter) cut(text string) []string {
	var words []string
	for text != "" {
		m := s.re.FindStringSubmatchIndex(text)
		if m == nil || m[1] == 0 {
			return append(words, text)
		}
		if m[0] > 0 {
			words = append(words, text[:m[0]])
		}
		end := m[1]
		if s.group > 0 && m[2*s.group] >= 0 && end < len(text) {
			// The last space goes to the word that follows.
			if _, n := utf8.DecodeLastRuneInString(text[m[0]:end]); end-n > m[0] {
				end -= n
			}
		}
		words = append(words, text[m[0]:end])
		text = text[end:]
	}
	return words
}

// each applies a cut to every word.
func each(cut func(string) []string) func([]string) []string {
	return func(words []string) []string {
		var all []string
		for _, w := range words {
			all = append(all, cut(w)...)
		}
		return all
	}
}

// digits cuts numbers off, or each digit when single.
func digits(single bool) func(string) []string {
	return func(text string) []string {
		var words []string
		start, was := 0, false
		for i, r := range text {
			is := unicode.IsNumber(r)
			if i > start && (is != was || is && single) {
				words = append(words, text[start:i])
				start = i
			}
			was = is
		}
		return append(words, text[start:])
	}
}

// metaspace makes words that begin with the letter which stands for a space.
func metaspace(space string) func(string) []string {
	return func(text string) []string {
		var words []string
		start := 0
		for i := range text {
			if i > start && strings.HasPrefix(text[i:], space) {
				words = append(words, text[start:i])
				start = i
			}
		}
		return append(words, text[start:])
	}
}

// byteRunes are the letters in which byte-level models write bytes: printable ones for themselves, the others from
// U+0100 on. It is GPT-2's table.
var byteRunes = func() (table [256]rune) {
	next := rune(256)
	for b := range table {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			table[b] = rune(b)
		} else {
			table[b] = next
			next++
		}
	}
	return table
}()

var runeBytes = func() map[rune]byte {
	m := map[rune]byte{}
	for b, r := range byteRunes {
		m[r] = byte(b)
	}
	return m
}()

func toByteRunes(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(byteRunes[text[i]])
	}
	return b.String()
}

// fromByteRunes undoes toByteRunes; added tokens are not written so.
func fromByteRunes(piece string) (string, bool) {
	b := make([]byte, 0, len(piece))
	for _, r := range piece {
		c, ok := runeBytes[r]
		if !ok {
			return "", false
		}
		b = append(b, c)
	}
	return string(b), true
}
