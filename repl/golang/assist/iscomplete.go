package assist

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// IsComplete says whether a cell can run as it stands: "complete", "incomplete" with the indentation of the next line,
// or "invalid" when no further line can help.
func IsComplete(code string) (status, indent string) {
	if strings.TrimSpace(code) == "" {
		return "complete", ""
	}
	c := completeness{code: code, last: token.SEMICOLON}
	c.scan()
	lines := strings.Split(code, "\n")
	blank := len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == ""
	switch {
	case c.mismatch, c.unfinished && c.invalid:
		return "invalid", ""
	case c.unfinished:
		return "incomplete", "" // of a raw string or a comment, every byte counts
	case c.invalid:
		return "invalid", ""
	case len(c.open) > 0:
		n := c.level()
		if inExpression(c.last) {
			n++
		}
		return "incomplete", strings.Repeat("\t", n)
	case needsMore(c.last) && !blank:
		if c.last == token.COLON {
			if !endsInLabel(code) { // as in Python
				return "invalid", ""
			}
			return "incomplete", ""
		}
		return "incomplete", "\t"
	case !parses(code):
		return "invalid", ""
	}
	return "complete", ""
}

// completeness is what the tokens of a cell tell.
type completeness struct {
	code       string
	open       []opened
	last       token.Token // that is written
	mismatch   bool        // a bracket closes none, or another kind
	unfinished bool        // a raw string or a comment goes on
	invalid    bool
}

// opened is a bracket that is not closed yet.
type opened struct {
	tok   token.Token
	line  int
	cases bool // the braces of a switch or a select: its cases stand as far left as its head
	begun bool // they have a case
}

var closes = map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK,
	token.RBRACE: token.LBRACE}

func (c *completeness) scan() {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(c.code))
	var s scanner.Scanner
	s.Init(f, []byte(c.code), func(_ token.Position, msg string) {
		if strings.Contains(msg, "raw string literal not terminated") ||
			strings.Contains(msg, "comment not terminated") {
			c.unfinished = true
		} else {
			c.invalid = true
		}
	}, 0)
	head := false // of a switch or a select
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.SEMICOLON && lit != ";" {
			continue
		}
		switch tok {
		case token.SWITCH, token.SELECT:
			head = true
		case token.CASE, token.DEFAULT:
			if n := len(c.open); n > 0 {
				c.open[n-1].begun = true
			}
		case token.LPAREN, token.LBRACK, token.LBRACE:
			c.open = append(c.open, opened{tok: tok, line: f.Line(pos), cases: head && tok == token.LBRACE})
			head = head && tok != token.LBRACE
		case token.RPAREN, token.RBRACK, token.RBRACE:
			n := len(c.open) - 1
			if n < 0 || c.open[n].tok != closes[tok] {
				c.mismatch = true
				return
			}
			c.open = c.open[:n]
		}
		c.last = tok
	}
}

// level is how many tabs gofmt puts before the next line: one for each line that leaves brackets open.
func (c *completeness) level() int {
	n, line := 0, 0
	for _, o := range c.open {
		if o.line != line && (!o.cases || o.begun) {
			n++
			line = o.line
		}
	}
	return n
}

// inExpression reports whether the next line goes on with an expression, rather than with the next element or
// statement.
func inExpression(t token.Token) bool {
	switch t {
	case token.COMMA, token.COLON, token.LPAREN, token.LBRACK, token.LBRACE, token.SEMICOLON:
		return false
	}
	return needsMore(t)
}

// endsInLabel reports whether the last line of a cell is a label.
func endsInLabel(code string) bool {
	code = strings.TrimRight(code, " \t\n")
	line := strings.TrimSpace(code[strings.LastIndexByte(code, '\n')+1:])
	name, ok := strings.CutSuffix(line, ":")
	return ok && token.IsIdentifier(strings.TrimSpace(name))
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

// parses reports whether a cell's brackets are the only thing that the parser would ask for.
func parses(code string) bool {
	items := check.Split(code)
	isStmt := func(it check.Item) bool { return it.Kind == check.StmtItem }
	for _, it := range items {
		if isStmt(it) {
			continue
		}
		one := func(other check.Item) bool { return other == it }
		if _, err := parser.ParseFile(token.NewFileSet(), "", declHead+string(check.Mask(code, items, one)),
			parser.SkipObjectResolution); err != nil {
			return false
		}
	}
	if !check.HasKind(items, isStmt) {
		return true
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", stmtHead+string(check.Mask(code, items, isStmt))+"\n}",
		parser.SkipObjectResolution)
	return err == nil && len(f.Decls) == 1
}
