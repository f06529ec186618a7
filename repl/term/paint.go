package term

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// ANSI colours: those that can be read on a light and on a dark background. Yellow and cyan cannot on white, blue
// cannot on black.
const (
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	magenta   = "\x1b[35m"
	bold      = "\x1b[1m"
	dim       = "\x1b[2m"
	underline = "\x1b[4m"
	reverse   = "\x1b[7m"
	reset     = "\x1b[0m"
)

func (p *Printer) paint(colour, s string) string {
	if !p.Colour || s == "" {
		return s
	}
	return colour + s + reset
}

// piece is a token of a cell, from one rune to another.
type piece struct {
	token    token.Token
	text     string
	from, to int // runes
}

// tokens are Go's own, which is exact, and colours what is typed as the session will read it. Lines with commands are
// one token each.
func tokens(text []rune) (list []piece) {
	whole := string(text)
	src := []byte(whole)
	commands(src, func(from, to int) {
		list = append(list, piece{token.ILLEGAL, string(src[from:to]), from, to})
		for i := from; i < to; i++ {
			src[i] = ' '
		}
	})
	found := len(list)
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		start := file.Offset(pos)
		list = append(list, piece{tok, lit, start, min(start+len(lit), len(src))})
	}
	if found > 0 {
		slices.SortFunc(list, func(a, b piece) int { return a.from - b.from })
		for i := range list[1:] { // a text that goes over several lines may have what looks like a command in it
			list[i].to = min(list[i].to, list[i+1].from)
		}
	}
	// Bytes to runes.
	at, runes := 0, 0
	rune := func(to int) int {
		runes += utf8.RuneCountInString(whole[at:to])
		at = to
		return runes
	}
	for i := range list {
		list[i].from = rune(list[i].from)
		list[i].to = rune(list[i].to)
	}
	return list
}

// commands finds the lines that look like commands: they begin with %, ! or ?, and Go has none that do where they
// stand.
func commands(src []byte, each func(from, to int)) {
	at := 0
	for at < len(src) {
		end := at + strings.IndexByte(string(src[at:])+"\n", '\n')
		line := strings.TrimLeft(string(src[at:end]), " \t")
		goesOn := strings.TrimRight(string(src[:at]), " \t\n")
		if line != "" && strings.ContainsRune("%!?", rune(line[0])) &&
			(goesOn == "" || !strings.ContainsRune("({[,&|=+-*/<>", rune(goesOn[len(goesOn)-1]))) {
			each(end-len(line), end)
			if strings.HasPrefix(line, "%%") && !strings.HasPrefix(line, "%%time") &&
				!strings.HasPrefix(line, "%%profile") {
				return // what stands below is not Go, and is coloured as if it were: C is near enough
			}
		}
		at = end + 1
	}
}

// highlight gives every rune of a cell its style, and marks the brackets that belong together at the cursor.
func highlight(text []rune, pos int) []string {
	styles := make([]string, len(text))
	list := tokens(text)
	for i, t := range list {
		style := styleOf(list, i)
		if style == "" {
			continue
		}
		for j := t.from; j < t.to; j++ {
			styles[j] = style
		}
	}
	if a, b, ok := pair(list, pos); ok {
		styles[a] += bold + underline
		styles[b] += bold + underline
	} else if a >= 0 {
		styles[a] += red + reverse
	}
	return styles
}

func styleOf(list []piece, i int) string {
	t := list[i]
	switch {
	case t.token == token.ILLEGAL:
		if len(t.text) > 1 {
			return magenta // a command
		}
	case t.token == token.COMMENT:
		return dim
	case t.token == token.STRING || t.token == token.CHAR:
		return green
	case t.token == token.INT || t.token == token.FLOAT || t.token == token.IMAG:
		return magenta
	case t.token.IsKeyword():
		return bold
	case t.token == token.IDENT && predeclared[t.text] && (i == 0 || list[i-1].token != token.PERIOD):
		return magenta
	}
	return ""
}

// predeclared are the names that Go declares.
var predeclared = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr " +
		"true false iota nil append cap clear close complex copy delete imag len make max min new panic print println real recover") {
		m[n] = true
	}
	return m
}()

var closing = map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK,
	token.LBRACE: token.RBRACE}

// pair finds the bracket before or at the cursor and the one that belongs to it. Without one, a is a closing bracket
// that closes nothing, or -1.
func pair(list []piece, pos int) (a, b int, ok bool) {
	var open []piece
	wrong := -1
	for _, t := range list {
		switch t.token {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, t)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) == 0 || closing[open[len(open)-1].token] != t.token {
				if t.to == pos {
					wrong = t.from
				}
				continue
			}
			o := open[len(open)-1]
			open = open[:len(open)-1]
			if t.to == pos || t.from == pos && !ok || o.to == pos || o.from == pos && !ok {
				a, b, ok = o.from, t.from, true
			}
		}
	}
	if !ok {
		return wrong, -1, false
	}
	return a, b, ok
}

// openCall is where the arguments of the innermost call begin that a position is in, and where the argument begins that
// it is in.
func openCall(text []rune, pos int) (name, argument int, ok bool) {
	type call struct {
		bracket        token.Token
		name, argument int
	}
	var open []call
	previous := piece{}
	for _, t := range tokens(text[:pos]) {
		switch t.token {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			c := call{bracket: t.token, name: -1, argument: t.to}
			if t.token == token.LPAREN && (previous.token == token.IDENT || previous.token == token.RBRACK) {
				c.name = previous.to
			}
			open = append(open, c)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case token.COMMA:
			if len(open) > 0 {
				open[len(open)-1].argument = t.to
			}
		case token.COMMENT, token.STRING, token.CHAR:
			if t.to == pos && len(open) > 0 && open[len(open)-1].name < 0 {
				return 0, 0, false
			}
		}
		previous = t
	}
	for i := len(open) - 1; i >= 0; i-- {
		switch {
		case open[i].bracket == token.LBRACE:
			return 0, 0, false // statements, or elements
		case open[i].name >= 0:
			return open[i].name, open[i].argument, true
		}
	}
	return 0, 0, false
}
