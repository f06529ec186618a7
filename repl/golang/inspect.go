package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Inspect describes the name, or the call, at the cursor: its declaration, its documentation and, of a variable, its
// value. With detail above 0 the source of what a cell declared is added. It may be called while a cell runs; then values
// are left out.
func (e *Engine) Inspect(code string, cursor, detail int) (text string, found bool) {
	idle := e.running.TryLock()
	if idle {
		defer e.running.Unlock()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		if recover() != nil {
			text, found = "", false
		}
	}()
	from, to, ok := nameAt(code, cursor)
	if !ok {
		return "", false
	}
	start := operandStart(code, to)
	if start > from {
		start = from
	}
	o := e.objectAt(code, start, from, to)
	if o == nil {
		return "", false
	}
	return e.describeObject(o, idle, detail), true
}

// nameAt finds the name at the cursor, or that of the call whose arguments the cursor is in.
func nameAt(code string, cursor int) (from, to int, ok bool) {
	toks := scan(code)
	for _, t := range toks {
		if t.tok == token.IDENT && t.off <= cursor && cursor <= t.end {
			return t.off, t.end, true
		}
	}
	depth := 0
	for i := len(toks) - 1; i > 0; i-- {
		if toks[i].off >= cursor {
			continue
		}
		switch toks[i].tok {
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth++
		case token.LBRACE, token.LBRACK:
			depth--
		case token.LPAREN:
			if depth--; depth < 0 && toks[i-1].tok == token.IDENT {
				return toks[i-1].off, toks[i-1].end, true
			}
		}
	}
	return 0, 0, false
}

// objectAt resolves code[from:to], the last name of the operand that begins at start.
func (e *Engine) objectAt(code string, start, from, to int) types.Object {
	name := code[from:to]
	if start == from {
		if b := e.scope[name]; b != nil && b.obj != nil {
			return b.obj
		}
		if o := e.dots[name]; o != nil {
			return o
		}
	}
	x, info := e.lookAt(code, start, to)
	switch x := x.(type) {
	case *ast.Ident:
		if o := info.ObjectOf(x); o != nil {
			return o
		}
	case *ast.SelectorExpr:
		if o := info.ObjectOf(x.Sel); o != nil {
			return o
		}
	}
	if start == from {
		if b := e.scope[name]; b != nil && b.obj == nil {
			return e.packageObject(name, b.path)
		}
		if p := e.auto[name]; p != "" {
			return e.packageObject(name, p)
		}
		return types.Universe.Lookup(name)
	}
	return nil
}

func (e *Engine) packageObject(name, path string) types.Object {
	p, err := e.lib.Import(path)
	if err != nil {
		return nil
	}
	return types.NewPkgName(token.NoPos, nil, name, p)
}

func (e *Engine) describeObject(o types.Object, idle bool, detail int) string {
	var b strings.Builder
	if p, ok := o.(*types.PkgName); ok {
		fmt.Fprintf(&b, "package %s // import %q", p.Imported().Name(), p.Imported().Path())
		if d := e.lib.Doc(p.Imported().Path(), ""); d != "" {
			b.WriteString("\n\n" + d)
		}
		return b.String()
	}
	b.WriteString(declaration(o))
	bound := e.scope[o.Name()]
	if v, ok := o.(*types.Var); ok && idle && bound != nil && bound.obj == o && e.opt.Summary != nil {
		if r, err := e.in.Eval(e.names[v]); err == nil && r.IsValid() && r.CanInterface() {
			b.WriteString("\n" + e.opt.Summary(r.Interface()))
		}
	}
	if d := e.docOf(o); d != "" {
		b.WriteString("\n\n" + d)
	}
	if d := e.declOf(o); d != nil {
		fmt.Fprintf(&b, "\n\ndeclared in %s", d.cell)
		if detail > 0 {
			b.WriteString("\n\n" + d.text)
		}
	}
	return b.String()
}

// declaration is how an object would be declared.
func declaration(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		sig := strings.TrimPrefix(display(o.Type()), "func")
		if r := o.Signature().Recv(); r != nil {
			return "func (" + display(r.Type()) + ") " + o.Name() + sig
		}
		name := o.Name()
		if o.Pkg() != nil && !isSession(o) {
			name = o.Pkg().Name() + "." + name
		}
		return "func " + name + sig
	case *types.TypeName:
		kind := ""
		if o.IsAlias() {
			kind = "= "
		}
		return "type " + o.Name() + " " + kind + display(o.Type().Underlying())
	case *types.Const:
		return "const " + o.Name() + " " + display(o.Type()) + " = " + o.Val().String()
	case *types.Var:
		if o.IsField() {
			return "field " + o.Name() + " " + display(o.Type())
		}
		return "var " + o.Name() + " " + display(o.Type())
	case *types.Builtin:
		return "builtin func " + o.Name()
	}
	return o.String()
}

// docOf is the documentation of an object; that of its type for a variable.
func (e *Engine) docOf(o types.Object) string {
	if d := e.declOf(o); d != nil {
		switch n := d.node.(type) {
		case *ast.FuncDecl:
			return strings.TrimSpace(n.Doc.Text())
		case *ast.GenDecl:
			return strings.TrimSpace(n.Doc.Text())
		}
	}
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil {
			if n, ok := types.Unalias(deref(types.Unalias(r.Type()))).(*types.Named); ok && n.Obj().Pkg() != nil {
				return e.lib.Doc(n.Obj().Pkg().Path(), n.Obj().Name()+"."+o.Name())
			}
			return ""
		}
	case *types.Var:
		if n, ok := types.Unalias(deref(types.Unalias(o.Type()))).(*types.Named); ok && (o.Parent() == nil || isSession(o)) && n.Obj().Pkg() != nil && !isSession(n.Obj()) {
			return e.lib.Doc(n.Obj().Pkg().Path(), n.Obj().Name())
		}
	}
	if o.Pkg() == nil || isSession(o) {
		return ""
	}
	return e.lib.Doc(o.Pkg().Path(), o.Name())
}

func (e *Engine) declOf(o types.Object) *decl {
	if b := e.scope[o.Name()]; b != nil && b.obj == o {
		return b.decl
	}
	for _, m := range e.methods {
		if m.obj == o {
			return m.decl
		}
	}
	return nil
}
