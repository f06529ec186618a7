package check

import (
	"fmt"
	"go/scanner"
	"go/token"
	"sync"
)

// maxFailed bounds how many names of failed cells are kept.
const maxFailed = 1000

// failures are the names that failed cells would have declared, with the places of these cells. They have a lock of
// their own: a cell that is left ends while a step of its compilation holds the scope's.
type failures struct {
	mu    sync.Mutex
	names map[string]string
}

// Ended notes how a cell ended. A name that a failed cell would have declared is kept with its place until a cell
// declares it, so that a later error says why it is undefined.
func (sc *Scope) Ended(cell, src string, failed bool) {
	f := &sc.failed
	f.mu.Lock()
	defer f.mu.Unlock()
	if !failed && len(f.names) == 0 {
		return
	}
	if f.names == nil || len(f.names) > maxFailed {
		f.names = map[string]string{}
	}
	for name, line := range topLevelNames(src) {
		switch {
		case !failed:
			delete(f.names, name)
		case CellNumber(cell) == 0: // cells of a file have its name
			f.names[name] = fmt.Sprintf("%s, line %d", cell, line)
		default:
			f.names[name] = cell
		}
	}
}

// failedHint says which cell would have declared a name.
func failedHint(k *Checker, name string) string {
	f := &k.Scope.failed
	f.mu.Lock()
	cell := f.names[name]
	f.mu.Unlock()
	if cell == "" || k.Scope.Bindings[name] != nil || k.declared[name] {
		return ""
	}
	return "the cell that declares " + name + " has failed (" + cell + "): correct it and run it again"
}

// topLevelNames are the names that the tokens of a cell declare outside all brackets, with their lines. The cell need
// not be correct: of what follows a bracket that is never closed, nothing is found.
func topLevelNames(src string) map[string]int {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	names := map[string]int{}
	var statement []lexeme // its tokens outside brackets
	depth, base := 0, 0    // base is 1 between the brackets of var ( … )
	for {
		pos, tok, text := s.Scan()
		closing := tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE
		if closing {
			depth = max(depth-1, 0)
		}
		switch {
		case tok == token.LPAREN && depth == 0 && len(statement) == 1 && declaring(statement[0].tok):
			base = 1
		case tok == token.EOF || tok == token.SEMICOLON && depth == base || closing && depth < base:
			for _, n := range declared(statement) {
				names[n.text] = file.Line(n.pos)
			}
			if tok == token.EOF {
				return names
			}
			if base = min(base, depth); base > 0 {
				statement = statement[:1]
			} else {
				statement = nil
			}
		case depth == base && !closing:
			statement = append(statement, lexeme{pos, tok, text})
		}
		if tok == token.LPAREN || tok == token.LBRACK || tok == token.LBRACE {
			depth++
		}
	}
}

type lexeme struct {
	pos  token.Pos
	tok  token.Token
	text string
}

// declaring reports whether declarations that a keyword begins can be grouped in brackets.
func declaring(tok token.Token) bool {
	return tok == token.VAR || tok == token.CONST || tok == token.TYPE
}

// declared are the names that a statement declares: those after var or func, or before :=.
func declared(statement []lexeme) (names []lexeme) {
	keyword := len(statement) > 0 && (declaring(statement[0].tok) || statement[0].tok == token.FUNC)
	if keyword {
		statement = statement[1:]
	}
	for i, l := range statement {
		switch {
		case i%2 == 0 && l.tok == token.IDENT:
			names = append(names, l)
		case i%2 == 1 && l.tok == token.COMMA:
		case keyword || l.tok == token.DEFINE:
			return names
		default:
			return nil
		}
	}
	if !keyword {
		return nil
	}
	return names
}
