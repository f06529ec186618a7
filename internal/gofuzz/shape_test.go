package gofuzz

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shape is a place in a program at which TestShapes looks.
type shape struct {
	info  *types.Info
	named map[string]bool // the variables of the program
	stack []ast.Node      // around the node, the innermost last, the node itself among them
}

// look calls f for every node but those of the functions that every program is given.
func (s *shape) look(root ast.Node, given map[string]bool, f func(ast.Node)) {
	s.named = map[string]bool{}
	for id, o := range s.info.Defs {
		if _, ok := o.(*types.Var); ok {
			s.named[id.Name] = true
		}
	}
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return false
		}
		if fd, ok := n.(*ast.FuncDecl); ok && fd.Recv == nil && given[fd.Name.Name] {
			return false
		}
		s.stack = append(s.stack, n)
		f(n)
		return true
	})
}

// parent reports whether the node so many levels up is as ok says.
func (s *shape) parent(up int, ok func(ast.Node) bool) bool {
	i := len(s.stack) - 1 - up
	return i >= 0 && ok(s.stack[i])
}

// enclosing is the function around the node, its type and its body; nil outside of functions.
func (s *shape) enclosing() (*ast.FuncType, *ast.BlockStmt) {
	for i := len(s.stack) - 2; i >= 0; i-- {
		switch f := s.stack[i].(type) {
		case *ast.FuncLit:
			return f.Type, f.Body
		case *ast.FuncDecl:
			return f.Type, f.Body
		}
	}
	return nil, nil
}

func (s *shape) inFunc() bool { t, _ := s.enclosing(); return t != nil }

func (s *shape) results() int {
	if t, _ := s.enclosing(); t != nil && t.Results != nil {
		return t.Results.NumFields()
	}
	return 0
}

// has reports whether the function around the node has such a node of its own.
func (s *shape) has(ok func(ast.Node) bool) bool {
	_, body := s.enclosing()
	r := false
	if body != nil {
		ast.Inspect(body, func(n ast.Node) bool {
			if _, isLit := n.(*ast.FuncLit); isLit || n == nil {
				return false
			}
			r = r || ok(n)
			return !r
		})
	}
	return r
}

func (s *shape) defers() bool {
	return s.has(func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok })
}

// within reports whether such a node is around the node.
func (s *shape) within(ok func(*shape, ast.Node) bool) bool {
	for _, n := range s.stack[:len(s.stack)-1] {
		if ok(s, n) {
			return true
		}
	}
	return false
}

// inLoop reports whether a loop is around the node, in the same function.
func (s *shape) inLoop() bool { return s.loop(func(ast.Node) bool { return true }) }

// inYield is inLoop for loops over functions.
func (s *shape) inYield() bool {
	return s.loop(func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok && isA[*types.Signature](s.info.TypeOf(r.X).Underlying())
	})
}

func (s *shape) loop(ok func(ast.Node) bool) bool {
	for i := len(s.stack) - 2; i >= 0; i-- {
		switch n := s.stack[i].(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			if ok(n) {
				return true
			}
		}
	}
	return false
}

func (s *shape) spec(n ast.Node, tok token.Token, ok func(*ast.ValueSpec) bool) bool {
	v, is := n.(*ast.ValueSpec)
	return is && s.parent(1, func(p ast.Node) bool { g, ok := p.(*ast.GenDecl); return ok && g.Tok == tok }) && ok(v)
}

func (s *shape) embeds(n ast.Node, ok func(ast.Expr) bool) bool {
	t, is := n.(*ast.StructType)
	if !is {
		return false
	}
	for _, f := range t.Fields.List {
		if f.Names == nil && ok(f.Type) {
			return true
		}
	}
	return false
}

func (s *shape) function(n ast.Node, ok func(*ast.FuncType) bool) bool {
	switch f := n.(type) {
	case *ast.FuncDecl:
		return ok(f.Type)
	case *ast.FuncLit:
		return ok(f.Type)
	}
	return false
}

func (s *shape) commaOk(n ast.Node) bool {
	_, call := ast.Unparen(n.(*ast.AssignStmt).Rhs[0]).(*ast.CallExpr)
	return !call
}

func (s *shape) isMapEntry(x ast.Expr) bool {
	ix, ok := x.(*ast.IndexExpr)
	return ok && isA[*types.Map](s.info.TypeOf(ix.X).Underlying())
}

func (s *shape) selects(x *ast.SelectorExpr, kind types.SelectionKind) bool {
	sel := s.info.Selections[x]
	return sel != nil && sel.Kind() == kind
}

func (s *shape) called(x ast.Expr) bool {
	return s.parent(1, func(p ast.Node) bool { c, ok := p.(*ast.CallExpr); return ok && c.Fun == x })
}

// redeclares is a short declaration that assigns to a variable of a kind, in a function that defers something where
// beside says so, with so many operands on its right, where that is not 0.
func redeclares(kind types.VarKind, beside bool, operands int) func(*shape, ast.Node) bool {
	return func(s *shape, n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || beside && !s.defers() || operands > 0 && len(a.Rhs) != operands {
			return false
		}
		for _, x := range a.Lhs {
			v, ok := s.info.Uses[x.(*ast.Ident)].(*types.Var)
			if ok && v.Kind() == kind {
				return true
			}
		}
		return false
	}
}

func is[T ast.Node](_ *shape, n ast.Node) bool { _, ok := n.(T); return ok }

func isA[T types.Type](t types.Type) bool { _, ok := t.(T); return ok }

func labels[T ast.Stmt](s *shape, n ast.Node) bool {
	l, ok := n.(*ast.LabeledStmt)
	return ok && is[T](s, l.Stmt)
}

func ranges(over func(types.Type) bool) func(*shape, ast.Node) bool {
	return func(s *shape, n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		return ok && over(s.info.TypeOf(r.X).Underlying())
	}
}

func yields(n int) func(types.Type) bool {
	return func(t types.Type) bool {
		f, ok := t.(*types.Signature)
		return ok && f.Params().At(0).Type().Underlying().(*types.Signature).Params().Len() == n
	}
}

func deferred(ok func(*shape, *ast.CallExpr) bool) func(*shape, ast.Node) bool {
	return func(s *shape, n ast.Node) bool {
		d, is := n.(*ast.DeferStmt)
		return is && ok(s, d.Call)
	}
}

func branch(n ast.Node, tok token.Token, labelled bool) bool {
	b, ok := n.(*ast.BranchStmt)
	return ok && b.Tok == tok && (b.Label != nil) == labelled
}

func assigns(n ast.Node, tok token.Token, lhs, rhs int) bool {
	a, ok := n.(*ast.AssignStmt)
	return ok && a.Tok == tok && len(a.Lhs) == lhs && len(a.Rhs) == rhs
}

func hasBlank(fs *ast.FieldList) bool {
	if fs != nil {
		for _, f := range fs.List {
			for _, id := range f.Names {
				if id.Name == "_" {
					return true
				}
			}
		}
	}
	return false
}

func isIdent(x ast.Expr) bool { _, ok := x.(*ast.Ident); return ok }

func isStar(x ast.Expr) bool { _, ok := x.(*ast.StarExpr); return ok }

func isReceive(x ast.Expr) bool { u, ok := x.(*ast.UnaryExpr); return ok && u.Op == token.ARROW }

func isName(x ast.Expr, name string) bool { id, ok := x.(*ast.Ident); return ok && id.Name == name }

func isFuncType(n ast.Node) bool { _, ok := n.(*ast.FieldList); return ok }

func isLabeled(n ast.Node) bool { _, ok := n.(*ast.LabeledStmt); return ok }

func isTypeSwitch(n ast.Node) bool { _, ok := n.(*ast.TypeSwitchStmt); return ok }

// appends reports whether n appends one argument to a list of which ok is true.
func (s *shape) appends(n ast.Node, ok func(list *types.Slice, arg types.Type) bool) bool {
	c, isCall := n.(*ast.CallExpr)
	if !isCall || len(c.Args) != 2 || c.Ellipsis.IsValid() {
		return false
	}
	id, isName := c.Fun.(*ast.Ident)
	list, isList := s.info.Types[c].Type.(*types.Slice)
	return isName && isList && s.info.Uses[id] == types.Universe.Lookup("append") && ok(list, s.info.Types[c.Args[1]].Type)
}
