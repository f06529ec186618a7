package golang

import (
	"go/ast"
	"go/types"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// A variable that a cell sets to an instance of a generic function, as h := id[int], has the code of that version of
// the function for ever, unlike one that is set to a function without type parameters.

// instanceVar is such a variable, and the value that it got.
type instanceVar struct {
	of    *types.Func
	slot  *check.Slot
	value unsafe.Pointer
}

// noteInstances notes the variables that the statements of a cell, which have run, set to instances.
func noteInstances(e *Engine, ck *check.Checked) {
	if ck.Body == nil {
		return
	}
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	note := func(x ast.Expr, value ast.Expr) {
		id, ok := x.(*ast.Ident)
		f := instanceOf(ck.Info, value)
		if !ok || f == nil || e.scope.Bindings[id.Name] == nil {
			return
		}
		v, ok := e.scope.Bindings[id.Name].Object.(*types.Var)
		if !ok || e.state.Slots.Of(v) == nil {
			return
		}
		if _, isFunc := check.Underlying(v.Type()).(*types.Signature); isFunc {
			s := e.state.Slots.Of(v)
			e.instances[v] = instanceVar{f, s, funcValue(s)}
		}
	}
	for _, s := range ck.Body.List {
		switch n := s.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					note(x, n.Rhs[i])
				}
			}
		case *ast.DeclStmt:
			for _, spec := range n.Decl.(*ast.GenDecl).Specs {
				if vs, ok := spec.(*ast.ValueSpec); ok && len(vs.Names) == len(vs.Values) {
					for i, id := range vs.Names {
						note(id, vs.Values[i])
					}
				}
			}
		}
	}
}

// instanceOf is the generic function of the session that an expression is an instance of, nil for any other.
func instanceOf(info *types.Info, x ast.Expr) *types.Func {
	x = ast.Unparen(x)
	switch n := x.(type) {
	case *ast.IndexExpr:
		x = n.X
	case *ast.IndexListExpr:
		x = n.X
	}
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	if f, ok := info.Uses[id].(*types.Func); ok && check.IsSession(f) && f.Signature().TypeParams().Len() > 0 {
		return f
	}
	return nil
}

// funcValue is what a variable of a function type holds: the address of a closure.
func funcValue(s *check.Slot) unsafe.Pointer { return *(*unsafe.Pointer)(s.Ptr.UnsafePointer()) }

// olderInstances are notes on variables that hold instances of functions that a cell declares again. Scope.Mu is held.
func olderInstances(e *Engine, ck *check.Checked) (notes []string) {
	older := map[string]bool{}
	for _, f := range ck.Funcs {
		b := e.scope.Bindings[f.Names[0]]
		if len(f.TypeParams) == 0 || f.Receiver != "" || b == nil || b.Decl == nil || b.Decl.Same(f.Decl) {
			continue
		}
		older[f.Names[0]] = true
	}
	for v, i := range e.instances {
		b := e.scope.Bindings[v.Name()]
		switch {
		case b == nil || b.Object != v || funcValue(i.slot) != i.value:
			delete(e.instances, v)
		case older[i.of.Name()]:
			cell := e.scope.Fset.Position(i.of.Pos()).Filename
			notes = append(notes, v.Name()+" keeps the older "+i.of.Name()+" ("+cell+")")
			delete(e.instances, v)
		}
	}
	slices.Sort(notes)
	return notes
}
