package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/data"
)

func (l *exprs) composite(n *ast.CompositeLit) ast.Expr {
	c := &ast.CompositeLit{Lbrace: 1, Rbrace: 1}
	t := l.typeOf(n)
	if x := l.hiddenLiteral(n, t); x != nil {
		return x
	}
	if n.Type != nil || l.elided(t) {
		if p, ok := check.Underlying(t).(*types.Pointer); ok && n.Type == nil {
			return &ast.UnaryExpr{Op: token.AND, X: l.compositeOf(c, n, p.Elem())}
		}
		return l.compositeOf(c, n, t)
	}
	return l.compositeOf(c, n, t)
}

// elided reports whether a literal without a type must be given one.
func (q *facts) elided(t types.Type) bool {
	_, ok := check.Underlying(t).(*types.Pointer)
	return ok
}

func (l *exprs) compositeOf(c *ast.CompositeLit, n *ast.CompositeLit, t types.Type) ast.Expr {
	c.Type = l.sp.typeExpr(t)
	var elem types.Type
	switch u := check.Underlying(l.subst(t)).(type) {
	case *types.Struct:
		l.fieldsOf(c, n, u, l.types.IsCompiled(l.subst(t)))
		return c
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	case *types.Map:
		elem = u.Elem()
	}
	_, isMap := check.Underlying(l.subst(t)).(*types.Map)
	at := -1 // of the element in a list
	for _, x := range n.Elts {
		at++
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			k := l.expr(kv.Key)
			if !isMap {
				i, _ := constant.Int64Val(constant.ToInt(l.info.Types[kv.Key].Value))
				at = int(i)
			}
			if m, ok := check.Underlying(l.subst(t)).(*types.Map); ok {
				k = l.mapKey(kv.Key, m)
				if l.env != nil && types.IsInterface(m.Key()) { // yaegi refuses a constant that is there twice
					t := l.sp.typeSource(m.Key())
					k = call(l.u.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), k)
				}
			}
			c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: k, Value: l.element(kv.Value, elem)})
			continue
		}
		c.Elts = append(c.Elts, keyed(at, l.element(x, elem)))
	}
	return c
}

// keyed gives a lowered element of a list its key, where it must have one.
func keyed(at int, x ast.Expr) ast.Expr {
	if wantsKey(x) {
		return &ast.KeyValueExpr{Key: &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(at)}, Value: x}
	}
	return x
}

// wantsKey reports whether a lowered element of a list must have a key: without one yaegi works out the type of such an
// element before it knows those of the operands.
func wantsKey(x ast.Expr) bool {
	switch x.(type) {
	case *ast.SelectorExpr, *ast.SliceExpr, *ast.CallExpr, *ast.ParenExpr, *ast.StarExpr:
		return true
	}
	return false
}

// element lowers an element of a list or map. yaegi wants to know the types of some too early; that of a
// function it knows.
func (l *exprs) element(x ast.Expr, elem types.Type) ast.Expr {
	r := l.convert(x, elem)
	if _, ok := r.(*ast.ParenExpr); ok { // in which yaegi takes *p + 1 for a pointer
		switch y := ast.Unparen(r).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			if r = y; types.IsInterface(elem) {
				return l.sp.through(x, r)
			}
		}
	}
	switch y := r.(type) {
	case *ast.UnaryExpr:
		if y.Op != token.AND {
			return r
		}
		switch y.X.(type) {
		case *ast.Ident, *ast.CompositeLit:
			return r
		}
	case *ast.StarExpr:
		if _, ok := y.X.(*ast.SelectorExpr); ok {
			return r
		}
	default:
		return r
	}
	return l.sp.through(x, r)
}

// through passes the value of x, lowered, through a function that tells yaegi its type.
func (l *speller) through(x, lowered ast.Expr) ast.Expr {
	t := l.typeSource(types.Default(l.typeOf(x)))
	return call(l.u.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), lowered)
}

// fieldsOf lowers the elements of a struct literal.
func (l *exprs) fieldsOf(c, n *ast.CompositeLit, st *types.Struct, compiled bool) {
	name := func(i int) string {
		if compiled {
			return st.Field(i).Name()
		}
		return l.scope.World.Field(st, i)
	}
	for at, x := range n.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			if st.Field(at).Name() != "_" { // nobody can read it
				c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: check.Ident(name(at)),
					Value: l.convert(x, st.Field(at).Type())})
			}
			continue
		}
		for i := range st.NumFields() {
			if id := kv.Key.(*ast.Ident); st.Field(i).Name() == id.Name {
				c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: check.Ident(name(i)),
					Value: l.convert(kv.Value, st.Field(i).Type())})
				break
			}
		}
	}
}

// Literals of many constants are data. Lowered code gets them from a function that copies a value made here: yaegi
// would compile each element, which takes ten times as long and cannot be interrupted.

// data lowers a composite literal of a list or map that is data, or its address; nil for any other.
func (l *exprs) data(n *ast.CompositeLit, address bool) ast.Expr {
	if l.env != nil || !data.HasMany(n) {
		return nil
	}
	t := l.typeOf(n)
	switch check.Underlying(t).(type) {
	case *types.Slice, *types.Array, *types.Map:
	default:
		return nil
	}
	value := reflect.New(l.scope.Inner(t))
	if !data.Literal(value.Elem(), n, t, l.info, l.scope, l.u.st.Types) {
		return nil
	}
	if !address {
		value = value.Elem()
	}
	made := reflect.MakeFunc(reflect.FuncOf(nil, []reflect.Type{value.Type()}, false),
		func([]reflect.Value) []reflect.Value { return []reflect.Value{data.Copy(value)} })
	return call(l.u.st.rt.Provide("F", made))
}
