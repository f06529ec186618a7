package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// failsLate reports whether finding the place of the left side i of an assignment may fail after something that can be
// seen: places before it were set, or the right side was evaluated.
func (q *facts) failsLate(n *ast.AssignStmt, i int) bool {
	x := n.Lhs[i]
	at := q.pointer(x)
	if at == nil && !q.mayBeOutside(x) || q.readsPlace(n.Rhs, x) {
		return false
	}
	for _, y := range n.Rhs {
		if !q.succeeds(y) {
			return true
		}
	}
	if i == 0 {
		return false
	}
	p := q.pointer(n.Lhs[i-1])
	return at == nil || p == nil || types.ExprString(p) != types.ExprString(at)
}

// mayBeOutside reports whether x is reached through an index that may be out of range.
func (q *facts) mayBeOutside(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		switch check.Underlying(q.typeOf(x.X)).(type) {
		case *types.Map:
			return false
		case *types.Array:
			return q.info.Types[x.Index].Value == nil || q.mayBeOutside(x.X)
		}
		return true
	case *ast.SelectorExpr:
		return q.info.Selections[x] != nil && q.mayBeOutside(x.X)
	}
	return false
}

// readsPlace reports whether evaluating the right side of an assignment reads the place x, so that it fails first.
func (q *facts) readsPlace(rhs []ast.Expr, x ast.Expr) bool {
	at := types.ExprString(ast.Unparen(x))
	for _, y := range rhs {
		if !q.isPure(y) {
			return false
		}
	}
	return slices.ContainsFunc(rhs, func(y ast.Expr) bool { return types.ExprString(ast.Unparen(y)) == at })
}

// succeeds reports whether evaluating x surely succeeds, and cannot be seen.
func (q *facts) succeeds(x ast.Expr) bool {
	if tv := q.info.Types[x]; tv.Value != nil || tv.IsNil() {
		return true
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.FuncLit:
		return true
	case *ast.SelectorExpr:
		return q.pointer(x) == nil && (q.info.Selections[x] == nil || q.succeeds(x.X))
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && x.Op != token.AND && q.succeeds(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
			return q.succeeds(x.X) && q.succeeds(x.Y)
		}
	}
	return false
}

// pointer is the pointer through which x is reached, nil for any other place.
func (q *facts) pointer(x ast.Expr) ast.Expr {
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return x.X
	case *ast.SelectorExpr:
		if q.info.Selections[x] == nil {
			return nil
		}
		if _, ok := check.Underlying(q.typeOf(x.X)).(*types.Pointer); ok {
			return x.X
		}
		return q.pointer(x.X)
	}
	return nil
}

// changes reports whether an assignment to all of lhs may change, or call, what the place x depends on. yaegi evaluates
// the operands of a place when it assigns to it, after other places have changed.
func (q *facts) changes(lhs []ast.Expr, x ast.Expr) bool {
	x = ast.Unparen(x)
	if _, ok := x.(*ast.Ident); ok {
		return false
	}
	r := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			r = true
		case *ast.UnaryExpr:
			r = r || n.Op == token.ARROW
		case *ast.Ident, *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr:
			for _, y := range lhs {
				r = r || n != ast.Node(x) && q.mayBe(n.(ast.Expr), ast.Unparen(y))
			}
		}
		return !r
	})
	return r
}

// mayBe reports whether an assignment to y may change the value of x.
func (q *facts) mayBe(x, y ast.Expr) bool {
	a, isIdent := x.(*ast.Ident)
	switch y := y.(type) {
	case *ast.Ident:
		if isIdent {
			return y.Name != "_" && q.info.ObjectOf(a) == q.info.ObjectOf(y)
		}
	case *ast.StarExpr:
	default:
		if isIdent {
			return false
		}
	}
	s, t := q.typeOf(x), q.typeOf(y)
	return s != nil && t != nil && types.Identical(s, t)
}
