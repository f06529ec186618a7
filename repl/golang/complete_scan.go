package golang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// tokenAt is a token with its place in the code.
type tokenAt struct {
	tok      token.Token
	off, end int
	auto     bool // a semicolon that the end of a line stands for
}

// scan reads the tokens that are written. It never fails: what is no Go comes out as some token.
func scan(code string) []tokenAt {
	all := scanAll(code)
	r := all[:0]
	for _, t := range all {
		if !t.auto {
			r = append(r, t)
		}
	}
	return r
}

// scanAll is scan with the semicolons that ends of lines stand for.
func scanAll(code string) []tokenAt {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(f, []byte(code), func(token.Position, string) {}, 0)
	var r []tokenAt
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return r
		}
		off := f.Offset(pos)
		if n := len(r); n > 0 && r[n-1].end > off {
			r[n-1].end = off // an illegal byte's literal is longer than the byte
		}
		if tok == token.SEMICOLON && lit == "\n" {
			r = append(r, tokenAt{tok, off, off, true})
			continue
		}
		end := off + len(tok.String())
		if lit != "" && tok != token.SEMICOLON {
			end = tokenEnd(code, off, tok, lit)
		}
		r = append(r, tokenAt{tok: tok, off: off, end: min(end, len(code))})
	}
}

type place int

const (
	inCode place = iota
	inString
	inChar
	inComment
)

// lexicalPlace says whether the end of code stands inside a string, a character or a comment, and where that begins.
func lexicalPlace(code string) (where place, start int) {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	open := -1
	s.Init(f, []byte(code), func(pos token.Position, msg string) {
		switch {
		case strings.Contains(msg, "comment not terminated"):
			where, open = inComment, pos.Offset
		case strings.Contains(msg, "rune literal not terminated"):
			where, open = inChar, pos.Offset
		case strings.Contains(msg, "string literal not terminated"):
			where, open = inString, pos.Offset
		}
	}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return where, open
		}
		off := f.Offset(pos)
		end := off + len(lit)
		if tok == token.COMMENT && strings.HasPrefix(lit, "//") && end >= len(code) {
			return inComment, off
		}
		if open == off && end < len(code) && !strings.HasPrefix(code[off:], "`") && !strings.HasPrefix(code[off:], "/*") {
			where, open = inCode, -1 // it ended with its line
		}
	}
}
