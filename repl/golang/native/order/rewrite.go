package order

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// split makes v := y; x = v of assignments x = y, or x += v of x += y, in lists of statements, until what it returns
// is called.
func (s *Function) split(list []*ast.AssignStmt) (restore func()) {
	if len(list) == 0 {
		return func() {}
	}
	var undo []func()
	replace := func(at *ast.Stmt) {
		n, ok := (*at).(*ast.AssignStmt)
		if !ok || !slices.Contains(list, n) {
			return
		}
		t := s.Info.Types[n.Rhs[0]].Type
		v := types.NewVar(n.Rhs[0].Pos(), s.Pkg, "value", t)
		set, get := ast.NewIdent("value"), ast.NewIdent("value")
		set.NamePos, get.NamePos = n.Pos(), n.Pos()
		s.Info.Defs[set], s.Info.Uses[get], s.Info.Types[get] = v, v, types.TypeAndValue{Type: t}
		*at = &ast.BlockStmt{Lbrace: n.Pos(), Rbrace: n.End(), List: []ast.Stmt{
			&ast.AssignStmt{Lhs: []ast.Expr{set}, TokPos: n.TokPos, Tok: token.DEFINE, Rhs: n.Rhs},
			&ast.AssignStmt{Lhs: n.Lhs, TokPos: n.TokPos, Tok: n.Tok, Rhs: []ast.Expr{get}}}}
		undo = append(undo, func() {
			*at = n
			delete(s.Info.Defs, set)
			delete(s.Info.Uses, get)
			delete(s.Info.Types, get)
		})
	}
	ast.Inspect(s.Syntax.Body, func(n ast.Node) bool {
		var in []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			in = n.List
		case *ast.CaseClause:
			in = n.Body
		case *ast.CommClause:
			in = n.Body
		case *ast.LabeledStmt:
			replace(&n.Stmt)
		}
		for i := range in {
			replace(&in[i])
		}
		return true
	})
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// rewrite makes x = x + y of assignments x += y, until what it returns is called.
func (s *Function) rewrite(list []*ast.AssignStmt) (restore func()) {
	was := make([]ast.AssignStmt, len(list))
	for i, n := range list {
		was[i] = *n
		op := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
			token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM,
			token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
			token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT}[n.Tok]
		x := &ast.BinaryExpr{X: n.Lhs[0], OpPos: n.TokPos, Op: op, Y: n.Rhs[0]}
		s.Info.Types[x] = types.TypeAndValue{Type: s.Info.Types[n.Lhs[0]].Type} // which has no address
		n.Tok, n.Rhs = token.ASSIGN, []ast.Expr{x}
	}
	return func() {
		for i, n := range list {
			delete(s.Info.Types, n.Rhs[0])
			*n = was[i]
		}
	}
}
