package golang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// bounds returns the checks that stand before a statement of a cell: yaegi's own errors lack the index and the length that
// Go's have. They cover operands that are evaluated in any case and without effects; yaegi checks them all.
func (l *lowerer) bounds(s ast.Stmt) []ast.Stmt {
	if _, ok := l.e.sources[l.e.fset.Position(s.Pos()).Filename]; !ok {
		return nil // of the standard library
	}
	var roots []ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 && len(s.Lhs) == 2 {
			return nil // a lookup that may fail
		}
		roots = append(append(roots, s.Rhs...), s.Lhs...)
	case *ast.ExprStmt:
		roots = []ast.Expr{s.X}
		if c, ok := s.X.(*ast.CallExpr); ok { // the arguments come before the call
			roots = c.Args
		}
	case *ast.IncDecStmt:
		roots = []ast.Expr{s.X}
	case *ast.ReturnStmt:
		roots = s.Results
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				roots = append(roots, v.Values...)
			}
		}
	}
	var list []ast.Stmt
	for _, x := range roots {
		if !l.calm(x) {
			return nil
		}
	}
	for _, x := range roots {
		l.boundsOf(x, &list)
	}
	return list
}

// calm reports whether evaluating x changes nothing and waits for nothing.
func (l *lowerer) calm(x ast.Expr) bool {
	r := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := l.info.Types[n.Fun]; !tv.IsType() {
				id, ok := n.Fun.(*ast.Ident)
				r = r && ok && (id.Name == "len" || id.Name == "cap" || id.Name == outName) && (tv.IsBuiltin() || id.Name == outName)
			}
		case *ast.UnaryExpr:
			r = r && n.Op != token.ARROW
		}
		return r
	})
	return r
}

// boundsOf appends the checks of the index and slice expressions in x, inner ones first.
func (l *lowerer) boundsOf(x ast.Expr, list *[]ast.Stmt) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				l.boundsOf(n.X, list)
				return false
			}
		case *ast.IndexExpr:
			l.boundsOf(n.X, list)
			l.boundsOf(n.Index, list)
			l.indexCheck(n, list)
			return false
		}
		return true
	})
}

func (l *lowerer) indexCheck(n *ast.IndexExpr, list *[]ast.Stmt) {
	switch u := underlying(l.typeOf(n.X)).(type) {
	case *types.Slice, *types.Array:
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return
		}
	default:
		return
	}
	it, ok := underlying(l.typeOf(n.Index)).(*types.Basic)
	if !ok || !simple(n.X) || !simple(n.Index) {
		return
	}
	constant := l.info.Types[n.Index].Value != nil
	if _, isArray := underlying(l.typeOf(n.X)).(*types.Array); isArray && constant {
		return // the checker has seen it
	}
	index := func() ast.Expr {
		if it.Kind() == types.Int || constant {
			return l.expr(n.Index)
		}
		return call("int", l.expr(n.Index))
	}
	length := func() ast.Expr { return call("len", l.expr(n.X)) }
	var cond ast.Expr = &ast.BinaryExpr{X: index(), Op: token.GEQ, Y: length()}
	if !constant && it.Info()&types.IsUnsigned == 0 {
		cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: &ast.BinaryExpr{X: index(), Op: token.LSS, Y: &ast.BasicLit{Kind: token.INT, Value: "0"}}}
	}
	*list = append(*list, &ast.IfStmt{Cond: cond, Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(runtimePkg+".Index", index(), length())}}}})
}

// simple reports whether an expression can be evaluated twice at little cost.
func simple(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return simple(x.X)
	case *ast.SelectorExpr:
		return simple(x.X)
	case *ast.IndexExpr:
		return simple(x.X) && simple(x.Index)
	case *ast.UnaryExpr:
		return x.Op == token.SUB && simple(x.X)
	case *ast.BinaryExpr:
		return (x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL) && simple(x.X) && simple(x.Y)
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "len" && len(x.Args) == 1 && simple(x.Args[0])
	}
	return false
}

// indexError panics as an index out of range does.
func indexError(i, n int) { _ = make([]struct{}, n)[i] }
