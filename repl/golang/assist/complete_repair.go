package assist

import (
	"go/scanner"
	"go/token"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// repaired is half-written code with what is missing put in, so that the parser finds its structure: strings and
// comments are closed, brackets are closed where a line cannot go on inside them, headers get a body and list elements
// their comma. Nothing is taken out but brackets that close nothing, which become spaces.
type repaired struct {
	text    string
	inserts []insert // in order, in terms of the code
}

type insert struct {
	off  int
	text string
}

// at is where an offset of the code is in the repaired text; before what was put in there.
func (r *repaired) at(off int) int {
	n := off
	for _, in := range r.inserts {
		if in.off >= off {
			break
		}
		n += len(in.text)
	}
	return n
}

// back is where an offset of the repaired text is in the code.
func (r *repaired) back(off int) int {
	for _, in := range r.inserts {
		if in.off >= off {
			break
		}
		off -= min(len(in.text), off-in.off)
	}
	return off
}

func apply(code string, inserts []insert) string {
	var b strings.Builder
	last := 0
	for _, in := range inserts {
		b.WriteString(code[last:in.off])
		b.WriteString(in.text)
		last = in.off
	}
	b.WriteString(code[last:])
	return b.String()
}

// repair makes code parse as well as it can.
func repair(code string) *repaired { return repairAround(code, -1) }

// repairAround is repair that closes nothing between the last token before the cursor and the cursor, where they stand
// on one line.
func repairAround(code string, cursor int) *repaired {
	first := closeLiterals(code)
	text := apply(code, first)
	b := &brackets{code: text, toks: check.ScanAll(text), blank: []byte(text), cursor: cursor}
	for _, in := range first {
		if in.off < cursor {
			b.cursor += len(in.text)
		}
	}
	b.run()
	sort.SliceStable(b.inserts, func(i, j int) bool { return b.inserts[i].off < b.inserts[j].off })
	r := &repaired{text: apply(string(b.blank), b.inserts)}
	// Both steps as one: the second one's offsets in terms of the code.
	i := 0
	shift := 0
	for _, in := range b.inserts {
		for i < len(first) && first[i].off+shift+len(first[i].text) <= in.off {
			r.inserts = append(r.inserts, first[i])
			shift += len(first[i].text)
			i++
		}
		r.inserts = append(r.inserts, insert{min(max(in.off-shift, 0), len(code)), in.text})
	}
	r.inserts = append(r.inserts, first[i:]...)
	return r
}

// closeLiterals ends strings, characters and comments that do not end.
func closeLiterals(code string) []insert {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	open := map[int]string{}
	s.Init(f, []byte(code), func(pos token.Position, msg string) {
		switch {
		case !strings.HasSuffix(msg, "not terminated"):
		case strings.HasPrefix(msg, "comment"):
			open[pos.Offset] = "*/"
		case strings.HasPrefix(msg, "raw string"):
			open[pos.Offset] = "`"
		case strings.HasPrefix(msg, "string"):
			open[pos.Offset] = `"`
		case strings.HasPrefix(msg, "rune"):
			open[pos.Offset] = "'"
		}
	}, scanner.ScanComments)
	var r []insert
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return r
		}
		off := f.Offset(pos)
		closing := open[off]
		if closing == "" || tok == token.SEMICOLON {
			continue
		}
		end := len(code)
		if closing == `"` || closing == "'" {
			end = min(off+len(lit), len(code))
			for end > off+1 && (code[end-1] == '\r' || code[end-1] == '\n') {
				end--
			}
			if slashes := len(code[off:end]) - len(strings.TrimRight(code[off:end], `\`)); slashes%2 == 1 {
				closing = `\` + closing
			}
			if closing == "'" && end == off+1 {
				closing = " '"
			}
		}
		r = append(r, insert{end, closing})
	}
}

type bracketKind byte

const (
	block    bracketKind = iota // statements
	literal                     // of a composite literal
	typeBody                    // of a struct or an interface
	paren                       // arguments, parameters, an operand
	index                       // [ ]
	group                       // import ( … )
)

// level is an open bracket, or the cell itself.
type level struct {
	kind bracketKind
	off  int
	head token.Token // if, for, switch, select or case of the statement that is read, until its body or colon
	init bool        // an assignment stands in the header, and no semicolon after it
	fn   bool        // the statement or element has a func that may get a body
	runs bool        // the statement is a go or a defer
	call bool        // of a block: it is the body of a function that go or defer must call
}

// element reports whether expressions stand inside, which no statement can.
func (l *level) element() bool { return l.kind == paren || l.kind == index || l.kind == literal }

func (l *level) closer() string {
	switch l.kind {
	case paren, group:
		return ")"
	case index:
		return "]"
	case literal:
		return "}"
	}
	if l.call {
		return "\n}()"
	}
	return "\n}"
}

// brackets walks over the tokens and notes what to put in.
type brackets struct {
	code    string
	toks    []check.Token
	blank   []byte // the code with brackets that close nothing made spaces
	stack   []level
	inserts []insert
	first   int // the first token of the line that is read
	cursor  int
}

func (b *brackets) top() *level { return &b.stack[len(b.stack)-1] }

func (b *brackets) put(off int, text string) {
	if off < b.cursor && b.cursor <= len(b.code) &&
		(strings.Trim(b.code[off:b.cursor], " \t") == "" || strings.TrimSpace(b.code[off:]) == "") {
		off = b.cursor
	}
	b.inserts = append(b.inserts, insert{off, text})
}

// close ends the innermost bracket at off.
func (b *brackets) close(off int) {
	b.finishHead(off)
	b.put(off, b.top().closer())
	b.stack = b.stack[:len(b.stack)-1]
}

// finishHead gives a header without a body one, and a case its colon.
func (b *brackets) finishHead(off int) {
	l := b.top()
	b.finishInit(off)
	switch l.head {
	case token.IF, token.FOR, token.SWITCH, token.SELECT:
		b.put(off, " {}")
	case token.CASE:
		b.put(off, ":")
	}
	l.head = 0
}

// finishInit gives a header that has only an init statement what follows one: without it the parser drops the
// statement.
func (b *brackets) finishInit(off int) {
	l := b.top()
	if !l.init {
		return
	}
	l.init = false
	switch l.head {
	case token.IF:
		b.put(off, "; true")
	case token.SWITCH:
		b.put(off, ";")
	case token.FOR:
		b.put(off, "; ;")
	}
}

func (b *brackets) prevEnd(i int) int {
	if i == 0 {
		return 0
	}
	return b.toks[i-1].End
}

func (b *brackets) tok(i int) token.Token {
	if i < 0 || i >= len(b.toks) {
		return token.EOF
	}
	return b.toks[i].Kind
}

func (b *brackets) run() {
	b.stack = []level{{kind: block, off: -1}}
	for i, t := range b.toks {
		if i > 0 && strings.Contains(b.code[b.toks[i-1].End:t.Start], "\n") {
			b.first = i
		}
		if b.column0(t.Start) && (t.Kind == token.IMPORT || b.declaresFunc(i)) {
			for len(b.stack) > 1 {
				b.close(b.prevEnd(i))
			}
		}
		b.token(i, t)
	}
	end := 0
	if n := len(b.toks); n > 0 {
		end = b.toks[n-1].End
	}
	for len(b.stack) > 1 {
		if b.top().element() || b.top().kind == group {
			b.close(end)
			continue
		}
		b.finishHead(end)
		b.close(len(b.code))
		end = len(b.code)
	}
	b.finishHead(end)
}

func (b *brackets) column0(off int) bool { return off == 0 || b.code[off-1] == '\n' }

// declaresFunc reports whether a function's or method's declaration begins at token i.
func (b *brackets) declaresFunc(i int) bool {
	if b.tok(i) != token.FUNC {
		return false
	}
	if b.tok(i+1) == token.IDENT {
		return true
	}
	for j := i + 1; j < i+10 && b.tok(j) != token.LBRACE; j++ {
		if b.tok(j) == token.RPAREN {
			return j > i+2 && b.tok(j+1) == token.IDENT && b.tok(j+2) == token.LPAREN
		}
	}
	return false
}

func (b *brackets) token(i int, t check.Token) {
	switch t.Kind {
	case token.SEMICOLON:
		b.semicolon(i, t)
	case token.LPAREN:
		kind := paren
		switch b.tok(i - 1) {
		case token.IMPORT, token.VAR, token.CONST, token.TYPE:
			kind = group
		}
		b.stack = append(b.stack, level{kind: kind, off: t.Start})
	case token.LBRACK:
		b.stack = append(b.stack, level{kind: index, off: t.Start})
	case token.LBRACE:
		kind := b.brace(i)
		call := kind == block && b.top().runs && b.top().fn
		if kind == block {
			if guard := b.tok(i-1) == token.RPAREN && b.tok(i-2) == token.TYPE; !guard && !b.top().fn {
				b.finishInit(b.prevEnd(i))
			}
			b.top().head, b.top().init, b.top().fn = 0, false, false
		}
		b.stack = append(b.stack, level{kind: kind, off: t.Start, call: call})
	case token.RPAREN, token.RBRACK, token.RBRACE:
		b.closing(i, t)
	case token.COLON:
		if b.top().head == token.CASE {
			b.top().head = 0
		}
	case token.COMMA:
		b.top().fn = false
	case token.FUNC:
		switch b.tok(i - 1) {
		case token.RBRACK, token.MUL, token.CHAN, token.ARROW:
		default:
			b.top().fn = true
		}
	case token.RANGE:
		b.top().init = false
	case token.DEFINE, token.INC, token.DEC, token.ASSIGN, token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN,
		token.QUO_ASSIGN, token.REM_ASSIGN:
		b.assignment()
		b.top().init = b.top().kind == block && b.top().head != token.CASE && b.top().head != 0
	case token.TYPE:
		if b.tok(i-1) == token.LPAREN && b.tok(i-2) == token.PERIOD {
			return // x.(type)
		}
		b.statement(i)
	case token.IF, token.FOR, token.SWITCH, token.SELECT, token.CASE, token.DEFAULT:
		b.statement(i)
		if l := b.top(); l.kind == block {
			l.head, l.init = t.Kind, false
			if t.Kind == token.DEFAULT {
				l.head = token.CASE
			}
		}
	case token.GO, token.DEFER:
		b.statement(i)
		b.top().runs = true
	case token.RETURN, token.VAR, token.CONST, token.BREAK, token.CONTINUE, token.GOTO, token.FALLTHROUGH, token.ELSE:
		b.statement(i)
	}
}

// statement closes what no statement can stand in.
func (b *brackets) statement(i int) {
	for b.top().element() {
		b.close(b.prevEnd(i))
	}
}

// assignment closes what earlier lines have left open: no assignment stands inside an expression.
func (b *brackets) assignment() {
	if b.first == 0 {
		return
	}
	for b.top().element() && b.top().off < b.toks[b.first].Start {
		b.close(b.toks[b.first-1].End)
	}
}

func (b *brackets) semicolon(i int, t check.Token) {
	at := b.prevEnd(i)
	for b.top().element() {
		if t.Auto && b.goesOn(i) {
			b.put(at, ",")
			b.top().fn = false
			return
		}
		b.close(at)
	}
	if l := b.top(); l.kind == block && l.runs && b.tok(i-1) != token.RPAREN && b.tok(i-1) != token.RBRACE &&
		b.tok(i-1) != token.SEMICOLON {
		b.put(at, "()") // go and defer take calls only
	}
	if l := b.top(); l.kind == block && (t.Auto || l.head == token.CASE) {
		b.finishHead(at)
	}
	b.top().fn, b.top().runs, b.top().init = false, false, false
}

// goesOn reports whether the list that the innermost bracket opened goes on after the end of a line, up to its own
// bracket.
func (b *brackets) goesOn(i int) bool {
	depth := 0
	for j := i + 1; j < len(b.toks); j++ {
		switch t := b.toks[j]; t.Kind {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if depth == 0 {
				return t.Kind.String() == b.top().closer()
			}
			depth--
		case token.SEMICOLON:
			if depth == 0 {
				return t.Auto && b.tok(j+1).String() == b.top().closer()
			}
		case token.DEFINE, token.ASSIGN, token.IF, token.FOR, token.SWITCH, token.SELECT, token.RETURN, token.VAR,
			token.CONST, token.GO, token.DEFER:
			if depth == 0 {
				return false
			}
		}
	}
	return false
}

func (b *brackets) closing(i int, t check.Token) {
	matches := func(k bracketKind) bool {
		switch t.Kind {
		case token.RPAREN:
			return k == paren || k == group
		case token.RBRACK:
			return k == index
		}
		return k == block || k == literal || k == typeBody
	}
	at := len(b.stack) - 1
	for at > 0 && !matches(b.stack[at].kind) {
		at--
	}
	if at == 0 {
		for o := t.Start; o < t.End; o++ {
			b.blank[o] = ' '
		}
		return
	}
	for len(b.stack)-1 > at {
		b.close(b.prevEnd(i))
	}
	b.finishHead(b.prevEnd(i))
	if b.top().call && b.tok(i+1) != token.LPAREN {
		b.put(t.End, "()")
	}
	b.stack = b.stack[:at]
}

// brace says what the brace at token i opens.
func (b *brackets) brace(i int) bracketKind {
	l := b.top()
	switch prev := b.tok(i - 1); prev {
	case token.STRUCT, token.INTERFACE:
		return typeBody
	case token.IDENT, token.RBRACK, token.RBRACE:
		if l.fn || b.toks[i-1].Auto {
			return block
		}
		if l.head != 0 && l.head != token.CASE && l.kind == block {
			j := i - 1
			if prev == token.IDENT {
				if j--; b.tok(j) == token.PERIOD {
					j -= 2
				}
				if b.tok(j) == token.RBRACK {
					return literal // []T{…} may stand in a header
				}
			}
			return block
		}
		return literal
	case token.RPAREN:
		if l.kind != block && !l.fn {
			return literal // []func(){…}
		}
		return block
	case token.LBRACE, token.COMMA, token.COLON, token.LPAREN:
		if l.kind == literal {
			return literal
		}
	}
	return block
}
