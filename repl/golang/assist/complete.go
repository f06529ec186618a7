package assist

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Completion lists what may stand at the cursor, best first. Matches replace code[Start:End].
type Completion struct {
	Start, End int
	Matches    []Match
	// Hint is the signature of the call whose arguments the cursor is in, with its current parameter between ‹ and ›.
	Hint string
	// Text is set inside a string that is not an import path.
	Text *Text
	// Index is set where the key of a map from strings is written without quotes: Before is what is typed.
	Index *Text
	// Imports is set when the cell needs an import of each match's Import besides: the name before the dot stands for
	// another package of the same name, which has nothing of the kind.
	Imports bool
}

// Match is one possible completion. Signature is the parameters and results of functions, the type of other values. Doc
// is the first sentence of the documentation. Import is the path of a package that the cell imports by using its name.
type Match struct{ Text, Kind, Signature, Doc, Import string }

// Text is the string literal that the cursor is in.
type Text struct {
	Start, End int    // of what stands between the quotes, up to the closing one
	Before     string // what stands before the cursor, as a value
	Raw        bool   // between back quotes
	Func       string // the function whose argument it is, as path.Name or path.Type.Name; "" for none
	Param      int    // which argument, from 0
	Name       string // the parameter's name
	Map        string // the variable of the session whose key it is, or a field of one, as v.Field
}

// Assistant answers what may be written in a cell, and what it means. It reads the scope of a session and changes
// nothing of it.
type Assistant struct{ *check.Scope }

// propagatePanics is set by tests: a panic in go/types over half-written code is not turned into an empty answer.
var propagatePanics bool

// cursorMark is what the name at the cursor is called while the cell is checked.
const cursorMark = "cursorꓸ"

// Complete lists what may stand at the cursor, a byte offset. Nothing is run, and it may be called while a cell runs.
func (as *Assistant) Complete(code string, cursor int) (c Completion) {
	cursor = min(max(cursor, 0), len(code))
	as.Mu.Lock()
	defer as.Mu.Unlock()
	defer func() {
		if propagatePanics {
			return
		}
		if recover() != nil { // go/types has met code that nobody would write; no completion is a good answer
			c = Completion{Start: cursor, End: cursor}
		}
	}()
	return as.complete(code, cursor)
}

func (as *Assistant) complete(code string, cursor int) (c Completion) {
	start, end := nameAround(code, cursor)
	c = Completion{Start: start, End: end}
	switch where, from := lexicalPlace(code[:cursor]); where {
	case inComment, inChar:
		c.Start, c.End = cursor, cursor
		return c
	case inString:
		as.completeString(code, from, cursor, &c)
		return c
	}
	if start < cursor && code[start] >= '0' && code[start] <= '9' {
		return c // a number
	}
	p := &completing{a: as, code: code, start: start, end: end, cursor: cursor, toks: check.ScanAll(code[:start])}
	p.rank = &ranking{prefix: code[start:cursor], seen: map[string]bool{}}
	p.complete(&c)
	return c
}

// nameAround is the name that the cursor is in or after.
func nameAround(code string, cursor int) (start, end int) {
	start, end = cursor, cursor
	for start > 0 && check.IsIdentByte(code[start-1]) {
		start--
	}
	for start < cursor && end < len(code) && check.IsIdentByte(code[end]) {
		end++
	}
	return start, end
}

// completing is one completion of a name.
type completing struct {
	a                  *Assistant
	code               string
	start, end, cursor int
	toks               []check.Token // before the name
	rank               *ranking
	v                  *view
	path               []ast.Node // the nodes around the name at the cursor, which is last
}

// before is the token i places before the name; the last one is 0. Ends of lines count only where they end something.
func (p *completing) before(i int) token.Token {
	if n := len(p.toks) - 1 - i; n >= 0 {
		return p.toks[n].Kind
	}
	return token.EOF
}

// sameLine reports whether the name stands on the line of the token before it.
func (p *completing) sameLine() bool {
	n := len(p.toks)
	return n > 0 && !p.toks[n-1].Auto && !strings.Contains(p.code[p.toks[n-1].End:p.start], "\n")
}

func (p *completing) complete(c *Completion) {
	end := p.end
	for end < len(p.code) && check.IsIdentByte(p.code[end]) {
		end++
	}
	p.look(p.code[:p.start] + cursorMark + p.code[end:])
	c.Hint = p.v.hint(p.path)
	if len(p.toks) > 0 && p.before(0) == token.SEMICOLON && p.toks[len(p.toks)-1].Auto &&
		!strings.Contains(p.code[p.toks[len(p.toks)-1].Start:p.start], "\n") {
		p.toks = p.toks[:len(p.toks)-1] // the end of what was scanned is not an end of a line
	}
	switch {
	case p.keywordPlace(c):
	case p.methodPlace():
	case len(p.path) == 0:
		if p.before(0) == token.PERIOD {
			p.members(nil)
		} else if !p.afterOperand() && p.before(0) != token.FUNC {
			p.names(want{stmt: true})
		}
	default:
		p.atNode(c)
	}
	p.fill(c)
}

// look checks the cell with the mark at the cursor. Where the parser does not come as far as that, what it trips over
// is left out.
func (p *completing) look(src string) {
	for range 3 {
		fixed := repair(src)
		at := fixed.at(p.start)
		p.v = p.a.look(fixed.text, at)
		p.path = p.v.find(func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			return ok && id.Name == cursorMark
		})
		if len(p.path) > 0 {
			return
		}
		blank := []byte(src)
		found := false
		for _, it := range p.v.items {
			from, to := fixed.back(it.Start), fixed.back(it.End)
			if from <= p.start && p.start <= to || !p.v.broken(it) {
				continue
			}
			found = true
			for i := from; i < to; i++ {
				if blank[i] != '\n' {
					blank[i] = ' '
				}
			}
		}
		if !found {
			return
		}
		src = string(blank)
	}
}

// keywordPlace completes where only a few words can stand.
func (p *completing) keywordPlace(c *Completion) bool {
	switch p.before(0) {
	case token.IMPORT:
		if p.sameLine() {
			for _, path := range p.a.importable() {
				if name := path[strings.LastIndexByte(path, '/')+1:]; strings.HasPrefix(name, p.rank.prefix) ||
					strings.HasPrefix(path, p.rank.prefix) {
					p.rank.list = append(p.rank.list, candidate{text: `"` + path + `"`, kind: "package"})
				}
			}
			return true
		}
	case token.PACKAGE:
		return p.sameLine()
	case token.RBRACE:
		if p.sameLine() {
			p.keywords("else")
			return true
		}
	}
	return false
}

// afterOperand reports whether an operand ends right before the name, so that no other can begin.
func (p *completing) afterOperand() bool {
	if !p.sameLine() {
		return false
	}
	switch p.before(0) {
	case token.IDENT, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING, token.RPAREN, token.RBRACK,
		token.RBRACE:
		return true
	}
	return false
}

// atNode completes the name whose syntax is known.
func (p *completing) atNode(c *Completion) {
	mark, parent := p.path[len(p.path)-1], ast.Node(nil)
	if len(p.path) > 1 {
		parent = p.path[len(p.path)-2]
	}
	if s, ok := parent.(*ast.SelectorExpr); ok && s.Sel == mark {
		p.rank.want = p.v.wanted(p.path[:len(p.path)-1])
		p.rank.want.stmt = false
		p.members(s.X)
		if !slices.ContainsFunc(p.rank.list, func(c candidate) bool { return c.match == exact }) {
			c.Imports = p.namesakes(s.X)
		}
		return
	}
	if x, ok := parent.(*ast.IndexExpr); ok && x.Index == mark {
		if name := p.v.mapVariable(x.X); name != "" {
			c.Index = &Text{Before: p.rank.prefix, Map: name}
		}
	}
	w := p.v.wanted(p.path)
	if w.label != 0 {
		p.labels(w.label)
		return
	}
	if p.afterOperand() && !w.types {
		return
	}
	if w.declares {
		p.declaring(parent)
		return
	}
	if lit, kv := p.literal(); lit != nil {
		if p.v.fieldsOf(lit, kv, kv != mark, p.rank) {
			return
		}
	}
	p.names(w)
}

// literal is the composite literal whose element or key is written.
func (p *completing) literal() (*ast.CompositeLit, ast.Node) {
	n := len(p.path)
	if n < 2 {
		return nil, nil
	}
	if lit, ok := p.path[n-2].(*ast.CompositeLit); ok && lit.Type != p.path[n-1] {
		return lit, p.path[n-1]
	}
	if kv, ok := p.path[n-2].(*ast.KeyValueExpr); ok && kv.Key == p.path[n-1] && n > 2 {
		if lit, ok := p.path[n-3].(*ast.CompositeLit); ok {
			return lit, kv
		}
	}
	return nil, nil
}

// declaring completes a new name: a parameter may turn out to be a type, and a function may be defined again.
func (p *completing) declaring(parent ast.Node) {
	switch f := parent.(type) {
	case *ast.FuncDecl:
		if p.rank.prefix == "" {
			return
		}
		for n, b := range p.a.Bindings {
			if o, ok := b.Object.(*types.Func); ok {
				p.rank.add(candidate{text: n, kind: "function", obj: o})
			}
		}
	case *ast.Field:
		if len(f.Names) > 0 && f.Type != nil && p.inParams() {
			return
		}
	}
}

func (p *completing) inParams() bool {
	for _, n := range p.path {
		if _, ok := n.(*ast.FuncType); ok {
			return true
		}
	}
	return false
}

// members lists what may follow a dot.
func (p *completing) members(x ast.Expr) {
	if x != nil {
		p.v.members(x, p.rank)
	}
}

// labels lists the labels that a branch can name.
func (p *completing) labels(branch token.Token) {
	var fn ast.Node
	for _, n := range p.path {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			fn = n
			p.rank.list, p.rank.seen = nil, map[string]bool{}
		case *ast.LabeledStmt:
			switch n.Stmt.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				p.rank.add(candidate{text: n.Label.Name, kind: "label"})
			case *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
				if branch == token.BREAK {
					p.rank.add(candidate{text: n.Label.Name, kind: "label"})
				}
			}
		}
	}
	if branch == token.GOTO && fn != nil {
		ast.Inspect(fn, func(n ast.Node) bool {
			if l, ok := n.(*ast.LabeledStmt); ok {
				p.rank.add(candidate{text: l.Label.Name, kind: "label"})
			}
			return true
		})
	}
}

// fill turns the best candidates into matches.
func (p *completing) fill(c *Completion) {
	for i, cand := range p.rank.sorted() {
		m := Match{Text: cand.text, Kind: cand.kind, Signature: cand.sig, Import: cand.path}
		if cand.obj != nil && m.Signature == "" {
			m.Signature = signature(cand.obj)
		}
		if i < maxDocs {
			m.Doc = p.v.synopsis(cand)
		}
		c.Matches = append(c.Matches, m)
	}
}

// signature is the parameters and results of a function, the type of a value, what a type is.
func signature(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		return strings.TrimPrefix(check.Display(o.Type()), "func")
	case *types.TypeName:
		return typeKind(o.Type())
	case *types.Const:
		return typeIn(o) + " = " + o.Val().String()
	case *types.PkgName:
		return o.Imported().Path()
	case *types.Builtin:
		return builtins[o.Name()].sig
	case *types.Nil:
		return ""
	default:
		return typeIn(o)
	}
}

func typeKind(t types.Type) string {
	switch t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	}
	return check.Display(t.Underlying())
}
