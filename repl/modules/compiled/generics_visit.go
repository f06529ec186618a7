package compiled

import (
	"fmt"
	"go/ast"
	"go/types"
)

// refuse notes why the source cannot be used.
func (s *sourced) refuse(format string, args ...any) {
	if s.why == "" {
		s.why = fmt.Sprintf(format, args...)
	}
}

// visit looks at what a generic function or type, or a method of one, is made of.
func (s *sourced) visit(o types.Object) {
	if s.seen[o] || o.Pkg() != s.pkg {
		return
	}
	s.seen[o] = true
	if n, ok := o.Type().(*types.Named); ok {
		for m := range n.Methods() {
			s.visit(m)
		}
		s.embeds(n)
	}
	if s.decls[o] == nil {
		s.refuse("is not declared in its files")
		return
	}
	ast.Inspect(s.decls[o], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			s.selector(n)
		case *ast.Ident:
			s.ident(n)
		}
		if x, ok := n.(ast.Expr); ok {
			s.hides(s.info.Types[x].Type, 0)
		}
		return s.why == ""
	})
}

// ownerOf is the generic type that a method is of, nil for any other function.
func ownerOf(f *types.Func) types.Object {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	n, ok := types.Unalias(pointed(recv.Type())).(*types.Named)
	if !ok || n.Origin().TypeParams().Len() == 0 || types.IsInterface(n) {
		return nil
	}
	return n.Origin().Obj()
}

// pointed is what a pointer points to, or t itself.
func pointed(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// ident notes what a name stands for.
func (s *sourced) ident(id *ast.Ident) {
	o := s.info.Uses[id]
	if o == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return
	}
	if o.Pkg() != s.pkg {
		if isGeneric(o) {
			s.uses[o.Pkg().Path()] = true
		}
		return
	}
	if isGeneric(o) {
		s.visit(o)
		return
	}
	switch o.(type) {
	case *types.Func, *types.Var:
		s.plain(o)
		if !o.Exported() {
			s.hidden[o] = true
		}
	}
}

// selector notes the method that a selector stands for.
func (s *sourced) selector(x *ast.SelectorExpr) {
	sel := s.info.Selections[x]
	if sel == nil {
		return
	}
	f, ok := sel.Obj().(*types.Func)
	if !ok {
		s.plain(sel.Obj())
		return
	}
	f = f.Origin()
	if t := ownerOf(f); t != nil {
		if f.Pkg() != s.pkg {
			s.uses[f.Pkg().Path()] = true
			return
		}
		s.visit(t)
		return
	}
	if f.Pkg() != s.pkg {
		return
	}
	s.plain(f)
	if _, isNamed := types.Unalias(pointed(f.Signature().Recv().Type())).(*types.Named); !f.Exported() && isNamed {
		s.hidden[f] = true
	}
}

// plain refuses compiled variables, functions and fields whose types have structs without a name but with fields that
// are not exported: the session has other types for these.
func (s *sourced) plain(o types.Object) {
	if o.Pkg() == s.pkg && secretive(o.Type(), 0) {
		s.refuse("uses %s, which has a struct type without a name", o.Name())
	}
}

// maxNested is how deep types are looked into.
const maxNested = 8

func secretive(t types.Type, depth int) bool {
	if depth > maxNested {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.Map:
		return secretive(t.Key(), depth+1) || secretive(t.Elem(), depth+1)
	case interface{ Elem() types.Type }: // pointers, slices, arrays and channels
		return secretive(t.Elem(), depth+1)
	case *types.Signature:
		return secretive(t.Params(), depth+1) || secretive(t.Results(), depth+1)
	case *types.Tuple:
		for v := range t.Variables() {
			if secretive(v.Type(), depth+1) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() || secretive(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// hides notes the compiled types of a value that are not exported.
func (s *sourced) hides(t types.Type, depth int) {
	if t == nil || depth > maxNested {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if o := t.Obj(); o.Pkg() == s.pkg && o.Parent() == s.pkg.Scope() && !o.Exported() && !isGeneric(o) {
			s.hidden[o] = true
		}
		for a := range t.TypeArgs().Types() {
			s.hides(a, depth+1)
		}
	case *types.Map:
		s.hides(t.Key(), depth+1)
		s.hides(t.Elem(), depth+1)
	case interface{ Elem() types.Type }:
		s.hides(t.Elem(), depth+1)
	case *types.Signature:
		s.hides(t.Params(), depth+1)
		s.hides(t.Results(), depth+1)
	case *types.Tuple:
		for v := range t.Variables() {
			s.hides(v.Type(), depth+1)
		}
	case *types.Struct:
		for f := range t.Fields() {
			s.hides(f.Type(), depth+1)
		}
	}
}

// embeds refuses a generic struct that embeds a compiled type with methods that an interface of the package asks for
// and that are not exported: types made at run time have only those of them that have neither parameters nor results.
func (s *sourced) embeds(n *types.Named) {
	t, ok := n.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range t.Fields() {
		e, ok := types.Unalias(pointed(f.Type())).(*types.Named)
		if !f.Embedded() || !ok || e.Obj().Pkg() != s.pkg || isGeneric(e.Origin().Obj()) {
			continue
		}
		set := types.NewMethodSet(f.Type())
		for m := range set.Methods() {
			sig := m.Obj().(*types.Func).Signature()
			if !m.Obj().Exported() && sig.Params().Len()+sig.Results().Len() > 0 && s.asked(m.Obj().Name()) {
				s.refuse("embeds %s, whose method %s is not exported", e.Obj().Name(), m.Obj().Name())
			}
		}
	}
}

// asked reports whether an interface of the package has a method.
func (s *sourced) asked(method string) bool {
	for _, name := range s.pkg.Scope().Names() {
		o, ok := s.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if i, ok := o.Type().Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				if m.Name() == method {
					return true
				}
			}
		}
	}
	return false
}
