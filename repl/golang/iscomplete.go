package golang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// IsComplete says whether a cell can run as it stands: "complete", "incomplete" with the indentation of the next line, or
// "invalid" when no further line can help.
func IsComplete(code string) (status, indent string) {
	if strings.TrimSpace(code) == "" {
		return "complete", ""
	}
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	unfinished, invalid := false, false
	s.Init(f, []byte(code), func(_ token.Position, msg string) {
		switch {
		case strings.Contains(msg, "raw string literal not terminated"), strings.Contains(msg, "comment not terminated"):
			unfinished = true
		default:
			invalid = true
		}
	}, 0)
	var open []token.Token
	last := token.SEMICOLON
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			open = append(open, tok)
		case token.RPAREN, token.RBRACK, token.RBRACE:
			want := map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}[tok]
			if len(open) == 0 || open[len(open)-1] != want {
				return "invalid", ""
			}
			open = open[:len(open)-1]
		}
		if tok != token.SEMICOLON || lit == ";" {
			last = tok
		}
	}
	lines := strings.Split(code, "\n")
	blank := len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == ""
	switch {
	case unfinished:
		return "incomplete", ""
	case len(open) > 0:
		if invalid {
			return "invalid", ""
		}
		return "incomplete", strings.Repeat("\t", len(open))
	case invalid:
		return "invalid", ""
	case needsMore(last) && !blank:
		return "incomplete", "\t"
	}
	return "complete", ""
}

// needsMore reports whether a cell cannot end with the token.
func needsMore(t token.Token) bool {
	switch t {
	case token.INC, token.DEC, token.RPAREN, token.RBRACK, token.RBRACE, token.SEMICOLON:
		return false
	case token.IDENT, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING:
		return false
	case token.BREAK, token.CONTINUE, token.FALLTHROUGH, token.RETURN:
		return false
	}
	return t.IsOperator() || t.IsKeyword()
}
