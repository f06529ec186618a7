package repl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// flagsOf are the options of commands that run the Go behind them, as Call.options has them.
var flagsOf = map[string]string{"time": "", "timeit": "n:r:q", "prun": "o:", "profile": "o:"}

// keepCode makes a line with a command spaces, but for the Go that it runs. above says that there may be more below.
// What has a value becomes a statement, for which there is room where the command was.
func keepCode(b []byte, line string, above bool) {
	name, rest := firstWord(strings.TrimLeft(line, "%"))
	flags, ok := flagsOf[name]
	if !ok {
		blank(b)
		return
	}
	for strings.HasPrefix(rest, "-") && len(rest) > 1 && strings.IndexByte(flags, rest[1]) >= 0 && rest[1] != ':' {
		word, after := firstWord(rest)
		if rest = after; len(word) == 2 && strings.Contains(flags, word[1:]+":") {
			_, rest = firstWord(rest)
		}
	}
	trimmed := len(line) - len(strings.TrimRight(line, " \t\r"))
	at := len(b) - trimmed - len(rest)
	blank(b[:at])
	if !above && hasValue(rest) {
		copy(b[at-4:], "_ = ")
	}
}

// hasValue reports whether Go is an expression that is no statement.
func hasValue(text string) bool {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return false
	}
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		return !ok || u.Op != token.ARROW
	}
	id, ok := c.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	switch types.Universe.Lookup(id.Name).(type) {
	case *types.TypeName:
		return true
	case *types.Builtin:
		return slices.Contains([]string{"append", "cap", "complex", "imag", "len", "make", "max", "min", "new", "real"},
			id.Name)
	}
	return false
}
