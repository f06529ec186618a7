package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// exprs lowers the expressions of a function.
type exprs struct {
	*facts
	u        *unit
	sp       *speller
	fn       *function    // or the literal in it that is lowered
	recovers string       // the Defers of the next function literal, which is deferred
	copier   check.Copier // of statements, too
}

func (l *exprs) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	return l.copier.Clone(x).(ast.Expr)
}

func (l *exprs) exprs(xs []ast.Expr) []ast.Expr {
	var r []ast.Expr
	for _, x := range xs {
		r = append(r, l.expr(x))
	}
	return r
}

// lower is the lowering of an expression that is no function literal; false means that it is copied and its operands
// are lowered.
func (l *exprs) lower(n ast.Expr) (ast.Node, bool) {
	tv := l.info.Types[n]
	if _, isEllipsis := n.(*ast.Ellipsis); tv.IsType() && !isEllipsis {
		return l.sp.typeExpr(tv.Type), true
	}
	if lit, isLit := n.(*ast.BasicLit); tv.Value != nil && (!isLit || lit.Kind == token.INT && !fitsInt(tv.Value) ||
		lit.Kind == token.FLOAT && isInteger(l.typeOf(n)) || isComplex(l.typeOf(n))) {
		if c := l.sp.constant(tv); c != nil {
			return c, true
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		return l.sp.ident(n), true
	case *ast.SelectorExpr:
		return l.selector(n), true
	case *ast.IndexExpr:
		if f := l.sp.instantiated(n.X); f != nil {
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
		if f := l.sp.instantiated(n.X); f != nil {
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
		if x := l.data(n, false); x != nil {
			return x, true
		}
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
	}
	return nil, false
}

// unary lowers those uses of unary operators that need more than lowered operands; nil for any other.
func (l *exprs) unary(n *ast.UnaryExpr) ast.Expr {
	if n.Op == token.AND {
		if x := l.hiddenAddress(n.X); x != nil {
			return x
		}
	}
	if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND && isStructType(lit.Type) {
		return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.AND, X: l.composite(lit)}}
	}
	if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
		if x := l.data(lit, true); x != nil {
			return x
		}
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
			t := l.scope.Inner(l.typeOf(star.X))
			return call(l.u.funcs.Convert(t, t), p)
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

func isStructType(x ast.Expr) bool {
	_, ok := x.(*ast.StructType)
	return ok
}

// mapKey lowers a key of a map; nil gets its type.
func (l *exprs) mapKey(x ast.Expr, m *types.Map) ast.Expr {
	if isNil(l.typeOf(x)) {
		return &ast.CallExpr{Fun: &ast.ParenExpr{X: l.sp.typeExpr(m.Key())}, Args: []ast.Expr{check.Ident("nil")}}
	}
	if v := l.info.Types[x].Value; v != nil && !types.IsInterface(m.Key()) {
		// yaegi does not give it that type everywhere
		if c := l.sp.constant(types.TypeAndValue{Type: m.Key(), Value: v}); c != nil {
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
func (l *exprs) must(n *ast.CallExpr) ast.Expr {
	t := l.info.Types[n.Args[0]].Type.(*types.Tuple)
	var ps, ts, vs []string
	for i := range t.Len() - 1 {
		s := l.sp.typeSource(t.At(i).Type())
		v := fmt.Sprintf("v%d", i)
		ps, ts, vs = append(ps, v+" "+s), append(ts, s), append(vs, v)
	}
	text := "func %s(" + strings.Join(ps, ", ") + ", err error) (" + strings.Join(ts, ", ") + ") {\n" + run.RuntimePkg +
		".Check(err)\nreturn " + strings.Join(vs, ", ") + "\n}"
	return call(l.u.helper("must", strings.Join(ts, ", "), text), l.expr(n.Args[0]))
}

func (l *exprs) fields(f *ast.FieldList) *ast.FieldList {
	if f == nil {
		return nil
	}
	return l.copier.CopyNode(f).(*ast.FieldList)
}

// params lowers a function's parameters. yaegi counts those without names wrongly.
func (l *exprs) params(list *ast.FieldList) *ast.FieldList {
	params := l.fields(list)
	n := 0
	for _, p := range params.List {
		if len(p.Names) == 0 {
			p.Names = []*ast.Ident{check.Ident("_")}
		}
		for i, id := range p.Names {
			if id.Name == "_" {
				p.Names[i] = check.Ident("p" + run.Tick + strconv.Itoa(n))
			}
			n++
		}
	}
	return params
}
