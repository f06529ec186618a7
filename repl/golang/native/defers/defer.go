package defers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// defers evaluates the function and the arguments of a deferred call, and adds it. In a loop each call has variables of
// its own.
func (r *rewriter) defers(n *ast.DeferStmt) ast.Stmt {
	take := func(f ast.Expr) ast.Expr {
		if r.light {
			return r.call("Later", n.Defer, r.taking(ast.Unparen(f).(*ast.FuncLit)))
		}
		return r.call("Add", n.Defer, r.use(r.d, n.Defer), f)
	}
	return r.later(n, n.Call, take, n.Defer)
}

// starts evaluates the function and the arguments of a go statement, and starts the goroutine. Traces show no place of
// the function that calls it there.
func (r *rewriter) starts(n *ast.GoStmt) ast.Stmt {
	r.going = true
	defer func() { r.going = false }()
	return r.later(n, n.Call, func(f ast.Expr) ast.Expr { return r.call("Go", n.Go, f) }, token.NoPos)
}

// later evaluates the function and the arguments of a call, which a function is to make later that take is given.
// Traces show the call at a place.
func (r *rewriter) later(n ast.Stmt, c *ast.CallExpr, take func(ast.Expr) ast.Expr, at token.Pos) ast.Stmt {
	tv := r.Info.Types[c.Fun]
	if tv.IsBuiltin() {
		return r.laterBuiltin(n, c, take)
	}
	sig, ok := types.Unalias(tv.Type).Underlying().(*types.Signature)
	if !ok || tv.IsType() {
		r.bad = n
		return n
	}
	lit, isLit := ast.Unparen(c.Fun).(*ast.FuncLit)
	if isLit {
		if !r.going && !r.light {
			r.recovers(lit)
		}
		if sig.Params().Len() == 0 && sig.Results().Len() == 0 {
			return &ast.ExprStmt{X: take(c.Fun)}
		}
	}
	if len(c.Args) == 1 && sig.Params().Len() != 1 && isTuple(r.Info.TypeOf(c.Args[0])) {
		r.bad = n
		return n
	}
	e := &evaluated{rewriter: r, at: n.Pos()}
	call := &ast.CallExpr{Fun: c.Fun, Lparen: at, Ellipsis: c.Ellipsis} // traces show the statement
	var before []ast.Stmt                                               // in the function
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.FuncLit:
	case *ast.SelectorExpr:
		if s := r.Info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			if call.Fun = e.method(f, s); call.Fun == nil {
				r.bad = n
				return n
			}
			before = r.direct(s.Obj())
			break
		}
		before = e.value(call, r.Info.Uses[f.Sel])
	case *ast.Ident:
		before = e.value(call, r.Info.Uses[f])
	case *ast.IndexExpr, *ast.IndexListExpr:
		if id := generic(f); id != nil {
			if o, ok := r.Info.Uses[id].(*types.Func); ok {
				before = r.direct(o)
				break
			}
		}
		before = e.value(call, nil)
	default:
		before = e.value(call, nil)
	}
	if before == nil && !isLit { // a compiled function: only its receiver may be at fault
		call.Lparen = c.Lparen
	}
	for _, a := range c.Args {
		call.Args = append(call.Args, e.temp(a))
	}
	return e.block(n, c, call, before, take)
}

// laterBuiltin evaluates the arguments of a built-in function, as later does.
func (r *rewriter) laterBuiltin(n ast.Stmt, c *ast.CallExpr, take func(ast.Expr) ast.Expr) ast.Stmt {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || id.Name == "recover" {
		r.bad = n
		return n
	}
	e := &evaluated{rewriter: r, at: n.Pos()}
	call := &ast.CallExpr{Fun: c.Fun, Lparen: c.Lparen, Ellipsis: c.Ellipsis}
	if r.going {
		call.Lparen = token.NoPos
	}
	for _, a := range c.Args {
		call.Args = append(call.Args, e.temp(a))
	}
	return e.block(n, c, call, nil, take)
}

// block evaluates what is wanted for a statement, whose call is c, and gives take the function that makes call.
func (e *evaluated) block(n ast.Stmt, c, call *ast.CallExpr, before []ast.Stmt, take func(ast.Expr) ast.Expr) ast.Stmt {
	e.Info.Types[call] = e.Info.Types[c]
	e.undo(func() { delete(e.Info.Types, call) })
	e.list = append(e.list, &ast.ExprStmt{X: take(e.literal(append(before, &ast.ExprStmt{X: call}), token.NoPos))})
	return &ast.BlockStmt{Lbrace: n.Pos(), Rbrace: n.End(), List: e.list}
}

func isTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// generic is the name of what is instantiated, nil for an element.
func generic(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.IndexExpr:
		id, _ := ast.Unparen(x.X).(*ast.Ident)
		return id
	case *ast.IndexListExpr:
		id, _ := ast.Unparen(x.X).(*ast.Ident)
		return id
	}
	return nil
}

// direct tells which function a deferred call calls, if that may be interpreted.
func (r *rewriter) direct(o types.Object) []ast.Stmt {
	name := ""
	if f, ok := o.(*types.Func); ok {
		if recv := f.Signature().Recv(); !r.Session(f) && (recv == nil || !types.IsInterface(recv.Type())) {
			return nil
		}
		name = f.Name()
	}
	if r.going {
		return []ast.Stmt{}
	}
	return []ast.Stmt{&ast.ExprStmt{X: r.call("Direct", token.NoPos, r.use(r.d, token.NoPos), r.text(name))}}
}

// recovers makes the calls of recover in a deferred literal ones of Recover.
func (r *rewriter) recovers(lit *ast.FuncLit) {
	d := r.d
	own(lit.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id, ok := ast.Unparen(c.Fun).(*ast.Ident)
		if b, isBuiltin := r.Info.Uses[id].(*types.Builtin); !ok || !isBuiltin || b.Name() != "recover" {
			return true
		}
		was := *c
		c.Fun, c.Args = r.use(object("Recover"), c.Pos()), []ast.Expr{r.use(d, c.Pos())}
		r.undo(func() { *c = was })
		return false
	})
}

// evaluated are the variables of a deferred call.
type evaluated struct {
	*rewriter
	at   token.Pos
	list []ast.Stmt
}

// temp evaluates an expression, unless it is a constant.
func (e *evaluated) temp(x ast.Expr) ast.Expr {
	tv := e.Info.Types[x]
	if tv.Value != nil || tv.IsNil() {
		return x
	}
	return e.of(x, tv.Type)
}

func (e *evaluated) of(x ast.Expr, t types.Type) ast.Expr {
	v := types.NewVar(e.at, e.Pkg, "deferred", t)
	e.list = append(e.list, e.assign(v, x, x.Pos()))
	return e.use(v, token.NoPos)
}

// value evaluates the function of a call, unless it is declared under its name, which is given.
func (e *evaluated) value(call *ast.CallExpr, o types.Object) []ast.Stmt {
	if f, ok := o.(*types.Func); ok {
		return e.direct(f)
	}
	call.Fun = e.of(call.Fun, e.Info.TypeOf(call.Fun))
	return e.direct(nil)
}

// method evaluates the receiver of a method. It returns nil for what is not known.
func (e *evaluated) method(f *ast.SelectorExpr, s *types.Selection) ast.Expr {
	m := s.Obj().(*types.Func)
	recv := s.Recv()
	if types.IsInterface(recv) {
		if _, isParam := types.Unalias(recv).(*types.TypeParam); isParam || len(s.Index()) > 1 {
			return nil
		}
		receiver := e.of(f.X, recv)
		e.notNil(receiver.(*ast.Ident), e.at)
		return e.selected(receiver, recv, f, m)
	}
	p, isPointer := recv.Underlying().(*types.Pointer)
	inner := recv
	if isPointer {
		inner = p.Elem()
	}
	for _, i := range s.Index()[:len(s.Index())-1] {
		st, ok := inner.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		inner = st.Field(i).Type()
		if _, ok := inner.Underlying().(*types.Pointer); ok || types.IsInterface(inner) {
			return nil // which is read when the call is deferred
		}
	}
	x, t := f.X, recv
	_, byAddress := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	switch {
	case byAddress && !isPointer:
		t = types.NewPointer(recv)
		x = e.typed(&ast.UnaryExpr{OpPos: f.X.Pos(), Op: token.AND, X: f.X}, t)
	case !byAddress && isPointer:
		t = p.Elem()
		x = e.typed(&ast.StarExpr{Star: f.X.Pos(), X: f.X}, t)
	}
	receiver := e.of(x, t)
	if byAddress && isPointer && len(s.Index()) > 1 {
		e.notNil(receiver.(*ast.Ident), e.at)
	}
	return e.selected(receiver, t, f, m)
}

// selected is a method of a receiver of type t, as f is of another one.
func (e *evaluated) selected(receiver ast.Expr, t types.Type, f *ast.SelectorExpr, m *types.Func) ast.Expr {
	selection := types.NewMethodSet(t).Lookup(m.Pkg(), m.Name())
	if selection == nil {
		return nil
	}
	sel := &ast.SelectorExpr{X: receiver, Sel: &ast.Ident{Name: m.Name()}}
	e.Info.Selections[sel], e.Info.Uses[sel.Sel] = selection, m
	e.undo(func() {
		delete(e.Info.Selections, sel)
		delete(e.Info.Uses, sel.Sel)
	})
	return e.typed(sel, e.Info.TypeOf(f))
}

// notNil panics where a pointer is nil.
func (e *evaluated) notNil(p *ast.Ident, at token.Pos) {
	cond := e.compared(e.Info.Uses[p], token.EQL, at)
	e.list = append(e.list, &ast.IfStmt{If: at, Cond: cond, Body: &ast.BlockStmt{Lbrace: at, Rbrace: at,
		List: []ast.Stmt{&ast.ExprStmt{X: e.call("Nil", at)}}}})
}
