package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Built-in functions that yaegi lacks or gets wrong are functions made here, for the run-time types of their operands.

// builtinOf is the built-in function that a call calls, nil for any other.
func (q *facts) builtinOf(fun ast.Expr) *types.Builtin {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		b, _ := q.info.Uses[f].(*types.Builtin)
		return b
	case *ast.SelectorExpr: // of package unsafe
		b, _ := q.info.Uses[f.Sel].(*types.Builtin)
		return b
	}
	return nil
}

// sizeOf spells the size, alignment or offset that an instance of a generic function has.
func (q *facts) sizeOf(name string, x ast.Expr) (ast.Expr, bool) {
	t := q.scope.Inner(q.typeOf(x))
	v := t.Size()
	switch name {
	case "Alignof":
		v = uintptr(t.Align())
	case "Offsetof":
		sel := ast.Unparen(x).(*ast.SelectorExpr)
		s := q.info.Selections[sel]
		v, t = 0, q.scope.Inner(q.subst(s.Recv()))
		for _, i := range s.Index() {
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			v += t.Field(i).Offset
			t = t.Field(i).Type
		}
	}
	return call("uintptr", check.Ident(strconv.FormatUint(uint64(v), 10))), true
}

// unsafeBuiltin lowers a call of a function of package unsafe that is not a constant.
func (l *exprs) unsafeBuiltin(name string, n *ast.CallExpr) (ast.Expr, bool) {
	pointer, integer, text := types.Typ[types.UnsafePointer], types.Typ[types.Int], types.Typ[types.String]
	bytePtr := types.NewPointer(types.Typ[types.Byte])
	var in []types.Type
	var out types.Type
	switch name {
	case "Sizeof", "Alignof", "Offsetof": // of a type that depends on type parameters
		return l.sizeOf(name, n.Args[0])
	case "Add":
		in, out = []types.Type{pointer, integer}, pointer
	case "String":
		in, out = []types.Type{bytePtr, integer}, text
	case "StringData":
		in, out = []types.Type{text}, bytePtr
	case "Slice":
		out = l.typeOf(n)
		in = []types.Type{types.NewPointer(check.Underlying(out).(*types.Slice).Elem()), integer}
	case "SliceData":
		f := l.u.funcs.Unsafe(name, []types.Type{l.typeOf(n.Args[0])}, l.typeOf(n))
		return call(f, l.expr(n.Args[0])), true
	default:
		return nil, false
	}
	c := call(l.u.funcs.Unsafe(name, in, out))
	for i, t := range in {
		c.Args = append(c.Args, l.conversion(n.Args[i], t))
	}
	return c, true
}

func (l *exprs) builtin(name string, n *ast.CallExpr) (ast.Node, bool) {
	if t, many := l.tupleArg(n); many {
		return l.spreadBuiltin(name, n, t), true
	}
	switch name {
	case "min", "max":
		return call(l.sp.extreme(name, types.Default(l.typeOf(n))), l.exprs(n.Args)...), true
	case "clear":
		return call(l.u.funcs.Clear(l.typeOf(n.Args[0])), l.exprs(n.Args)...), true
	case "new":
		if tv := l.info.Types[n.Args[0]]; !tv.IsType() {
			t := l.sp.typeSource(types.Default(l.typeOf(n.Args[0])))
			return call(l.u.helper("new", t, "func %s(v "+t+") *"+t+" {\np := new("+t+")\n*p = v\nreturn p\n}"),
				l.expr(n.Args[0])), true
		}
	case "panic":
		return call(run.RuntimePkg+".Panic", l.convert(n.Args[0], types.Universe.Lookup("any").Type())), true
	case "recover":
		if l.fn.inDeferred == noRecover {
			return call(run.RuntimePkg + ".NoRecover"), true
		}
		if l.fn.inDeferred != "" {
			return call(l.fn.inDeferred + ".Recover"), true
		}
		return call(run.RuntimePkg + ".Recover"), true
	case "complex", "real", "imag": // whose result yaegi loses where it is returned or becomes an interface
		return &ast.CallExpr{Fun: l.sp.typeExpr(types.Default(l.typeOf(n))),
			Args: []ast.Expr{call(name, l.exprs(n.Args)...)}}, true
	case "delete":
		m := check.Underlying(l.typeOf(n.Args[0])).(*types.Map)
		return call("delete", l.expr(n.Args[0]), l.mapKey(n.Args[1], m)), true
	case "len", "cap":
		if a := arrayBehind(l.typeOf(n.Args[0])); a != nil {
			return l.lengthOfArray(n.Args[0], a), true
		}
	case "make":
		if r := l.makeChecked(n); r != nil {
			return r, true
		}
		if ch, ok := check.Underlying(l.typeOf(n)).(*types.Chan); ok && ch.Dir() != types.SendRecv {
			both := types.NewChan(types.SendRecv, ch.Elem())
			c := &ast.CallExpr{Fun: check.Ident("make"),
				Args: append([]ast.Expr{l.sp.typeExpr(both)}, l.exprs(n.Args[1:])...)}
			return call(l.u.funcs.Convert(l.scope.Inner(both), l.scope.Inner(l.typeOf(n))), c), true
		}
	case "print", "println":
		return call(run.RuntimePkg+"."+strings.ToUpper(name[:1])+name[1:], l.printArgs(n.Args)...), true
	case "append":
		if n.Ellipsis.IsValid() && isNil(l.typeOf(n.Args[1])) { // which appends nothing
			return l.expr(n.Args[0]), true
		}
		if !n.Ellipsis.IsValid() {
			if sl, ok := check.Underlying(l.typeOf(n)).(*types.Slice); ok {
				c := &ast.CallExpr{Fun: check.Ident("append"), Args: []ast.Expr{l.expr(n.Args[0])}}
				for i, a := range n.Args[1:] {
					x := l.convert(a, sl.Elem())
					if isNil(l.typeOf(a)) { // yaegi's has the type of the first list that it was appended to
						x = &ast.CallExpr{Fun: &ast.ParenExpr{X: l.sp.typeExpr(sl.Elem())}, Args: []ast.Expr{x}}
					}
					if i > 0 && readsMemory(x) { // yaegi reads it when those before it are stored
						t := l.sp.typeSource(sl.Elem())
						x = call(l.u.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), x)
					}
					c.Args = append(c.Args, x)
				}
				if len(c.Args) == 2 && l.takenForList(n.Args[1], sl) {
					c.Args[1] = &ast.CompositeLit{Type: &ast.ArrayType{Elt: l.sp.typeExpr(sl.Elem())},
						Elts: []ast.Expr{c.Args[1]}}
					c.Ellipsis = 1
				}
				return c, true
			}
		}
	}
	c := l.copier.CopyNode(n).(*ast.CallExpr)
	c.Fun = check.Ident(name)
	return c, true
}

// takenForList reports whether yaegi would append the elements of x, which is one element of the list: as of a []any
// that is appended to another.
func (q *facts) takenForList(x ast.Expr, list *types.Slice) bool {
	switch t := check.Underlying(q.subst(q.typeOf(x))).(type) {
	case *types.Slice, *types.Array:
		return types.IsInterface(list.Elem()) || types.Identical(t, list)
	}
	return false
}

// lengthOfArray spells the length of an array. What calls something is evaluated; a pointer to the array may be nil.
func (l *exprs) lengthOfArray(x ast.Expr, a *types.Array) ast.Expr {
	length := strconv.FormatInt(a.Len(), 10)
	if l.isPure(x) {
		return &ast.BasicLit{Kind: token.INT, Value: length}
	}
	t := l.sp.typeSource(l.typeOf(x))
	return call(l.u.helper("length", t, "func %s(x "+t+") int { return "+length+" }"), l.expr(x))
}

// arrayBehind is the array that a type is, or that a pointer type points to; nil for any other type.
func arrayBehind(t types.Type) *types.Array {
	u := check.Underlying(t)
	if p, ok := u.(*types.Pointer); ok {
		u = check.Underlying(p.Elem())
	}
	a, _ := u.(*types.Array)
	return a
}

// makeChecked lowers make with a size that is not a small constant: yaegi's panics are package reflect's, and the
// memory must be within the session's limit.
func (l *exprs) makeChecked(n *ast.CallExpr) ast.Expr {
	if len(n.Args) < 2 {
		return nil
	}
	at := len(n.Args) - 1
	if v := l.info.Types[n.Args[at]].Value; v != nil {
		if i, ok := constant.Int64Val(constant.ToInt(v)); ok && i <= smallMake && at == 1 {
			return nil
		}
	}
	c := &ast.CallExpr{Fun: check.Ident("make"), Args: []ast.Expr{l.sp.typeExpr(l.typeOf(n))}}
	size := func(t types.Type) ast.Expr {
		return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatUint(uint64(l.scope.Inner(l.subst(t)).Size()),
			10)}
	}
	switch u := check.Underlying(l.typeOf(n)).(type) {
	case *types.Slice:
		if at == 2 {
			c.Args = append(c.Args, call(run.RuntimePkg+".MakeLen", l.asInt(n.Args[1]), l.asInt(n.Args[2])))
		}
		check := "MakeSlice"
		if at == 2 {
			check = "MakeCap"
		}
		c.Args = append(c.Args, call(run.RuntimePkg+"."+check, l.asInt(n.Args[at]), size(u.Elem())))
	case *types.Map:
		c.Args = append(c.Args, call(run.RuntimePkg+".MakeMap", l.asInt(n.Args[1]), size(u.Key()), size(u.Elem())))
	case *types.Chan:
		if u.Dir() != types.SendRecv {
			return nil
		}
		c.Args = append(c.Args, call(run.RuntimePkg+".MakeChan", l.asInt(n.Args[1]), size(u.Elem())))
	default:
		return nil
	}
	return c
}

// readsMemory reports whether a lowered expression reads what a store may change.
func readsMemory(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IndexExpr, *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		return readsMemory(x.X)
	}
	return false
}

// extreme is the function that stands for min or max of one type.
func (l *speller) extreme(name string, of types.Type) string {
	t := l.typeSource(of)
	step := map[string]string{"min": "if x < m { m = x }", "max": "if x > m { m = x }"}[name]
	// NaN and the zeros have an order of their own
	if b, ok := of.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
		op := map[string]string{"min": "<", "max": ">"}[name]
		step = "if x " + op + " m || x != x { m = x } else if x == 0 && m == 0 { m = " + t + "(" + run.RuntimePkg +
			"." + strings.ToUpper(name[:1]) + name[1:] + "(float64(m), float64(x))) }"
	}
	return l.u.helper(name, t, "func %s(a ..."+t+") "+t+" {\nm := a[0]\nfor _, x := range a { "+step+" }\nreturn m\n}")
}

// spreadBuiltin lowers a call such as append(f()), where f has several results.
func (l *exprs) spreadBuiltin(name string, n *ast.CallExpr, t *types.Tuple) ast.Expr {
	sig := types.NewSignatureType(nil, nil, nil, t, nil, false)
	params, args := l.u.forwarded(sig)
	result := ""
	ret := ""
	if tv := l.info.Types[n]; !tv.IsVoid() {
		result, ret = " "+l.sp.typeSource(tv.Type), "return "
	}
	switch name {
	case "min", "max":
		name = l.sp.extreme(name, l.typeOf(n))
	case "print", "println":
		name = run.RuntimePkg + "." + strings.ToUpper(name[:1]) + name[1:]
		for i := range args {
			if types.IsInterface(l.subst(t.At(i).Type())) {
				args[i] = run.RuntimePkg + ".Words(" + args[i] + ")"
			}
		}
	}
	return &ast.CallExpr{Fun: source("func" + params + result + " { " + ret + name + "(" + strings.Join(args, ", ") +
		") }"), Args: []ast.Expr{l.expr(n.Args[0])}}
}
