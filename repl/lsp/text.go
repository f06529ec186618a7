package lsp

import (
	"strings"
	"unicode/utf8"
)

// lineAt is the offset at which a line begins, from 0; the end of the text for one that it does not have.
func lineAt(text string, line int) int {
	at := 0
	for range line {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// offset is where a position is in a text, in bytes. One beyond the end of its line is at that end.
func offset(text string, p position) int {
	if p.Line < 0 {
		return 0
	}
	at := lineAt(text, p.Line)
	for units := 0; at < len(text) && text[at] != '\n' && units < p.Character; {
		r, n := utf8.DecodeRuneInString(text[at:])
		units += unitsOf(r)
		at += n
	}
	return at
}

// unitsOf is how many UTF-16 code units a rune takes.
func unitsOf(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

func units(text string) (n int) {
	for _, r := range text {
		n += unitsOf(r)
	}
	return n
}

// positionAt is the position of an offset.
func positionAt(text string, at int) position {
	at = min(max(at, 0), len(text))
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	return position{strings.Count(text[:at], "\n"), units(text[begin:at])}
}

// edited applies changes to a text, one after the other.
func edited(text string, changes []contentChange) string {
	for _, c := range changes {
		if c.Range == nil {
			text = c.Text
			continue
		}
		from := offset(text, c.Range.Start)
		to := max(from, offset(text, c.Range.End))
		text = text[:from] + c.Text + text[to:]
	}
	return text
}
