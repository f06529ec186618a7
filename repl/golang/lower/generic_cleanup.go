package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// A function value of yaegi keeps the frames of the calls in which it was made, and with them what their variables
// hold. What runtime.AddCleanup and runtime.SetFinalizer are given must not: the object would never become unreachable.
// So a literal, a function or a method that is written as their argument becomes a function of its own, which gets the
// addresses of the variables that it uses, and is put together with them in compiled code.

// argument lowers an argument of a call.
func (l *exprs) argument(n *ast.CallExpr, i int) ast.Expr {
	if i == 1 && l.watches(n.Fun) {
		if r := l.detached(n.Args[i]); r != nil {
			return r
		}
	}
	return l.expr(n.Args[i])
}

// watches reports whether a function calls its second argument when its first can no longer be reached.
func (q *facts) watches(fun ast.Expr) bool {
	sel, ok := uninstantiated(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := q.info.Uses[sel.Sel].(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "runtime" &&
		(f.Name() == "AddCleanup" || f.Name() == "SetFinalizer")
}

// detached lowers a function literal, the name of a function or a method value; nil for anything else.
func (l *exprs) detached(x ast.Expr) ast.Expr {
	sig, ok := check.Underlying(l.typeOf(x)).(*types.Signature)
	if !ok {
		return nil
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.FuncLit:
		return l.detachedLiteral(x, sig)
	case *ast.SelectorExpr:
		if s := l.info.Selections[x]; s != nil {
			if types.IsInterface(check.Deref(l.subst(s.Recv()))) {
				return nil
			}
			if s.Kind() == types.MethodExpr {
				return l.detachedName(l.expr(x), sig)
			}
			found := l.find(x)
			fun, recv := l.sp.methodOf(found)
			name, ok := fun.(*ast.Ident)
			if !ok || recv == nil {
				return nil
			}
			return call(l.u.detachedFunc(name.Name, sig, receiverParam(found, found.obj.(*types.Func))), recv)
		}
	}
	if l.isFuncName(uninstantiated(x)) {
		return l.detachedName(l.expr(x), sig)
	}
	return nil
}

// detachedName is the value of a lowered function; nil for one that is compiled.
func (l *exprs) detachedName(fun ast.Expr, sig *types.Signature) ast.Expr {
	switch fun := fun.(type) {
	case *ast.Ident:
		return call(l.u.detachedFunc(fun.Name, sig))
	case *ast.FuncLit: // of a method expression
		return call(l.u.detachedFunc(l.u.declared(fun), sig))
	}
	return nil
}

// declared gives a literal that uses no variables a name.
func (u *unit) declared(lit *ast.FuncLit) string {
	decl := &ast.FuncDecl{Name: check.Ident(u.fresh("literal")), Type: lit.Type, Body: lit.Body}
	u.queue = append(u.queue, func() { u.out.print(decl) })
	return decl.Name.Name
}

// uninstantiated is the generic function that an expression instantiates.
func uninstantiated(x ast.Expr) ast.Expr {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		return x.X
	case *ast.IndexListExpr:
		return x.X
	default:
		return x
	}
}

// detachedLiteral lowers a literal:
//
//	func(fd int) { n += fd }    is    join(&n)    with    func literal(n *int, fd int) { *n += fd }
func (l *exprs) detachedLiteral(lit *ast.FuncLit, sig *types.Signature) ast.Expr {
	var used []*types.Var
	seen := map[*types.Var]bool{}
	ast.Inspect(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := l.info.Uses[id].(*types.Var)
		if !ok || seen[v] || v.IsField() || l.u.slotOf(v) != nil || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
			return true
		}
		if v.Pos() < lit.Pos() || v.Pos() >= lit.End() {
			seen[v] = true
			used = append(used, v)
		}
		return true
	})
	params := &ast.FieldList{}
	var args []ast.Expr
	var ts []types.Type
	for i, v := range used {
		t := types.NewPointer(l.subst(v.Type()))
		p := "c" + run.Tick + strconv.Itoa(i)
		params.List = append(params.List, &ast.Field{Names: []*ast.Ident{check.Ident(p)}, Type: l.sp.typeExpr(t)})
		args, ts = append(args, address(check.Ident(l.sp.local(v)))), append(ts, t)
	}
	for i, v := range used {
		l.u.slots[v] = &check.Slot{Symbol: "c" + run.Tick + strconv.Itoa(i)}
	}
	hooks := l.fn.hooks
	l.fn.hooks = nil // it becomes a function of its own, which holds nothing of this one
	f := ast.Unparen(l.expr(lit)).(*ast.FuncLit)
	l.fn.hooks = hooks
	for _, v := range used {
		delete(l.u.slots, v)
	}
	params.List = append(params.List, f.Type.Params.List...)
	f.Type.Params = params
	return call(l.u.detachedFunc(l.u.declared(f), sig, ts...), args...)
}

// detachedFunc names a function that makes a function value of a lowered function and of its first arguments.
func (u *unit) detachedFunc(name string, sig *types.Signature, first ...types.Type) string {
	var code atomic.Pointer[reflect.Value]
	set := u.st.rt.Provide("M", reflect.ValueOf(func(f any) {
		v := reflect.ValueOf(f)
		code.Store(&v)
	}))
	u.start = append(u.start, fmt.Sprintf("%s(%s)", set, name))
	var in []reflect.Type
	for _, t := range first {
		in = append(in, u.st.scope.Inner(t))
	}
	result := u.st.scope.Inner(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	return u.st.rt.Provide("D", reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{result}, false),
		func(first []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.MakeFunc(result, func(in []reflect.Value) []reflect.Value {
				all := append(append([]reflect.Value(nil), first...), in...)
				if result.IsVariadic() {
					return code.Load().CallSlice(all)
				}
				return code.Load().Call(all)
			})}
		}))
}
