package defers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// isLight reports whether no deferred call of a body can recover: it is one of a literal that does not, or of a
// function that is not the session's. None is deferred in the body of a loop over a function, which runs while that
// function may have deferred calls of its own.
func (r *rewriter) isLight(body *ast.BlockStmt) bool {
	light := true
	own(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			light = light && r.keepsPanic(n.Call)
		case *ast.RangeStmt:
			switch types.Unalias(r.Info.TypeOf(n.X)).(type) {
			case *types.Signature, *types.Named, *types.TypeParam: // which may be one of functions
				light = light && Find(n.Body) == nil
			}
		}
		return light
	})
	return light
}

// keepsPanic reports whether a deferred call does not recover.
func (r *rewriter) keepsPanic(c *ast.CallExpr) bool {
	fun := ast.Unparen(c.Fun)
	if r.Info.Types[fun].IsBuiltin() {
		return true
	}
	var name *ast.Ident
	switch f := fun.(type) {
	case *ast.FuncLit:
		keeps := true
		own(f.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				b, isBuiltin := r.Info.Uses[id].(*types.Builtin)
				keeps = keeps && !(isBuiltin && b.Name() == "recover")
			}
			return keeps
		})
		return keeps
	case *ast.SelectorExpr:
		name = f.Sel
	case *ast.Ident:
		name = f
	}
	f, ok := r.Info.Uses[name].(*types.Func)
	if !ok || r.Session(f) {
		return false
	}
	recv := f.Signature().Recv()
	return recv == nil || !types.IsInterface(recv.Type())
}

// lightly makes statements of a body whose deferred calls cannot recover, up to its end.
func (r *rewriter) lightly(body *ast.BlockStmt, results []*types.Var) []ast.Stmt {
	at, end := body.Lbrace, body.Rbrace
	done := types.NewLabel(at, r.Pkg, "done")
	r.statements(body, results, done)
	inner := &ast.SwitchStmt{Switch: at, Body: &ast.BlockStmt{Lbrace: at, Rbrace: end,
		List: []ast.Stmt{&ast.CaseClause{Case: at, Colon: at, Body: body.List}}}}
	f, more := types.NewVar(end, r.Pkg, "deferred", Later), types.NewVar(end, r.Pkg, "more", types.Typ[types.Bool])
	zero := &ast.BasicLit{ValuePos: end, Kind: token.INT, Value: "0"}
	r.Info.Types[zero] = types.TypeAndValue{Type: types.Typ[types.Int], Value: constant.MakeInt64(0)}
	r.undo(func() { delete(r.Info.Types, zero) })
	call := &ast.CallExpr{Fun: r.use(f, end), Lparen: end, Args: []ast.Expr{zero}}
	r.typed(call, types.NewTuple())
	return []ast.Stmt{
		&ast.ExprStmt{X: r.call("Begin", at)},
		&ast.LabeledStmt{Label: r.labelled(done, at, true), Stmt: inner},
		r.declares(f, end), r.declares(more, end),
		&ast.ForStmt{For: end, Body: &ast.BlockStmt{Lbrace: end, Rbrace: end, List: []ast.Stmt{
			&ast.AssignStmt{Lhs: []ast.Expr{r.use(f, end), r.use(more, end)}, TokPos: end, Tok: token.ASSIGN,
				Rhs: []ast.Expr{r.call("Next", end)}},
			&ast.IfStmt{If: end, Cond: r.compared(f, token.NEQ, end), Body: &ast.BlockStmt{Lbrace: end, Rbrace: end,
				List: []ast.Stmt{&ast.ExprStmt{X: call}}}},
			&ast.IfStmt{If: end, Cond: r.typed(&ast.UnaryExpr{OpPos: end, Op: token.NOT, X: r.use(more, end)},
				types.Typ[types.Bool]), Body: &ast.BlockStmt{Lbrace: end, Rbrace: end,
				List: []ast.Stmt{&ast.BranchStmt{TokPos: end, Tok: token.BREAK}}}},
		}}}}
}

// labelled is a label where it stands, or where it is used.
func (r *rewriter) labelled(l *types.Label, at token.Pos, stands bool) *ast.Ident {
	id := &ast.Ident{Name: l.Name(), NamePos: at}
	if stands {
		r.Info.Defs[id] = l
		r.undo(func() { delete(r.Info.Defs, id) })
	} else {
		r.Info.Uses[id] = l
		r.undo(func() { delete(r.Info.Uses, id) })
	}
	return id
}

// compared compares a variable with nil.
func (r *rewriter) compared(v types.Object, op token.Token, at token.Pos) ast.Expr {
	null := &ast.Ident{Name: "nil", NamePos: at}
	r.Info.Uses[null] = types.Universe.Lookup("nil")
	r.undo(func() { delete(r.Info.Uses, null) })
	return r.typed(&ast.BinaryExpr{X: r.use(v, at), OpPos: at, Op: op, Y: r.typed(null, v.Type())},
		types.Typ[types.Bool])
}

// taking has a literal without parameters take one that means nothing.
func (r *rewriter) taking(lit *ast.FuncLit) *ast.FuncLit {
	was, tv := lit.Type, r.Info.Types[lit]
	lit.Type = &ast.FuncType{Func: was.Func, Params: &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent("int")}}}}
	r.typed(lit.Type, Later)
	r.Info.Types[lit] = types.TypeAndValue{Type: Later}
	r.undo(func() { lit.Type, r.Info.Types[lit] = was, tv })
	return lit
}
