package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// needsTemps reports whether an assignment of several values must be taken apart: yaegi cannot set an entry of a map
// among them or assign nil, and evaluates a variable that is declared again too late. It also finds all places, which
// may fail, before it evaluates the right side and sets anything.
func (l *assigns) needsTemps(n *ast.AssignStmt) bool {
	for _, x := range n.Rhs {
		if l.info.Types[x].IsNil() || len(n.Rhs) > 1 && n.Tok == token.DEFINE && l.namesFunc(x) {
			return true
		}
	}
	if t, ok := l.typeOf(n.Rhs[0]).(*types.Tuple); ok && len(n.Lhs) > 1 {
		for i, x := range n.Lhs { // values that become interfaces
			if to := l.typeOf(x); to != nil && i < t.Len() && types.IsInterface(to) &&
				!types.IsInterface(t.At(i).Type()) {
				return true
			}
		}
	}
	for i, x := range n.Lhs {
		if l.changes(n.Lhs, x) || l.failsLate(n, i) {
			return true
		}
		switch x := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if _, ok := check.Underlying(l.typeOf(x.X)).(*types.Map); ok {
				return true
			}
		case *ast.Ident:
			if n.Tok == token.DEFINE && l.info.Defs[x] == nil && x.Name != "_" && (len(n.Rhs) > 1 || l.isOutside(x)) {
				return true
			}
		}
	}
	return false
}

// isOutside reports whether a name that a short declaration assigns to is that of a parameter or a result of a function
// that defers: its body becomes a function literal (see deferring.wrap), in which := would declare another variable.
func (l *assigns) isOutside(id *ast.Ident) bool {
	v, ok := l.info.Uses[id].(*types.Var)
	return ok && l.x.fn.deferring != nil && v.Kind() != types.LocalVar
}

// spillOperands evaluates the operands of a place that is assigned to, given as it was and lowered, into temporaries
// that it adds to list, and returns the place in terms of these.
func (l *assigns) spillOperands(x, lowered ast.Expr, list *[]ast.Stmt) ast.Expr {
	temp := func(x ast.Expr) ast.Expr {
		if _, ok := x.(*ast.BasicLit); ok {
			return x
		}
		t := check.Ident(l.u.fresh("t"))
		*list = append(*list, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{x}})
		return t
	}
	for {
		p, ok := lowered.(*ast.ParenExpr)
		if !ok {
			break
		}
		lowered = p.X
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		y, ok := lowered.(*ast.IndexExpr)
		if !ok {
			break
		}
		switch check.Underlying(l.typeOf(x.X)).(type) {
		case *types.Array:
			r := &ast.IndexExpr{X: l.spillOperands(x.X, y.X, list)}
			r.Index = temp(y.Index)
			return r
		case *types.Pointer:
			if s, ok := ast.Unparen(y.X).(*ast.StarExpr); ok {
				r := &ast.IndexExpr{X: &ast.ParenExpr{X: &ast.StarExpr{X: temp(s.X)}}}
				r.Index = temp(y.Index)
				return r
			}
		default:
			r := &ast.IndexExpr{X: temp(y.X)}
			r.Index = temp(y.Index)
			return r
		}
	case *ast.StarExpr:
		if y, ok := lowered.(*ast.StarExpr); ok {
			return &ast.StarExpr{X: temp(y.X)}
		}
	case *ast.SelectorExpr:
		y, ok := lowered.(*ast.SelectorExpr)
		if !ok || l.info.Selections[x] == nil {
			break
		}
		if _, isPtr := check.Underlying(l.typeOf(x.X)).(*types.Pointer); isPtr {
			if _, again := y.X.(*ast.SelectorExpr); !again || len(l.info.Selections[x].Index()) == 1 {
				return &ast.SelectorExpr{X: temp(y.X), Sel: y.Sel}
			}
		} else if len(l.info.Selections[x].Index()) == 1 {
			return &ast.SelectorExpr{X: l.spillOperands(x.X, y.X, list), Sel: y.Sel}
		}
	}
	return lowered
}

// assignTemps evaluates every operand before it assigns anything:
//
//	t1, t2 := x, y
//	a = t1
//	m[k] = t2
func (l *assigns) assignTemps(n *ast.AssignStmt) ast.Stmt {
	var list []ast.Stmt
	define := &ast.AssignStmt{Tok: token.DEFINE}
	lhs := make([]ast.Expr, len(n.Lhs))
	for i, x := range n.Lhs {
		lhs[i] = l.spillOperands(x, l.x.expr(x), &list)
	}
	var from []types.Type
	if len(n.Rhs) == len(n.Lhs) {
		for i, x := range n.Rhs {
			to := l.typeOf(n.Lhs[i])
			if to == nil { // blank
				to = types.Default(l.typeOf(x))
			}
			t := check.Ident(l.u.fresh("t"))
			list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
				Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{t}, Type: l.sp.typeExpr(to)}}}},
				&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN,
					Rhs: []ast.Expr{separate(l.x.convert(x, to), true)}})
			define.Lhs, from = append(define.Lhs, t), append(from, to)
		}
	} else {
		define.Rhs = l.x.exprs(n.Rhs)
		t := l.typeOf(n.Rhs[0]).(*types.Tuple)
		for i := range n.Lhs {
			define.Lhs, from = append(define.Lhs, check.Ident(l.u.fresh("t"))), append(from, t.At(i).Type())
		}
		list = append(list, define)
	}
	for i, x := range n.Lhs {
		list = append(list, l.store(n, x, lhs[i], define.Lhs[i], from[i])...)
	}
	return flat(list...)
}

// store assigns a temporary of the given type to one of the left sides of an assignment, which is given as it was and
// lowered.
func (l *assigns) store(n *ast.AssignStmt, x, lowered, temp ast.Expr, from types.Type) []ast.Stmt {
	id, isIdent := x.(*ast.Ident)
	if isIdent && id.Name == "_" {
		return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{temp}}}
	}
	tok := token.ASSIGN
	if n.Tok == token.DEFINE && isIdent && l.info.Defs[id] != nil && !l.hoist[l.info.Defs[id]] {
		tok = token.DEFINE
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{lowered}, Tok: tok,
		Rhs: []ast.Expr{l.sp.converted(temp, from, l.typeOf(x))}}}
}
