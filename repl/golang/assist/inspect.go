package assist

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Describe tells what is known of the name at the cursor, or else of the innermost call whose arguments the cursor is
// in. With detail above 0 it gives the source of what a cell declared, and the names that a package exports. Marks as
// in ?name and name?? are passed over, and two count as detail 1. Nothing is run, and it may be called while a cell
// runs.
func (as *Assistant) Describe(code string, cursor, detail int) (d Description, found bool) {
	as.Mu.Lock()
	defer as.Mu.Unlock()
	defer func() {
		if propagatePanics {
			return
		}
		if recover() != nil { // go/types has met code that nobody would write
			d, found = Description{}, false
		}
	}()
	return as.inspect(code, min(max(cursor, 0), len(code)), detail)
}

func (as *Assistant) inspect(code string, cursor, detail int) (Description, bool) {
	code, cursor, marks := withoutMarks(code, cursor)
	if marks > 1 {
		detail = max(detail, 1)
	}
	in := &inspecting{a: as, code: code, cursor: cursor, detail: detail}
	return in.describe()
}

// withoutMarks makes the question marks around a name spaces.
func withoutMarks(code string, cursor int) (string, int, int) {
	text := strings.TrimSpace(code)
	name := strings.TrimSpace(strings.Trim(text, "?"))
	marks := strings.Count(text, "?")
	if marks == 0 || marks != strings.Count(text, "?")-strings.Count(name, "?") || strings.ContainsAny(name, "\n\"`'") {
		return code, cursor, 0
	}
	at := strings.Index(code, name)
	return name, min(max(cursor-at, 0), len(name)), marks
}

// inspecting is one inspection.
type inspecting struct {
	a      *Assistant
	code   string
	cursor int
	detail int
	fixed  *repaired
	v      *view
}

func (in *inspecting) describe() (Description, bool) {
	where, from := lexicalPlace(in.code[:in.cursor])
	if where == inComment {
		return Description{}, false
	}
	if where == inString && isImport(in.code, from) {
		path := in.code[from+1 : textEnd(in.code, from, in.cursor)]
		if o := in.a.packageObject(path[strings.LastIndexByte(path, '/')+1:], path); o != nil {
			return in.object(o, nil), true
		}
		return Description{}, false
	}
	t, ok := in.token()
	if ok && where == inCode {
		if w, isWord := keywords[in.code[t.Start:t.End]]; isWord && t.Kind.IsKeyword() {
			return Description{Kind: "keyword", Name: t.Kind.String(), Decl: w.sig, Doc: w.doc}, true
		}
	}
	at := in.cursor
	if ok {
		at = t.Start
	}
	in.fixed = repairAround(in.code, in.cursor)
	in.v = in.a.look(in.fixed.text, in.fixed.at(at))
	if ok && where == inCode && t.Kind == token.IDENT {
		if o, path := in.named(t); o != nil {
			return in.object(o, path), true
		}
	}
	return in.call(where == inCode && !ok)
}

// token is the name or keyword that the cursor is in or after.
func (in *inspecting) token() (r check.Token, ok bool) {
	for _, t := range check.Scan(in.code) {
		if (t.Kind == token.IDENT || t.Kind.IsKeyword()) && t.Start <= in.cursor && in.cursor <= t.End {
			r, ok = t, true
			if in.cursor > t.Start {
				break
			}
		}
	}
	return r, ok
}

// named resolves a name.
func (in *inspecting) named(t check.Token) (types.Object, []ast.Node) {
	pos := in.v.pos(in.fixed.at(t.Start))
	path := in.v.find(func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && id.Pos() == pos && len(id.Name) == t.End-t.Start
	})
	name := in.code[t.Start:t.End]
	if o := in.v.objectOf(path); o != nil {
		switch o.(type) {
		case *types.Label, *types.Builtin, *types.PkgName: // these have no type
			return o, path
		}
		if o.Type() != types.Typ[types.Invalid] {
			return o, path
		}
	}
	if len(path) > 1 {
		if s, ok := path[len(path)-2].(*ast.SelectorExpr); ok && s.Sel == path[len(path)-1] {
			return nil, nil
		}
	}
	toks := check.Scan(in.code[:t.Start])
	if n := len(toks); n > 0 && toks[n-1].Kind == token.PERIOD {
		return nil, nil
	}
	return in.a.global(name), path
}

func isPackage(o types.Object) bool {
	_, ok := o.(*types.PkgName)
	return ok
}

// global is what a name stands for outside of a cell.
func (as *Assistant) global(name string) types.Object {
	if b := as.Bindings[name]; b != nil {
		if b.Object != nil {
			return b.Object
		}
		return as.packageObject(name, b.Path)
	}
	if o := as.Dots[name]; o != nil {
		return o
	}
	if o, _, _ := as.Results.Lookup(name); o != nil {
		return o
	}
	if o := types.Universe.Lookup(name); o != nil {
		return o
	}
	if p := as.AutoImports[name]; p != "" {
		return as.packageObject(name, p)
	}
	return nil
}

func (as *Assistant) packageObject(name, path string) types.Object {
	p, err := as.Modules.Import(path)
	if err != nil {
		return nil
	}
	return types.NewPkgName(token.NoPos, nil, name, p)
}

// objectOf resolves the name that path leads to.
func (v *view) objectOf(path []ast.Node) types.Object {
	if len(path) == 0 {
		return nil
	}
	id, ok := path[len(path)-1].(*ast.Ident)
	if !ok {
		return nil
	}
	if o := v.info.ObjectOf(id); o != nil {
		return o
	}
	if len(path) < 2 {
		return nil
	}
	s, ok := path[len(path)-2].(*ast.SelectorExpr)
	if !ok || s.Sel != id {
		return nil
	}
	t := v.typeOf(s.X)
	if t == nil {
		return nil
	}
	if o, _, _ := types.LookupFieldOrMethod(t, true, v.a.Pkg, id.Name); o != nil {
		return o // a pointer's method after the type's name
	}
	if n, ok := types.Unalias(check.Deref(t)).(*types.Named); ok {
		for _, m := range v.late[n.Obj().Name()] {
			if m.Name() == id.Name {
				return m
			}
		}
	}
	return nil
}

// call describes the call whose arguments the cursor is in; else, where after is set, the one that ends at the cursor.
func (in *inspecting) call(after bool) (Description, bool) {
	pos := in.v.pos(in.fixed.at(in.cursor))
	path := in.v.find(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return n.Lparen < pos && pos <= n.Rparen && !check.IsCallOf(n, check.MustName) && !check.IsOut(n)
		case *ast.FuncLit:
			return n.Body.Lbrace < pos && pos <= n.Body.Rbrace
		}
		return false
	})
	if len(path) == 0 && after {
		path = in.v.find(func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			return ok && c.Rparen+1 == pos && !check.IsCallOf(c, check.MustName) && !check.IsOut(c)
		})
	}
	if len(path) == 0 {
		return Description{}, false
	}
	c, ok := path[len(path)-1].(*ast.CallExpr)
	if !ok {
		return Description{}, false
	}
	o := in.v.callee(c)
	if o == nil || isPackage(o) {
		return Description{}, false
	}
	fun := append(path, ast.Node(c.Fun))
	d := in.object(o, fun)
	if pos <= c.Rparen {
		d.Call = in.v.callHint(c, in.argument(c))
		if f, ok := o.(*types.Func); ok && strings.HasPrefix(d.Call, o.Name()) {
			d.Call = strings.TrimSuffix(d.Decl, strings.TrimPrefix(check.Display(f.Type()), "func")) +
				d.Call[len(o.Name()):]
		} else if _, ok := o.(*types.Var); ok {
			d.Notes = append([]string{d.Decl}, d.Notes...)
		}
	}
	return d, true
}

// argument is which argument of a call the cursor is in.
func (in *inspecting) argument(c *ast.CallExpr) int {
	from := in.v.off(c.Lparen)
	to := in.fixed.at(in.cursor)
	if from < 0 || to > len(in.fixed.text) || from+1 > to {
		return 0
	}
	n, depth := 0, 0
	for _, t := range check.Scan(in.fixed.text[from+1 : to]) {
		switch t.Kind {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.COMMA:
			if depth == 0 {
				n++
			}
		}
	}
	return n
}
