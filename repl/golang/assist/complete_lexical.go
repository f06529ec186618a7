package assist

import (
	"go/scanner"
	"go/token"
	"strings"
)

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
		rest := code[off:]
		if open == off && end < len(code) && !strings.HasPrefix(rest, "`") && !strings.HasPrefix(rest, "/*") {
			where, open = inCode, -1 // it ended with its line
		}
	}
}
