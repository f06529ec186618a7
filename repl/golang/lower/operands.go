package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// hugeArray is the number of bytes above which an array is never a value of its own: yaegi makes room in a frame for
// each expression, and code that is given memory by others looks at it as (*[1 << 40]byte)(p)[:n].
const hugeArray = 1 << 20

// throughPointer lowers an element or a slice of an array behind a pointer; nil for any other. yaegi is given the
// array, since it gets some of these expressions wrong, or all elements of a huge one as a slice.
func (l *exprs) throughPointer(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.IndexExpr:
		if a := l.arrayBehind(x.X); a != nil {
			return &ast.IndexExpr{X: a, Index: l.expr(x.Index)}
		}
	case *ast.SliceExpr:
		if a := l.arrayBehind(x.X); a != nil {
			return &ast.SliceExpr{X: a, Low: l.expr(x.Low), High: l.expr(x.High), Max: l.expr(x.Max), Slice3: x.Slice3}
		}
	}
	return nil
}

// arrayBehind lowers the array that x points to, or that it is as *p where that is huge; nil for any other.
func (l *exprs) arrayBehind(x ast.Expr) ast.Expr {
	p, explicit := x, false
	if star, ok := ast.Unparen(x).(*ast.StarExpr); ok && !l.pointsToArray(x) {
		p, explicit = star.X, true
	}
	if !l.pointsToArray(p) {
		return nil
	}
	if inner := l.scope.Inner(l.typeOf(p)); inner.Elem().Size() > hugeArray {
		return call(l.u.funcs.Convert(inner, reflect.SliceOf(inner.Elem().Elem())), l.expr(p))
	}
	if explicit {
		return nil
	}
	return &ast.ParenExpr{X: &ast.StarExpr{X: l.expr(p)}}
}

func (q *facts) pointsToArray(x ast.Expr) bool {
	p, ok := check.Underlying(q.typeOf(x)).(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = check.Underlying(p.Elem()).(*types.Array)
	return ok
}

// asInt lowers an index as an int.
func (l *exprs) asInt(x ast.Expr) ast.Expr {
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
