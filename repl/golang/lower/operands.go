package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// throughPointer lowers an index or slice of an array that a pointer points to, which yaegi does not follow.
func (l *Lowerer) throughPointer(x ast.Expr) ast.Expr {
	array := func(x ast.Expr) ast.Expr {
		if p, ok := check.Underlying(l.typeOf(x)).(*types.Pointer); ok {
			if _, ok := check.Underlying(p.Elem()).(*types.Array); ok {
				return &ast.ParenExpr{X: &ast.StarExpr{X: l.expr(x)}}
			}
		}
		return nil
	}
	switch x := x.(type) {
	case *ast.IndexExpr:
		if a := array(x.X); a != nil {
			return &ast.IndexExpr{X: a, Index: l.expr(x.Index)}
		}
	case *ast.SliceExpr:
		if a := array(x.X); a != nil {
			return &ast.SliceExpr{X: a, Low: l.expr(x.Low), High: l.expr(x.High), Max: l.expr(x.Max), Slice3: x.Slice3}
		}
	}
	return nil
}

// asInt lowers an index as an int.
func (l *Lowerer) asInt(x ast.Expr) ast.Expr {
	if v := l.info.Types[x].Value; v != nil {
		return &ast.BasicLit{Kind: token.INT, Value: v.ExactString()}
	}
	if b, ok := check.Underlying(l.typeOf(x)).(*types.Basic); ok && b.Kind() == types.Int {
		return l.expr(x)
	}
	return call("int", l.expr(x))
}

// isPure reports whether evaluating x changes nothing and waits for nothing.
func (q *facts) isPure(x ast.Expr) bool {
	r := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			r = r && q.isPureCall(n)
		case *ast.UnaryExpr:
			r = r && n.Op != token.ARROW
		}
		return r
	})
	return r
}

// isPureCall reports whether a call is a conversion, or one of a function that changes nothing.
func (q *facts) isPureCall(n *ast.CallExpr) bool {
	tv := q.info.Types[n.Fun]
	if tv.IsType() {
		return true
	}
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	switch id.Name {
	case "len", "cap", "min", "max", "append", "make", "new":
		return tv.IsBuiltin()
	}
	return id.Name == check.OutName || strings.HasPrefix(id.Name, check.MustName)
}
