package lower

import (
	"go/ast"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/order"
)

// ordered lowers a statement by what a function makes of one. yaegi reads operands from left to right, and finds the
// place of an assignment first, where the compiler evaluates calls before other operands. Where a call may change such
// an operand, the statement becomes others that leave no choice.
func (l *stmts) ordered(s ast.Stmt, lower func(ast.Stmt) []ast.Stmt) (lowered []ast.Stmt) {
	if l.fixed[s] || l.u.plan != nil && l.u.plan.pieces[s] != nil {
		return lower(s)
	}
	f := &order.Function{Info: l.info, Own: l.isOwn, Passed: func(*types.Var) bool { return false },
		Pure: func(*types.Func) bool { return false }}
	list, forget := f.Statement(s, l.x.fn.results)
	defer forget()
	if list == nil {
		return lower(s)
	}
	for _, s := range list {
		l.fixed[s] = true
		lowered = append(lowered, lower(s)...)
	}
	return lowered
}

// isOwn reports whether no call changes a variable.
func (l *stmts) isOwn(v *types.Var) bool {
	return v.IsField() || !l.escapes[v] && l.u.slotOf(v) == nil && (v.Pkg() == nil || v.Parent() != v.Pkg().Scope())
}
