package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// commaOk lowers v, ok = m[k], x.(T) and <-c:
//
//	t, o := m[k]
//	if !o { var z T; t = z }
//	v, ok = t, o
func (l *assigns) commaOk(n *ast.AssignStmt) ast.Stmt {
	rhs := ast.Unparen(n.Rhs[0])
	tuple, ok := l.typeOf(n.Rhs[0]).(*types.Tuple)
	if !ok {
		return &ast.AssignStmt{Lhs: l.x.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.x.exprs(n.Rhs)}
	}
	elem := tuple.At(0).Type()
	ok0 := tuple.At(1).Type()
	t, o := check.Ident(l.u.fresh("t")), check.Ident(l.u.fresh("o"))
	var value ast.Expr = t
	list := []ast.Stmt{}
	if isBlank(n.Lhs[0]) {
		value = check.Ident("_")
	}
	var places [2]ast.Expr
	for i, x := range n.Lhs {
		if places[i] = l.x.expr(x); l.changes(n.Lhs, x) {
			places[i] = l.spillOperands(x, places[i], &list)
		}
	}
	look := l.x.expr(rhs)
	list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{value, o}, Tok: token.DEFINE, Rhs: []ast.Expr{look}})
	if !isBlank(n.Lhs[0]) {
		z := check.Ident(l.u.fresh("z"))
		list = append(list, &ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: o},
			Body: &ast.BlockStmt{List: []ast.Stmt{
				&ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
					Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{z}, Type: l.sp.typeExpr(elem)}}}},
				&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{z}}}}})
		list = append(list, l.store(n, n.Lhs[0], places[0], t, elem)...)
	}
	return flat(append(list, l.store(n, n.Lhs[1], places[1], o, types.Default(ok0))...)...)
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// withInit lowers a statement that may have an init statement. When that becomes several, they stand before it in a
// block.
func (l *stmts) withInit(init ast.Stmt, lower func(init ast.Stmt) ast.Stmt) ast.Stmt {
	if init == nil {
		return lower(nil)
	}
	defer l.x.fn.hooks.scoped()()
	s := l.stmt(init)
	hooks := l.x.fn.hooks.declared(init)
	if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
		return &ast.BlockStmt{Lbrace: 1, List: append(append(b.List, hooks...), lower(nil)), Rbrace: 1}
	}
	if len(hooks) > 0 {
		return &ast.BlockStmt{Lbrace: 1, List: append(append([]ast.Stmt{s}, hooks...), lower(nil)), Rbrace: 1}
	}
	return lower(s)
}

// channel lowers a channel that is sent to. Where yaegi does not see that it is one, as with a type that has a name to
// it, a variable tells.
func (l *stmts) channel(x ast.Expr) (c ast.Expr, set []ast.Stmt) {
	c = l.x.expr(x)
	named := l.scope.Inner(l.typeOf(x)).PkgPath() != ""
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && !named {
		if v, ok := l.info.Uses[id].(*types.Var); ok && (l.typed[v] || v.Kind() == types.ParamVar) &&
			l.u.slotOf(v) == nil {
			return c, nil
		}
	}
	t := check.Ident(l.u.fresh("c"))
	declare := l.sp.varStmt(t, l.typeOf(x))
	if named {
		elem := l.sp.typeSource(check.Underlying(l.typeOf(x)).(*types.Chan).Elem())
		declare = &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
			Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{t}, Type: source("chan (" + elem + ")")}}}}
	}
	return t, []ast.Stmt{declare, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{c}}}
}

// selectStmt lowers a select to a call that makes it and a switch over the case that it chose: yaegi leaves a select to
// no label, and sends only to what it sees to be a channel.
//
//	i, v, ok := session.Select(true, c1, nil, c2, x)
//	switch i { case 0: …; case 1: …; case -1: … }
func (l *stmts) selectStmt(n *ast.SelectStmt) ast.Stmt {
	chosen, value, ok := check.Ident(l.u.fresh("i")), check.Ident(l.u.fresh("v")), check.Ident(l.u.fresh("ok"))
	hasDefault := false
	c := call(run.RuntimePkg+".Select", number(int(n.Pos())), nil)
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	var usesValue, usesOk bool
	at := 0
	for _, cl := range n.Body.List {
		cl := cl.(*ast.CommClause)
		index := at
		var first []ast.Stmt
		var receive ast.Expr
		switch s := cl.Comm.(type) {
		case nil:
			hasDefault, index = true, -1
		case *ast.SendStmt:
			ch := check.Underlying(l.typeOf(s.Chan)).(*types.Chan)
			v := l.x.convert(s.Value, ch.Elem())
			c.Args = append(c.Args, check.Ident("true"), l.x.expr(s.Chan), call(l.sp.raw(ch.Elem()), v))
		case *ast.ExprStmt:
			receive = s.X
		case *ast.AssignStmt:
			receive = s.Rhs[0]
			ch := check.Underlying(l.typeOf(ast.Unparen(receive).(*ast.UnaryExpr).X)).(*types.Chan)
			for i, x := range s.Lhs {
				if isBlank(x) {
					continue
				}
				from, got := ch.Elem(), ast.Expr(ok)
				if i == 0 {
					usesValue = true
					got = call(l.sp.unraw(ch.Elem()), value)
				} else {
					usesOk = true
					from = types.Typ[types.Bool]
				}
				first = append(first, l.as.store(s, x, l.x.expr(x), got, from)...)
			}
		}
		if receive != nil {
			c.Args = append(c.Args, check.Ident("false"), l.x.expr(ast.Unparen(receive).(*ast.UnaryExpr).X),
				check.Ident("nil"))
		}
		if cl.Comm != nil {
			at++
		}
		body.List = append(body.List, &ast.CaseClause{Case: 1,
			List: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(index)}},
			Body: append(first, l.clause(cl.Body, func() []ast.Stmt { return l.x.fn.hooks.comm(cl) })...)})
	}
	c.Args[1] = check.Ident(strconv.FormatBool(hasDefault))
	lhs := []ast.Expr{chosen, check.Ident("_"), check.Ident("_")}
	if usesValue {
		lhs[1] = value
	}
	if usesOk {
		lhs[2] = ok
	}
	return &ast.BlockStmt{Lbrace: 1, Rbrace: 1, List: []ast.Stmt{
		&ast.AssignStmt{Lhs: lhs, Tok: token.DEFINE, Rhs: []ast.Expr{c}},
		&ast.SwitchStmt{Tag: chosen, Body: body}}}
}

// received lowers an operand of && or ||, where yaegi takes a receive operation for false.
func (l *exprs) received(x ast.Expr) ast.Expr {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return l.expr(x)
	}
	ch, elem := l.sp.typeSource(l.typeOf(u.X)), l.sp.typeSource(l.typeOf(u))
	f := l.u.helper(machine.Receiver, ch, "func %s(c "+ch+", at int) "+elem+" {\nv := <-c\nreturn v\n}")
	return call(f, l.expr(u.X), number(int(u.Pos())))
}

// goStmt starts a goroutine that reports its panic instead of ending the process. The function and its arguments are
// evaluated first, as the language wants.
//
//	session.GoBegin()
//	go func(p0 P0) { defer func() { session.GoEnd(recover()) }(); f(p0) }(arg())
func (l *stmts) goStmt(n *ast.GoStmt) ast.Stmt {
	sig, ok := check.Underlying(l.typeOf(n.Call.Fun)).(*types.Signature)
	if !ok || l.info.Types[n.Call.Fun].IsBuiltin() {
		return l.goBuiltin(n)
	}
	var list []ast.Stmt
	params := &ast.FieldList{}
	outer := &ast.CallExpr{}
	inner := &ast.CallExpr{}
	param := func(t types.Type, arg ast.Expr) ast.Expr {
		p := fmt.Sprintf("p%s%d", run.Tick, len(params.List))
		params.List = append(params.List, &ast.Field{Names: []*ast.Ident{check.Ident(p)}, Type: l.sp.typeExpr(t)})
		outer.Args = append(outer.Args, arg)
		return check.Ident(p)
	}
	c := l.x.parts(n.Call, l.subst(sig).(*types.Signature))
	if inner.Fun = c.fun; !c.static {
		fun := c.fun
		if s, ok := ast.Unparen(n.Call.Fun).(*ast.SelectorExpr); ok && c.method != nil {
			fun = l.x.methodValue(s) // yaegi knows the method with its receiver as a parameter
		}
		inner.Fun = param(sig, fun)
	}
	for i, a := range c.args {
		if c.types[i] != nil {
			inner.Args = append(inner.Args, param(c.types[i], a))
			continue
		}
		t, _ := l.tupleArg(n.Call)
		define := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{a}}
		for v := range t.Variables() {
			id := check.Ident(l.u.fresh("t"))
			define.Lhs, inner.Args = append(define.Lhs, id), append(inner.Args, param(v.Type(), id))
		}
		list = append(list, define)
	}
	if c.ellipsis {
		inner.Ellipsis = 1
	}
	return flat(append(list, l.guarded(params, outer, inner)...)...)
}

// goBuiltin starts a goroutine that calls a built-in function, or converts something.
func (l *stmts) goBuiltin(n *ast.GoStmt) ast.Stmt {
	c, ok := l.x.expr(n.Call).(*ast.CallExpr)
	if !ok {
		return flat()
	}
	var list []ast.Stmt
	for i, a := range c.Args {
		if isConstant(a) || i < len(n.Call.Args) && l.info.Types[n.Call.Args[i]].IsType() {
			continue
		}
		t := check.Ident(l.u.fresh("t"))
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{a}})
		c.Args[i] = t
	}
	return flat(append(list, l.guarded(&ast.FieldList{}, &ast.CallExpr{}, c)...)...)
}

// guarded are the statements of a goroutine that makes a call inner, with what outer has as arguments for params.
func (l *stmts) guarded(params *ast.FieldList, outer, inner *ast.CallExpr) []ast.Stmt {
	guard := &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: []ast.Stmt{
		&ast.ExprStmt{X: call(run.RuntimePkg+".GoEnd", &ast.CallExpr{Fun: check.Ident("recover")})}}}}
	outer.Fun = &ast.FuncLit{Type: &ast.FuncType{Params: params}, Body: &ast.BlockStmt{List: []ast.Stmt{
		&ast.DeferStmt{Call: &ast.CallExpr{Fun: guard}}, &ast.ExprStmt{X: inner}}}}
	l.u.out.Bodies[outer.Fun.(*ast.FuncLit).Body] = &run.Around
	return []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg + ".GoBegin")}, &ast.GoStmt{Call: outer}}
}

// isFuncName reports whether x names a declared function, which needs no evaluation.
func (q *facts) isFuncName(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		f, ok := q.info.Uses[x].(*types.Func)
		return ok && f.Signature().Recv() == nil
	case *ast.SelectorExpr:
		f, ok := q.info.Uses[x.Sel].(*types.Func)
		return ok && f.Signature().Recv() == nil
	}
	return false
}
