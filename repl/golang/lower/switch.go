package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// switchStmt lowers an expression switch. yaegi's is right where every case has one condition and the default stands
// last, and where it compares no interface.
func (l *stmts) switchStmt(n *ast.SwitchStmt) ast.Stmt {
	leave := l.x.fn.hooks.scoped()
	defer leave()
	hooks := l.x.fn.hooks.init(n.Init)
	if len(n.Body.List) == 0 && n.Tag != nil { // which yaegi does not evaluate
		return l.inBlock(n.Init, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident("_")}, Tok: token.ASSIGN,
			Rhs: []ast.Expr{l.x.observed(n.Tag)}})
	}
	anyType := types.Universe.Lookup("any").Type()
	mixed, other, falls, calls := l.cases(n)
	list := hooks
	var tag ast.Expr
	condition := func(x ast.Expr) ast.Expr {
		if types.IsInterface(l.typeOf(x)) {
			return call(run.RuntimePkg+".Same", l.x.expr(x), check.Ident("true"))
		}
		return l.x.received(x)
	}
	switch last := other < 0 || other == len(n.Body.List)-1; {
	case mixed:
		t := check.Ident(l.u.fresh("tag"))
		list = append(list, l.sp.varStmt(t, anyType),
			&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{l.x.convert(n.Tag, anyType)}})
		condition = func(x ast.Expr) ast.Expr {
			if isNil(l.typeOf(x)) {
				return &ast.BinaryExpr{X: t, Op: token.EQL, Y: check.Ident("nil")}
			}
			return call(run.RuntimePkg+".Same", t, l.x.convert(x, anyType))
		}
	case n.Tag != nil && (calls || falls && !last):
		t := check.Ident(l.u.fresh("tag"))
		list = append(list, l.sp.varStmt(t, types.Default(l.typeOf(n.Tag))),
			&ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: token.ASSIGN, Rhs: []ast.Expr{l.x.expr(n.Tag)}})
		condition = func(x ast.Expr) ast.Expr { return &ast.BinaryExpr{X: t, Op: token.EQL, Y: l.x.expr(x)} }
	case n.Tag != nil:
		tag = l.x.expr(n.Tag)
	}
	clauses := make([]*ast.CaseClause, len(n.Body.List))
	for i, c := range n.Body.List {
		c := c.(*ast.CaseClause)
		clauses[i] = &ast.CaseClause{Case: 1, Body: l.clause(c.Body, nil)}
		switch {
		case c.List == nil:
		case tag != nil:
			for _, x := range c.List {
				y := l.x.expr(x)
				// yaegi knows no comparison of channels of two directions
				if isChan(l.typeOf(n.Tag)) && isChan(l.typeOf(x)) {
					if from, to := l.scope.Inner(l.typeOf(x)), l.scope.Inner(l.typeOf(n.Tag)); from != to {
						y = call(l.u.funcs.Retype(from, to), y)
					}
				}
				clauses[i].List = append(clauses[i].List, y)
			}
		default:
			clauses[i].List = []ast.Expr{anyOf(c.List, condition)}
		}
	}
	if falls && other >= 0 && other < len(clauses)-1 {
		return l.inBlock(n.Init, append(list, l.fallSwitch(clauses))...)
	}
	if other >= 0 {
		d := clauses[other]
		clauses = append(append(clauses[:other:other], clauses[other+1:]...), d)
	}
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for _, c := range clauses {
		body.List = append(body.List, c)
	}
	s := &ast.SwitchStmt{Tag: tag, Body: body}
	if list == nil && n.Init == nil {
		return s
	}
	return l.inBlock(n.Init, append(list, s)...)
}

// cases tells of a switch: whether it compares interfaces with other values, which clause is the default (-1 for none),
// whether a clause falls through, and whether its conditions must be spelled out.
func (q *facts) cases(n *ast.SwitchStmt) (mixed bool, other int, falls, calls bool) {
	other = -1
	for i, c := range n.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			other = i
		}
		falls = falls || fallsThrough(c.Body)
		for _, x := range c.List {
			// yaegi finds no case nil
			calls = calls || len(c.List) > 1 && q.info.Types[x].Value == nil || n.Tag != nil && isNil(q.typeOf(x))
			if n.Tag != nil {
				a, b := q.typeOf(n.Tag), q.typeOf(x)
				mixed = mixed || a != nil && b != nil && (types.IsInterface(a) || types.IsInterface(b))
			}
		}
	}
	return mixed, other, falls, calls
}

// anyOf joins conditions with ||.
func anyOf(list []ast.Expr, condition func(ast.Expr) ast.Expr) ast.Expr {
	r := condition(list[0])
	for _, x := range list[1:] {
		r = &ast.BinaryExpr{X: r, Op: token.LOR, Y: condition(x)}
	}
	return r
}

// fallSwitch is a switch whose default stands between cases that fall through:
//
//	i := 2 // of the default
//	switch { case a: i = 0; case b: i = 1 }
//	switch {
//	default:
//		fall := false
//		if i == 0 { …; fall = true }
//		if i == 1 || fall { fall = false; … }
//	}
func (l *stmts) fallSwitch(clauses []*ast.CaseClause) ast.Stmt {
	i, fall := check.Ident(l.u.fresh("i")), check.Ident(l.u.fresh("fall"))
	number := func(n int) ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n)} }
	set := func(x ast.Expr, tok token.Token, y ast.Expr) ast.Stmt {
		return &ast.AssignStmt{Lhs: []ast.Expr{x}, Tok: tok, Rhs: []ast.Expr{y}}
	}
	choose := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	carrier := &ast.CaseClause{Case: 1, Body: []ast.Stmt{set(fall, token.DEFINE, check.Ident("false"))}}
	other := 0
	for k, c := range clauses {
		if c.List == nil {
			other = k
		} else {
			choose.List = append(choose.List,
				&ast.CaseClause{Case: 1, List: c.List, Body: []ast.Stmt{set(i, token.ASSIGN, number(k))}})
		}
		body := append([]ast.Stmt{set(fall, token.ASSIGN, check.Ident("false"))}, c.Body...)
		if b, ok := body[len(body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			body[len(body)-1] = set(fall, token.ASSIGN, check.Ident("true"))
		}
		cond := &ast.BinaryExpr{X: &ast.BinaryExpr{X: i, Op: token.EQL, Y: number(k)}, Op: token.LOR, Y: fall}
		carrier.Body = append(carrier.Body,
			&ast.IfStmt{Cond: cond, Body: &ast.BlockStmt{List: append(body, set(i, token.ASSIGN, number(-1)))}})
	}
	return flat(set(i, token.DEFINE, number(other)), &ast.SwitchStmt{Body: choose},
		&ast.SwitchStmt{Body: &ast.BlockStmt{List: []ast.Stmt{carrier}}})
}
