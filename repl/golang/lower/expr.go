package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// hook is the lowering of one node; false means that the node is copied and its children are lowered.
func (l *Lowerer) hook(n ast.Node) (ast.Node, bool) {
	if x, ok := n.(ast.Expr); ok {
		tv := l.info.Types[x]
		if _, isEllipsis := x.(*ast.Ellipsis); tv.IsType() && !isEllipsis {
			return l.typeExpr(tv.Type), true
		}
		if lit, isLit := x.(*ast.BasicLit); tv.Value != nil && (!isLit || lit.Kind == token.INT && !fitsInt(tv.Value) ||
			lit.Kind == token.FLOAT && isInteger(l.typeOf(x)) || isComplex(l.typeOf(x))) {
			if c := l.constant(tv); c != nil {
				return c, true
			}
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		return l.ident(n), true
	case *ast.SelectorExpr:
		return l.selector(n), true
	case *ast.IndexExpr:
		if f := l.instantiated(n.X); f != nil {
			return f, true
		}
		if m, ok := check.Underlying(l.typeOf(n.X)).(*types.Map); ok {
			return &ast.IndexExpr{X: l.expr(n.X), Index: l.mapKey(n.Index, m)}, true
		}
		if x := l.throughPointer(n); x != nil {
			return x, true
		}
	case *ast.SliceExpr:
		if x := l.throughPointer(n); x != nil {
			return x, true
		}
	case *ast.UnaryExpr:
		if x := l.unary(n); x != nil {
			return x, true
		}
	case *ast.IndexListExpr:
		if f := l.instantiated(n.X); f != nil {
			return f, true
		}
	case *ast.CallExpr:
		return l.call(n)
	case *ast.ParenExpr:
		// yaegi takes an operand in parentheses for the condition of a && or ||.
		switch x := l.expr(n.X).(type) {
		case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr, *ast.ParenExpr:
			return x, true
		default:
			return &ast.ParenExpr{X: x}, true
		}
	case *ast.CompositeLit:
		if isStructType(n.Type) { // its lowered type has a name, which must not stand before the block of an if
			return &ast.ParenExpr{X: l.composite(n)}, true
		}
		return l.composite(n), true
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			return l.assert(n), true
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			if r, ok := l.comparison(n); ok {
				return r, true
			}
		}
		if n.Op == token.SHL || n.Op == token.SHR {
			return l.shift(n), true
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			return &ast.BinaryExpr{X: l.received(n.X), Op: n.Op, Y: l.received(n.Y)}, true
		}
	case *ast.FuncLit:
		return l.funcLit(n), true
	}
	return l.hookStmt(n)
}

// unary lowers those uses of unary operators that need more than lowered operands; nil for any other.
func (l *Lowerer) unary(n *ast.UnaryExpr) ast.Expr {
	if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND && isStructType(lit.Type) {
		return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.AND, X: l.composite(lit)}}
	}
	// yaegi does not know what a channel of channels gives.
	if ch, ok := check.Underlying(l.typeOf(n.X)).(*types.Chan); ok && n.Op == token.ARROW && isChan(ch.Elem()) {
		if _, many := l.typeOf(n).(*types.Tuple); !many {
			return l.received(n)
		}
	}
	if star, ok := ast.Unparen(n.X).(*ast.StarExpr); ok && n.Op == token.AND {
		p := l.expr(star.X)
		if isCall(p) { // yaegi takes what a call returns for a value that has no address
			t := l.st.scope.Inner(l.typeOf(star.X))
			return call(l.st.funcs.Convert(t, t), p)
		}
		return &ast.UnaryExpr{Op: token.AND, X: &ast.StarExpr{X: p}}
	}
	if ix, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && n.Op == token.AND {
		// which yaegi knows of some pointers to arrays only
		if x := l.throughPointer(ix); x != nil {
			return &ast.UnaryExpr{Op: token.AND, X: x}
		}
	}
	return nil
}

func isCall(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok
}

// funcLit lowers a function literal.
func (l *Lowerer) funcLit(n *ast.FuncLit) ast.Expr {
	fn := l.literalName()
	results, inDeferred := l.results, l.inDeferred
	l.inDeferred, l.recovers = l.recovers, ""
	var own *types.Tuple
	if sig, ok := l.info.TypeOf(n).(*types.Signature); ok {
		own = sig.Results()
		l.results = l.subst(sig).(*types.Signature).Results()
	}
	leave := l.enterDefers(n.Body, own)
	first := l.recoverer(n.Body, "")
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: l.params(n.Type.Params), Results: l.resultFields(own)}}
	lit.Body = l.funcBody(n.Body, fn, n.Pos(), own, n.Type)
	lit.Body.List = append(first, lit.Body.List...)
	leave()
	l.results, l.inDeferred = results, inDeferred
	// Without parentheses, an operand of a call or a struct literal would see what its variables become later.
	return &ast.ParenExpr{X: lit}
}

func isStructType(x ast.Expr) bool {
	_, ok := x.(*ast.StructType)
	return ok
}

// mapKey lowers a key of a map; nil gets its type.
func (l *Lowerer) mapKey(x ast.Expr, m *types.Map) ast.Expr {
	if isNil(l.typeOf(x)) {
		return &ast.CallExpr{Fun: &ast.ParenExpr{X: l.typeExpr(m.Key())}, Args: []ast.Expr{check.Ident("nil")}}
	}
	if v := l.info.Types[x].Value; v != nil && !types.IsInterface(m.Key()) {
		// yaegi does not give it that type everywhere
		if c := l.constant(types.TypeAndValue{Type: m.Key(), Value: v}); c != nil {
			return c
		}
	}
	return l.convert(x, m.Key())
}

// parenType makes a type fit to stand before a conversion's parenthesis.
func parenType(x ast.Expr) ast.Expr {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ParenExpr:
		return x
	}
	return &ast.ParenExpr{X: x}
}

// smallMake is the constant size up to which make needs no check.
const smallMake = 1 << 16

// must lowers a call whose error stops the cell.
func (l *Lowerer) must(n *ast.CallExpr) ast.Expr {
	t := l.info.Types[n.Args[0]].Type.(*types.Tuple)
	var ps, ts, vs []string
	for i := range t.Len() - 1 {
		s := l.typeSource(t.At(i).Type())
		v := fmt.Sprintf("v%d", i)
		ps, ts, vs = append(ps, v+" "+s), append(ts, s), append(vs, v)
	}
	text := "func %s(" + strings.Join(ps, ", ") + ", err error) (" + strings.Join(ts, ", ") + ") {\n" + run.RuntimePkg +
		".Check(err)\nreturn " + strings.Join(vs, ", ") + "\n}"
	return call(l.helper("must", strings.Join(ts, ", "), text), l.expr(n.Args[0]))
}
