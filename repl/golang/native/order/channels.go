package order

import (
	"go/ast"
	"go/token"
	"go/types"
)

// send looks at c <- x. The compiler copies x before it evaluates c, but for the calls in c.
func (o *order) send(n *ast.SendStmt) {
	o.expr(n.Chan)
	channel, calls := o.early, o.calls
	o.early, o.calls = false, false
	o.expr(n.Value)
	if channel && (o.early || o.calls) && o.bad == nil {
		o.bad = n
	}
	o.calls = o.calls || calls
}

// comm looks at what a case of a select statement does. That evaluates channels and what is sent in their order, and
// what is assigned to when it has received.
func (o *order) comm(n *ast.CommClause) {
	var receives ast.Expr
	o.early = false
	switch s := n.Comm.(type) {
	case *ast.SendStmt:
		o.expr(s.Chan)
		o.early = false
		o.expr(s.Value)
	case *ast.ExprStmt:
		receives = s.X
	case *ast.AssignStmt:
		receives = s.Rhs[0]
		for _, x := range s.Lhs {
			o.early = false
			o.left(x)
		}
	}
	if x, ok := ast.Unparen(receives).(*ast.UnaryExpr); ok {
		o.early = false
		o.expr(x.X)
	}
}

// sent is what a statement sends, in a variable of the type of elements.
func (h *hoister) sent(s *ast.SendStmt) ast.Expr {
	c, ok := h.s.Info.TypeOf(s.Chan).Underlying().(*types.Chan)
	if !ok {
		h.unknown = true
		return s.Value
	}
	x := h.operand(s.Value, c.Elem())
	if tv := h.s.Info.Types[s.Value]; tv.Value != nil || tv.IsNil() {
		return x
	}
	set, get := h.variable(s.Value.Pos(), c.Elem())
	h.before = append(h.before, &ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: s.Value.Pos(), Tok: token.DEFINE,
		Rhs: []ast.Expr{x}})
	return get
}

// selects is a select statement whose channels, and what it sends, are in variables.
func (h *hoister) selects(s *ast.SelectStmt) ast.Stmt {
	c := *s
	c.Body = &ast.BlockStmt{Lbrace: s.Body.Lbrace, Rbrace: s.Body.Rbrace}
	received := func(x ast.Expr) ast.Expr {
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		if !ok {
			h.unknown = true
			return x
		}
		y := *u
		y.X = h.copy(h.expr(u.X), h.s.Info.TypeOf(u.X))
		return h.same(u, &y)
	}
	for _, clause := range s.Body.List {
		k := *clause.(*ast.CommClause)
		c.Body.List = append(c.Body.List, &k)
		switch comm := k.Comm.(type) {
		case *ast.SendStmt:
			y := *comm
			y.Chan, y.Value = h.copy(h.expr(comm.Chan), h.s.Info.TypeOf(comm.Chan)), h.sent(comm)
			k.Comm = &y
		case *ast.ExprStmt:
			k.Comm = &ast.ExprStmt{X: received(comm.X)}
		case *ast.AssignStmt:
			left := &order{s: h.s, captured: h.captured}
			for _, x := range comm.Lhs {
				left.early = false
				left.left(x)
			}
			h.unknown = h.unknown || left.bad != nil
			y := *comm
			y.Rhs = []ast.Expr{received(comm.Rhs[0])}
			k.Comm = &y
		}
	}
	return &c
}
