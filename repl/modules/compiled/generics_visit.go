package compiled

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// refuse notes why the source cannot be used.
func (s *sourced) refuse(format string, args ...any) {
	if s.why == "" {
		s.why = fmt.Sprintf(format, args...)
	}
}

// visit looks at what an object of the package is made of.
func (s *sourced) visit(o types.Object) {
	if o == nil || s.seen[o] || o.Pkg() != s.pkg {
		return
	}
	s.seen[o] = true
	switch o := o.(type) {
	case *types.Func:
		if fd, ok := s.decls[o].(*ast.FuncDecl); !ok || fd.Body == nil {
			s.refuse("uses %s, which has no body", o.Name())
			return
		}
	case *types.TypeName:
		if n, ok := o.Type().(*types.Named); ok {
			for m := range n.Methods() {
				s.visit(m)
			}
		}
		if isGeneric(o) {
			s.instances(o)
		}
	}
	if s.decls[o] == nil {
		s.refuse("is not declared in its files")
		return
	}
	s.walk(s.decls[o])
}

// walk looks at code.
func (s *sourced) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if x, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
				s.pointers[x] = n
			}
		case *ast.SelectorExpr:
			s.selector(n)
		case *ast.CompositeLit:
			s.literal(n)
		case *ast.Ident:
			s.ident(n)
		}
		return s.why == ""
	})
}

func (s *sourced) ident(id *ast.Ident) {
	o := s.info.Uses[id]
	if o == nil || o.Pkg() != s.pkg {
		return
	}
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
	}
	f, isFunc := o.(*types.Func)
	switch {
	case isFunc && s.generic(f), isGeneric(o) && o.Parent() == s.pkg.Scope(),
		isFunc && o.Parent() == s.pkg.Scope() && !o.Exported():
		s.visit(o)
	case o.Parent() == s.pkg.Scope() && !o.Exported():
		if c, ok := o.(*types.Const); ok && constantOf(c) != "" {
			s.seen[c] = true
			return
		}
		if s.decls[o] != nil { // private looks at types
			s.visit(o)
			return
		}
		if v, ok := o.(*types.Var); ok && s.named(v.Type()) { // declared without its type
			s.seen[v] = true
			return
		}
		s.refuse("uses %s", o.Name())
	}
}

// generic reports whether a function is a method of a generic type.
func (s *sourced) generic(f *types.Func) bool {
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.TypeParams().Len() > 0 && !types.IsInterface(n)
}

// selector refuses unexported fields and methods of compiled types.
func (s *sourced) selector(x *ast.SelectorExpr) {
	sel := s.info.Selections[x]
	if sel == nil || sel.Obj().Exported() {
		return
	}
	if n, ok := types.Unalias(t0(sel.Recv())).(*types.Named); ok && n.Obj().Pkg() == s.pkg && !n.Obj().Exported() {
		s.visit(n.Obj())
	}
	if f, ok := sel.Obj().(*types.Func); ok && s.generic(f.Origin()) && len(sel.Index()) == 1 {
		return
	}
	t := types.Unalias(sel.Recv())
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, named := t.(*types.Named)
	if named && s.seen[n.Origin().Obj()] && len(sel.Index()) == 1 {
		if f, ok := sel.Obj().(*types.Func); ok {
			s.visit(f.Origin())
		}
		return
	}
	if _, isField := sel.Obj().(*types.Var); isField && len(sel.Index()) == 1 &&
		(!named || n.TypeArgs().Len() > 0 || n.Obj().Parent() != s.pkg.Scope()) {
		return
	}
	s.refuse("uses %s of a compiled type", sel.Obj().Name())
}

// t0 is what a pointer points to, or t itself.
func t0(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// literal refuses literals of compiled structs that give unexported fields a value.
func (s *sourced) literal(lit *ast.CompositeLit) {
	n, ok := types.Unalias(s.info.Types[lit].Type).(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 {
		return
	}
	if o := n.Obj(); s.seen[o] || !o.Exported() || o.Pkg() != s.pkg || o.Parent() != s.pkg.Scope() {
		return
	}
	t, ok := n.Underlying().(*types.Struct)
	if !ok || len(lit.Elts) == 0 {
		return
	}
	for i, x := range lit.Elts {
		exported := t.Field(min(i, t.NumFields()-1)).Exported()
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			key, ok := kv.Key.(*ast.Ident)
			exported = ok && key.IsExported()
		}
		if !exported {
			if !s.makes(lit, n, t) {
				s.refuse("makes a %s", n.Obj().Name())
			}
			return
		}
	}
}
