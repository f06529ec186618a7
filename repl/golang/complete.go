package golang

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// Completion lists what may stand at the cursor. Matches replace code[Start:End].
type Completion struct {
	Start, End int
	Matches    []Match
}

// Match is one possible completion. Signature is the parameters and results of functions, the type of other values.
type Match struct{ Text, Kind, Signature string }

// Complete lists what may stand at the cursor, a byte offset. It may be called while a cell runs.
func (e *Engine) Complete(code string, cursor int) (c Completion) {
	e.mu.Lock()
	defer e.mu.Unlock()
	start := cursor
	for start > 0 && isIdentByte(code[start-1]) {
		start--
	}
	c = Completion{Start: start, End: cursor}
	defer func() {
		if recover() != nil { // half a cell may be more than checking was made for; no completion is a good answer
			c.Matches = nil
		}
	}()
	prefix := code[start:cursor]
	found := map[string]Match{}
	add := func(m Match) {
		if strings.HasPrefix(m.Text, prefix) {
			if _, ok := found[m.Text]; !ok {
				found[m.Text] = m
			}
		}
	}
	switch where := lexicalPlace(code[:start]); {
	case where == inString || where == inComment:
		if path, at, ok := importPath(code[:cursor]); ok {
			c.Start = at
			prefix = path
			for _, p := range e.lib.Paths() {
				add(Match{Text: p, Kind: "package"})
			}
		}
	case start > 0 && code[start-1] == '.' && (start < 2 || code[start-2] != '.'):
		from := operandStart(code, start-1)
		e.members(code, from, start-1, add)
	default:
		e.namesFor(code, start, cursor, add)
	}
	for _, m := range found {
		c.Matches = append(c.Matches, m)
	}
	sort.Slice(c.Matches, func(i, j int) bool {
		a, b := c.Matches[i].Text, c.Matches[j].Text
		if x, y := strings.ToLower(a), strings.ToLower(b); x != y {
			return x < y
		}
		return a < b
	})
	return c
}

type place int

const (
	inCode place = iota
	inString
	inComment
)

// lexicalPlace says whether code ends inside a string or a comment.
func lexicalPlace(code string) place {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	where := inCode
	s.Init(f, []byte(code), func(_ token.Position, msg string) {
		switch {
		case strings.Contains(msg, "comment"):
			where = inComment
		case strings.Contains(msg, "not terminated"):
			where = inString
		}
	}, scanner.ScanComments)
	last := token.ILLEGAL
	lastEnd := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		last, lastEnd = tok, f.Offset(pos)+len(lit)
	}
	if where == inCode && last == token.COMMENT && lastEnd == len(code) && !strings.HasSuffix(code, "*/") {
		where = inComment
	}
	return where
}

// importPath is the unfinished import path at the end of code.
func importPath(code string) (path string, start int, ok bool) {
	q := strings.LastIndexByte(code, '"')
	if q < 0 {
		return "", 0, false
	}
	line := strings.TrimSpace(code[strings.LastIndexByte(code[:q], '\n')+1 : q])
	if strings.HasPrefix(line, "import") || strings.Contains(code[:q], "import (") && !strings.Contains(code[strings.LastIndex(code[:q], "import ("):q], ")") {
		return code[q+1:], q + 1, true
	}
	return "", 0, false
}

// operandStart finds where the operand that ends at end begins: a chain of names, calls, indices and selectors.
func operandStart(code string, end int) int {
	toks := scan(code[:end])
	i := len(toks) - 1
	start := end
	for i >= 0 {
		switch toks[i].tok {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth := 0
			for ; i >= 0; i-- {
				switch toks[i].tok {
				case token.RPAREN, token.RBRACK, token.RBRACE:
					depth++
				case token.LPAREN, token.LBRACK, token.LBRACE:
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if i < 0 {
				return start
			}
			start = toks[i].off
			i--
			if i >= 0 && (toks[i].tok == token.IDENT || toks[i].tok == token.RPAREN || toks[i].tok == token.RBRACK) && toks[i].end == start {
				continue
			}
		case token.IDENT, token.STRING, token.INT, token.FLOAT, token.CHAR:
			start = toks[i].off
			i--
		default:
			return start
		}
		if i < 0 || toks[i].tok != token.PERIOD {
			break
		}
		i--
	}
	return start
}

type tokenAt struct {
	tok      token.Token
	off, end int
}

func scan(code string) []tokenAt {
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
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		off := f.Offset(pos)
		n := len(tok.String())
		if lit != "" {
			n = len(lit)
		}
		r = append(r, tokenAt{tok, off, min(off+n, len(code))})
	}
}

// closers are the brackets that close what code leaves open.
func closers(code string) string {
	var open []byte
	for _, t := range scan(code) {
		switch t.tok {
		case token.LPAREN:
			open = append(open, ')')
		case token.LBRACK:
			open = append(open, ']')
		case token.LBRACE:
			open = append(open, '}')
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] == '}' {
			b.WriteByte('\n')
		}
		b.WriteByte(open[i])
	}
	return b.String()
}

// lookAt checks as much of an unfinished cell as makes sense and returns what go/types knows about code[from:to].
func (e *Engine) lookAt(code string, from, to int) (ast.Expr, *types.Info) {
	whole := code[:to] + closers(code[:to])
	tries := []string{whole}
	var before string
	for _, it := range split(code[:from]) {
		if it.end < from {
			before = code[:it.end] + strings.Repeat("\n", strings.Count(code[it.end:from], "\n"))
		}
	}
	// Without what encloses it, the expression keeps its line only when it stands on a new one.
	tries = append(tries, before+"\n"+code[from:to], code[from:to])
	for i, src := range tries {
		at := from
		if i > 0 {
			at = len(src) - (to - from)
		}
		if x, info := e.exprAt(src, at, at+to-from); x != nil {
			return x, info
		}
	}
	return nil, nil
}

func (e *Engine) exprAt(src string, from, to int) (found ast.Expr, info *types.Info) {
	const name = "complete"
	c, ps := e.parse(name, src)
	if len(ps) > 0 {
		return nil, nil
	}
	k := e.newChecker(c)
	k.dry = true
	k.all(nil)
	info = k.ck.info
	line := 1 + strings.Count(src[:from], "\n")
	col := from - strings.LastIndexByte(src[:from], '\n')
	want := to - from
	visit := func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok || found != nil {
			return found == nil
		}
		if p := e.fset.Position(x.Pos()); p.Filename == name && p.Line == line && p.Column == col && int(x.End()-x.Pos()) == want {
			if _, isStmtCall := x.(*ast.CallExpr); !isStmtCall || !isOut(x) && !isCallOf(x, mustName) {
				found = x
			}
		}
		return true
	}
	if c.body != nil {
		ast.Inspect(c.body, visit)
	}
	for _, d := range c.decls {
		ast.Inspect(d.node, visit)
	}
	return found, info
}

// members completes a selector on the operand code[from:to].
func (e *Engine) members(code string, from, to int, add func(Match)) {
	x, info := e.lookAt(code, from, to)
	if x == nil {
		return
	}
	if id, ok := x.(*ast.Ident); ok {
		if p, ok := info.Uses[id].(*types.PkgName); ok {
			e.packageMembers(p.Imported(), add)
			return
		}
		if info.Types[x].Type == nil {
			if path, ok := e.auto[id.Name]; ok && info.Uses[id] == nil {
				if p, err := e.lib.Import(path); err == nil {
					e.packageMembers(p, add)
				}
				return
			}
		}
	}
	tv, ok := info.Types[x]
	if !ok || tv.Type == nil {
		return
	}
	t := tv.Type
	if tup, ok := t.(*types.Tuple); ok && tup.Len() == 2 && isError(tup.At(1).Type()) {
		t = tup.At(0).Type() // the session unwraps it
	}
	typeMembers(t, func(o types.Object) {
		if o.Exported() || isSession(o) {
			add(match(o))
		}
	})
}

// typeMembers calls f for every method and field that a value of type t has, its own before promoted ones.
func typeMembers(t types.Type, f func(types.Object)) {
	recv := t
	if _, isPtr := types.Unalias(t).(*types.Pointer); !isPtr && !types.IsInterface(t) {
		recv = types.NewPointer(t)
	}
	ms := types.NewMethodSet(recv)
	for i := range ms.Len() {
		f(ms.At(i).Obj())
	}
	seen := map[types.Type]bool{}
	level := []types.Type{deref(types.Unalias(t))}
	for len(level) > 0 {
		var next []types.Type
		for _, t := range level {
			st, ok := t.Underlying().(*types.Struct)
			if !ok || seen[t] {
				continue
			}
			seen[t] = true
			for i := range st.NumFields() {
				f(st.Field(i))
				if st.Field(i).Embedded() {
					next = append(next, deref(types.Unalias(st.Field(i).Type())))
				}
			}
		}
		level = next
	}
}

func (e *Engine) packageMembers(p *types.Package, add func(Match)) {
	if full, err := e.lib.Import(p.Path()); err == nil {
		p = full
	}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() && e.unavailable(o) == "" {
			add(match(o))
		}
	}
}

func match(o types.Object) Match {
	m := Match{Text: o.Name(), Kind: kindOfObject(o)}
	switch o := o.(type) {
	case *types.Func:
		m.Signature = strings.TrimPrefix(display(o.Type()), "func")
	case *types.TypeName:
		m.Signature = typeKind(o.Type())
	case *types.Const:
		m.Signature = display(o.Type()) + " = " + o.Val().String()
	default:
		m.Signature = display(o.Type())
	}
	return m
}

func typeKind(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	}
	return display(t.Underlying())
}

// namesFor completes a name without a qualifier.
func (e *Engine) namesFor(code string, start, cursor int, add func(Match)) {
	for n, b := range e.scope {
		if n == "_" {
			continue
		}
		if b.obj == nil {
			add(Match{Text: n, Kind: "package", Signature: b.path})
		} else {
			add(match(b.obj))
		}
	}
	// Names that the cell itself declares.
	for _, t := range scan(code) {
		if t.tok == token.IDENT && t.off != start && (t.off == 0 || code[t.off-1] != '.') {
			add(Match{Text: code[t.off:t.end], Kind: e.kindOfName(code[t.off:t.end])})
		}
	}
	for _, o := range e.dots {
		add(match(o))
	}
	if start == cursor {
		return // everything else would be too much
	}
	for _, n := range types.Universe.Names() {
		add(match(types.Universe.Lookup(n)))
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		add(Match{Text: t.String(), Kind: "keyword"})
	}
	for n, p := range e.auto {
		add(Match{Text: n, Kind: "package", Signature: p})
	}
}

func (e *Engine) kindOfName(n string) string {
	if o := types.Universe.Lookup(n); o != nil {
		return match(o).Kind
	}
	if e.auto[n] != "" {
		return "package"
	}
	return "variable"
}
