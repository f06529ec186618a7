package lower

import (
	"go/ast"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// Generic code of a package that is compiled into this program (package compiled) uses what the package does not
// export: functions, variables and types are in the package's table; methods are functions there; fields are reached by
// functions made here, which yaegi, bound by package reflect, could not do.

// isInstantiated reports whether a function that generic code of an included package calls is lowered from its source.
func (u *unit) isInstantiated(f *types.Func) bool {
	if !u.st.Types.IsIncluded(f) {
		return false
	}
	g := u.generic(f.Origin())
	return g != nil && g.HasBody()
}

// isHidden reports whether an object is a field of an included package that is not exported.
func (q *facts) isHidden(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.IsField() && !v.Exported() && v.Pkg() != nil && q.scope.Library.Included(v.Pkg().Path())
}

// hiddenField lowers x.f, or what leads to f through embedded fields, as *field(&x), where a struct on the way is
// compiled.
func (l *exprs) hiddenField(n *ast.SelectorExpr, sel *types.Selection) ast.Expr {
	t := l.subst(sel.Recv())
	_, index, _ := types.LookupFieldOrMethod(t, true, sel.Obj().Pkg(), sel.Obj().Name())
	x, _ := l.along(n.X, t, index)
	return x
}

// along lowers the operand of a selector and walks through fields, by their indices. The type is that of what it gets
// to.
func (l *exprs) along(of ast.Expr, t types.Type, index []int) (x ast.Expr, at types.Type) {
	x, addressable := l.expr(of), l.info.Types[of].Addressable()
	for _, i := range index {
		st := check.Underlying(l.subst(check.Deref(t))).(*types.Struct)
		f := st.Field(i)
		_, isPtr := check.Underlying(t).(*types.Pointer)
		switch compiled := l.types.IsCompiled(check.Deref(t)); {
		case !compiled:
			x = field(x, t, l.scope.World.Field(st, i))
		case f.Exported():
			x = field(x, t, f.Name())
		case isPtr || addressable:
			if !isPtr {
				x = address(x)
			}
			x = &ast.StarExpr{X: call(l.u.funcs.Field(l.scope.Inner(check.Deref(t)), i), x)}
		default:
			x = call(l.u.funcs.FieldOf(l.scope.Inner(t), i), x)
		}
		t, addressable = l.subst(f.Type()), addressable || isPtr
	}
	return x, t
}

// hiddenAddress lowers &x.f for a field that is not exported, or &T{f: x}; nil for any other operand.
func (l *exprs) hiddenAddress(x ast.Expr) ast.Expr {
	if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
		return l.makeHidden(lit, l.typeOf(lit), true)
	}
	n, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	sel := l.info.Selections[n]
	if sel == nil || !l.isHidden(sel.Obj()) {
		return nil
	}
	if star, ok := l.hiddenField(n, sel).(*ast.StarExpr); ok && isCall(star.X) {
		return star.X
	}
	return nil
}

// hiddenLiteral lowers a literal of a compiled struct that gives fields a value which are not exported, or the address
// of one, as a call of a function that makes it; nil for any other.
func (l *exprs) hiddenLiteral(n *ast.CompositeLit, t types.Type) ast.Expr {
	pointer := false
	if p, ok := check.Underlying(t).(*types.Pointer); ok && n.Type == nil {
		t, pointer = p.Elem(), true
	}
	return l.makeHidden(n, t, pointer)
}

func (l *exprs) makeHidden(n *ast.CompositeLit, t types.Type, pointer bool) ast.Expr {
	t = l.subst(t)
	st, ok := check.Underlying(t).(*types.Struct)
	if !ok || !l.types.IsCompiled(t) {
		return nil
	}
	var fields []int
	var args []ast.Expr
	hidden := false
	for i, x := range n.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
			for i = 0; st.Field(i).Name() != kv.Key.(*ast.Ident).Name; {
				i++
			}
		}
		hidden = hidden || l.isHidden(st.Field(i))
		fields, args = append(fields, i), append(args, l.convert(x, st.Field(i).Type()))
	}
	if !hidden {
		return nil
	}
	return call(l.u.funcs.Make(l.scope.Inner(t), fields, pointer), args...)
}
