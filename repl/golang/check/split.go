package check

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// A cell is a sequence of items. Their order matters among statements only.
type ItemKind byte

const (
	StmtItem ItemKind = iota
	ImportItem
	DeclItem // type, const, func
)

type Item struct {
	Kind       ItemKind
	Start, End int  // byte offsets; end excludes the semicolon
	Semicolon  bool // ended by a ';' that the user wrote
}

// Split finds the items of a cell. It never fails: what is not Go comes out as some item, and the parser says what is
// wrong.
func Split(src string) []Item {
	var items []Item
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	var cur []token.Token
	depth, start, end := 0, 0, 0
	flush := func(written bool) {
		if len(cur) > 0 {
			items = append(items, Item{kindOf(cur), start, end, written})
		}
		cur, depth = cur[:0], 0
	}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			end = min(end, len(src))
			flush(false)
			return items
		}
		off := file.Offset(pos)
		end = min(end, off) // an illegal byte's literal is longer than the byte
		if tok == token.SEMICOLON && depth <= 0 && !(lit == ";" && inForClause(cur)) {
			flush(lit == ";")
			continue
		}
		if len(cur) == 0 {
			start = off
		}
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
		cur = append(cur, tok)
		end = off + len(tok.String())
		if lit != "" && tok != token.SEMICOLON {
			end = tokenEnd(src, off, tok, lit)
		}
		end = min(end, len(src))
	}
}

// inForClause reports whether a semicolon after these tokens stands between the clauses of a for statement, where there
// may be nothing between two of them.
func inForClause(toks []token.Token) bool {
	return len(toks) > 0 && toks[0] == token.FOR && !slices.Contains(toks, token.LBRACE)
}

// tokenEnd is where a token with a literal ends in the source, whose raw strings may hold carriage returns that lit
// lacks.
func tokenEnd(src string, off int, tok token.Token, lit string) int {
	if tok == token.STRING && lit[0] == '`' {
		for i := off + 1; i < len(src); i++ {
			if src[i] == '`' {
				return i + 1
			}
		}
		return len(src)
	}
	return off + len(lit)
}

// unclosedComment is where a comment begins that the code does not end; -1 for none.
func unclosedComment(src string) int {
	if !strings.Contains(src, "/*") {
		return -1
	}
	at := -1
	var s scanner.Scanner
	f := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(f, []byte(src), func(p token.Position, msg string) {
		if msg == "comment not terminated" {
			at = p.Offset
		}
	}, 0)
	for tok := token.ILLEGAL; tok != token.EOF; {
		_, tok, _ = s.Scan()
	}
	return at
}

// unmatched is where a bracket closes nothing, or closes another kind of bracket at an item's top level; -1 for none.
func unmatched(src string) int {
	depth := 0
	for _, t := range Scan(src) {
		switch t.Kind {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if depth--; depth < 0 {
				return t.Start
			}
		}
	}
	return -1
}

func kindOf(toks []token.Token) ItemKind {
	switch toks[0] {
	case token.IMPORT:
		return ImportItem
	case token.TYPE, token.CONST:
		return DeclItem
	case token.FUNC:
		if len(toks) > 1 && toks[1] == token.IDENT {
			return DeclItem
		}
		// func (…) Name( is a method, func (…) … { a literal.
		for i, depth := 1, 0; i < len(toks); i++ {
			switch toks[i] {
			case token.LPAREN:
				depth++
			case token.RPAREN:
				if depth--; depth == 0 {
					if i+2 < len(toks) && toks[i+1] == token.IDENT &&
						(toks[i+2] == token.LPAREN || toks[i+2] == token.LBRACK) {
						// func (a T) Name(…): a method unless it is a literal's result, as in func() T(…), which is not
						// Go.
						return DeclItem
					}
					return StmtItem
				}
			}
		}
	}
	return StmtItem
}

// SeparateValues makes statements of a list of expressions such as x, y: semicolons take the place of its commas. It
// returns how many there are, and 0 and the text itself for anything else.
func SeparateValues(text string) (separated string, n int) {
	b, depth, begin := []byte(text), 0, 0
	end := func(at int) bool {
		_, err := parser.ParseExpr(text[begin:at])
		begin = at + 1
		n++
		return err == nil
	}
	for i, t := range Scan(text) {
		switch t.Kind {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.IF, token.FOR, token.SWITCH, token.SELECT, token.RETURN, token.GO, token.DEFER, token.VAR,
			token.CASE:
			if i == 0 {
				return text, 0
			}
		case token.COMMA:
			if depth == 0 {
				b[t.Start] = ';'
				if !end(t.Start) {
					return text, 0
				}
			}
		}
	}
	if n == 0 || !end(len(text)) {
		return text, 0
	}
	return string(b), n
}

// Mask returns src with everything but the wanted items replaced by spaces, so that positions stay true. A semicolon
// follows each item, where there is room for one.
func Mask(src string, items []Item, want func(Item) bool) []byte {
	b := []byte(src)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	last := 0
	for _, it := range items {
		if !want(it) {
			continue
		}
		blank(last, it.Start)
		last = it.End
		if it.Semicolon {
			for last < len(b) && b[last] != ';' {
				last++
			}
			last = min(last+1, len(b))
		}
	}
	blank(last, len(b))
	return b
}

// Token is a token with its place in the code.
type Token struct {
	Kind       token.Token
	Start, End int
	Auto       bool // a semicolon that the end of a line stands for
}

// Scan reads the tokens that are written. It never fails: what is not Go comes out as some token.
func Scan(code string) []Token {
	all := ScanAll(code)
	r := all[:0]
	for _, t := range all {
		if !t.Auto {
			r = append(r, t)
		}
	}
	return r
}

// ScanAll is scan with the semicolons that ends of lines stand for.
func ScanAll(code string) []Token {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(f, []byte(code), func(token.Position, string) {}, 0)
	var r []Token
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return r
		}
		off := f.Offset(pos)
		if n := len(r); n > 0 && r[n-1].End > off {
			r[n-1].End = off // an illegal byte's literal is longer than the byte
		}
		if tok == token.SEMICOLON && lit == "\n" {
			r = append(r, Token{tok, off, off, true})
			continue
		}
		end := off + len(tok.String())
		if lit != "" && tok != token.SEMICOLON {
			end = tokenEnd(code, off, tok, lit)
		}
		r = append(r, Token{Kind: tok, Start: off, End: min(end, len(code))})
	}
}
