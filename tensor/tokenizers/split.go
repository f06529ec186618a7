package tokenizers

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The patterns by which byte-level models cut text into words. \s+(?!\S) means: of several spaces before a word, all
// but the last.
const (
	gpt2Pattern   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	llama3Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Pattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen35Pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*` +
		`|\s*[\r\n]+|\s+(?!\S)|\s+`
	bloomPattern = ` ?[^(\s|.,!?…。，、।۔،)]+`
	// letters in capitals, small ones after them, and in GPT-4o a contraction, are a word
	capitals     = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
	small        = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
	contraction  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
	signs        = `| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	gpt4oPattern = capitals + `*` + small + `+` + contraction + `|` + capitals + `+` + small + `*` + contraction +
		`|\p{N}{1,3}` + signs
	deepSeekPattern = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|" +
		`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	// letters of scripts that have capitals, as the tokenizers of DeepSeek V2 list them
	deepSeekLetters = `A-Za-z` +
		`µÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅ` +
		`ὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛ` +
		`Ꜣ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃`
	tekkenPattern = capitals + `*` + small + `+|` + capitals + `+` + small + `*|\p{N}` + signs
)

// splitter cuts text at the matches of a pattern.
type splitter struct {
	re    *regexp.Regexp
	group int  // of the alternative that takes spaces which a word may follow; 0 for none
	lines bool // it has begins of lines, which Go finds after the last line end, too, and no ends
}

// property is \p{L} and its like, of which newer has more characters than Go.
var property = regexp.MustCompile(`^\\([pP])\{(L|N|M|P|S|Lu|Ll)\}`)

// withNewer is such a property with them, in brackets unless it is inside of some.
func withNewer(m []string, in bool) string {
	class := `\p{` + m[2] + `}`
	for _, c := range newer[m[2]] {
		class += fmt.Sprintf(`\x{%X}-\x{%X}`, c[0], c[1])
	}
	switch {
	case in:
		return class
	case m[1] == "P":
		return "[^" + class + "]"
	}
	return "[" + class + "]"
}

// notGo is what Go's expressions understand as something else, such as a word's edge in ASCII.
var notGo = regexp.MustCompile(`\\[bBhHRX]|\[[^\]]*\\[SWDP]`)

const spaces = `\s+(?!\S)|\s+`

// newSplitter translates a pattern of tokenizer.json to Go's regular expressions, which take time in proportion to the
// text whatever the pattern is. These have no look-ahead: the one that the patterns of language models need is done by
// hand.
func newSplitter(pattern string) (*splitter, error) {
	source, hasSpaces := pattern, false
	if before, after, ok := strings.Cut(source, spaces); ok {
		source, hasSpaces = before+`(?P<spaces>\s+)`+after, true
	}
	if m := notGo.FindString(source); m != "" {
		return nil, fmt.Errorf("tokenizers: the pattern %q: %s is not supported", pattern, m)
	}
	source, begins, ends := translated(source)
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("tokenizers: the pattern %q: %w; the only look-ahead supported is %q", pattern, err, spaces)
	}
	s := &splitter{re: re, lines: begins && !ends}
	if hasSpaces {
		s.group = re.SubexpIndex("spaces")
		if begins || re.MatchString("") {
			return nil, fmt.Errorf("tokenizers: the pattern %q: %q beside anchors, or what matches nothing, is not supported", pattern, spaces)
		}
	}
	return s, nil
}

// unicodeClasses are Unicode's in place of classes that are ASCII in Go.
var unicodeClasses = map[byte]string{'s': `\s\v\x{85}\p{Z}`, 'd': `\p{Nd}`, 'w': `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}`}

// translated replaces the classes that are ASCII in Go, possessive quantifiers by plain ones, the anchors, which are
// those of lines, and the flag m, by which a dot is a line end, too. It reports whether begins and ends are among the
// anchors.
func translated(pattern string) (out string, begins, ends bool) {
	var b strings.Builder
	in := false // inside of brackets
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			i++
			if pattern[i]|0x20 == 'p' {
				if m := property.FindStringSubmatch(pattern[i-1:]); m != nil {
					b.WriteString(withNewer(m, in))
					i += len(m[0]) - 2
					continue
				}
			}
			begins, ends = begins || pattern[i] == 'A', ends || pattern[i] == 'z'
			class, ok := unicodeClasses[pattern[i]|0x20]
			switch small := pattern[i] >= 'a'; {
			case !ok:
				b.WriteString(pattern[i-1 : i+1])
			case small && in:
				b.WriteString(class)
			case small:
				b.WriteString("[" + class + "]")
			default:
				b.WriteString("[^" + class + "]")
			}
			continue
		case c == '[':
			in = true
		case c == ']':
			in = false
		case (c == '^' || c == '$') && !in:
			begins, ends = begins || c == '^', ends || c == '$'
			b.WriteString("(?m:" + string(c) + ")")
			continue
		case c == '+' && !in && i > 0 && strings.IndexByte("?+*", pattern[i-1]) >= 0 && (i < 2 || pattern[i-2] != '\\'):
			continue // possessive
		case c == '(' && !in:
			if flags := groupFlags.FindString(pattern[i:]); flags != "" {
				b.WriteString(strings.ReplaceAll(flags, "m", "s"))
				i += len(flags) - 1
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String(), begins, ends
}

// groupFlags are those at the begin of a group.
var groupFlags = regexp.MustCompile(`^\(\?[a-z]*(-[a-z]+)?[:)]`)

// spans returns the matches, of which some may be empty, and what lies between them.
func (s *splitter) spans(text string) (all []span) {
	if s.group > 0 {
		return s.spansBeforeWords(text)
	}
	if text == "" {
		return nil
	}
	done := 0
	for _, m := range s.re.FindAllStringIndex(text, -1) {
		if m[0] == m[1] && m[0] == len(text) && s.lines && strings.HasSuffix(text, "\n") {
			continue // no line begins there
		}
		if m[0] > done {
			all = append(all, span{text[done:m[0]], false})
		}
		all = append(all, span{text[m[0]:m[1]], true})
		done = m[1]
	}
	if done < len(text) {
		all = append(all, span{text[done:], false})
	}
	return all
}

// spansBeforeWords is spans for a pattern that leaves the last of several spaces to the word that follows.
func (s *splitter) spansBeforeWords(text string) (all []span) {
	for text != "" {
		m := s.re.FindStringSubmatchIndex(text)
		if m == nil {
			return append(all, span{text, false})
		}
		if m[0] > 0 {
			all = append(all, span{text[:m[0]], false})
		}
		end := m[1]
		if m[2*s.group] >= 0 && end < len(text) {
			if _, n := utf8.DecodeLastRuneInString(text[m[0]:end]); end-n > m[0] {
				end -= n
			}
		}
		all = append(all, span{text[m[0]:end], true})
		text = text[end:]
	}
	return all
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
