package term

import (
	"go/scanner"
	"go/token"
	"regexp"
	"unicode/utf8"
)

// ANSI colours.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	blue   = "\x1b[34m"
	cyan   = "\x1b[36m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

func (p *Printer) paint(colour, s string) string {
	if !p.Colour || s == "" {
		return s
	}
	return colour + s + reset
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// withoutEscapes removes ANSI sequences, which take no columns.
func withoutEscapes(s string) string { return escapes.ReplaceAllString(s, "") }

// painter colours the line that is being edited. Columns do not change: readline computes the cursor from the plain line.
type painter struct{ colour bool }

// Paint implements readline.Painter.
func (p painter) Paint(line []rune, _ int) []rune {
	shown := make([]rune, len(line))
	for i, r := range line {
		shown[i] = visible(r)
	}
	if !p.colour {
		return shown
	}
	return highlight(line, shown)
}

// highlight colours shown by the Go tokens of line, rune by rune.
func highlight(line, shown []rune) []rune {
	src := []byte(decode(string(line)))
	colourAt := make([]string, len(src)+1)
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		c := colourOf(tok)
		if c == "" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		start := file.Offset(pos)
		for i := start; i < min(start+len(lit), len(src)); i++ {
			colourAt[i] = c
		}
	}
	var out []rune
	current, at := "", 0
	for i, r := range shown {
		if c := colourAt[min(at, len(src))]; c != current {
			if current != "" {
				out = append(out, []rune(reset)...)
			}
			out = append(out, []rune(c)...)
			current = c
		}
		out = append(out, r)
		at += decodedLen(line[i])
	}
	if current != "" {
		out = append(out, []rune(reset)...)
	}
	return out
}

func colourOf(tok token.Token) string {
	switch {
	case tok == token.COMMENT:
		return dim
	case tok == token.STRING || tok == token.CHAR:
		return green
	case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
		return cyan
	case tok.IsKeyword():
		return blue
	}
	return ""
}

// decodedLen is how many bytes a rune of the edited line has in the code.
func decodedLen(r rune) int {
	if r == newlineRune || r == tabRune {
		return 1
	}
	return max(1, utf8.RuneLen(r))
}
