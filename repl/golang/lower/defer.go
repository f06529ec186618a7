package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// deferring is a function with deferred calls: the names that lowering has given to its results and to its Defers.
type deferring struct {
	defers  string
	results []ast.Expr
	types   []types.Type
}

// hasDefer reports whether a function's own statements defer something.
func hasDefer(b *ast.BlockStmt) bool {
	r := false
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			r = true
		}
		return !r
	})
	return r
}

// enterDefers prepares the lowering of a function's body: when it defers, its results get names that nothing in it
// hides.
func (l *stmts) enterDefers(body *ast.BlockStmt, results *types.Tuple) {
	if !hasDefer(body) {
		return
	}
	d := &deferring{defers: l.u.fresh("defers")}
	for i := range results.Len() {
		v := results.At(i)
		name := l.u.fresh("result")
		if v.Name() != "" && v.Name() != "_" {
			l.u.locals[v] = name
		}
		d.results = append(d.results, check.Ident(name))
		d.types = append(d.types, l.subst(v.Type()))
	}
	l.x.fn.deferring = d
}

// deferBody makes the body of a function that defers:
//
//	var r T
//	d := session.Defers()
//	d.Run(func() { … })
//	return r
func (l *stmts) deferBody(body *ast.BlockStmt, end token.Pos, hooks []ast.Stmt) *ast.BlockStmt {
	d, name := l.x.fn.deferring, l.x.fn.name
	runBody := &ast.CallExpr{Fun: source(d.defers + ".Run"),
		Args: []ast.Expr{&ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: body}}}
	var list []ast.Stmt
	for i, x := range d.results {
		list = append(list, l.sp.varStmt(x.(*ast.Ident), d.types[i]))
	}
	list = append(append(list, hooks...), // their frame is there while deferred calls run
		&ast.AssignStmt{Lhs: []ast.Expr{check.Ident(d.defers)}, Tok: token.DEFINE,
			Rhs: []ast.Expr{call(run.RuntimePkg + ".Defers")}},
		&ast.ExprStmt{X: runBody})
	l.u.out.Origin[list[len(list)-1]], l.u.out.Ends[list[len(list)-1]] = end, true
	if len(d.results) > 0 {
		list = append(list, &ast.ReturnStmt{Results: d.results})
	}
	r := &ast.BlockStmt{Lbrace: 1, List: list, Rbrace: 1}
	l.u.out.Bodies[r] = &name
	return r
}

// ownResults prepares a function with named results that defers nothing: they become variables of its body, because
// yaegi lets them share memory with the caller's.
func (l *stmts) ownResults(own *types.Tuple) (list []ast.Stmt) {
	if own == nil || own.Len() == 0 || own.At(0).Name() == "" {
		return nil
	}
	for i := range own.Len() {
		v := own.At(i)
		id := check.Ident(l.sp.local(v))
		if id.Name == "_" {
			id = check.Ident(l.u.fresh("result"))
		}
		l.x.fn.returns = append(l.x.fn.returns, id)
		list = append(list, l.sp.varStmt(id, v.Type()))
	}
	return list
}

// returnStmt lowers a return: in a function that defers, the results are set first.
func (l *stmts) returnStmt(n *ast.ReturnStmt) ast.Stmt {
	d := l.x.fn.deferring
	if len(n.Results) == 0 && d == nil && len(l.x.fn.returns) > 0 {
		return &ast.ReturnStmt{Results: l.x.fn.returns}
	}
	if len(n.Results) == 1 && l.x.fn.results != nil && l.x.fn.results.Len() > 1 {
		return l.returnCall(n, d)
	}
	if d == nil || len(n.Results) == 0 {
		r := &ast.ReturnStmt{}
		for i, x := range n.Results {
			var y ast.Expr
			if l.x.fn.results != nil && len(n.Results) == l.x.fn.results.Len() {
				y = l.returned(x, l.x.fn.results.At(i).Type())
			} else {
				y = l.x.expr(x)
			}
			if i > 0 && isBuiltinCall(y) { // which yaegi stores as the first result
				y = separate(y, true)
			}
			r.Results = append(r.Results, y)
		}
		return r
	}
	if len(n.Results) == 1 {
		return flat(&ast.AssignStmt{Lhs: d.results, Tok: token.ASSIGN,
			Rhs: []ast.Expr{separate(l.x.convert(n.Results[0], d.types[0]), false)}}, &ast.ReturnStmt{})
	}
	var list, set []ast.Stmt
	for i, x := range n.Results {
		t := check.Ident(l.u.fresh("t"))
		list = append(list, l.sp.varStmt(t, d.types[i]),
			&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN,
				Rhs: []ast.Expr{separate(l.x.convert(x, d.types[i]), false)}})
		set = append(set, &ast.AssignStmt{Lhs: d.results[i : i+1], Tok: token.ASSIGN, Rhs: []ast.Expr{t}})
	}
	return flat(append(append(list, set...), &ast.ReturnStmt{})...)
}

// returnCall lowers the return of a call with several results.
func (l *stmts) returnCall(n *ast.ReturnStmt, d *deferring) ast.Stmt {
	t := l.typeOf(n.Results[0]).(*types.Tuple)
	var temps, values []ast.Expr
	plain := true
	for i := range t.Len() {
		v := check.Ident(l.u.fresh("t"))
		c := l.sp.converted(v, t.At(i).Type(), l.x.fn.results.At(i).Type())
		plain = plain && c == ast.Expr(v)
		temps, values = append(temps, v), append(values, c)
	}
	x := l.x.expr(n.Results[0])
	switch {
	case plain && d == nil:
		return &ast.ReturnStmt{Results: []ast.Expr{x}}
	case plain:
		return flat(&ast.AssignStmt{Lhs: d.results, Tok: token.ASSIGN, Rhs: []ast.Expr{x}}, &ast.ReturnStmt{})
	case d == nil:
		return flat(&ast.AssignStmt{Lhs: temps, Tok: token.DEFINE, Rhs: []ast.Expr{x}},
			&ast.ReturnStmt{Results: values})
	}
	list := []ast.Stmt{&ast.AssignStmt{Lhs: temps, Tok: token.DEFINE, Rhs: []ast.Expr{x}}}
	for i := range temps {
		list = append(list, &ast.AssignStmt{Lhs: d.results[i : i+1], Tok: token.ASSIGN, Rhs: values[i : i+1]})
	}
	return flat(append(list, &ast.ReturnStmt{})...)
}

// isBuiltinCall reports whether a lowered expression calls a built-in function.
func isBuiltinCall(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = types.Universe.Lookup(id.Name).(*types.Builtin)
	return ok
}

// returned lowers a result. yaegi returns functions by name and what a channel gives wrongly.
func (l *stmts) returned(x ast.Expr, to types.Type) ast.Expr {
	r := l.x.convert(x, to)
	if lit, ok := ast.Unparen(r).(*ast.FuncLit); ok {
		return lit
	}
	switch y := r.(type) {
	case *ast.UnaryExpr:
		if y.Op == token.ARROW {
			return l.x.received(x)
		}
	case *ast.Ident:
		if t, ok := l.subst(l.typeOf(x)).(*types.Signature); ok && l.isFunc(x) {
			return &ast.CallExpr{Fun: &ast.ParenExpr{X: l.sp.typeExpr(t)}, Args: []ast.Expr{r}}
		}
	}
	return r
}

// isFunc reports whether x names a function or a method of a type.
func (q *facts) isFunc(x ast.Expr) bool {
	switch y := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := q.info.Uses[y].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := q.info.Uses[y.Sel].(*types.Func)
		return ok
	case *ast.IndexExpr:
		return q.isFunc(y.X)
	case *ast.IndexListExpr:
		return q.isFunc(y.X)
	}
	return false
}

// varStmt declares a variable.
func (l *speller) varStmt(id *ast.Ident, t types.Type) ast.Stmt {
	return &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR,
		Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{id}, Type: l.typeExpr(t)}}}}
}

// deferStmt lowers a defer. The function and its arguments are evaluated now, in a function of their own: in a loop
// each deferred call has its own.
//
//	func() {
//		a := x
//		call := func() { f(a) }
//		d.Add(call)
//	}()
func (l *stmts) deferStmt(n *ast.DeferStmt) ast.Stmt {
	d := l.x.fn.deferring
	if d == nil {
		return l.x.copier.CopyNode(n).(ast.Stmt)
	}
	add := func(list []ast.Stmt, lit ast.Expr) ast.Stmt {
		f := check.Ident(l.u.fresh("deferred"))
		all := append(list, &ast.AssignStmt{Lhs: []ast.Expr{f}, Tok: token.DEFINE, Rhs: []ast.Expr{lit}},
			&ast.ExprStmt{X: call(d.defers+".Add", f)})
		if len(list) == 0 {
			return flat(all...)
		}
		own := thunk(nil).(*ast.FuncLit)
		own.Body.List = all
		l.u.out.Bodies[own.Body] = &run.Inlined
		return &ast.ExprStmt{X: &ast.CallExpr{Fun: own}}
	}
	lit, isLit := n.Call.Fun.(*ast.FuncLit)
	recovers := l.x.recovers
	if isLit {
		l.x.recovers = d.defers // taken by the literal
	}
	if isLit && lit.Type.Params.NumFields() == 0 && lit.Type.Results.NumFields() == 0 {
		return add(nil, l.x.expr(lit))
	}
	var list []ast.Stmt
	temp := func(x ast.Expr) ast.Expr {
		t := check.Ident(l.u.fresh("t"))
		list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.DEFINE, Rhs: []ast.Expr{x}})
		return t
	}
	sig, isFunc := check.Underlying(l.typeOf(n.Call.Fun)).(*types.Signature)
	if !isFunc || l.info.Types[n.Call.Fun].IsBuiltin() || l.info.Types[n.Call.Fun].IsType() {
		l.x.recovers = recovers
		c, ok := l.x.expr(n.Call).(*ast.CallExpr)
		if !ok {
			return flat()
		}
		for i, a := range c.Args {
			if !isConstant(a) && (i >= len(n.Call.Args) || !l.info.Types[n.Call.Args[i]].IsType()) {
				c.Args[i] = temp(a)
			}
		}
		return add(list, thunk(c))
	}
	c := l.x.parts(n.Call, sig)
	l.x.recovers = recovers
	if c.method != nil {
		bindReceiver(c, temp)
		if sel, ok := c.fun.(*ast.SelectorExpr); ok && types.IsInterface(c.method.t) {
			list = append(list, nilCheck(sel.X))
		}
	} else if !c.static || isLit {
		c.fun = temp(c.fun)
	}
	for i, a := range c.args {
		if c.types[i] == nil {
			define := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{a}}
			t, _ := l.tupleArg(n.Call)
			c.args = nil
			for k := range t.Len() {
				id := check.Ident(l.u.fresh("t") + strconv.Itoa(k))
				define.Lhs, c.args = append(define.Lhs, id), append(c.args, id)
			}
			list = append(list, define)
			break
		}
		if !isConstant(a) {
			c.args[i] = temp(a)
		}
	}
	if direct := l.directly(n.Call.Fun); direct != nil && !isLit {
		return add(list, thunk(c.expr(), direct))
	}
	return add(list, thunk(c.expr()))
}

// nilCheck panics where an interface whose method is asked for is nil.
func nilCheck(x ast.Expr) ast.Stmt {
	return &ast.IfStmt{Cond: &ast.BinaryExpr{X: x, Op: token.EQL, Y: check.Ident("nil")},
		Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(run.RuntimePkg + ".NilMethod")}}}}
}

// bindReceiver evaluates the receiver of a deferred method that is not interpreted.
func bindReceiver(c *parts, temp func(ast.Expr) ast.Expr) {
	sel, ok := c.fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	_, isPtr := check.Underlying(c.method.t).(*types.Pointer)
	switch m := c.method.obj.(*types.Func); {
	case types.IsInterface(c.method.t):
		sel.X = temp(sel.X)
	case check.PointerReceiver(m):
		if isPtr {
			sel.X = temp(sel.X)
		}
	default:
		if isPtr { // the method gets a copy, made now
			sel.X = &ast.StarExpr{X: sel.X}
		}
		sel.X = temp(sel.X)
	}
}

// recoverer prepares a function that calls recover and is not known to be deferred: it asks, when it begins, whether it
// is.
func (l *stmts) recoverer(body *ast.BlockStmt, name string) []ast.Stmt {
	if l.x.fn.inDeferred != "" || !l.callsRecover(body) {
		return nil
	}
	r := check.Ident(l.u.fresh("recoverer"))
	l.x.fn.inDeferred = r.Name
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{r}, Tok: token.DEFINE,
		Rhs: []ast.Expr{call(run.RuntimePkg+".Recoverer", quoted(name))}}}
}

func quoted(s string) ast.Expr { return &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(s)} }

// callsRecover reports whether a function's own statements recover.
func (q *facts) callsRecover(body *ast.BlockStmt) bool {
	r := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			b := q.builtinOf(n.Fun)
			r = r || b != nil && b.Name() == "recover"
		}
		return !r
	})
	return r
}

// directly is the statement that tells which function a deferred call calls, nil where that does not recover.
func (l *stmts) directly(fun ast.Expr) ast.Stmt {
	id, _ := ast.Unparen(fun).(*ast.Ident)
	switch f := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.IndexExpr:
		id, _ = f.X.(*ast.Ident)
	case *ast.IndexListExpr:
		id, _ = f.X.(*ast.Ident)
	}
	name := ""
	if f, ok := l.info.Uses[id].(*types.Func); ok {
		name = f.Name()
		if recv := f.Signature().Recv(); !check.IsSession(f) && (recv == nil || !types.IsInterface(recv.Type())) &&
			!l.types.IsLowered(f) && !l.u.isInstantiated(f) {
			return nil // compiled
		}
	}
	return &ast.ExprStmt{X: call(l.x.fn.deferring.defers+".Direct", quoted(name))}
}

// isConstant reports whether a lowered expression needs no evaluation.
func isConstant(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "true" || x.Name == "false"
	}
	return false
}

func thunk(c ast.Expr, first ...ast.Stmt) ast.Expr {
	return &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{List: append(first, &ast.ExprStmt{X: c})}}
}
