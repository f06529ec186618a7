package tokenizers

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// scriptRange are characters of a script.
type scriptRange struct {
	from, to rune
	script   string
}

// noScript is the script of spaces and of characters that UnicodeScripts does not know: they end no word.
const noScript = ""

// scriptRanges are those of all scripts, in order. Japanese is one with Chinese.
var scriptRanges = sync.OnceValue(func() (all []scriptRange) {
	add := func(from, to, stride rune, script string) {
		if stride == 1 {
			all = append(all, scriptRange{from, to, script})
			return
		}
		for r := from; r <= to; r += stride {
			all = append(all, scriptRange{r, r, script})
		}
	}
	for script, table := range unicode.Scripts {
		if script == "Hiragana" || script == "Katakana" {
			script = "Han"
		}
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), script)
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride), script)
		}
	}
	slices.SortFunc(all, func(a, b scriptRange) int { return cmp.Compare(a.from, b.from) })
	return all
})

// scriptOf is the script of a character for UnicodeScripts of Hugging Face's tokenizers.
func scriptOf(r rune) string {
	switch {
	case r == ' ' || scriptsLost.has(r):
		return noScript
	case r == 0x30FC: // the mark of long vowels
		return "Han"
	case r == 0x589 || r == 0x61C:
		return "Common"
	case r == 0x953:
		return "Devanagari"
	}
	all := scriptRanges()
	i, found := slices.BinarySearchFunc(all, r, func(s scriptRange, r rune) int { return cmp.Compare(s.from, r) })
	if !found {
		i--
	}
	if i < 0 || r > all[i].to {
		return noScript
	}
	return all[i].script
}

// byScript cuts a text where the script changes. What comes before the first character with a script is left out, as in
// Hugging Face's tokenizers.
func byScript(text string) (words []string) {
	start, last := -1, noScript
	for i, r := range text {
		script := scriptOf(r)
		if script == noScript || script == last {
			continue
		}
		if start >= 0 {
			words = append(words, text[start:i])
		}
		start, last = i, script
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// byLength cuts a text every so many characters.
func byLength(n int) func(text string) []string {
	return func(text string) (words []string) {
		start, count := 0, 0
		for at := 0; at < len(text); {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			if count++; count == n || at == len(text) {
				words = append(words, text[start:at])
				start, count = at, 0
			}
		}
		return words
	}
}
