package golang

import (
	"go/ast"
	"go/token"
	"go/types"
)

// assign lowers an assignment or a short variable declaration. yaegi lets some operands write straight into the variable
// that is assigned to, and forgets which function owns it or that other assignments stand beside it; and it leaves the
// variable as it was when the comma-ok form of a lookup fails. So such operands write into a temporary: of yaegi's own, which
// parentheses ask for, or one that is declared here.
func (l *lowerer) assign(n *ast.AssignStmt) ast.Stmt {
	switch {
	case n.Tok != token.ASSIGN && n.Tok != token.DEFINE:
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: n.Tok, Rhs: l.exprs(n.Rhs)}
	case len(n.Lhs) == 2 && len(n.Rhs) == 1 && isCommaOk(n.Rhs[0]):
		return l.commaOk(n)
	case len(n.Lhs) == len(n.Rhs) && (len(n.Lhs) == 1 || !l.needsTemps(n)):
		r := &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n)}
		for i, x := range n.Rhs {
			r.Rhs = append(r.Rhs, apart(l.convert(x, l.typeOf(n.Lhs[i])), len(n.Lhs) > 1 || l.isImported(n.Lhs[i])))
		}
		return r
	case len(n.Lhs) != len(n.Rhs) && !l.needsTemps(n):
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.exprs(n.Rhs)}
	}
	return l.assignTemps(n)
}

// defineTok is = where a short declaration defines a variable of the cell, which has a slot.
func (l *lowerer) defineTok(n *ast.AssignStmt) token.Token {
	for _, x := range n.Lhs {
		if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE && l.hoist[l.info.ObjectOf(id)] {
			return token.ASSIGN
		}
	}
	return n.Tok
}

// apart gives a lowered operand its own temporary in yaegi, when it would write into the variable and does that wrongly.
func apart(x ast.Expr, several bool) ast.Expr {
	switch y := x.(type) {
	case *ast.CompositeLit:
		return &ast.ParenExpr{X: x}
	case *ast.UnaryExpr:
		if several || y.Op == token.ARROW {
			return &ast.ParenExpr{X: x}
		}
	case *ast.CallExpr, *ast.BinaryExpr, *ast.StarExpr, *ast.TypeAssertExpr:
		if several {
			return &ast.ParenExpr{X: x}
		}
	}
	return x
}

// isImported reports whether x is a variable of an imported package.
func (l *lowerer) isImported(x ast.Expr) bool {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	_, ok = l.info.Uses[s.Sel].(*types.Var)
	return ok && l.info.Selections[s] == nil
}

func isCommaOk(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr, *ast.TypeAssertExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.ARROW
	}
	return false
}

// needsTemps reports whether an assignment of several values must be taken apart: yaegi cannot set an entry of a map among
// them or assign nil, and evaluates a variable that is declared again too late.
func (l *lowerer) needsTemps(n *ast.AssignStmt) bool {
	for _, x := range n.Rhs {
		if l.info.Types[x].IsNil() {
			return true
		}
	}
	if t, ok := l.typeOf(n.Rhs[0]).(*types.Tuple); ok && len(n.Lhs) > 1 {
		for i, x := range n.Lhs { // values that become interfaces
			if to := l.typeOf(x); to != nil && i < t.Len() && types.IsInterface(to) && !types.IsInterface(t.At(i).Type()) {
				return true
			}
		}
	}
	for _, x := range n.Lhs {
		switch x := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			if _, ok := underlying(l.typeOf(x.X)).(*types.Map); ok {
				return true
			}
		case *ast.Ident:
			if n.Tok == token.DEFINE && len(n.Rhs) > 1 && l.info.Defs[x] == nil && x.Name != "_" {
				return true
			}
		}
	}
	return false
}

// assignTemps evaluates every operand before it assigns anything:
//
//	t1, t2 := x, y
//	a = t1
//	m[k] = t2
func (l *lowerer) assignTemps(n *ast.AssignStmt) ast.Stmt {
	var list []ast.Stmt
	define := &ast.AssignStmt{Tok: token.DEFINE}
	lhs := make([]ast.Expr, len(n.Lhs))
	for i, x := range n.Lhs {
		lhs[i] = l.expr(x)
		ix, ok := lhs[i].(*ast.IndexExpr)
		if !ok {
			continue
		}
		if _, isMap := underlying(l.typeOf(ast.Unparen(x).(*ast.IndexExpr).X)).(*types.Map); isMap {
			m, k := ident(l.fresh("m")), ident(l.fresh("k"))
			list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{m}, Tok: token.DEFINE, Rhs: []ast.Expr{ix.X}},
				&ast.AssignStmt{Lhs: []ast.Expr{k}, Tok: token.DEFINE, Rhs: []ast.Expr{ix.Index}})
			lhs[i] = &ast.IndexExpr{X: m, Index: k}
		}
	}
	var from []types.Type
	if len(n.Rhs) == len(n.Lhs) {
		for i, x := range n.Rhs {
			to := l.typeOf(n.Lhs[i])
			if to == nil { // blank
				to = types.Default(l.typeOf(x))
			}
			t := ident(l.fresh("t"))
			list = append(list, &ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{t}, Type: l.typeExpr(to)}}}},
				&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{apart(l.convert(x, to), true)}})
			define.Lhs, from = append(define.Lhs, t), append(from, to)
		}
	} else {
		define.Rhs = l.exprs(n.Rhs)
		t := l.typeOf(n.Rhs[0]).(*types.Tuple)
		for i := range n.Lhs {
			define.Lhs, from = append(define.Lhs, ident(l.fresh("t"))), append(from, t.At(i).Type())
		}
		list = append(list, define)
	}
	for i, x := range n.Lhs {
		list = append(list, l.store(n, x, lhs[i], define.Lhs[i], from[i])...)
	}
	return flat(list...)
}

// store assigns a temporary of the given type to one of the left sides of an assignment, which is given as it was and lowered.
func (l *lowerer) store(n *ast.AssignStmt, x, lowered, temp ast.Expr, from types.Type) []ast.Stmt {
	id, isIdent := x.(*ast.Ident)
	if isIdent && id.Name == "_" {
		return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{ident("_")}, Tok: token.ASSIGN, Rhs: []ast.Expr{temp}}}
	}
	tok := token.ASSIGN
	if n.Tok == token.DEFINE && isIdent && l.info.Defs[id] != nil && !l.hoist[l.info.Defs[id]] {
		tok = token.DEFINE
	}
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{lowered}, Tok: tok, Rhs: []ast.Expr{l.converted(temp, from, l.typeOf(x))}}}
}

// commaOk lowers v, ok = m[k], x.(T) and <-c:
//
//	t, o := m[k]
//	if !o { var z T; t = z }
//	v, ok = t, o
func (l *lowerer) commaOk(n *ast.AssignStmt) ast.Stmt {
	rhs := ast.Unparen(n.Rhs[0])
	tuple, ok := l.typeOf(n.Rhs[0]).(*types.Tuple)
	if !ok {
		return &ast.AssignStmt{Lhs: l.exprs(n.Lhs), Tok: l.defineTok(n), Rhs: l.exprs(n.Rhs)}
	}
	elem := tuple.At(0).Type()
	ok0 := tuple.At(1).Type()
	t, o := ident(l.fresh("t")), ident(l.fresh("o"))
	var value ast.Expr = t
	list := []ast.Stmt{}
	if isBlank(n.Lhs[0]) {
		value = ident("_")
	}
	look := l.expr(rhs)
	list = append(list, &ast.AssignStmt{Lhs: []ast.Expr{value, o}, Tok: token.DEFINE, Rhs: []ast.Expr{look}})
	if !isBlank(n.Lhs[0]) {
		z := ident(l.fresh("z"))
		list = append(list, &ast.IfStmt{Cond: &ast.UnaryExpr{Op: token.NOT, X: o}, Body: &ast.BlockStmt{List: []ast.Stmt{
			&ast.DeclStmt{Decl: &ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{z}, Type: l.typeExpr(elem)}}}},
			&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{z}}}}})
		list = append(list, l.store(n, n.Lhs[0], l.expr(n.Lhs[0]), t, elem)...)
	}
	return flat(append(list, l.store(n, n.Lhs[1], l.expr(n.Lhs[1]), o, types.Default(ok0))...)...)
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// withInit lowers a statement that may have an init statement. When that becomes several, they stand before it in a block.
func (l *lowerer) withInit(init ast.Stmt, lower func(init ast.Stmt) ast.Stmt) ast.Stmt {
	if init == nil {
		return lower(nil)
	}
	s := l.stmt(init)
	if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
		return &ast.BlockStmt{Lbrace: 1, List: append(b.List, lower(nil)), Rbrace: 1}
	}
	return lower(s)
}

// channel lowers a channel that is sent to. Where yaegi does not see that it is one, a variable of its type tells.
func (l *lowerer) channel(x ast.Expr) (c ast.Expr, set []ast.Stmt) {
	c = l.expr(x)
	if _, ok := c.(*ast.Ident); ok {
		return c, nil
	}
	t := ident(l.fresh("c"))
	return t, []ast.Stmt{l.varStmt(t, l.typeOf(x)), &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{c}}}
}

// selectStmt lowers a select. Its channels are evaluated before it.
func (l *lowerer) selectStmt(n *ast.SelectStmt) ast.Stmt {
	var list []ast.Stmt
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for _, c := range n.Body.List {
		c := c.(*ast.CommClause)
		var x ast.Expr
		switch s := c.Comm.(type) {
		case *ast.SendStmt:
			x = s.Chan
		case *ast.ExprStmt:
			x = ast.Unparen(s.X).(*ast.UnaryExpr).X
		case *ast.AssignStmt:
			x = ast.Unparen(s.Rhs[0]).(*ast.UnaryExpr).X
		}
		var ch ast.Expr
		if x != nil {
			var set []ast.Stmt
			ch, set = l.channel(x)
			list = append(list, set...)
		}
		body.List = append(body.List, l.commClause(c, ch))
	}
	s := &ast.SelectStmt{Body: body}
	if len(list) == 0 {
		return s
	}
	return &ast.BlockStmt{Lbrace: 1, List: append(list, s), Rbrace: 1}
}

// commClause lowers a case of a select, whose channel is given. yaegi receives only into variables that the case declares.
func (l *lowerer) commClause(n *ast.CommClause, c ast.Expr) ast.Stmt {
	receive := &ast.UnaryExpr{Op: token.ARROW, X: c}
	var as *ast.AssignStmt
	switch s := n.Comm.(type) {
	case nil:
		return &ast.CommClause{Case: 1, Body: l.stmts(n.Body)}
	case *ast.SendStmt:
		ch := underlying(l.typeOf(s.Chan)).(*types.Chan)
		return &ast.CommClause{Case: 1, Comm: &ast.SendStmt{Chan: c, Value: l.convert(s.Value, ch.Elem())}, Body: l.stmts(n.Body)}
	case *ast.ExprStmt:
		return &ast.CommClause{Case: 1, Comm: &ast.ExprStmt{X: receive}, Body: l.stmts(n.Body)}
	case *ast.AssignStmt:
		as = s
	}
	comm := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{receive}}
	ch := underlying(l.typeOf(ast.Unparen(as.Rhs[0]).(*ast.UnaryExpr).X)).(*types.Chan)
	from := []types.Type{ch.Elem(), types.Typ[types.Bool]}
	var body []ast.Stmt
	for i, x := range as.Lhs {
		if isBlank(x) {
			comm.Lhs = append(comm.Lhs, ident("_"))
			continue
		}
		t := ident(l.fresh("t"))
		comm.Lhs = append(comm.Lhs, t)
		body = append(body, l.store(as, x, l.expr(x), t, from[i])...)
	}
	if len(body) == 0 {
		return &ast.CommClause{Case: 1, Comm: &ast.ExprStmt{X: receive}, Body: l.stmts(n.Body)}
	}
	return &ast.CommClause{Case: 1, Comm: comm, Body: append(body, l.stmts(n.Body)...)}
}
