package order

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Statement returns what a statement is in the order of the compiler, for code that reads operands before the calls to
// the right of them: statements that come one after another. It is nil for a statement that may stay as it is, for one
// whose order is not known, and for those of select statements and below labels. What it adds to Info stays until
// forget is called. Statements within the statement, those of function literals too, are left as they are.
func (s *Function) Statement(st ast.Stmt, results *types.Tuple) (list []ast.Stmt, forget func()) {
	one := *s
	one.alone = true
	h := &hoister{s: &one}
	forget = func() {
		for i := len(h.undo) - 1; i >= 0; i-- {
			h.undo[i]()
		}
	}
	switch n := st.(type) {
	case *ast.SelectStmt, *ast.LabeledStmt:
		return nil, forget
	case *ast.AssignStmt:
		if h.placeLast(n) {
			return h.valueFirst(n), forget
		}
	case *ast.IfStmt:
		if e, ok := n.Else.(*ast.IfStmt); ok && h.elseOpen(e) {
			c := *n
			c.Else = &ast.BlockStmt{Lbrace: e.Pos(), List: []ast.Stmt{e}, Rbrace: e.End()}
			st = &c
			list = []ast.Stmt{st}
		}
	}
	if !h.open(st) {
		return list, forget
	}
	r := h.statement(st, results, false)
	if h.unknown || r == nil {
		return list, forget
	}
	r = append(h.before, r...)
	switch st.(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt: // what they declare is theirs
		r = []ast.Stmt{&ast.BlockStmt{Lbrace: st.Pos(), List: r, Rbrace: st.End()}}
	}
	return r, forget
}

// elseOpen reports whether the order of a statement after else matters, or that of one after its own else.
func (h *hoister) elseOpen(n *ast.IfStmt) bool {
	if h.open(n) {
		return true
	}
	e, ok := n.Else.(*ast.IfStmt)
	return ok && h.elseOpen(e)
}

// placeLast reports whether n is x = y or x += y, where the compiler finds the place x after the calls in y.
func (h *hoister) placeLast(n *ast.AssignStmt) bool {
	o := &order{s: h.s}
	return o.callFirst(n) && o.bad == nil
}

// valueFirst makes v := y; x = v of x = y.
func (h *hoister) valueFirst(n *ast.AssignStmt) []ast.Stmt {
	set, get := h.variable(n.Rhs[0].Pos(), types.Default(h.s.Info.TypeOf(n.Rhs[0])))
	return []ast.Stmt{
		&ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: n.TokPos, Tok: token.DEFINE, Rhs: n.Rhs},
		&ast.AssignStmt{Lhs: n.Lhs, TokPos: n.TokPos, Tok: n.Tok, Rhs: []ast.Expr{get}}}
}
